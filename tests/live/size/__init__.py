"""Sizes of tables on real servers."""
