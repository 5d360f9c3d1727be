"""The control group that a process runs in: how much CPU, memory and threads it leaves, and took.

A limit holds for a group and all below it, so that the narrowest one on the way up counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path

from dbdyno.control_groups import (
    OWN_MEMBERSHIP,
    ROOT,
    Groups,
    cpu_limit_cores,
    groups_of,
    membership_of,
    memory_limit_bytes,
    narrowest,
    on_the_way_up,
    out_of_memory_kills,
    task_limit,
    throttling,
)
from dbdyno.watch.storage import NONE, Facts

Waits = tuple[int, int, float]
"""What ``throttling`` returns."""


def limit_facts(root: Path = ROOT, membership: Path = OWN_MEMBERSHIP) -> Facts:
    """Return the limits that hold for a process; "none" only where its groups can be seen."""
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


class GroupWatch:
    """The groups of a server's first process: its limits, and what they have cost it since.

    The process may end meanwhile; its groups are looked at as long as they are there. Groups that
    hold CPU time from the generator too are told of apart from those that hold it from the server.
    """

    def __init__(
        self,
        process_ids: Sequence[int],
        root: Path = ROOT,
        membership: Path | None = None,
        own_membership: Path = OWN_MEMBERSHIP,
    ) -> None:
        """Watch from now on; without a process, as on another machine, nothing is told."""
        self._groups: Groups = {}
        # Those that the generator is in, which we start.
        self._shared = set(on_the_way_up(groups_of(own_membership, root), "cpu"))
        self._limits: Facts = {}
        if process_ids:
            membership = membership or membership_of(process_ids[0])
            self._groups = groups_of(membership, root)
            self._limits = limit_facts(root, membership)
        # Where a group counts, it counts the kills of its own processes; one above may not.
        counting = on_the_way_up(self._groups, "memory")
        known = (group for group in counting if out_of_memory_kills(group) is not None)
        self._memory_group = next(known, None)
        self._kills_before = self._kills()
        self._waits_before = self._waits()

    def limits(self) -> Facts:
        """Return the limits, as they were when the watch began."""
        return dict(self._limits)

    def facts(self) -> Facts:
        """Return the limits, and what has been since the watch began."""
        if not self._limits:
            return {}
        kills, waits = self._kills(), self._waits()
        before = self._kills_before
        return {
            **self._limits,
            "out_of_memory_kills": None if kills is None or before is None else kills - before,
            **self._throttled(waits, "cpu", set(waits) - self._shared),
            **self._throttled(waits, "shared_cpu", set(waits) & self._shared),
        }

    def _kills(self) -> int | None:
        return None if self._memory_group is None else out_of_memory_kills(self._memory_group)

    def _waits(self) -> dict[Path, Waits]:
        known = {group: throttling(group) for group in on_the_way_up(self._groups, "cpu")}
        return {group: waits for group, waits in known.items() if waits is not None}

    def _throttled(self, waits: Mapping[Path, Waits], prefix: str, among: Set[Path]) -> Facts:
        """Return how the group fared that had to wait longest, of these, and what its limit is."""
        grown = {
            group: tuple(now - before for now, before in zip(waits[group], was, strict=True))
            for group, was in self._waits_before.items()
            if group in among
        }
        names = [f"{prefix}_{name}" for name in ("periods", "throttled_periods", "throttled_s")]
        longest = max(grown, key=lambda group: grown[group][2], default=None)
        figures = (None, None, None) if longest is None else grown[longest]
        limit = None if longest is None else cpu_limit_cores(longest)
        return {**dict(zip(names, figures, strict=True)), f"{prefix}_throttled_limit_cores": limit}
