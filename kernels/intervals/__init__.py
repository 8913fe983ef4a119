"""Numbers with guaranteed enclosures: decimals, balls, roots."""
