"""Tables of results as others publish them: read, typed, and told where each figure stands.

``read.read_tables`` reads files and folders; ``evidence.to_evidence`` makes trials of a table.
"""
