"""Where libpq goes: its parameters, from connection strings, service files and the environment."""
