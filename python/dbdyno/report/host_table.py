"""The facts of a host for people: in groups, with units; what is not known is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from dbdyno.facts.host import NONE, HostFacts, OtherHost
from dbdyno.facts.processor import Cache, NumaNode
from dbdyno.facts.storage import Disk
from dbdyno.facts.system import NetworkInterface
from dbdyno.report.language import clauses, labelled, listed, message, say
from dbdyno.report.words.host import CLIENT, LABELS, LIMITS

_BINARY_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
NOT_AFFECTED = "Not affected"
_SPACE = "\N{NO-BREAK SPACE}"
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class FactGroup:
    """Facts that belong together, each as a label and a text. ``name`` is one of ``LABELS``."""

    name: str
    rows: tuple[tuple[str, str], ...]

    @property
    def title(self) -> str:
        """The name in the current language."""
        return say(self.name)


def fact_groups(facts: HostFacts, without: tuple[str, ...] = ()) -> list[FactGroup]:
    """Return the groups of which anything is known, without facts whose names begin so."""
    groups = (
        FactGroup(name, tuple(_rows(facts, labels, without))) for name, labels in LABELS.items()
    )
    return [group for group in groups if group.rows]


@dataclass(frozen=True)
class OtherHostTable:
    """What is known of another host of the campaign: facts, or in words why there are none."""

    title: str
    groups: list[FactGroup]
    unknown: str | None


_TITLES = {
    "generator": message("Host {name} (a generator ran on it)"),
    "watched": message("Host {name} (it was watched)"),
}
_OF_ITS_GENERATOR = (LIMITS, CLIENT)
_OF_THE_RESULT = ("work_", "probe_")
"""Facts of the folder that holds a result, which is not on another host."""


def other_host_tables(hosts: Mapping[str, OtherHost]) -> list[OtherHostTable]:
    """Return a table for each of the other hosts, in the order of the experiment file."""
    return [
        OtherHostTable(
            title=say(_TITLES[host.use], name=name),
            groups=[] if host.facts is None else _groups_of_other(host.facts, host.use),
            unknown=host.reason,
        )
        for name, host in hosts.items()
    ]


def _groups_of_other(facts: HostFacts, use: str) -> list[FactGroup]:
    """Leave out what means something only of the host that dbdyno or a generator runs on."""
    groups = fact_groups(facts, without=_OF_THE_RESULT)
    return [group for group in groups if use == "generator" or group.name not in _OF_ITS_GENERATOR]


def size(value_bytes: float) -> str:
    """Write a size with the largest unit of which there is at least one: ``23.5 GiB``."""
    magnitude = min(max(int(abs(value_bytes)).bit_length() - 1, 0) // 10, len(_BINARY_UNITS) - 1)
    number = f"{value_bytes / (1 << (10 * magnitude)):,.1f}".removesuffix(".0")
    return f"{number.replace('-', '−')}{_SPACE}{_BINARY_UNITS[magnitude]}"


def duration(value_s: float) -> str:
    """Write a long time in its two largest units: ``3 h 48 min``."""
    minutes = int(value_s) // 60
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return say("{days}\N{NO-BREAK SPACE}d {hours}\N{NO-BREAK SPACE}h", days=days, hours=hours)
    return say(
        "{hours}\N{NO-BREAK SPACE}h {minutes}\N{NO-BREAK SPACE}min",
        hours=hours,
        minutes=minutes % 60,
    )


_UNITS: Mapping[str, Callable[[float], str]] = {
    "_bytes": size,
    "_mib_per_s": lambda value: f"{value:,.1f}{_SPACE}MiB/s",
    "_ms": lambda value: f"{value:,.3f}{_SPACE}ms",
    "_mhz": lambda value: f"{value:,.0f}{_SPACE}MHz",
    "_s": duration,
}
"""How a number is written, by the end of its fact's name."""


def _rows(
    facts: HostFacts, labels: Mapping[str, str], without: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    for name, label in labels.items():
        if name.startswith(without):
            continue
        value = getattr(facts, name)
        if name == "kernel_settings":
            yield from value.items()
        elif value not in (None, (), {}):
            yield say(label), _text(name, value)


def _text(name: str, value: object) -> str:
    """Write one fact, whatever it is."""
    if isinstance(value, bool):
        return _yes_or_no(value)
    if isinstance(value, int | float):
        units = (write for end, write in _UNITS.items() if name.endswith(end))
        return next(units, _plain)(value)
    if isinstance(value, tuple):
        return clauses(map(_part, value)) if name != "cpu_flags" else " ".join(value)
    if isinstance(value, Mapping):
        return _mapping(name, value)
    if name == "work_disk_rotational" and value in ("0", "1"):
        # The kernel's 0 and 1 are stored as they are.
        return _yes_or_no(value == "1")
    return say("none") if value == NONE else str(value)


def _yes_or_no(value: bool) -> str:
    return say("yes") if value else say("no")


def _mapping(name: str, values: Mapping[str, object]) -> str:
    if name == "cpu_vulnerabilities":
        return _vulnerabilities(values)
    return clauses(f"{key} {_text(name, value)}" for key, value in values.items())


def _vulnerabilities(states: Mapping[str, object]) -> str:
    """Name those that the processor has; most have nothing to do with it."""
    found = (labelled(name, str(state)) for name, state in states.items() if state != NOT_AFFECTED)
    return clauses(found) or say("none that is known")


def _plain(value: float) -> str:
    return f"{value:,}"


def _part(part: object) -> str:
    """Write one of several things of a kind."""
    match part:
        case Cache():
            return f"{part.name} {part.instances} × {size(part.size_bytes)}"
        case NumaNode():
            return _node(part)
        case Disk():
            return labelled(part.name, _disk(part))
        case NetworkInterface():
            return labelled(part.name, _interface(part))
    return str(part)


def _node(node: NumaNode) -> str:
    if node.memory_total_bytes is None:
        return say("node {number}: CPUs {cpus}", number=node.number, cpus=node.cpus)
    return say(
        "node {number}: CPUs {cpus}, {memory}",
        number=node.number,
        cpus=node.cpus,
        memory=size(node.memory_total_bytes),
    )


def _disk(disk: Disk) -> str:
    is_rotational = {True: say("rotational"), False: say("not rotational"), None: None}
    return _known(
        disk.model,
        _told(message("firmware {value}"), disk.firmware),
        None if disk.size_bytes is None else size(disk.size_bytes),
        is_rotational[disk.rotational],
        _told(message("scheduler {value}"), disk.scheduler),
        _told(message("queue depth {value}"), disk.queue_depth),
        _told(message("cache {value}"), disk.write_cache),
        _told(message("blocks of {value}"), disk.block_size_bytes, size),
        _told(message("reads {value} ahead"), disk.read_ahead_bytes, size),
    )


def _interface(interface: NetworkInterface) -> str:
    speed, mtu = interface.speed_mbit_per_s, interface.mtu_bytes
    return _known(
        None if speed is None else f"{speed:,}{_SPACE}Mbit/s",
        _told(message("{value} duplex"), interface.duplex),
        None if mtu is None else f"MTU {mtu}{_SPACE}B",
        interface.driver,
        _told(message("receive queues {value}"), interface.receive_queues),
    )


def _told(text: str, value: _Value | None, write: Callable[[_Value], str] = str) -> str | None:
    """Return a message with a value in it; None where the value is not known."""
    return None if value is None else say(text, value=write(value))


def _known(*parts: str | None) -> str:
    return listed(part for part in parts if part is not None)
