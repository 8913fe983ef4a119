"""Ground floor: numbers without meaning (multi-component floats, lattices, trapezoidal and tilted sums)."""
