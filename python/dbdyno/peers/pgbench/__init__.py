"""pgbench's own command: its options and its output, on dbdyno's engine."""
