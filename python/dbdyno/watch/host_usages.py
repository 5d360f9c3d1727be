"""What hosts do, of what a watcher has just read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dbdyno.host_usage import HostUsage, usage_of
from dbdyno.resources import HOST
from dbdyno.watch.series.source import Subject


def host_usages(
    duration_s: float, samples: Iterable[tuple[Subject, Mapping[str, float]]]
) -> list[HostUsage]:
    """Return the usage of each host of which an interval tells something."""
    by_host: dict[str, dict[str, float]] = {}
    for subject, values in samples:
        if subject.role == HOST:
            by_host.setdefault(subject.host, {}).update(values)
    found = (usage_of(host, duration_s, values) for host, values in by_host.items())
    return [usage for usage in found if usage is not None]
