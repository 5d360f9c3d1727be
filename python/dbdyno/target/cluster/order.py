"""The order in which roles start, and which of them store the data."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import TopologicalSorter

from dbdyno.experiment.file.cluster import ClusterTarget, Members


def in_order(members: Mapping[str, Members]) -> list[str]:
    """Return the roles, each after those that it waits for, else as the file has them.

    ``CycleError`` where roles wait for each other.
    """
    waits = {role: [*group.after, *_served(group)] for role, group in members.items()}
    return list(TopologicalSorter(waits).static_order())


def _served(group: Members) -> list[str]:
    """Return whom a balancer leads to: its configuration has their addresses."""
    return [] if group.haproxy is None else [group.haproxy.to]


def storing_roles(target: ClusterTarget) -> set[str]:
    """Return the roles of servers with data: those that other servers, no balancers, wait for.

    Where nobody waits, all that speak SQL store.
    """
    speaking = {role for role, group in target.members.items() if group.sql is not None}
    before = {
        role
        for group in target.members.values()
        if group.haproxy is None
        for role in group.after
        if role in speaking
    }
    return before or speaking
