"""What hosts use, and of which limit: the rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dbdyno.experiment.plan import ServerLimits
from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.host_usage import HostUsage
from dbdyno.report.figures import ABSENT, percent
from dbdyno.report.language import say
from dbdyno.resources import LOCAL_HOST
from dbdyno.serve.trial_view import TrialView

BITS = 8


@dataclass(frozen=True)
class Resource:
    """A row of what a host uses; ``share`` is that of the limit, where there is one."""

    host: str
    name: str
    use: str
    limit: str
    share: float | None = None


@dataclass(frozen=True)
class Limits:
    """What is known of the limits of hosts and servers."""

    host: HostFacts
    others: Mapping[str, OtherHost]

    def network_bytes_per_s(self, host: str, interface: str) -> float | None:
        """Return what an interface can carry in one direction; None where it does not say."""
        other = self.others.get(host)
        facts = self.host if host == LOCAL_HOST else other.facts if other else None
        for each in facts.network_interfaces if facts else ():
            if each.name == interface and each.speed_mbit_per_s:
                return each.speed_mbit_per_s * 1e6 / BITS
        return None


def resources(trial: TrialView, limits: Limits) -> Iterator[Resource]:
    """Yield what each host uses of its CPUs, disks and networks."""
    for usage in trial.usages.values():
        if usage.busy_cpus is not None and usage.cpus:
            use = f"{usage.busy_cpus:.2f}"
            limit = say("{count} CPUs", count=usage.cpus)
            yield Resource(usage.host, "CPU", use, limit, usage.busy_cpus / usage.cpus)
        yield from _disks(usage, trial.planned.server_limits)
        yield from _networks(usage, limits)


def _disks(usage: HostUsage, limits: ServerLimits) -> Iterator[Resource]:
    """Yield how busy each disk is, and the writes where a server may not write as it likes."""
    for name, disk in usage.disks.items():
        if not (disk.busy_share or disk.read_bytes_per_s or disk.write_bytes_per_s):
            continue
        use = say(
            "{busy} busy; reads {reads}, writes {writes}",
            busy=whole_percent(disk.busy_share),
            reads=_bytes_per_s(disk.read_bytes_per_s),
            writes=_bytes_per_s(disk.write_bytes_per_s),
        )
        of_server = limits.write_bytes_per_s
        limit = whole_percent(1.0)
        if of_server:
            limit = say("the server may write {rate}", rate=_bytes_per_s(of_server))
        known = disk.write_bytes_per_s / of_server if of_server else disk.busy_share
        yield Resource(usage.host, say("disk {name}", name=name), use, limit, known)


def _networks(usage: HostUsage, limits: Limits) -> Iterator[Resource]:
    for name, network in usage.networks.items():
        received, sent = network.receive_bytes_per_s, network.send_bytes_per_s
        if not (received or sent):
            continue
        use = say(
            "receives {received}, sends {sent}",
            received=_bytes_per_s(received),
            sent=_bytes_per_s(sent),
        )
        most = limits.network_bytes_per_s(usage.host, name)
        yield Resource(
            usage.host,
            say("network {name}", name=name),
            use,
            ABSENT if most is None else _bytes_per_s(most),
            None if most is None else max(received, sent) / most,
        )


def _bytes_per_s(value: float) -> str:
    for unit, size in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)):
        if value >= size:
            return f"{value / size:.3g}\N{NO-BREAK SPACE}{unit}"
    return f"{value:.0f}\N{NO-BREAK SPACE}B/s"


def whole_percent(value: float) -> str:
    """Write a share as a percentage without decimals."""
    return percent(round(100 * max(min(value, 1.0), 0.0)))
