"""The command line against real files and processes."""
