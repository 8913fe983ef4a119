"""Relative tier: tail probabilities and the privacy profile to about 1e-12 of their size."""
