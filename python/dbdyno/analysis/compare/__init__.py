"""Comparing cells: which differ, by how much, and how sure that is over a whole report."""
