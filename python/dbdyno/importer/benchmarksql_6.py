"""What version 6 of BenchmarkSQL prints: progress, and a table of all transactions in seconds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.importer.kinds import kind_of
from dbdyno.importer.numbers import number, per_minute, positive, scaled, whole
from dbdyno.trial_evidence import IntervalEvidence, KindEvidence, Quantiles, Times

_N = r"\s{0,20}([\w.,]{1,20})\s{0,20}"
_ROW = re.compile(rf"\| (\w{{1,20}})\s{{0,20}}\|{_N}\|{_N}\|{_N}\|{_N}\|{_N}\|{_N}\|{_N}\|$")
_NOPM = re.compile(r"Overall NOPM:\s{1,20}([\d,]{1,20})")
_CLOCK = re.compile(r"\s{0,9}(\d\d):(\d\d):(\d\d)[,.](\d{3}) ")
_PROGRESS = re.compile(r"Current TPM=\d{1,15},? NOPM=(\d{1,15})")
_BEGINS = "rampup done - measurement begins"
_DAY_S = 86_400.0


@dataclass(frozen=True)
class Table:
    """The kinds in a table, and New-Orders a second where that is told."""

    kinds: Mapping[str, KindEvidence]
    nopm_per_s: float | None


def read_table(lines: Sequence[str], options: Mapping[str, str]) -> Table | None:
    """Return the table at the end of a run; None where there is none."""
    kinds: dict[str, KindEvidence] = {}
    nopm = None
    for line in lines:
        if found := _ROW.search(line):
            kind = kind_of(found[1])
            if kind is not None:
                kinds[kind] = _kind(found)
        elif found := _NOPM.search(line):
            nopm = per_minute(found[1])
    return Table(kinds, nopm) if kinds or nopm is not None else None


def _kind(found: re.Match[str]) -> KindEvidence:
    count, rolled_back_percent = whole(found[2]), number(found[7])
    rolled_back = round((count or 0) * (rolled_back_percent or 0.0) / 100)
    return KindEvidence(
        committed=None if count is None else max(count - rolled_back, 0),
        rolled_back=rolled_back,
        failed=whole(found[8]),
        times=times_of_seconds(found[4], found[5], found[6], count),
    )


def times_of_seconds(
    mean_s: str | None, max_s: str | None, p90_s: str | None, count: int | None
) -> Times | None:
    """Return times that are printed in seconds with three digits: 0.000 tells nothing."""
    mean, largest, p90 = (scaled(positive(each), 1e3) for each in (mean_s, max_s, p90_s))
    if mean is None and p90 is None:
        return None
    quantiles: Quantiles = {} if p90 is None else {0.9: round(p90, 6)}
    return Times(
        quantiles_ms=quantiles,
        mean_ms=None if mean is None else round(mean, 6),
        max_ms=None if largest is None else round(largest, 6),
        count=count,
    )


def progress(lines: Sequence[str], options: Mapping[str, str]) -> Iterator[IntervalEvidence]:
    """Yield the intervals since the measurement began; ``start_s`` is where one ends for now.

    A line tells the time of day alone.
    """
    step_s = positive(options.get("reportIntervalSecs"))
    begin_s: float | None = None
    for line in lines:
        clock_s = _clock_s(line)
        if clock_s is None:
            continue
        if _BEGINS in line:
            begin_s = clock_s
        elif begin_s is not None and step_s and (found := _PROGRESS.search(line)):
            rate = per_minute(found[1])
            end_s = (clock_s - begin_s) % _DAY_S
            yield IntervalEvidence(start_s=end_s, duration_s=0.0, throughput_per_s=rate)


def _clock_s(line: str) -> float | None:
    found = _CLOCK.match(line)
    if found is None:
        return None
    hours, minutes, seconds, thousandths = (int(found[group]) for group in (1, 2, 3, 4))
    return hours * 3600 + minutes * 60 + seconds + thousandths / 1000
