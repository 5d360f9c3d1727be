"""Watching real servers."""
