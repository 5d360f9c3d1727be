"""Factors and their levels: cells, rounds, and the order in which trials run."""
