"""Rules that a comparison must keep, and whether it did: what a pipeline stops for."""
