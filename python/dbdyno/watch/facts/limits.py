"""Looks up how much a process may take: what its control group leaves it, and its own limits."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

from dbdyno.control_groups import (
    OWN_MEMBERSHIP,
    ROOT,
    Groups,
    cpu_limit_cores,
    groups_of,
    memory_limit_bytes,
    narrowest,
    on_the_way_up,
    task_limit,
)
from dbdyno.facts.host import NONE, Facts
from dbdyno.facts.system import LimitFacts
from dbdyno.watch.kernel import open_files_limit

_PROCESS_LIMITS = {
    "process_threads_limit": resource.RLIMIT_NPROC,
    "process_locked_memory_limit_bytes": resource.RLIMIT_MEMLOCK,
    "process_stack_limit_bytes": resource.RLIMIT_STACK,
}


def own_limit_facts() -> LimitFacts:
    """Return the limits of this process, which those that it starts have too."""
    own = {name: resource.getrlimit(number)[0] for name, number in _PROCESS_LIMITS.items()}
    known = {
        name: NONE if limit == resource.RLIM_INFINITY else limit for name, limit in own.items()
    }
    files = open_files_limit()
    known["process_open_files_limit"] = NONE if files is None else files
    return LimitFacts(**known, **limit_facts())  # type: ignore[arg-type]


def limit_facts(root: Path = ROOT, membership: Path = OWN_MEMBERSHIP) -> Facts:
    """Return the limits of a process's control groups; "none" only where they can be seen."""
    groups = groups_of(membership, root)
    return {
        "control_group_cpu_limit_cores": _narrowest(groups, "cpu", cpu_limit_cores),
        "control_group_memory_limit_bytes": _narrowest(groups, "memory", memory_limit_bytes),
        "control_group_task_limit": _narrowest(groups, "pids", task_limit),
    }


def _narrowest(
    groups: Groups, controller: str, limit_of: Callable[[Path], float | None]
) -> float | str | None:
    # Where version 2 is mounted beside version 1, what looks like its root is no group.
    is_seen = any((group / "cgroup.procs").exists() for group in on_the_way_up(groups, controller))
    return narrowest(groups, controller, limit_of) or (NONE if is_seen else None)
