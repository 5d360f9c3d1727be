"""What a server is confined to: CPUs, NUMA nodes, a control group with its limits, a network."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from dbdyno.control_group_disks import disk_number
from dbdyno.control_groups import (
    OWN_MEMBERSHIP,
    ROOT,
    cpu_limit_cores,
    groups_of,
    machine_memory_bytes,
    memory_limit_bytes,
    narrowest,
)
from dbdyno.errors import InputError
from dbdyno.experiment.plan import NO_LIMITS, ServerLimits
from dbdyno.password import environment
from dbdyno.target.local.control_group import ControlGroup
from dbdyno.target.local.control_group_ways import Way, find_way
from dbdyno.target.local.network_namespace import OwnNetwork
from dbdyno.target.local.numa import bound_cpus

_LAUNCHER = Path(__file__).with_name("launch.py")
_TRIAL_LIMIT_S = 60.0


class Confinement:
    """The part of its machine that one server gets; its limits are those of the last start."""

    def __init__(
        self,
        cpus: tuple[int, ...] = (),
        nodes: tuple[int, ...] = (),
        directory: Path | None = None,
        network: OwnNetwork | None = None,
    ) -> None:
        """Confine a server whose files will be in this directory."""
        self._named_cpus = cpus
        self.nodes = nodes
        self._directory = directory
        self._network = network
        self._limits = NO_LIMITS
        self._group: ControlGroup | None = None
        self._kills_before_end: int | None = None

    @property
    def cpus(self) -> tuple[int, ...]:
        """The CPUs that it may use; none where it may use all. ``InputError`` as in ``check``."""
        return bound_cpus(self.nodes, self._named_cpus)

    def check(self, limits: ServerLimits) -> None:
        """See that this machine has these nodes and can limit; ``InputError`` where it cannot."""
        cpus = self.cpus
        if self.nodes:
            _check_memory_policy(self.nodes)
        if limits:
            _check_memory(limits)
            _check_cpu_time(limits, len(cpus or os.sched_getaffinity(0)))
            self._way(limits)

    def begin(self, limits: ServerLimits) -> None:
        """Make the group of the next start, where there is something to limit."""
        self.end()
        self.forget()
        self._limits = limits
        if limits:
            self._group = ControlGroup(self._way(limits), limits, disk=self._disk(limits))

    def _way(self, limits: ServerLimits) -> Way:
        return find_way(limits, disk=self._disk(limits))

    def _disk(self, limits: ServerLimits) -> str:
        """Return the number of the disk whose reads and writes are limited; "" of none."""
        if not limits.of_disk_per_s:
            return ""
        number = None if self._directory is None else disk_number(self._directory)
        if number is None:
            names = " and ".join(f"limits.{amount}_per_s" for amount in limits.of_disk_per_s)
            raise InputError(
                f"{names}: the server's files are in {self._directory}, which lies on no disk that "
                "the kernel can limit; write the result to a directory on a disk, or remove limits"
            )
        return number

    def confirm(self, process_id: int) -> None:
        """See that the limits hold for a process that was started; ``RunError`` if not."""
        if self._group is not None:
            self._group.confirm(process_id)

    def end(self) -> None:
        """Remove the group of a server that has ended; whether it was killed is known still."""
        if self._group is not None:
            self._kills_before_end = self._group.out_of_memory_kills()
            self._group.remove()
            self._group = None

    def forget(self) -> None:
        """Forget the last start, of which nobody will ask any more."""
        self._kills_before_end = None

    def launch(self, user: str) -> list[str]:
        """Return the words that start a program so confined, up to the launcher's LIBRARIES."""
        prefix = () if self._group is None else self._group.command_prefix
        folders = () if self._group is None else self._group.folders
        network = "" if self._network is None else self._network.namespace.path
        return [*prefix, *_launch_words(user, folders, self.cpus, self.nodes, network)]

    def out_of_memory_kills(self) -> int | None:
        """Count the killed processes of the last start; None where no counter is its alone."""
        if self._group is None:
            return self._kills_before_end
        return self._group.out_of_memory_kills()

    def killed_for_memory(self, server: str) -> str | None:
        """Say so where the group tells that the kernel killed one of its processes."""
        if not self.out_of_memory_kills():
            return None
        limit_mib = (self._limits.memory_bytes or 0) / 2**20
        return (
            f"the kernel killed server {server} for lack of memory: limits.memory is "
            f"{limit_mib:,.0f} MiB; raise it, or make the server's caches smaller"
        )

    def killed(self, server: str) -> str:
        """Say what is known of who has killed a server, where its group does not tell."""
        has_counter = self._group is None or self.out_of_memory_kills() is not None
        kills = 0 if self._group is None or has_counter else self._group.kills_elsewhere_too()
        if kills and self._limits.memory_bytes is not None:
            processes = "1 process" if kills == 1 else f"{kills} processes"
            return (
                f"server {server} was killed; {processes} on this machine "
                f"{'was' if kills == 1 else 'were'} killed for lack of memory since it started "
                "(look in dmesg)"
            )
        return (
            f"server {server} was killed; if nobody did that, the kernel did for want of memory "
            "(look in dmesg)"
        )


def _launch_words(
    user: str,
    folders: Sequence[Path],
    cpus: Sequence[int],
    nodes: Sequence[int],
    network: str = "",
) -> list[str]:
    groups = "\n".join(map(str, folders))
    numbers = [",".join(map(str, each)) for each in (cpus, nodes)]
    launcher = [sys.executable, "-I", "-S", str(_LAUNCHER), str(os.getpid())]
    return [*launcher, user, groups, *numbers, network]


@cache
def _check_memory_policy(nodes: tuple[int, ...]) -> None:
    """Have a program that does nothing use the memory of these nodes, as a server would."""
    nothing = [sys.executable, "-I", "-S", "-c", ""]
    done = subprocess.run(
        [*_launch_words("same", (), (), nodes), "", *nothing],
        capture_output=True,
        text=True,
        timeout=_TRIAL_LIMIT_S,
        check=False,
        env=environment(),
    )
    if done.returncode != 0:
        raise InputError(done.stderr.strip().removeprefix("[ERROR] "))


def _check_memory(limits: ServerLimits) -> None:
    asked = limits.memory_bytes
    most, whose = machine_memory_bytes(), "of this machine"
    allowed = narrowest(groups_of(OWN_MEMBERSHIP, ROOT), "memory", memory_limit_bytes)
    if allowed is not None and allowed < most:
        most, whose = int(allowed), "that dbdyno's own control group allows"
    if asked is not None and asked > most:
        raise InputError(
            f"limits.memory is {_mib(asked)} MiB, more than the {most >> 20:,} MiB {whose}; "
            "lower it"
        )


def _mib(size_bytes: int) -> str:
    """Return a size rounded up, so that what is larger never looks the same."""
    return f"{-(-size_bytes // 2**20):,}"


def _check_cpu_time(limits: ServerLimits, usable: int) -> None:
    asked = limits.cpus
    most, whose = float(usable), "that the server may use"
    allowed = narrowest(groups_of(OWN_MEMBERSHIP, ROOT), "cpu", cpu_limit_cores)
    if allowed is not None and allowed < most:
        most, whose = allowed, "that dbdyno's own control group allows"
    if asked is not None and asked > most:
        raise InputError(
            f"limits.cpus is {asked:g}, more than the {most:g} CPU{'' if most == 1 else 's'} "
            f"{whose}; lower it"
        )
