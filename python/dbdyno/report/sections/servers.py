"""Section: CPU and network of each server, generator and other host, where servers tell of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.usage import CellUsage, Resource, UsageKey
from dbdyno.report import figures
from dbdyno.report.document import cells
from dbdyno.report.document.model import Block, Body, Cell, Column, Paragraph, Role, Section, Table
from dbdyno.report.language import say
from dbdyno.report.usage import NETWORK, tells_network, written
from dbdyno.resources import LOCAL_HOST

_LOOPBACK = "lo"


@dataclass(frozen=True)
class _Subject:
    """A member on a host; or with no member's name the host."""

    host: str
    member: str

    @property
    def name(self) -> str:
        return self.member or self.host


def section(findings: Findings) -> Section | None:
    """Return the section; None where only this machine as a whole has a network that is known."""
    used = [(each.cell, findings.usage.get(each.cell, {})) for each in findings.cells]
    if not any(tells_network(usage) for _, usage in used):
        return None
    meaning = say(
        "The mean over the windows of a cell's valid trials, of servers that have a network of "
        "their own, of generators, and of other hosts that are watched; of CPUs in small print the "
        "p95 of the intervals, of the trial in which it was highest. What a host says to itself is "
        "not counted. 1 kB is 1000 bytes, headers included."
    )
    bodies = [
        Body(cells.below_levels(cell, findings.factors, _rows(usage)))
        for cell, usage in used
        if _subjects(usage)
    ]
    title = say("CPU and network of each server")
    blocks: list[Block] = [Paragraph(meaning, Role.MUTED), _table(findings, bodies)]
    return Section("servers", title, blocks, name=title)


def _table(findings: Findings, bodies: list[Body]) -> Table:
    headings = [
        say("CPUs"),
        say("of its host's CPUs"),
        say("received, kB/s"),
        say("sent, kB/s"),
    ]
    return Table(
        label=say("Servers"),
        caption=say("What each server used"),
        columns=[
            *cells.level_columns(findings.factors),
            Column(say("server or host")),
            *map(cells.number, headings),
        ],
        bodies=bodies,
        id="servers-table",
    )


def _subjects(usage: CellUsage) -> list[_Subject]:
    """Return whom there are rows of: members, then other hosts, by their names."""
    found = {_Subject(key.host, key.member) for key in usage}
    rows = [each for each in found if each.member or each.host != LOCAL_HOST]
    return sorted(rows, key=lambda each: (not each.member, each.name, each.host))


def _rows(usage: CellUsage) -> list[list[Cell]]:
    return [_row(usage, subject) for subject in _subjects(usage)]


def _row(usage: CellUsage, subject: _Subject) -> list[Cell]:
    cores_of = Resource.PROCESS_CPU_CORES if subject.member else Resource.CPU_CORES
    busy = usage.get(UsageKey(subject.host, subject.member, "", cores_of))
    written_busy = None if busy is None else written(cores_of, busy)
    count = usage.get(UsageKey(subject.host, "", "", Resource.CPU_COUNT))
    # A count is CPU time a second: it is off by how exactly the readings were timed.
    share = None if busy is None or count is None else busy.mean / max(1, round(count.mean))
    return [
        cells.header(subject.name),
        cells.used(written_busy),
        cells.share(share),
        *(_kilobytes(_sum(usage, subject, resource)) for resource in NETWORK),
    ]


def _sum(usage: CellUsage, subject: _Subject, resource: Resource) -> float | None:
    """Add up over network interfaces; None where nothing is known."""
    means = list(_means(usage, subject, resource))
    return sum(means) if means else None


def _means(usage: CellUsage, subject: _Subject, resource: Resource) -> Iterable[float]:
    for key, used in usage.items():
        of_subject = (key.host, key.member) == (subject.host, subject.member)
        if of_subject and key.resource is resource and key.device != _LOOPBACK:
            yield used.mean


def _kilobytes(bytes_per_s: float | None) -> Cell:
    if bytes_per_s is None:
        return cells.NONE
    return Cell(figures.rate(bytes_per_s / 1e3), value=bytes_per_s / 1e3)
