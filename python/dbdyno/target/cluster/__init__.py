"""Clusters: servers with roles, each with an address of its own, that serve as one."""
