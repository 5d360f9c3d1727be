"""How large a cell's tables were: on disk and logically as they were loaded, and what they grew by.

A trial that began with the tables as they were loaded, or found, has their logical size among its
facts; only there do both sizes belong to the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from dbdyno.analysis.findings import SizeSummary
from dbdyno.analysis.measured import Measured

CHANGED = "its trials began with tables that earlier trials had changed"
NOT_MEASURED = "the tables were loaded by a version of dbdyno that did not measure it"

Facts = Mapping[str, Any]


def summarise_size(trials: Sequence[Measured]) -> SizeSummary | None:
    """Return the sizes of a cell; None where none was asked for, as in results of old."""
    measured = [trial.trial.dataset for trial in trials if "disk" in trial.trial.dataset]
    if not measured:
        return None
    as_loaded = [facts for facts in measured if "logical" in facts]
    before = [facts["disk"]["before"] for facts in as_loaded or measured]
    logical = [facts["logical"] for facts in as_loaded]
    reasons = [_reason("size on disk", facts) for facts in before]
    reasons += [_reason("logical size", facts) for facts in logical]
    if not logical:
        is_changed = all(facts.get("start") == "as_is" for facts in measured)
        reasons.append(f"logical size: {CHANGED if is_changed else NOT_MEASURED}")
    return SizeSummary(
        disk_bytes=_mean(facts["size_bytes"] for facts in before),
        logical_bytes=_mean(facts["size_bytes"] for facts in logical),
        is_estimate=any(facts["read_share"] < 1 for facts in logical),
        growth_bytes=_mean(_growth(facts["disk"]) for facts in measured),
        directory_bytes=_mean(facts["directory_bytes"] for facts in before),
        sources=tuple(dict.fromkeys(facts["source"] for facts in before if facts["source"])),
        reasons=tuple(dict.fromkeys(reason for reason in reasons if reason)),
        notes=tuple(dict.fromkeys(facts["note"] for facts in before if facts["note"])),
    )


def _reason(what: str, facts: Facts) -> str:
    return f"{what}: {facts['reason']}" if facts["size_bytes"] is None else ""


def _growth(disk: Facts) -> int | None:
    """Return what the tables grew by in a trial; there is no size after one that failed."""
    before, after = disk["before"]["size_bytes"], disk.get("after", {}).get("size_bytes")
    return None if before is None or after is None else after - before


def _mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
