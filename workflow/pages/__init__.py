"""What the results mean, as pages that open offline and as pictures."""
