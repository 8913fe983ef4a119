"""Scans: a grid of candidate allocations, its plan and its table."""
