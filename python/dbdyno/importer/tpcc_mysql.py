"""tpcc-mysql's output: Percona's, and the older form from which Terark's fork comes.

Times are milliseconds from sending. In Terark's fork those of the intervals are CPU time of the
client, which nothing in the log tells apart from the older upstream's: so they are left out. Of
its relatives, forks print kinds by name (``|New-Order| sc: …``), and the Java port totals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dbdyno.importer.contradictions import checked_rate
from dbdyno.importer.headings import with_headings
from dbdyno.importer.intervals import by_their_ends, damaged, truncated
from dbdyno.importer.kinds import IN_ORDER, NEW_ORDER, kind_of
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import added, number, per_minute, per_second, positive, whole
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    IntervalEvidence,
    KindEvidence,
    SourceNote,
    Times,
    TrialEvidence,
)

TOOL = "tpcc-mysql"
LOOKED_FOR = '"###easy### TPC-C Load Generator", "<Raw Results>", "TpmC"'

_BEGIN = "###easy### TPC-C Load Generator"
_FACTS: Mapping[str, re.Pattern[str]] = {
    "warehouses": re.compile(r"\s*\[warehouse\]: (\d+)"),
    "connections": re.compile(r"\s*\[connection\]: (\d+)"),
    "rampup": re.compile(r"\s*\[rampup\]: (\d+) \(sec"),
    "measure": re.compile(r"\s*\[measure\]: (\d+) \(sec"),
    "interval": re.compile(r"option i with value '(\d+)'"),
}
_PASSWORD = re.compile(r"\s*\[pass\]: |option p with value ")
_INTERVAL = re.compile(
    r"\s*(\d+), trx: (\d+), 95%: ([\d.]+), 99%: ([\d.]+), max_rt: ([\d.]+),"
    r"((?: \d+\|[\d.]+,?){4})"
)
_OLD_INTERVAL = re.compile(r"\s*(\d+), ((?:\d+\(\d+\):[\d.]+\|[\d.]+(?:, )?){5})")
_RAW = re.compile(
    r"\s*(?:\[([0-4])(?::\w+)?\]|\|([\w -]{1,20})\|)"
    r" sc: ?(\d+) +lt: ?(\d+) +(?:rt: ?(\d+) +)?fl: ?(\d+)(.*)"
)
_TOTAL = re.compile(r"\s*(New ?Order|Payment|Order Stat|Delivery|Slev) Total: (\d+)$")
"""Of the Java port: those that succeeded and those that were late, in one figure."""
_MEAN = re.compile(r"\s*avg_rt: ([\d.]+)")
_MEASURED = re.compile(r"in (\d+) sec\.")
_TPMC = re.compile(r"\s*([\d.]+) TpmC", re.I)
INTERVAL_S = 10
"""Between two lines where the option is not told."""


def is_ours(log: Log) -> bool:
    """Tell whether tpcc-mysql has written lines of this log."""
    return any(
        _BEGIN in line
        or "<Raw Results>" in line
        or any(pattern.match(line) for pattern in (_INTERVAL, _RAW, _TOTAL, _TPMC))
        for line in log.lines
    )


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    runs = [run for run in _runs(log.lines) if run.is_run]
    return with_headings([_trial(log, run) for run in runs], log.lines, [run.begin for run in runs])


@dataclass
class _Run:
    options: dict[str, str] = field(default_factory=dict)
    intervals: list[IntervalEvidence] = field(default_factory=list)
    kinds: dict[str, KindEvidence] = field(default_factory=dict)
    measured_s: float | None = None
    printed_tpmc: str | None = None
    has_password: bool = False
    is_old: bool = False
    begin: int | None = None
    """The index of the first line that the tool has written."""
    is_run: bool = False


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    run = _Run()
    for index, line in enumerate(lines):
        # The first block of results is told by a line of its own; so is the next run's.
        is_told = line.startswith("<Raw Results>") or _INTERVAL.match(line) is not None
        # A result ends with TpmC; figures behind it are of another run.
        again = run.printed_tpmc is not None and (_RAW.match(line) or _TOTAL.match(line))
        if _BEGIN in line or (is_told and run.kinds) or again:
            yield run
            run = _Run()
        if run.begin is None and (_BEGIN in line or is_told or _RAW.match(line)):
            run.begin = index
        _take(line, run)
    yield run


def _take(line: str, run: _Run) -> None:
    run.is_run |= "<Parameters>" in line or "<Raw Results>" in line
    run.has_password |= _PASSWORD.match(line) is not None
    for name, pattern in _FACTS.items():
        if found := pattern.match(line):
            run.options.setdefault(name, found[1])
    if found := _INTERVAL.match(line):
        run.intervals.append(_interval(found))
        run.is_run = True
    elif found := _OLD_INTERVAL.match(line):
        run.intervals.append(_old_interval(found))
        run.is_old = run.is_run = True
    elif found := _RAW.match(line):
        # The second block sums the same over the connections.
        kind = IN_ORDER[int(found[1])] if found[1] else kind_of(found[2])
        if kind is not None:
            run.kinds.setdefault(kind, _kind(found))
            run.is_run = True
    elif found := _TOTAL.match(line):
        run.kinds.setdefault(kind_of(found[1]) or "", KindEvidence(committed=whole(found[2])))
    elif (found := _MEASURED.match(line)) and run.measured_s is None:
        run.measured_s = positive(found[1])
    elif (found := _TPMC.match(line)) and run.printed_tpmc is None:
        run.printed_tpmc, run.is_run = found[1], True


def _interval(found: re.Match[str]) -> IntervalEvidence:
    """Return an interval whose start is its end for now, and whose throughput is its count."""
    count = number(found[2])
    p95, p99, largest = (positive(found[group]) for group in (3, 4, 5))
    return IntervalEvidence(
        start_s=number(found[1]) or -1.0,
        duration_s=0.0,
        throughput_per_s=count,
        quantiles_ms={share: v for share, v in ((0.95, p95), (0.99, p99)) if v is not None},
        max_ms=largest,
    )


def _old_interval(found: re.Match[str]) -> IntervalEvidence:
    count = number(found[2].partition("(")[0])
    return IntervalEvidence(
        start_s=number(found[1]) or -1.0, duration_s=0.0, throughput_per_s=count
    )


def _kind(found: re.Match[str]) -> KindEvidence:
    """Return what became of a kind: those that were late were done all the same."""
    done = added([whole(found[3]), whole(found[4])])
    mean = _MEAN.match(found[7])
    mean_ms = positive(mean[1]) if mean else None
    return KindEvidence(
        committed=done,
        retries=whole(found[5]),
        failed=whole(found[6]),
        times=Times(mean_ms=mean_ms, count=done) if mean_ms is not None else None,
    )


def _trial(log: Log, run: _Run) -> TrialEvidence:
    intervals, left_out = by_their_ends(run.intervals, step_s=positive(run.options.get("interval")))
    intervals = tuple(map(_as_rate, intervals))
    counted_s = _counted_s(run)
    has_rampup = number(run.options.get("rampup")) != 0
    kinds = {
        name: replace(
            kind,
            rate_per_s=per_second(kind.committed, counted_s),
            times=None if has_rampup else kind.times,
        )
        for name, kind in run.kinds.items()
    }
    new_order = kinds.get(NEW_ORDER, KindEvidence())
    throughput, rate_notes = checked_rate(
        per_minute(run.printed_tpmc), new_order.committed, counted_s
    )
    if throughput is None and not rate_notes:
        throughput = new_order.rate_per_s
    return TrialEvidence(
        source=log.source(TOOL),
        options=run.options,
        clients=whole(run.options.get("connections")),
        warmup_s=number(run.options.get("rampup")),
        measured_s=run.measured_s,
        throughput_per_s=throughput,
        times=new_order.times,
        kinds=kinds,
        failed=added([kind.failed for kind in kinds.values()]),
        retries=added([kind.retries for kind in kinds.values()]),
        intervals=intervals,
        notes=(
            *_notes(run, has_rampup),
            *rate_notes,
            *damaged(left_out),
            *_ends(run, intervals),
            *log.notes(),
        ),
    )


def _counted_s(run: _Run) -> float | None:
    """Return the seconds that TpmC divides by: the tool counts whole intervals."""
    if run.measured_s is None:
        return None
    interval = positive(run.options.get("interval")) or INTERVAL_S
    return run.measured_s // interval * interval or run.measured_s


def _as_rate(interval: IntervalEvidence) -> IntervalEvidence:
    rate = per_second(interval.throughput_per_s, interval.duration_s)
    return replace(interval, throughput_per_s=rate)


def _notes(run: _Run, has_rampup: bool) -> Iterator[SourceNote]:
    has_mean = any(kind.times for kind in run.kinds.values())
    if has_mean and has_rampup:
        yield SourceNote(code=NoteCode.MEAN_HAS_RAMPUP)
    if run.has_password:
        yield SourceNote(code=NoteCode.PASSWORD_DROPPED)
    if run.is_old:
        yield SourceNote(code=NoteCode.CPU_TIMES_DROPPED)
    elif run.intervals or (has_mean and not has_rampup):
        yield SourceNote(code=NoteCode.README_SAYS_SECONDS)
    if run.printed_tpmc is not None and (new_order := run.kinds.get(NEW_ORDER)):
        figures = (("printed", number(run.printed_tpmc)), ("counted", new_order.committed))
        yield SourceNote(code=NoteCode.TPMC_FORMULA, figures=figures)


def _ends(run: _Run, intervals: Sequence[IntervalEvidence]) -> Iterator[SourceNote]:
    if not run.kinds:
        yield truncated(intervals)
