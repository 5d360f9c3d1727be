"""How large a cell's tables were: on disk and logically as they were loaded, and what they grew by.

A trial that began with the tables as they were loaded, or found, has their logical size among its
facts; only there do both sizes belong to the same rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from dbdyno.analysis.findings import SizeSummary
from dbdyno.analysis.size_gap import SizeGap, SizeName, SizeReason
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.store.facts import DiskFacts, DiskSize, LogicalSize


def summarise_size(trials: Sequence[WindowTotals]) -> SizeSummary | None:
    """Return the sizes of a cell; None where none was asked for, as in results of old."""
    measured = [trial.trial.dataset for trial in trials]
    on_disk = [facts.disk for facts in measured if facts.disk is not None]
    if not on_disk:
        return None
    as_loaded = [(facts.disk, facts.logical) for facts in measured if facts.disk and facts.logical]
    before = [disk.before for disk, _ in as_loaded] or [disk.before for disk in on_disk]
    logical = [size for _, size in as_loaded]
    gaps = [*_gaps(SizeName.DISK, before), *_gaps(SizeName.LOGICAL, logical)]
    if not logical:
        is_changed = all(facts.start == "continue" for facts in measured if facts.disk)
        reason = SizeReason.CHANGED if is_changed else SizeReason.NOT_MEASURED
        gaps.append(SizeGap(SizeName.LOGICAL, reason))
    return SizeSummary(
        disk_bytes=_mean(size.size_bytes for size in before),
        logical_bytes=_mean(size.size_bytes for size in logical),
        is_estimate=any(size.read_share < 1 for size in logical),
        growth_bytes=_mean(_growth(disk) for disk in on_disk),
        directory_bytes=_mean(size.directory_bytes for size in before),
        sources=tuple(dict.fromkeys(size.source for size in before if size.source)),
        gaps=tuple(dict.fromkeys(gaps)),
        notes=tuple(dict.fromkeys(size.note for size in before if size.note)),
        nodes=max((size.nodes for size in before), default=1),
    )


def _gaps(name: SizeName, sizes: Iterable[DiskSize | LogicalSize]) -> Iterator[SizeGap]:
    for size in sizes:
        if size.size_bytes is None:
            yield SizeGap(name, text=str(size.reason))


def _growth(disk: DiskFacts) -> int | None:
    """Return what the tables grew by in a trial; there is no size after one that failed."""
    before, after = disk.before.size_bytes, disk.after.size_bytes
    return None if before is None or after is None else after - before


def _mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
