"""Errors of each cell's trials: which, how many and when."""
