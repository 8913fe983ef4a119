"""What exact results are compared with: zCDP conversions and the Gaussian limit."""
