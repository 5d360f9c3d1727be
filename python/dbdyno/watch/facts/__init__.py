"""Looks the facts of a host up: of this one, or of another one over a command that runs there."""
