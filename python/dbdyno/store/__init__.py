"""The result directory: written while an experiment runs, read by everything afterwards."""
