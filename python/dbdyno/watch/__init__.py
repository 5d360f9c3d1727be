"""Watching machines: the facts of one at the start, and what is used each second."""
