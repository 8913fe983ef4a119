"""Accounting against the references, as laws, and in every regime."""
