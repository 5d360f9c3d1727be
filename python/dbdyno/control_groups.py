"""Control groups as the kernel shows them: those that a process is in, and what has come to them.

There are two versions, which a machine may have beside each other. In the first, each controller
has groups of its own; in the second there is one group for all. See the kernel's documentation,
``admin-guide/cgroup-v1`` and ``admin-guide/cgroup-v2``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OWN_MEMBERSHIP = Path("/proc/self/cgroup")
UNIFIED = ""
"""The name of version 2 where others have the name of their controller."""

_HYBRID = "unified"
"""Where version 2 is found beside version 1."""
_UNLIMITED_BYTES = 1 << 62
"""Version 1 shows no limit as a number near 2⁶³."""

Groups = Mapping[str, Sequence[Path]]
"""A process's group and those above it, by controller."""


def read(path: Path) -> str | None:
    """Return a file's text without blanks around it; None where it is absent or empty."""
    try:
        return path.read_text().strip() or None
    except OSError:
        return None


def membership_of(process_id: int) -> Path:
    """Return the file that tells which groups a process is in."""
    return Path(f"/proc/{process_id}/cgroup")


def groups_of(membership: Path, root: Path = ROOT) -> Groups:
    """Return a process's group and those above it, by controller; version 2 is ``UNIFIED``."""
    groups: dict[str, list[Path]] = {}
    for line in (read(membership) or "").splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            groups[controller] = list(_upward(_mount_of(controller, root), path))
    return groups


def _mount_of(controller: str, root: Path) -> Path:
    hybrid = root / _HYBRID
    return hybrid if controller == UNIFIED and hybrid.is_dir() else root / controller


def _upward(root: Path, path: str) -> Iterator[Path]:
    """Yield a group and those above. In a container the path may be one of the host's, not seen."""
    group = root / path.lstrip("/")
    while group != root:
        yield group
        group = group.parent
    yield root


def narrowest(
    groups: Groups, controller: str, limit_of: Callable[[Path], float | None]
) -> float | None:
    """Return the limit that holds for a process: that of a group holds for all below it too."""
    limits = [limit for group in on_the_way_up(groups, controller) if (limit := limit_of(group))]
    return min(limits, default=None)


def on_the_way_up(groups: Groups, controller: str) -> list[Path]:
    """Return the groups that may limit what a controller controls."""
    return [*groups.get(UNIFIED, ()), *groups.get(controller, ())]


def cpu_limit_cores(group: Path) -> float | None:
    """Return how many CPUs' time a group may take; None without a limit."""
    both = (read(group / "cpu.max") or "").split()
    if not both:
        both = [read(group / f"cpu.cfs_{name}_us") or "" for name in ("quota", "period")]
    quota, period = both
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None


def memory_limit_bytes(group: Path) -> int | None:
    """Return how much memory a group may take; None without a limit."""
    text = read(group / "memory.max") or read(group / "memory.limit_in_bytes") or ""
    return int(text) if text.isdigit() and int(text) < _UNLIMITED_BYTES else None


def task_limit(group: Path) -> int | None:
    """Return how many threads a group may have; None without a limit."""
    text = read(group / "pids.max") or ""
    return int(text) if text.isdigit() else None


def out_of_memory_kills(group: Path) -> int | None:
    """Return how many processes of a group the kernel has killed because memory was short.

    None where it does not tell.
    """
    for file in ("memory.events", "memory.oom_control"):
        kills = _counters(group / file).get("oom_kill")
        if kills is not None:
            return kills
    return None


def memory_limit_events(group: Path) -> int | None:
    """Return how often a group wanted more memory than its limit; None where it is not told."""
    events = _counters(group / "memory.events").get("max")
    if events is not None:
        return events
    text = read(group / "memory.failcnt") or ""
    return int(text) if text.isdigit() else None


def out_of_memory_kills_anywhere() -> int:
    """Return how many processes of this machine the kernel has killed because memory was short."""
    return _counters(Path("/proc/vmstat")).get("oom_kill", 0)


def throttling(group: Path) -> tuple[int, int, float] | None:
    """Return how many periods a group ran in, in how many of them it had to wait, and how long.

    The time, in seconds, is a sum over CPUs. Without a CPU limit nothing grows. None where there is
    no such counter: for the group above all, or because the group is gone.
    """
    counters = _counters(group / "cpu.stat")
    if "nr_periods" not in counters:
        return None
    throttled_ns = counters.get("throttled_time", 1000 * counters.get("throttled_usec", 0))
    return counters["nr_periods"], counters["nr_throttled"], throttled_ns / 1e9


def machine_memory_bytes() -> int:
    """Return how much memory the machine has, which no group is told."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _counters(path: Path) -> dict[str, int]:
    """Return the counters of a file that has a line for each: its name and a number."""
    pairs = (line.split() for line in (read(path) or "").splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdigit()}
