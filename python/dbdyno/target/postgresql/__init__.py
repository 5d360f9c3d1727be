"""Private PostgreSQL servers, of any version's programs."""
