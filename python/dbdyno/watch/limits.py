"""The control group that we run in: how much CPU and memory it leaves us.

A limit holds for a group and all below it, so that the narrowest one on the way up counts. See the
kernel's documentation, ``admin-guide/cgroup-v1`` and ``admin-guide/cgroup-v2``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from dbdyno.watch.storage import Facts, read

ROOT = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")
_UNLIMITED_BYTES = 1 << 62
"""Version 1 shows no limit as a number near 2⁶³."""


def limit_facts(root: Path = ROOT, membership: Path = MEMBERSHIP) -> Facts:
    """Return the limits that hold for this process; None where there is none."""
    groups = _groups(root, membership)
    cpus = [_cpu_limit(group) for controller in ("", "cpu") for group in groups.get(controller, [])]
    memory = [
        _memory_limit_bytes(group)
        for controller in ("", "memory")
        for group in groups.get(controller, [])
    ]
    return {
        "control_group_cpu_limit_cores": min((limit for limit in cpus if limit), default=None),
        "control_group_memory_limit_bytes": min((limit for limit in memory if limit), default=None),
    }


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


def _memory_limit_bytes(group: Path) -> int | None:
    text = read(group / "memory.max") or read(group / "memory.limit_in_bytes") or ""
    return int(text) if text.isdigit() and int(text) < _UNLIMITED_BYTES else None
