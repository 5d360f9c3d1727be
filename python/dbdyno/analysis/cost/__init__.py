"""What a transaction cost: CPU time, bytes, flushes, by trial and against the baseline."""
