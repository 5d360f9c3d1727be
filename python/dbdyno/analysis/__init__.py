"""Analysis: what a stored result shows, as plain values. Knows the store's types and no server."""
