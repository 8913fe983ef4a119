"""Random compositions and broken inputs, and the programs that draw many of them."""
