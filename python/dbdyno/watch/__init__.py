"""Watching the machine: its facts at the start, and a sample of its resources each second."""

from dbdyno.watch.host import host_facts, host_identity
from dbdyno.watch.limits import GroupWatch
from dbdyno.watch.sampler import RESOURCES_SCHEMA, Sampler

__all__ = ["RESOURCES_SCHEMA", "GroupWatch", "Sampler", "host_facts", "host_identity"]
