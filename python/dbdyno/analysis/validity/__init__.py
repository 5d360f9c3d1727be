"""Validity: is a figure what its name says? Checks, their evidence, and what to do about it."""
