"""SQLite, which is a file and no process."""
