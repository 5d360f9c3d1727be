"""Running experiments, and the load of single trials."""
