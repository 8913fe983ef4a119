"""The local-privacy study: what is to be computed, its tasks, files, tables and report."""
