"""Intervals: every operation against exact rationals or balls."""
