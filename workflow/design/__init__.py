"""Allocations made from others: tuned, compared, scanned."""
