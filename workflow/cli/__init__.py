"""The command line: one question about one pair, without a workflow."""
