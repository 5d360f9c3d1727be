"""Generators on other hosts: how their agents are started, trusted, and told the time."""
