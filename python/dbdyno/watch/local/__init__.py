"""What this machine's kernel tells of the host, and of the processes that are watched on it."""
