"""Allocation files: their model, tables of budgets and of geography, and writing them."""
