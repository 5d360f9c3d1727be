"""BenchmarkSQL's result directory: its properties, the run, and a table of transactions.

Version 5 writes a line a transaction, of which percentiles are computed; version 6 sums them by
second, and writes a summary in seconds.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from dbdyno.errors import InputError
from dbdyno.importer.benchmarksql import TOOL, shown_options, thinking
from dbdyno.importer.benchmarksql_6 import times_of_seconds
from dbdyno.importer.kinds import NEW_ORDER, kind_of
from dbdyno.importer.log import Log, read_log
from dbdyno.importer.numbers import LARGEST, per_second, positive, scaled, whole
from dbdyno.importer.quantiles import seconds, times_of
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import KindEvidence, SourceNote, TrialEvidence

PROPERTIES = "run.properties"
RUN_INFO = "data/runInfo.csv"
RESULT = "data/result.csv"
SUMMARY = "data/summary.csv"
FILES = (PROPERTIES, RUN_INFO, RESULT, SUMMARY)
"""What is read of a directory, and copied."""

_COLUMNS = ("elapsed", "latency", "ttype", "rbk", "error")
_ENDS_WITHIN_S = 5.0
"""A run of a minute ends when its last transactions have ended."""
_LONGEST_MS = 1e11


def is_result(directory: Path) -> bool:
    """Tell whether a directory is what BenchmarkSQL has written of one run."""
    return (directory / PROPERTIES).is_file() and (directory / "data").is_dir()


def read_result(directory: Path) -> TrialEvidence:
    """Return the trial of a result directory; InputError where no table of it can be read."""
    properties = _properties(directory)
    info = next(iter(_rows(directory / RUN_INFO)), {})
    options = shown_options(properties)
    if (directory / SUMMARY).is_file():
        trial = _of_summary(directory, options)
    elif (directory / RESULT).is_file():
        trial = _of_transactions(read_log(directory / RESULT), options)
    else:
        raise InputError(f"{directory} has neither {RESULT} nor {SUMMARY}")
    version = info.get("driverVersion") or info.get("version")
    source = replace(trial.source, path=str(directory), tool_version=version)
    return replace(trial, source=source, options=options)


def _properties(directory: Path) -> dict[str, str]:
    lines = read_log(directory / PROPERTIES).lines
    parts = (line.partition("=") for line in lines if not line.lstrip().startswith(("#", "//")))
    return {name.strip(): value.strip() for name, separator, value in parts if separator}


def _rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a small table; none where it is missing."""
    if not path.is_file():
        return []
    reader = csv.DictReader(read_log(path).lines)
    try:
        return [{str(k): str(v) for k, v in row.items() if v is not None} for row in reader]
    except csv.Error as error:
        raise InputError(f"{path} is damaged: {error}") from error


def _of_transactions(log: Log, options: Mapping[str, str]) -> TrialEvidence:
    table, dropped = _table(log)
    if table.is_empty():
        raise InputError(f"{log.path} has no transaction that can be read")
    last_s = float(table["end_s"].max())  # type: ignore[arg-type]
    run_s = scaled(positive(options.get("runMins")), 60)
    is_whole = run_s is None or last_s >= run_s - _ENDS_WITHIN_S
    measured_s = max(run_s, last_s) if run_s is not None and is_whole else last_s
    new_orders = table.filter(pl.col("kind") == NEW_ORDER)
    counted = int(new_orders["is_counted"].sum())
    notes = [SourceNote(code=NoteCode.TABLE_ONLY)]
    if dropped:
        notes.append(SourceNote(code=NoteCode.DAMAGED_LINES, figures=(("lines", dropped),)))
    if not is_whole:
        figures = (("until_s", last_s), ("run_s", run_s))
        notes.append(SourceNote(code=NoteCode.INCOMPLETE_TABLE, figures=figures))
    return TrialEvidence(
        source=log.source(TOOL),
        clients=whole(options.get("terminals")),
        measured_s=measured_s,
        throughput_per_s=per_second(counted, measured_s),
        times=times_of(new_orders.filter("is_counted")["time_ms"]),
        kinds=_kinds(table, measured_s),
        failed=int(table["is_failed"].sum()),
        intervals=tuple(seconds(new_orders, measured_s)),
        notes=tuple(notes),
    )


