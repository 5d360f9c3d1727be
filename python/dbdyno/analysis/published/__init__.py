"""What others have published, beside what this experiment has found: for orientation only."""
