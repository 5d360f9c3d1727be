"""Servers under test: start, set, restart, stop, describe."""
