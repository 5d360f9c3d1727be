"""Findings shown: one HTML file for those who decide, one table in the terminal."""
