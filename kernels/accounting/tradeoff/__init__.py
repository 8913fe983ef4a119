"""The trade-off function at any alpha."""
