"""Absolute tier: tail probabilities to about 1e-35."""
