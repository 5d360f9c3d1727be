"""A control group of its own for a server: made with its limits, joined, and removed.

A group is made below the one that dbdyno runs in, so that no limit that holds for us is got round.
Where only systemd may make one, it does so when the server is started, and removes it.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from dbdyno.control_group_disks import FIRST_CONTROLLER, disk_limits_per_s
from dbdyno.control_groups import (
    ROOT,
    UNIFIED,
    Groups,
    cpu_limit_cores,
    groups_of,
    membership_of,
    memory_limit_bytes,
    narrowest,
    out_of_memory_kills,
    out_of_memory_kills_anywhere,
)
from dbdyno.errors import RunError
from dbdyno.experiment.plan import ServerLimits
from dbdyno.target.local.control_group_ways import Way
from dbdyno.target.local.files import file_errors
from dbdyno.target.local.group_folders import PREFIX, make_locked, remove, sweep, write

_ROUNDING_CORES = 0.01
_ROUNDING_BYTES = 1 << 20
"""The kernel counts memory in pages, of up to 64 KiB."""

WITHOUT_SWAP_FILE = {
    "memory.memsw.limit_in_bytes": {"memory.swappiness": "0"},
    "memory.swap.max": {},
}
"""What is written where a kernel has no such file: it may not count swap, or have none."""


class ControlGroup:
    """The group of one start of a server; ``remove`` it when the server has ended.

    ``folders`` are the groups that we make; ``command_prefix`` has systemd make one instead, which
    is there when the server runs, and gone with its last process.
    """

    def __init__(self, way: Way, limits: ServerLimits, root: Path = ROOT, disk: str = "") -> None:
        """Make the group with its limits; ``RunError`` where the kernel does not let us.

        ``disk`` is the number of the disk that some of the limits are about.
        """
        self._limits = limits
        self._disk = disk
        self._root = root
        self._locks: list[int] = []
        self._kills_anywhere_before = out_of_memory_kills_anywhere()
        name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        self.folders = tuple(parent / name for parent in way.parents)
        self.command_prefix = way.command_prefix(name)
        with file_errors("limit the server by a control group"):
            way.prepare()
            for parent in way.parents:
                sweep(parent)
            try:
                for folder, files in zip(self.folders, way.parents.values(), strict=True):
                    self._make(folder, files)
            except BaseException:
                self.remove()
                raise
        self._counting = _first_that_counts(self.folders)

    def _make(self, folder: Path, files: dict[str, str]) -> None:
        self._locks.append(make_locked(folder))
        for file, text in files.items():
            if (folder / file).exists():
                write(folder / file, text)
            elif file in WITHOUT_SWAP_FILE:
                for other, instead in WITHOUT_SWAP_FILE[file].items():
                    write(folder / other, instead)
            else:
                raise FileNotFoundError(errno.ENOENT, "no such limit", str(folder / file))

    def confirm(self, process_id: int) -> None:
        """See that the limits hold for a process; ``RunError`` where they do not."""
        groups = groups_of(membership_of(process_id), self._root)
        wrong = [
            *self._wrong_memory(groups),
            *self._wrong_cpus(groups),
            *self._wrong_disk(groups),
        ]
        if wrong:
            raise RunError(f"{'; '.join(wrong)}; run dbdyno as root, or remove limits")
        if not self.folders:
            own = [groups[name][0] for name in (UNIFIED, "memory") if name in groups]
            self._counting = _first_that_counts(own)

    def _wrong_memory(self, groups: Groups) -> list[str]:
        asked, allowed = self._limits.memory_bytes, narrowest(groups, "memory", memory_limit_bytes)
        if asked is None:
            return []
        amount = None if allowed is None else f"{allowed / 2**20:,.0f} MiB of memory"
        return _wrong("limits.memory", asked, allowed, _ROUNDING_BYTES, amount or "memory")

    def _wrong_cpus(self, groups: Groups) -> list[str]:
        asked, allowed = self._limits.cpus, narrowest(groups, "cpu", cpu_limit_cores)
        if asked is None:
            return []
        amount = None if allowed is None else f"{allowed:g} CPUs"
        return _wrong("limits.cpus", asked, allowed, _ROUNDING_CORES, amount or "CPU")

    def _wrong_disk(self, groups: Groups) -> list[str]:
        wrong = []
        for amount, asked in self._limits.of_disk_per_s.items():
            what = f"{amount.replace('_', ' ')} a second"

            def limit_of(group: Path, amount: str = amount) -> float | None:
                return disk_limits_per_s(group).get(self._disk, {}).get(amount)

            allowed = narrowest(groups, FIRST_CONTROLLER, limit_of)
            text = what if allowed is None else f"{allowed:,.0f} {what}"
            wrong += _wrong(f"limits.{amount}_per_s", asked, allowed, 0, text)
        return wrong

    def out_of_memory_kills(self) -> int | None:
        """Count the processes of it that the kernel has killed because they hit its limit.

        None where no counter is this group's alone, as when systemd has removed the group.
        """
        if self._limits.memory_bytes is None or self._counting is None:
            return None
        return out_of_memory_kills(self._counting)

    def kills_elsewhere_too(self) -> int:
        """Count the processes that the kernel has killed on this machine since this was made."""
        return out_of_memory_kills_anywhere() - self._kills_anywhere_before

    def remove(self) -> None:
        """End what is left in the group, and the group; one that cannot be is swept later."""
        for folder in self.folders:
            remove(folder)
        while self._locks:
            os.close(self._locks.pop())


def _wrong(
    name: str, asked: float, allowed: float | None, rounding: float, amount: str
) -> list[str]:
    """Say what is wrong where a limit is not the one that was asked for."""
    if allowed is None:
        return [f"{name} has no effect: the server's control group has no {amount} limit"]
    if abs(allowed - asked) <= rounding:
        return []
    effect = "no effect" if allowed > asked else "another effect than asked for"
    return [f"{name} has {effect}: the server's control group allows {amount}"]


def _first_that_counts(groups: Sequence[Path]) -> Path | None:
    counts = (group for group in groups if out_of_memory_kills(group) is not None)
    return next(counts, None)
