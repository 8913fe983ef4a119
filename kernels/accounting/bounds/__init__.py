"""What exact results are held against: zCDP conversions, the Gaussian limit, its corrections, sums of eps."""
