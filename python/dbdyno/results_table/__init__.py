"""Tables of results as others publish them: read, typed, and told where each figure stands."""
