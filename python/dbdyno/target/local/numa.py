"""The NUMA nodes of this machine: which CPUs and memory belong together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from dbdyno.control_groups import read
from dbdyno.errors import InputError
from dbdyno.experiment.file.quantity import LARGEST_CPU, parse_numbers

ROOT = Path("/sys/devices/system/node")
_LARGEST_NODE = 1023


def bound_cpus(nodes: Sequence[int], cpus: tuple[int, ...], root: Path = ROOT) -> tuple[int, ...]:
    """Return the CPUs of a server that is bound to nodes, and to these CPUs where some are named.

    ``InputError`` where a node is not there, or the nodes and CPUs do not go together.
    """
    if not nodes:
        return cpus
    _check_nodes(nodes, root)
    near = {cpu for node in nodes for cpu in _numbers(root / f"node{node}" / "cpulist")}
    usable = near & os.sched_getaffinity(0)
    if not usable:
        raise InputError(
            f"numa: dbdyno may use no CPU of NUMA node {_in_words(nodes)}, which has "
            f"{_in_words(near) or 'none'}; name another node"
        )
    far = set(cpus) - near
    if far:
        raise InputError(
            f"numa: NUMA node {_in_words(nodes)} has the CPUs {_in_words(near)}, and cpus names "
            f"{_in_words(far)} besides; keep cpus to those of the node, or remove one of the two"
        )
    return cpus or tuple(sorted(usable))


def _check_nodes(nodes: Sequence[int], root: Path) -> None:
    there = _numbers(root / "online")
    if not there:
        raise InputError("numa: this machine does not tell its NUMA nodes; remove numa")
    missing = set(nodes) - set(there)
    if missing:
        raise InputError(
            f"numa: this machine has the NUMA nodes {_in_words(there)}, and not "
            f"{_in_words(missing)}"
        )
    without_memory = set(nodes) - set(_numbers(root / "has_memory"))
    if without_memory:
        raise InputError(
            f"numa: NUMA node {_in_words(without_memory)} has no memory; name one that has"
        )


def _numbers(path: Path) -> tuple[int, ...]:
    return parse_numbers(read(path) or "", max(LARGEST_CPU, _LARGEST_NODE)) or ()


def _in_words(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
