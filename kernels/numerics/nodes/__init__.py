"""Nodes of the trapezoidal rule: which ones matter, as exact integers, and what the others add at most."""
