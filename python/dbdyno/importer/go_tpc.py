"""go-tpc's TPC-C runs. Times are milliseconds from sending.

The time of an operation begins with its first transaction in an interval, which inflates the TPM
of rare ones. Rates are therefore counts by the longest of these times.

Its histogram ends at ``--max-measure-latency``, 16 s by default, and has a bucket of half a second
there; its sums have longer times in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dbdyno.database.secrets import shown_text
from dbdyno.importer.commands import command_options
from dbdyno.importer.contradictions import checked_by_sum, checked_rate, within_histogram
from dbdyno.importer.go_tpc_rows import Row, rows
from dbdyno.importer.headings import with_headings
from dbdyno.importer.intervals import by_their_ends, damaged, truncated
from dbdyno.importer.kinds import NEW_ORDER, kind_of, warehouses_of
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import (
    added,
    number,
    per_minute,
    per_second,
    positive,
    share_of,
    whole,
)
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import (
    IntervalEvidence,
    KindEvidence,
    SourceNote,
    Times,
    TrialEvidence,
)

TOOL = "go-tpc"
LOOKED_FOR = '"[Summary] NEW_ORDER - Takes(s): …" or the same as a table or JSON'

_PROGRAMS = (TOOL, "tiup")
"""TiUP runs it: ``tiup bench tpcc run``."""
_ERROR = "_ERR"
_SHORT = {
    **{"T": "threads", "t": "acThreads", "D": "db", "H": "host", "U": "user"},
    **{"P": "port", "p": "password", "d": "driver"},
}
_WORKER = re.compile(r"(?:\[[^\]]*\] )?run worker (\d+) stopped due to timeout")
_FAILURE = re.compile(r"(?:\[[^\]]*\] )?(execute run failed, err .+|panic: .+)")
_FAILURE_MAX_CHARS = 500
_EXACT_COUNT = 100
"""Of fewer transactions, TPM, which has one decimal, tells no length."""
_WORKERS_MAX = 100_000
_HISTOGRAM_END_MS = 16_000.0


def is_ours(log: Log) -> bool:
    """Tell whether go-tpc has written rows of this log."""
    return any(row.prefix in ("current", "summary") for _, row in rows(log.lines))


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    runs = [run for run in _runs(log.lines) if run.current or run.summary]
    return with_headings([_trial(log, run) for run in runs], log.lines, [run.first for run in runs])


@dataclass
class _Run:
    begin: int = 0
    end: int = 0
    first: int | None = None
    """The index of its first row."""
    current: list[dict[str, Row]] = field(default_factory=list)
    """By operation, an interval each."""
    summary: dict[str, Row] = field(default_factory=dict)
    totals: Mapping[str, str] = field(default_factory=dict)
    has_thinking: bool = False


def _runs(lines: Sequence[str]) -> Iterator[_Run]:
    """Part the rows into runs: after a summary, another interval or summary is of another run."""
    run = _Run()
    for index, row in rows(lines):
        is_told = row.prefix == "summary" and (row.operation in run.summary or run.totals)
        is_told = is_told or (row.prefix == "totals" and bool(run.totals))
        if is_told or (row.prefix == "current" and (run.summary or run.totals)):
            run.end = index
            yield run
            run = _Run(begin=index)
        run.first = index if run.first is None else run.first
        _take(row, run)
    run.end = len(lines)
    yield run


def _take(row: Row, run: _Run) -> None:
    match row.prefix:
        case "totals":
            run.totals = row.fields
        case "thinking":
            run.has_thinking = True
        case "summary":
            run.summary[row.operation] = row
        case "current":
            if not run.current or row.operation in run.current[-1]:
                run.current.append({})
            run.current[-1][row.operation] = row


def _trial(log: Log, run: _Run) -> TrialEvidence:
    lines = log.lines[run.begin : run.end]
    options = _options(log.lines[: run.end], run.totals)
    measured_s = _elapsed_s(row for name, row in run.summary.items() if not _is_error(name))
    kinds, times_notes = _kinds(run.summary, measured_s)
    intervals, left_out = by_their_ends(_intervals(run.current))
    new_order = kinds.get(NEW_ORDER, KindEvidence())
    count = new_order.committed
    throughput, rate_notes = checked_rate(per_minute(run.totals.get("tpmc")), count, measured_s)
    if throughput is None and not rate_notes:
        fields = run.summary.get("NEW_ORDER", Row("")).fields
        # Earlier versions print no tpmC: TPM is of the row's own time.
        _, rate_notes = checked_rate(
            per_minute(fields.get("tpm")), count, positive(fields.get("takes(s)"))
        )
        throughput = None if rate_notes else new_order.rate_per_s
    workers = _workers(lines)
    clients = whole(options.get("threads")) or workers
    notes = [
        *_notes(run, kinds, measured_s, options),
        *rate_notes,
        *times_notes,
        *damaged(left_out),
        *([] if run.summary else [truncated(intervals)]),
        *log.notes(),
    ]
    if clients and "threads" not in options:
        notes.append(
            SourceNote(code=NoteCode.CLIENTS_FROM_WORKERS, figures=(("clients", clients),))
        )
    return TrialEvidence(
        source=log.source(TOOL),
        options=options,
        clients=clients,
        measured_s=measured_s,
        throughput_per_s=throughput,
        times=new_order.times,
        kinds=kinds,
        failed=added([kind.failed for kind in kinds.values()]),
        intervals=intervals,
        failure=None if run.summary else _failure(lines),
        notes=tuple(notes),
    )


def _options(lines: Sequence[str], totals: Mapping[str, str]) -> dict[str, str]:
    """Return those of the last command before the end of the run, and the warehouses."""
    options: dict[str, str] = {}
    for line in lines:
        called = command_options(line, _PROGRAMS, _SHORT)
        if called is not None and "run" in called.get("", "").split():
            options = {name: value for name, value in called.items() if name and value}
    if "warehouses" not in options and (
        warehouses := warehouses_of(totals.get("tpmc"), totals.get("efficiency"))
    ):
        options["warehouses"] = str(warehouses)
    return options


def _workers(lines: Iterable[str]) -> int | None:
    """Return how many workers there were, where all of them have said that they ended."""
    found = {int(each[1][:9]) for line in lines if (each := _WORKER.match(line))}
    is_whole = found and max(found) < _WORKERS_MAX and found == set(range(max(found) + 1))
    return len(found) if is_whole else None


def _elapsed_s(told: Iterable[Row]) -> float | None:
    """Return the longest time of any operation, which began with the first transaction of all.

    Count and TPM tell it to more digits than the time that is printed.
    """
    printed, exact = [], []
    for row in told:
        length_s, tpm = positive(row.fields.get("takes(s)")), positive(row.fields.get("tpm"))
        count = number(row.fields.get("count")) or 0.0
        if length_s is not None:
            printed.append(length_s)
            if tpm and count >= _EXACT_COUNT and abs(count * 60 / tpm - length_s) <= 0.1:
                exact.append(count * 60 / tpm)
    lengths = exact or printed
    return round(max(lengths), 3) if lengths else None


def _intervals(current: Sequence[Mapping[str, Row]]) -> Iterator[IntervalEvidence]:
    """Yield an interval for each block of rows; ``start_s`` is where it ends for now."""
    end_s = 0.0
    for operations in current:
        length_s = _elapsed_s(row for name, row in operations.items() if not _is_error(name))
        row = next((row for name, row in operations.items() if kind_of(name) == NEW_ORDER), Row(""))
        failed = _failed(operations, NEW_ORDER)
        end_s += length_s or 0.0
        times, _ = _times(row)
        yield IntervalEvidence(
            start_s=end_s if length_s else -1.0,
            duration_s=0.0,
            throughput_per_s=per_second(number(row.fields.get("count")), length_s),
            quantiles_ms=times.quantiles_ms if times else {},
            mean_ms=times.mean_ms if times else None,
            max_ms=times.max_ms if times else None,
            failed_per_s=per_second(failed, length_s),
        )


def _is_error(operation: str) -> bool:
    return operation.endswith(_ERROR)


def _failed(operations: Mapping[str, Row], kind: str) -> int | None:
    """Return how many of a kind failed: a row that is not there says that none did."""
    for name, row in operations.items():
        if _is_error(name) and kind_of(name.removesuffix(_ERROR)) == kind:
            return whole(row.fields.get("count"))
    return 0


def _kinds(
    summary: Mapping[str, Row], measured_s: float | None
) -> tuple[dict[str, KindEvidence], list[SourceNote]]:
    kinds: dict[str, KindEvidence] = {}
    notes: list[SourceNote] = []
    for name, row in summary.items():
        kind = kind_of(name)
        if kind is None or _is_error(name):
            continue
        count = whole(row.fields.get("count"))
        times, refuted = _times(row, kind)
        notes += refuted
        kinds[kind] = KindEvidence(
            committed=count,
            failed=_failed(summary, kind),
            rate_per_s=per_second(count, measured_s),
            times=times,
        )
    return kinds, notes


def _times(row: Row, kind: str = "") -> tuple[Times | None, tuple[SourceNote, ...]]:
    quantiles = {}
    for name, text in row.fields.items():
        share = share_of(name) if name.endswith("th(ms)") else None
        value = positive(text)
        if share and value:
            quantiles[share] = value
    mean, largest = positive(row.fields.get("avg(ms)")), positive(row.fields.get("max(ms)"))
    if mean is None and not quantiles:
        return None, ()
    printed = Times(
        quantiles_ms=dict(sorted(quantiles.items())),
        mean_ms=mean,
        max_ms=largest,
        count=whole(row.fields.get("count")),
    )
    if largest is not None and largest >= _HISTOGRAM_END_MS:
        # Longer times are in the sum alone: it has the mean, and nothing tells the maximum.
        by_sum = per_second(positive(row.fields.get("sum(ms)")), printed.count)
        printed = replace(printed, mean_ms=by_sum, max_ms=None)
        return within_histogram(printed, _HISTOGRAM_END_MS)
    return checked_by_sum(printed, positive(row.fields.get("sum(ms)")), kind)


def _failure(lines: Iterable[str]) -> str | None:
    found = next((each for line in lines if (each := _FAILURE.match(line))), None)
    return shown_text(found[1])[:_FAILURE_MAX_CHARS] if found else None


def _notes(
    run: _Run,
    kinds: Mapping[str, KindEvidence],
    measured_s: float | None,
    options: Mapping[str, str],
) -> Iterator[SourceNote]:
    if measured_s is not None:
        yield SourceNote(code=NoteCode.RATE_FROM_COUNT, figures=(("measured_s", measured_s),))
    failed = added([kind.failed for kind in kinds.values()])
    if failed:
        yield SourceNote(code=NoteCode.ERRORS_HAVE_TIMES, figures=(("failed", failed),))
    derived = warehouses_of(run.totals.get("tpmc"), run.totals.get("efficiency"))
    if derived and options.get("warehouses") == str(derived):
        figures = (("warehouses", derived),)
        yield SourceNote(code=NoteCode.WAREHOUSES_FROM_EFFICIENCY, figures=figures)
    if run.has_thinking:
        yield SourceNote(code=NoteCode.TERMINALS_THINK)
    if kinds and not any("th(ms)" in name for row in run.summary.values() for name in row.fields):
        yield SourceNote(code=NoteCode.NO_PERCENTILE)
