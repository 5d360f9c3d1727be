"""The control group that we run in: how much CPU and memory, and how many threads, it leaves us.

A limit holds for a group and all below it, so that the narrowest one on the way up counts. See the
kernel's documentation, ``admin-guide/cgroup-v1`` and ``admin-guide/cgroup-v2``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from dbdyno.watch.storage import NONE, Facts, read

ROOT = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
_UNLIMITED_BYTES = 1 << 62
"""Version 1 shows no limit as a number near 2⁶³."""


def limit_facts(root: Path = ROOT, membership: Path = MEMBERSHIP) -> Facts:
    """Return the limits that hold for this process; "none" only where its groups can be seen."""
    groups = _groups(root, membership)
    return {
        "control_group_cpu_limit_cores": _narrowest(groups, "cpu", _cpu_limit),
        "control_group_memory_limit_bytes": _narrowest(groups, "memory", _memory_limit_bytes),
        "control_group_task_limit": _narrowest(groups, "pids", _task_limit),
    }


def _narrowest(
    groups: Mapping[str, Sequence[Path]], controller: str, limit_of: Callable[[Path], float | None]
) -> float | str | None:
    both = [*groups.get("", ()), *groups.get(controller, ())]
    limits = [limit for group in both if (limit := limit_of(group))]
    # Where version 2 is mounted beside version 1, what looks like its root is no group.
    is_seen = any((group / "cgroup.procs").exists() for group in both)
    return min(limits, default=NONE if is_seen else None)


def _groups(root: Path, membership: Path) -> dict[str, list[Path]]:
    """Return our group and those above it by controller; version 2 has one for all, named ''."""
    groups: dict[str, list[Path]] = {}
    for line in (read(membership) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = list(_upward(root / controller, path))
    return groups


def _upward(root: Path, path: str) -> Iterator[Path]:
    """Yield a group and those above. In a container the path may be one of the host's, not seen."""
    group = root / path.lstrip("/")
    while group != root:
        yield group
        group = group.parent
    yield root


def _cpu_limit(group: Path) -> float | None:
    both = (read(group / "cpu.max") or "").split()
    if not both:
        both = [read(group / f"cpu.cfs_{name}_us") or "" for name in ("quota", "period")]
    quota, period = both
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None


def _task_limit(group: Path) -> int | None:
    text = read(group / "pids.max") or ""
    return int(text) if text.isdigit() else None


def _memory_limit_bytes(group: Path) -> int | None:
    text = read(group / "memory.max") or read(group / "memory.limit_in_bytes") or ""
    return int(text) if text.isdigit() and int(text) < _UNLIMITED_BYTES else None
