"""Tests of exact-census. `tests.reference` holds independent reference implementations."""
