"""TPC-C of CockroachDB's ``cockroach workload run tpcc``. Times are milliseconds from sending.

Each table begins with a line that names its columns between underscores; the last one names what
its rows are of. Histograms end at 10 s, later at 100 s: a longer time is printed as the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dbdyno.importer.commands import command_options
from dbdyno.importer.contradictions import checked_rate, within_histogram
from dbdyno.importer.headings import with_headings
from dbdyno.importer.intervals import by_their_ends, damaged, so_far, truncated
from dbdyno.importer.kinds import NEW_ORDER, kind_of, warehouses_of
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import number, per_minute, per_second, positive, share_of, whole
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    IntervalEvidence,
    KindEvidence,
    SourceNote,
    Times,
    TrialEvidence,
)

TOOL = "cockroach"
LOOKED_FOR = (
    '"_elapsed_______tpmC____efc__avg(ms)…", or rows of newOrder below "_elapsed___errors…"'
)

_HEADER = re.compile(r"_elapsed_[\w()/]{10,200}$")
_ROW = re.compile(r"(\d{1,9}\.\d)s +\S")
_HISTOGRAM_ENDS_MS = (10_200.5, 103_079.2)
"""The last buckets of histograms with one digit that end at 10 s and at 100 s."""


@dataclass
class _Run:
    begin: int = 0
    options: dict[str, str] = field(default_factory=dict)
    ticks: list[dict[str, str]] = field(default_factory=list)
    kinds: dict[str, dict[str, str]] = field(default_factory=dict)
    totals: dict[str, str] = field(default_factory=dict)
    last_s: float = 0.0


def is_ours(log: Log) -> bool:
    """Tell whether the log has rows of TPC-C by this tool."""
    return bool(_runs(log.lines))


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    runs = _runs(log.lines)
    return with_headings([_trial(log, run) for run in runs], log.lines, [r.begin for r in runs])


def _runs(lines: Sequence[str]) -> list[_Run]:
    """Part a log into runs: in another one time begins again, or tpmC has been told."""
    runs: list[_Run] = []
    options: dict[str, str] = {}
    columns: list[str] = []
    for index, line in enumerate(lines):
        called = command_options(line, (TOOL, "workload"), {})
        if called is not None:
            options = {name: value for name, value in called.items() if name and value}
        elif _HEADER.match(line):
            columns = [each for each in line.split("_") if each]
        elif columns and (found := _ROW.match(line)):
            elapsed_s = float(found[1])
            if not runs or elapsed_s < runs[-1].last_s or runs[-1].totals:
                runs.append(_Run(begin=index, options=options))
            _take(columns, line.split(), runs[-1])
            runs[-1].last_s = elapsed_s
    return [run for run in runs if run.totals or run.ticks or NEW_ORDER in run.kinds]


def _take(columns: Sequence[str], cells: Sequence[str], run: _Run) -> None:
    row = dict(zip(columns, cells, strict=False))
    if "tpmC" in columns:
        run.totals = row
    elif columns[-1] == "total" and (kind := kind_of(row.get("total", ""))):
        run.kinds[kind] = row
    elif "ops/sec(inst)" in columns and kind_of(cells[-1]) == NEW_ORDER:
        run.ticks.append(row)


def _trial(log: Log, run: _Run) -> TrialEvidence:
    intervals, left_out = by_their_ends(map(_interval, run.ticks))
    told = [run.totals, *run.kinds.values()]
    measured_s = next((each for row in told if (each := _elapsed_s(row))), None)
    kinds, times_notes = _kinds(run.kinds)
    count = kinds[NEW_ORDER].committed if NEW_ORDER in kinds else None
    rate, rate_notes = checked_rate(per_minute(run.totals.get("tpmC")), count, measured_s)
    if rate is None and not rate_notes and NEW_ORDER in kinds:
        rate = kinds[NEW_ORDER].rate_per_s
    cut = None if run.kinds or run.totals else so_far(intervals)
    options = dict(run.options)
    if warehouses := warehouses_of(run.totals.get("tpmC"), run.totals.get("efc")):
        options.setdefault("warehouses", str(warehouses))
    notes = (
        *rate_notes,
        *times_notes,
        *([truncated(intervals), *cut.notes] if cut else []),
        *_notes(run, warehouses),
        *damaged(left_out),
        *log.notes(),
    )
    return TrialEvidence(
        source=log.source(TOOL),
        options=options,
        clients=whole(options.get("workers")),
        measured_s=cut.length_s if cut else measured_s,
        throughput_per_s=cut.rate_per_s if cut else rate,
        times=kinds[NEW_ORDER].times if NEW_ORDER in kinds else None,
        kinds=kinds,
        # The number of errors is that of all kinds, in each row.
        failed=max((whole(row.get("errors")) or 0 for row in run.kinds.values()), default=None),
        intervals=intervals,
        notes=notes,
    )


def _elapsed_s(row: Mapping[str, str]) -> float | None:
    return positive(row.get("elapsed", "").removesuffix("s"))


def _interval(row: Mapping[str, str]) -> IntervalEvidence:
    return IntervalEvidence(
        start_s=_elapsed_s(row) or -1.0,
        duration_s=0.0,
        throughput_per_s=number(row.get("ops/sec(inst)")),
        quantiles_ms=_quantiles(row),
        max_ms=positive(row.get("pMax(ms)")),
    )


def _quantiles(row: Mapping[str, str]) -> dict[float, float]:
    told = {share_of(name[1:]): positive(row[name]) for name in row if re.match(r"p\d", name)}
    return {share: value for share, value in told.items() if share and value}


def _kinds(
    rows: Mapping[str, Mapping[str, str]],
) -> tuple[dict[str, KindEvidence], list[SourceNote]]:
    kinds: dict[str, KindEvidence] = {}
    notes: list[SourceNote] = []
    for kind, row in rows.items():
        count = whole(row.get("ops(total)"))
        rate, refuted = checked_rate(number(row.get("ops/sec(cum)")), count, _elapsed_s(row))
        mean, largest = positive(row.get("avg(ms)")), positive(row.get("pMax(ms)"))
        times = Times(quantiles_ms=_quantiles(row), mean_ms=mean, max_ms=largest, count=count)
        if largest in _HISTOGRAM_ENDS_MS:
            cut, refuted_times = within_histogram(times, largest)
            times = replace(cut or Times(), mean_ms=None, max_ms=None)
            refuted = (*refuted, *refuted_times)
        # The rate is printed with one digit behind the point; the count tells it exactly.
        exact = None if rate is None else per_second(count, _elapsed_s(row))
        kinds[kind] = KindEvidence(committed=count, rate_per_s=exact, times=times)
        notes += refuted
    return kinds, notes


def _notes(run: _Run, warehouses: int | None) -> Iterator[SourceNote]:
    efficiency = number(run.totals.get("efc", "").rstrip("%"))
    if efficiency is not None and efficiency <= 100:
        yield SourceNote(code=NoteCode.TERMINALS_THINK)
    if warehouses and "warehouses" not in run.options:
        figures = (("warehouses", warehouses),)
        yield SourceNote(code=NoteCode.WAREHOUSES_FROM_EFFICIENCY, figures=figures)
