"""Makes dbdyno's figures of the text that an exporter sends."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from dbdyno.resources import HOST, SERVER
from dbdyno.watch.exporter.fetch import ScrapeError
from dbdyno.watch.exporter.names import EXPECTED, NAMES, UP, Name
from dbdyno.watch.series.source import Values
from dbdyno.watch.server.question import Kind

_WANTED = tuple(f"{name}{end}" for name in (*NAMES, *UP) for end in ("{", " "))


@dataclass
class Figures:
    """What an exporter has told of a host or of a server, counters since their beginning."""

    counters: Values = field(default_factory=dict)
    levels: Values = field(default_factory=dict)


class Told:
    """What an exporter has told at once."""

    def __init__(self, text: bytes, database: str | None = None) -> None:
        """Read a text; ``ScrapeError`` where it is none, or has nothing that dbdyno knows.

        Of figures by database those of ``database`` are kept; without it, all are added up.
        """
        self.by_role = {HOST: Figures(), SERVER: Figures()}
        self.complaints: list[str] = []
        self._database = database
        samples = list(_samples(text))
        names = {sample.name for sample in samples}
        for sample in samples:
            # A figure under both its old and its new name would count twice.
            if f"{sample.name}_total" not in names:
                self._take(sample)
        self._complain(samples)
        _leave_idle_interfaces_out(self.by_role[HOST].counters)

    def _take(self, sample: Sample) -> None:
        if self._database not in (None, sample.labels.get("datname", self._database)):
            return
        for name in NAMES.get(sample.name, ()):
            if not _is_meant(name, sample):
                continue
            figures = self.by_role[name.role]
            kept = figures.counters if name.figure.kind is Kind.COUNTER else figures.levels
            metric = name.figure.metric.format(sample.labels.get(name.label, ""))
            kept[metric] = kept.get(metric, 0.0) + sample.value * name.figure.unit

    def _complain(self, samples: list[Sample]) -> None:
        """Leave out what is no number, and say what an exporter of its kind should tell."""
        if any(sample.name in UP and sample.value == 0 for sample in samples):
            self.complaints.append("says that it does not reach its server")
            return
        for figures in self.by_role.values():
            for kept in (figures.counters, figures.levels):
                for metric in [
                    metric for metric, value in kept.items() if not math.isfinite(value)
                ]:
                    self.complaints.append(f"tells of {metric} something that is no number")
                    del kept[metric]
        metrics = [
            metric
            for figures in self.by_role.values()
            for metric in (*figures.counters, *figures.levels)
        ]
        for beginning, expected in EXPECTED.items():
            if any(sample.name.startswith(beginning) for sample in samples):
                for start, words in expected.items():
                    if not any(metric.startswith(start) for metric in metrics):
                        self.complaints.append(f"tells nothing of {words}")


def _samples(content: bytes) -> list[Sample]:
    """Return the samples whose names are known.

    An exporter may send thousands that nobody needs, and reading them each second would cost what
    the load is to have: they are looked at only where nothing else is there.
    """
    try:
        text = content.decode()
        wanted = [line for line in text.split("\n") if line.startswith(_WANTED)]
        known = list(_parsed("\n".join(wanted) + "\n"))
        if not known:
            list(_parsed(text))
    except (ValueError, IndexError, KeyError) as error:
        raise ScrapeError("sends something that is no Prometheus text") from error
    if not known:
        raise ScrapeError(
            "tells nothing that dbdyno knows; node_exporter, mysqld_exporter and "
            "postgres_exporter do"
        )
    return known


def _parsed(text: str) -> Iterable[Sample]:
    for family in text_string_to_metric_families(text):
        yield from family.samples


def _is_meant(name: Name, sample: Sample) -> bool:
    labels = sample.labels
    if any(labels.get(label) not in values for label, values in name.only.items()):
        return False
    return name.without is None or name.without.match(labels.get(name.label, "")) is None


def _leave_idle_interfaces_out(counters: Values) -> None:
    """Leave out interfaces that never carried anything, as the watcher of this machine does."""
    of_interfaces: dict[str, list[str]] = {}
    for metric in counters:
        if metric.startswith("network["):
            of_interfaces.setdefault(metric.rpartition(".")[0], []).append(metric)
    for metrics in of_interfaces.values():
        if not any(counters[metric] for metric in metrics):
            for metric in metrics:
                del counters[metric]
