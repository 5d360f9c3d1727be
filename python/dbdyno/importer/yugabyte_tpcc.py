"""TPC-C of YugabyteDB's fork of OLTP-Bench. Times are milliseconds from sending.

Its first versions print lines of their log, later ones tables. Of these, the table of latencies is
of attempts that succeeded; the tables below it are of failures and of the tool's own work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dbdyno.importer.contradictions import checked_rate
from dbdyno.importer.headings import with_headings
from dbdyno.importer.kinds import NEW_ORDER, kind_of, warehouses_of
from dbdyno.importer.log import Log
from dbdyno.importer.numbers import number, per_minute, per_second, positive, scaled, whole
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import KindEvidence, SourceNote, Times, TrialEvidence

TOOL = "yugabyte-tpcc"
LOOKED_FOR = '"TPM-C: …" and "Num New Order transactions : …", or "TPM-C | …"'

_TPMC = re.compile(r"(?:.* - )?\s*TPM-C ?[:|] *([\d.,]{1,20})$")
_EFFICIENCY = re.compile(r"(?:.* - )?\s*Efficiency ?[:|] *([\d.]{1,20})%")
_NEW_ORDERS = re.compile(r".*Num New Order transactions ?: (\d{1,15}), time seconds: (\d{1,9})")
_RESULTS = re.compile(r".*Results\(nanoSeconds=(\d{1,18}), measuredRequests=(\d{1,15})\)")
_TABLE = re.compile(r".*={3,}([A-Z][A-Z ()/-]*)={3,}")
_LATENCIES = "LATENCIES (INCLUDE RETRY ATTEMPTS)"
_ROW = re.compile(r"(\w{4,12}) *\| *(\d{1,15}) *\| *([\d.]{1,20}) *\| *([\d.]{1,20})")


@dataclass
class _Run:
    begin: int
    tpmc: str | None = None
    efficiency: str | None = None
    new_orders: int | None = None
    measured_s: float | None = None
    kinds: dict[str, KindEvidence] = field(default_factory=dict)


def is_ours(log: Log) -> bool:
    """Tell whether the log has a result of this tool."""
    return any(_TPMC.match(line) for line in log.lines)


def read(log: Log) -> list[TrialEvidence]:
    """Return a trial for each run in the log."""
    runs = _runs(log.lines)
    return with_headings([_trial(log, run) for run in runs], log.lines, [r.begin for r in runs])


def _runs(lines: Sequence[str]) -> list[_Run]:
    """Part a log into runs: each has one TPM-C, and figures of its own before and behind it."""
    runs: list[_Run] = []
    table = ""
    for index, line in enumerate(lines):
        found = _TABLE.match(line)
        table = found[1].strip() if found else table
        begins = _RESULTS.match(line) or _NEW_ORDERS.match(line) or _TPMC.match(line)
        if begins and (not runs or runs[-1].tpmc is not None):
            runs.append(_Run(begin=index))
        if runs:
            _take(line, runs[-1], table)
    return [run for run in runs if run.tpmc is not None]


def _take(line: str, run: _Run, table: str) -> None:
    if found := _TPMC.match(line):
        run.tpmc = found[1]
    elif found := _EFFICIENCY.match(line):
        run.efficiency = found[1]
    elif found := _NEW_ORDERS.match(line):
        run.new_orders = whole(found[1])
        run.measured_s = run.measured_s or positive(found[2])
    elif found := _RESULTS.match(line):
        run.measured_s = scaled(positive(found[1]), 1e-9)
    elif table == _LATENCIES and (found := _ROW.match(line)) and (kind := kind_of(found[1])):
        count, mean, p99 = whole(found[2]), positive(found[3]), positive(found[4])
        quantiles = {} if p99 is None else {0.99: p99}
        times = Times(mean_ms=mean, quantiles_ms=quantiles, count=count)
        run.kinds[kind] = KindEvidence(committed=count, times=times)


def _trial(log: Log, run: _Run) -> TrialEvidence:
    kinds = dict(run.kinds)
    if NEW_ORDER not in kinds and run.new_orders is not None:
        rate = per_second(run.new_orders, run.measured_s)
        kinds[NEW_ORDER] = KindEvidence(committed=run.new_orders, rate_per_s=rate)
    throughput, rate_notes = checked_rate(per_minute(run.tpmc), run.new_orders, run.measured_s)
    warehouses = warehouses_of(run.tpmc, run.efficiency)
    return TrialEvidence(
        source=log.source(TOOL),
        options={} if warehouses is None else {"warehouses": str(warehouses)},
        measured_s=run.measured_s,
        throughput_per_s=throughput,
        times=kinds[NEW_ORDER].times if NEW_ORDER in kinds else None,
        kinds=kinds,
        notes=(*rate_notes, *_notes(run, warehouses), *log.notes()),
    )


def _notes(run: _Run, warehouses: int | None) -> Iterator[SourceNote]:
    efficiency = number(run.efficiency)
    if efficiency is not None and efficiency <= 100:
        yield SourceNote(code=NoteCode.TERMINALS_THINK)
    if warehouses is not None:
        figures = (("warehouses", warehouses),)
        yield SourceNote(code=NoteCode.WAREHOUSES_FROM_EFFICIENCY, figures=figures)
    if not run.kinds:
        yield SourceNote(code=NoteCode.NO_PERCENTILE)
