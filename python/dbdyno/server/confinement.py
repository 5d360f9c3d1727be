"""What a private server is confined to: CPUs, NUMA nodes, and a control group with its limits."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.experiment.plan import NO_LIMITS, ServerLimits
from dbdyno.server.control_group import ControlGroup
from dbdyno.server.control_group_ways import find_way
from dbdyno.server.numa import bound_cpus


class Confinement:
    """The part of its machine that one server gets; its limits are those of the last start."""

    def __init__(self, cpus: tuple[int, ...] = (), nodes: tuple[int, ...] = ()) -> None:
        self._named_cpus = cpus
        self.nodes = nodes
        self._limits = NO_LIMITS
        self._group: ControlGroup | None = None

    @property
    def cpus(self) -> tuple[int, ...]:
        """The CPUs that it may use; none where it may use all. ``InputError`` as in ``check``."""
        return bound_cpus(self.nodes, self._named_cpus)

    def check(self, limits: ServerLimits) -> None:
        """See that this machine has these nodes and can limit; ``InputError`` where it cannot."""
        bound_cpus(self.nodes, self._named_cpus)
        if limits:
            find_way(limits)

    def begin(self, limits: ServerLimits) -> None:
        """Make the group of the next start, where there is something to limit."""
        self.end()
        self._limits = limits
        if limits:
            self._group = ControlGroup(find_way(limits), limits)

    def confirm(self, process_id: int) -> None:
        """See that the limits hold for a process that was started; ``RunError`` if not."""
        if self._group is not None:
            self._group.confirm(process_id)

    def end(self) -> None:
        """Remove the group of a server that has ended."""
        if self._group is not None:
            self._group.remove()
            self._group = None

    def launch(self, launcher: Sequence[str], user: str) -> list[str]:
        """Return the words that start a program so confined, up to the launcher's LIBRARIES."""
        prefix = () if self._group is None else self._group.command_prefix
        folders = () if self._group is None else self._group.folders
        groups = "\n".join(map(str, folders))
        numbers = [",".join(map(str, each)) for each in (self.cpus, self.nodes)]
        return [*prefix, *launcher, user, groups, *numbers]

    def killed_for_memory(self, server: str) -> str | None:
        """Say so where the group tells that the kernel killed one of its processes."""
        if self._group is None or not self._group.out_of_memory_kills():
            return None
        limit_mib = (self._limits.memory_bytes or 0) / 2**20
        return (
            f"the kernel killed server {server} for lack of memory: limits.memory is "
            f"{limit_mib:,.0f} MiB; raise it, or make the server's caches smaller"
        )
