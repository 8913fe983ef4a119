"""New allocations from old ones: scaled and calibrated to a promise."""
