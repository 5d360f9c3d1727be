"""What else differs between compared cells, and may be the true cause of an effect."""
