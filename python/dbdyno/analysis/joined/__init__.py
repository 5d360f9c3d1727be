"""Two results as one: what they have in common, what differs, and what a comparison may not say."""
