"""Floating-point arithmetic: compiler options, triple-doubles, elementary functions."""
