"""Faults of servers and networks on purpose, and what a trial makes of each."""
