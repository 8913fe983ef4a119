"""Census meaning: allocations, mechanisms, pairs, privacy curves and the bounds they are compared with."""
