"""The local-privacy study: its file, its tasks, their results."""
