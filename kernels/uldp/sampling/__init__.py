"""Compiled code that plays clients and server: random streams, reports, whole simulations."""
