"""BenchBase's ``summary.json``. Times are microseconds from sending, of all requests."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from dbdyno.importer.contradictions import checked_rate, within_all
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import number, positive, scaled, share_of, whole
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import SourceNote, Times, TrialEvidence

TOOL = "benchbase"
LOOKED_FOR = '"Latency Distribution" and "Throughput (requests/second)" in JSON'

_LATENCIES = "Latency Distribution"
_THROUGHPUT = "Throughput (requests/second)"
_GOODPUT = "Goodput (requests/second)"
_PERCENTILE = re.compile(r"(\d+)(?:th|st|nd|rd) Percentile Latency \(microseconds\)")
_OPTIONS = {
    "Benchmark Type": "workload",
    "isolation": "isolation",
    "scalefactor": "scalefactor",
    "terminals": "terminals",
    "DBMS Type": "database",
}


def is_ours(log: Log) -> bool:
    """Tell whether a file is a summary of BenchBase."""
    return f'"{_LATENCIES}"' in log.head and log.head.lstrip().startswith("{")


def read(log: Log) -> list[TrialEvidence]:
    """Return the trial of a summary; none where it is no whole JSON document."""
    try:
        document = json.loads(log.text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(document, dict) or not isinstance(document.get(_LATENCIES), dict):
        return []
    return [_trial(log, document)]


def _text(document: Mapping[str, Any], name: str) -> str | None:
    value = document.get(name)
    return None if value is None or isinstance(value, dict | list | bool) else str(value)


def _trial(log: Log, document: Mapping[str, Any]) -> TrialEvidence:
    options = {
        name: value for key, name in _OPTIONS.items() if (value := _text(document, key)) is not None
    }
    every, good = (number(_text(document, name)) for name in (_THROUGHPUT, _GOODPUT))
    measured_s = scaled(positive(_text(document, "Elapsed Time (nanoseconds)")), 1e-9)
    requests = whole(_text(document, "Measured Requests"))
    every, rate_notes = checked_rate(every, requests, measured_s)
    good, part_notes = within_all(good, every)
    is_refuted = bool(rate_notes or part_notes)
    return TrialEvidence(
        source=log.source(TOOL),
        options=options,
        clients=whole(options.get("terminals")),
        measured_s=measured_s,
        began_unix_s=scaled(positive(_text(document, "Start timestamp (milliseconds)")), 1e-3),
        throughput_per_s=None if is_refuted else good if good is not None else every,
        times=_times(document[_LATENCIES], requests),
        notes=(*_notes(every, good), *rate_notes, *part_notes, *log.notes()),
    )


def _times(told: Mapping[str, Any], count: int | None) -> Times | None:
    quantiles = {}
    for name in told:
        found = _PERCENTILE.fullmatch(name)
        value = scaled(positive(_text(told, name)), 1e-3)
        share = share_of(found[1]) if found else None
        if share and value:
            quantiles[share] = value
    median = scaled(positive(_text(told, "Median Latency (microseconds)")), 1e-3)
    if median is not None:
        quantiles[0.5] = median
    mean, low, high = (
        scaled(positive(_text(told, f"{name} Latency (microseconds)")), 1e-3)
        for name in ("Average", "Minimum", "Maximum")
    )
    if mean is None and not quantiles:
        return None
    return Times(
        quantiles_ms=dict(sorted(quantiles.items())),
        mean_ms=mean,
        min_ms=low,
        max_ms=high,
        count=count,
    )


def _notes(every: float | None, good: float | None) -> Iterator[SourceNote]:
    yield SourceNote(code=NoteCode.MICROSECONDS_TO_MS)
    if good is not None and every is not None:
        yield SourceNote(code=NoteCode.COUNTS_SUCCESSES, figures=(("all_per_s", every),))
