"""How near trade-off functions are to their Gaussian limit, and to each other."""
