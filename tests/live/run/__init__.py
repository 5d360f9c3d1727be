"""Whole runs of ``dbdyno``, as a user starts, stops and disturbs them."""
