"""What a server tells of itself while it is under load, asked by SQL over one connection."""
