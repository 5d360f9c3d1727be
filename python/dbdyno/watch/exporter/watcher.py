"""Exporters as sources: each is read at each interval by a thread of its own.

One that gives no answer is asked again at the next interval. What grew meanwhile is left out,
because nobody knows in which interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from dbdyno.password import without_passwords
from dbdyno.resources import HOST, NO_MEMBER, SERVER
from dbdyno.watch.exporter.fetch import LIMIT_S, ScrapeError, fetch
from dbdyno.watch.exporter.figures import Told
from dbdyno.watch.exporter.names import WHOLE_TIME
from dbdyno.watch.local.cpu import busiest_share
from dbdyno.watch.series.source import Growth, Source, Subject, Values
from dbdyno.watch.series.watcher import Watcher

MOST_METRICS = 20_000
"""Of one exporter; a liar may invent new ones each time, and all are kept until a trial's end."""
MOST_REASONS = 10
OTHER_REASONS = "did not tell all, for other reasons as well"


@dataclass(frozen=True)
class ExporterAddress:
    """Where an exporter is, and what it tells of is called."""

    url: str
    host: str
    member: str
    database: str | None = None
    password: str | None = field(default=None, repr=False)


class Exporter:
    """An exporter, what it told last, and what it did not tell."""

    def __init__(self, address: ExporterAddress, limit_s: float = LIMIT_S) -> None:
        self._address = address
        self._limit_s = limit_s
        self._growth = {HOST: Growth(), SERVER: Growth()}
        self._times = 0
        self._metrics: dict[str, set[str]] = {HOST: set(), SERVER: set()}
        self._reasons: Counter[str] = Counter()

    def values(self) -> dict[str, Values]:
        """Ask; return by role what was added since it answered last, and the levels of now."""
        self._times += 1
        address = self._address
        try:
            told = Told(fetch(address.url, address.password, self._limit_s), address.database)
        except ScrapeError as error:
            self._note(str(error))
            self._growth = {HOST: Growth(), SERVER: Growth()}
            return {}
        for complaint in told.complaints:
            self._note(complaint)
        return {role: self._added(role, told) for role in told.by_role}

    def _added(self, role: str, told: Told) -> Values:
        figures, growth = told.by_role[role], self._growth[role]
        if growth.began_again(figures.counters):
            self._note("began counters again at zero")
        added = growth.added(figures.counters)
        return self._of_known(role, figures.levels | _with_busiest_share(added))

    def _of_known(self, role: str, values: Values) -> Values:
        """Leave out metrics that are new when there have been very many."""
        known = self._metrics[role]
        if len(known) + len(values) > MOST_METRICS and values.keys() - known:
            self._note(f"tells of more than {MOST_METRICS:,} things, of which the rest is left out")
            return {metric: value for metric, value in values.items() if metric in known}
        known.update(values)
        return values

    def _note(self, reason: str) -> None:
        """Count a reason; a liar may have any number of them."""
        is_new = reason not in self._reasons and len(self._reasons) >= MOST_REASONS
        self._reasons[OTHER_REASONS if is_new else reason] += 1

    def failures(self) -> list[str]:
        """Return in words what it did not tell, and how often."""
        shown = _shown(self._address.url)
        return [
            f"exporter {shown} {reason} ({count} of {self._times} times)"
            for reason, count in dict(self._reasons).items()
        ]


def _with_busiest_share(added: Values) -> Values:
    end = WHOLE_TIME.rpartition("]")[2]
    whole_times = {metric for metric in added if metric.endswith(end)}
    totals = {metric.removesuffix(end): added[metric] for metric in whole_times}
    values = {metric: value for metric, value in added.items() if metric not in whole_times}
    return values | busiest_share(values, totals)


def _shown(url: str) -> str:
    """Return a URL without its user and its query."""
    parts = urlsplit(without_passwords(url))
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


class _HostFigures:
    """What an exporter tells of a host. It is asked here, and the other part has the rest."""

    def __init__(self, exporter: Exporter, host: str, *, is_watched_otherwise: bool) -> None:
        self.subject = Subject(HOST, NO_MEMBER, host)
        self.told: dict[str, Values] = {}
        self._exporter = exporter
        self._is_watched_otherwise = is_watched_otherwise

    def sample(self) -> Values:
        """Ask the exporter."""
        self.told = self._exporter.values()
        return {} if self._is_watched_otherwise else self.told.get(HOST, {})


class _ServerFigures:
    """What the same answer tells of a server."""

    def __init__(self, asked: _HostFigures, host: str, member: str) -> None:
        self.subject = Subject(SERVER, member, host)
        self._asked = asked

    def sample(self) -> Values:
        """Return what has been told a moment ago."""
        return self._asked.told.get(SERVER, {})


def watch_exporters(
    addresses: Sequence[ExporterAddress],
    hosts: Collection[str] = (),
    interval_s: float = 1.0,
    limit_s: float = LIMIT_S,
) -> list[Watcher]:
    """Return a watcher for each; figures of ``hosts`` are left out, they are watched otherwise."""
    watchers = []
    for address in addresses:
        exporter = Exporter(address, limit_s)
        asked = _HostFigures(exporter, address.host, is_watched_otherwise=address.host in hosts)
        sources: list[Source] = [asked, _ServerFigures(asked, address.host, address.member)]
        watchers.append(
            Watcher(
                f"exporter {_shown(address.url)}",
                [lambda sources=sources: nullcontext(sources)],  # type: ignore[misc]
                interval_s,
                also_failed=exporter.failures,
            )
        )
    return watchers
