"""What private servers can be limited by on this machine, and what their limits leave behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dbdyno.control_groups import (
    OWN_MEMBERSHIP,
    ROOT,
    cpu_limit_cores,
    groups_of,
    membership_of,
    narrowest,
)
from dbdyno.errors import InputError
from dbdyno.experiment.plan import NO_LIMITS, ServerLimits
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.control_group_ways import find_way
from dbdyno.target.local.group_folders import PREFIX

ANY = ServerLimits(memory_bytes=1 << 30, cpus=1.0)


def require_limits(memory_bytes: int | None = None) -> None:
    """Skip a test where nothing, or not so much, can be limited. The last lines say so."""
    try:
        find_way(ANY)
        Confinement().check(ServerLimits(memory_bytes=memory_bytes))
    except InputError as error:
        pytest.skip(f"NOT TESTED: limits of private servers, which can't be had here: {error}")


def require_disk_limits(directory: Path) -> None:
    """Skip a test where writes to the disk of a directory can't be limited. The last lines say."""
    try:
        Confinement(directory=directory).check(ServerLimits(writes_per_s=100))
    except InputError as error:
        pytest.skip(f"NOT TESTED: limits of a disk, which can't be had here: {error}")


def require_numa() -> None:
    """Skip a test where no server can be bound to the first NUMA node. The last lines say so."""
    try:
        Confinement(nodes=(0,)).check(NO_LIMITS)
    except InputError as error:
        pytest.skip(f"NOT TESTED: NUMA nodes of private servers, which can't be had here: {error}")


def require_all_cpus() -> int:
    """Return how many CPUs a server may have; skip where a quota of ours takes time of them."""
    quota = narrowest(groups_of(OWN_MEMBERSHIP), "cpu", cpu_limit_cores)
    if quota is not None:
        pytest.skip(f"NOT TESTED: a server that is not held up, in a group with {quota:g} CPUs")
    return len(os.sched_getaffinity(0))


def groups_with_limits(process_id: int) -> list[Path]:
    """Return the groups that a running server has of its own, however they were made."""
    groups = groups_of(membership_of(process_id))
    own = {groups[name][0] for name in ("memory", "cpu", "") if name in groups}
    return sorted(group for group in own if group.name.startswith(PREFIX))


def left_behind(process_id: int | None = None) -> list[Path]:
    """Return the groups of servers that a process has started, wherever they are: this, or one."""
    beginning = f"{PREFIX}{process_id or os.getpid()}-"
    # Groups of others come and go meanwhile, which this does not mind.
    walked = ((folder, name) for folder, names, _ in os.walk(ROOT) for name in names)
    return sorted(Path(folder, name) for folder, name in walked if name.startswith(beginning))
