"""The census's side of the pipeline: its tasks, their plan, and computing them."""
