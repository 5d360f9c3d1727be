"""Logs of other tools read into evidence of trials: one file a tool."""
