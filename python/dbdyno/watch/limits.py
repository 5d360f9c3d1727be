"""The control group that a process runs in: how much CPU, memory and threads it leaves, and took.

A limit holds for a group and all below it, so that the narrowest one on the way up counts.
The limits themselves are facts (``watch.facts.limits``); here is what became of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from pathlib import Path

from dbdyno.control_groups import (
    OWN_MEMBERSHIP,
    ROOT,
    Groups,
    cpu_limit_cores,
    groups_of,
    membership_of,
    on_the_way_up,
    out_of_memory_kills,
    throttling,
)
from dbdyno.facts.host import Facts
from dbdyno.watch.facts.limits import limit_facts

Waits = tuple[int, int, float]
"""What ``throttling`` returns."""


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
