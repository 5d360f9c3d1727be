"""The load of one trial: the only place where a generator is started for one.

The books are opened before the load and closed after it, so that what the server acknowledged is
held against what it stored. Whoever asks for a trial tells where the server is, and listens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from dbdyno.database.address import Address
from dbdyno.database.session import connectors
from dbdyno.errors import RunError
from dbdyno.generator.pool.generators import Elsewhere, TrialGenerators
from dbdyno.ledger import Evidence, open_books
from dbdyno.protocol.events import End, TrialEvent
from dbdyno.protocol.intervals import Interval
from dbdyno.protocol.trial_plan import TrialPlan

if TYPE_CHECKING:
    import polars as pl

    from dbdyno.host_usage import HostUsage
    from dbdyno.watch.cpu_use import CpuReading
    from dbdyno.watch.exporter.watcher import ExporterAddress
    from dbdyno.watch.series.source import Subject
    from dbdyno.watch.series.watcher import Watcher

SILENCE_MARGIN_S = 60.0
"""A generator may have nothing to say for so long, beside an interval and its trial's limits."""


@dataclass(frozen=True)
class Watched:
    """What is watched on this machine beside the generator."""

    servers: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Their processes, by name."""
    server_counters: bool = False
    """Whether the servers are asked each second what they did."""
    hosts: Sequence[str] = ()
    """Other hosts, which are asked over ``ssh``: the command that a host's name ends."""
    ssh: Sequence[str] = ()
    exporters: Sequence[ExporterAddress] = ()


def _never() -> bool:
    return False


def _nobody(_: tuple[int, ...]) -> None:
    """Tell nobody."""


def _unseen(_: object) -> None:
    """Show it to nobody."""


