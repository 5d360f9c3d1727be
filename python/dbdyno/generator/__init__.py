"""The process that makes load, and what it is asked and says."""
