"""Workloads as an experiment file says them, and the plan that a generator gets of them."""