class TrialLoad:
    """A trial's load at an address. What is known of it stays, also where it failed."""

    def __init__(
        self,
        plan: TrialPlan,
        address: Address,
        *,
        cpus: Sequence[int] = (),
        elsewhere: Elsewhere | None = None,
    ) -> None:
        """Open the books, and keep the generator to these CPUs, if there are any.

        ``elsewhere`` starts generators on other hosts.
        """
        self.plan = plan.to_json(address.url)
        """The bytes that the generator receives; several receive each its part of them."""
        self.end: End | None = None
        """The last word, unless no generator could even say how it ended."""
        self._trial_plan = plan
        self._address = address
        self._cpus = cpus
        self._elsewhere = elsewhere
        self._silence_limit_s = SILENCE_MARGIN_S + plan.interval_s + plan.limits.silence_s
        connects = connectors(address.host_urls, address.password)
        self._books = open_books(connects, address.kind, plan.workload)
        self._watchers: list[Watcher] = []

    def make(
        self,
        listen: Callable[[TrialEvent], None],
        *,
        started: Callable[[tuple[int, ...]], None] = _nobody,
        wants_stop: Callable[[], bool] = _never,
        watched: Watched | None = None,
        cpu_used: Callable[[CpuReading], None] = _unseen,
        hosts_used: Callable[[Sequence[HostUsage]], None] = _unseen,
    ) -> None:
        """Run generators to their end and pass events on; ``started`` is told their processes.

        This machine is watched where ``watched`` is given; ``cpu_used`` is then told, from threads
        of their own, what each watcher reads of CPUs, as it reads it, and ``hosts_used`` what it
        reads of hosts.
        ``RunError`` or ``InputError`` in the generator's words where it fails.
        """
        with (
            TrialGenerators(
                self._trial_plan,
                self._address,
                cpus=self._cpus,
                silence_limit_s=self._silence_limit_s,
                elsewhere=self._elsewhere,
            ) as generators,
            ExitStack() as watching,
        ):
            if watched is not None:
                self._watchers = self._watchers_of(watched, generators.process_ids)
                for watcher in self._watchers:
                    watcher.listen(partial(_tell, cpu_used, hosts_used))
                    watching.enter_context(watcher)
                # All at once: each may have to wait for somebody who does not answer.
                watching.callback(self._stop_watching)
            started(generators.process_ids)
            for event in generators.trial_events(wants_stop):
                if isinstance(event, End):
                    self.end = event
                if watched is not None and isinstance(event, Interval):
                    self._tell_cpu_elsewhere(event, cpu_used)
                listen(event)
        if self.end is None:
            raise RunError("the generator ended without saying how the trial ended")

    def _watchers_of(
        self, watched: Watched, generator_process_ids: tuple[int, ...]
    ) -> list[Watcher]:
        # What it needs is heavy, and most commands do without it.
        from dbdyno.resources import GENERATOR, SERVER
        from dbdyno.watch.exporter.watcher import watch_exporters
        from dbdyno.watch.local.watcher import LocalMember, watch_local
        from dbdyno.watch.remote.host import watch_hosts
        from dbdyno.watch.server.watcher import watch_servers

        servers = [LocalMember(SERVER, name, tuple(ids)) for name, ids in watched.servers.items()]
        generators = [
            LocalMember(GENERATOR, name, (process_id,))
            for name, process_id in zip(
                self._local_generators(), generator_process_ids, strict=True
            )
        ]
        watchers = [watch_local([*servers, *generators])]
        if watched.server_counters:
            watchers += watch_servers(self._address.host_urls, self._address.password)
        watchers += watch_hosts(watched.hosts, watched.ssh)
        return watchers + watch_exporters(watched.exporters, watched.hosts)

    def _local_generators(self) -> list[str]:
        """Return the names of the generators on this machine, in the order of their processes."""
        parts = self._trial_plan.generators
        names = [_generator_name(index) for index, part in enumerate(parts) if not part.host]
        return names if parts else ["generator"]

    def _tell_cpu_elsewhere(self, interval: Interval, tell: Callable[[CpuReading], None]) -> None:
        """Tell what generators on other hosts took: no watcher here sees their processes."""
        if not any(part.host for part in self._trial_plan.generators):
            return
        from dbdyno.resources import GENERATOR
        from dbdyno.watch.cpu_use import CpuReading, CpuUse
        from dbdyno.watch.series.source import Subject

        hosts = [part.host for part in self._trial_plan.generators]
        uses = [
            CpuUse(
                Subject(GENERATOR, _generator_name(told.generator_index), host),
                (told.health.user_s + told.health.system_s) / interval.duration_s,
            )
            for told in interval.generators
            if (host := hosts[told.generator_index])
        ]
        tell(CpuReading(interval.duration_s, tuple(uses)))

    def _stop_watching(self) -> None:
        for watcher in self._watchers:
            watcher.stop()

    def resources(self) -> pl.DataFrame | None:
        """Return what the watched resources did; None where nothing was watched."""
        # What it needs is heavy, and most commands do without it.
        import polars as pl

        tables = [watcher.table() for watcher in self._watchers]
        return pl.concat(tables).sort("start_s", maintain_order=True) if tables else None

    def watch_failures(self) -> list[str]:
        """Return in words what could not be watched."""
        return [words for watcher in self._watchers for words in watcher.failures()]

    def close_books(self, address: Address | None = None) -> Evidence:
        """Hold what was acknowledged against what is stored now.

        ``address`` is where the server is by now, if that is elsewhere than before the load.
        """
        if address is None:
            return self._books.close(self.end)
        connects = connectors(address.host_urls, address.password)
        return self._books.moved(connects).close(self.end)


def _generator_name(index: int) -> str:
    return f"generator-{index + 1}"


def _tell(
    cpu_used: Callable[[CpuReading], None],
    hosts_used: Callable[[Sequence[HostUsage]], None],
    duration_s: float,
    samples: Sequence[tuple[Subject, Mapping[str, float]]],
) -> None:
    from dbdyno.watch.cpu_use import cpu_reading
    from dbdyno.watch.host_usages import host_usages

    reading = cpu_reading(duration_s, samples)
    if reading is not None:
        cpu_used(reading)
    hosts_used(host_usages(duration_s, samples))
