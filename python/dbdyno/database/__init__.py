"""Where a database is and how it is asked: URLs, hosts, sessions for administration."""
