"""What exact results are held against: zCDP conversions and the Gaussian limit."""
