"""Servers that were up before us, reached by a URL."""
