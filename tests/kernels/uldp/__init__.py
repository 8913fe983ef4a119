"""Tests of the local-privacy kernels and of their study."""