def _table(log: Log) -> tuple[pl.DataFrame, int]:
    """Return the transactions that can be read, and how many lines cannot."""
    try:
        table = pl.read_csv(
            io.BytesIO(log.data.replace(b"\0", b"")),
            infer_schema=False,
            truncate_ragged_lines=True,
            ignore_errors=True,
            quote_char=None,
            encoding="utf8-lossy",
        )
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{log.path} is no table: {str(error).splitlines()[0]}") from error
    missing = [name for name in _COLUMNS if name not in table.columns]
    if missing:
        raise InputError(f"{log.path} has no column {', '.join(missing)}")
    kinds = {name: kind_of(name) for name in table["ttype"].unique().drop_nulls()}
    known = {name: kind for name, kind in kinds.items() if kind is not None}
    told = table.select(
        end_s=pl.col("elapsed").cast(pl.Float64, strict=False) / 1e3,
        time_ms=pl.col("latency").cast(pl.Float64, strict=False),
        kind=pl.col("ttype").replace_strict(known, default=None, return_dtype=pl.String),
        is_rolled_back=pl.col("rbk").cast(pl.Int64, strict=False) == 1,
        is_failed=pl.col("error").cast(pl.Int64, strict=False) != 0,
    )
    whole_rows = told.filter(
        pl.all_horizontal(pl.all().is_not_null()),
        pl.col("end_s").is_between(0, _LONGEST_MS / 1e3),
        pl.col("time_ms").is_between(0, LARGEST),
    ).with_columns(is_counted=~pl.col("is_failed"))
    return whole_rows, table.height - whole_rows.height


def _kinds(table: pl.DataFrame, measured_s: float) -> dict[str, KindEvidence]:
    kinds = {}
    for (name,), part in sorted(table.partition_by("kind", as_dict=True).items()):
        done = part.filter("is_counted")
        rolled_back = int(done["is_rolled_back"].sum())
        kinds[str(name)] = KindEvidence(
            committed=done.height - rolled_back,
            rolled_back=rolled_back,
            failed=int(part["is_failed"].sum()),
            rate_per_s=per_second(done.height, measured_s),
            times=times_of(done["time_ms"]),
        )
    return kinds


def _of_summary(directory: Path, options: Mapping[str, str]) -> TrialEvidence:
    """Return what version 6 has summed up."""
    measured_s = scaled(positive(options.get("runMins")), 60)
    kinds = {}
    for row in _rows(directory / SUMMARY):
        kind, count = kind_of(row.get("ttype", "")), whole(row.get("count"))
        if kind is None:
            continue
        rolled_back = whole(row.get("rollbacks"))
        kinds[kind] = KindEvidence(
            committed=None if count is None else max(count - (rolled_back or 0), 0),
            rolled_back=rolled_back,
            failed=whole(row.get("errors")),
            rate_per_s=per_second(count, measured_s),
            times=times_of_seconds(row.get("mean"), row.get("max"), None, count),
        )
    if not kinds:
        raise InputError(f"{directory / SUMMARY} has no transaction that can be read")
    new_order = kinds.get(NEW_ORDER, KindEvidence())
    notes = (
        SourceNote(code=NoteCode.SECONDS_TO_MS),
        SourceNote(code=NoteCode.NO_PERCENTILE),
        *thinking(options),
    )
    return TrialEvidence(
        source=read_log(directory / SUMMARY).source(TOOL),
        warmup_s=scaled(positive(options.get("rampupMins")), 60),
        measured_s=measured_s,
        throughput_per_s=new_order.rate_per_s,
        times=new_order.times,
        kinds=kinds,
        notes=notes,
    )
