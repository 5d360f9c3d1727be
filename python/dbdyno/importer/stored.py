"""The directory of an import as files, and how it is read.

``format.json`` says what it is, ``import.json`` holds the result without intervals, which are in
``intervals.parquet``; ``sources`` has copies of the logs, with passwords taken out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter

from dbdyno.contained_files import named_directory, scan_table
from dbdyno.errors import InputError
from dbdyno.json_documents import FORMAT_FILE, Format, read_document, read_json
from dbdyno.trial_evidence import IntervalEvidence, ResultEvidence

IMPORT_FORMAT = Format("dbdyno-import", 1, (1,), "import", "an import")
IMPORT_FILE = "import.json"
INTERVALS_FILE = "intervals.parquet"
SOURCES = "sources"

_FLOAT, _COUNT, _FLOATS = pl.Float64(), pl.UInt32(), pl.List(pl.Float64)
_COLUMNS: dict[str, pl.DataType] = {
    "trial": _COUNT,
    "start_s": _FLOAT,
    "duration_s": _FLOAT,
    "throughput_per_s": _FLOAT,
    "quantile_shares": _FLOATS,
    "quantiles_ms": _FLOATS,
    "mean_ms": _FLOAT,
    "max_ms": _FLOAT,
    "failed_per_s": _FLOAT,
    "reconnects_per_s": _FLOAT,
    "clients": _COUNT,
}
_ROW, _TRIAL, _LISTS = "row", "trial", ("quantile_shares", "quantiles_ms")
INTERVALS = pl.Schema(_COLUMNS)
"""``trial`` is the place of the trial in ``import.json``, from 0."""

RESULT = TypeAdapter(ResultEvidence)


def is_import(directory: Path) -> bool:
    """Tell whether a directory says that it is an import, of whatever version."""
    try:
        path = named_directory(directory) / FORMAT_FILE
        return bool(read_json(path).get("format") == IMPORT_FORMAT.name)
    except InputError:
        return False


def read_import(directory: Path) -> ResultEvidence:
    """Return what was imported; InputError where the directory is none, or is damaged."""
    directory = named_directory(directory)
    result = read_imported_trials(directory)
    intervals = _intervals(directory / INTERVALS_FILE, len(result.trials))
    trials = (
        replace(trial, intervals=tuple(intervals[index]))
        for index, trial in enumerate(result.trials)
    )
    return replace(result, trials=tuple(trials))


def read_imported_trials(directory: Path) -> ResultEvidence:
    """Return what was imported without its intervals; errors as ``read_import`` has them."""
    IMPORT_FORMAT.check(directory)
    path = directory / IMPORT_FILE
    result = read_document(path, RESULT)
    if not result.trials:
        raise InputError(f"{path} is damaged: it has no trial")
    factors = [[name for name, _ in trial.levels] for trial in result.trials]
    if any(names != factors[0] for names in factors):
        raise InputError(f"{path} is damaged: its trials have levels of different factors")
    return result


def interval_table(result: ResultEvidence) -> pl.DataFrame:
    """Return the intervals of all trials as a table."""
    intervals = [each for trial in result.trials for each in trial.intervals]
    trials = [index for index, trial in enumerate(result.trials) for _ in trial.intervals]
    told = [name for name in INTERVALS.names() if name not in (_TRIAL, *_LISTS)]
    columns = {name: [getattr(each, name) for each in intervals] for name in told}
    table = pl.DataFrame(
        {_TRIAL: trials, **columns}, schema_overrides={n: INTERVALS[n] for n in (_TRIAL, *told)}
    )
    quantiles = _quantiles([each.quantiles_ms for each in intervals])
    return pl.concat((table, quantiles), how="horizontal").select(INTERVALS.names())


def _quantiles(rows: Sequence[Mapping[float, float]]) -> pl.DataFrame:
    """Return percentiles as columns of lists, by way of flat ones: lists are slow one by one."""
    flat = [(row, *each) for row, quantiles in enumerate(rows) for each in quantiles.items()]
    schema = {_ROW: pl.UInt32, **dict.fromkeys(_LISTS, pl.Float64)}
    lists = pl.DataFrame(flat, schema, orient="row").group_by(_ROW).agg(*_LISTS)
    every = pl.DataFrame({_ROW: range(len(rows))}, {_ROW: pl.UInt32})
    joined = every.join(lists, on=_ROW, how="left", maintain_order="left").drop(_ROW)
    return joined.with_columns(pl.col(_LISTS).fill_null(pl.lit([], dtype=pl.List(pl.Float64))))


def _intervals(path: Path, trials: int) -> dict[int, list[IntervalEvidence]]:
    try:
        table = scan_table(path).collect()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{path} is damaged: {str(error).splitlines()[0]}") from error
    if table.schema != INTERVALS:
        wanted = ", ".join(INTERVALS.names())
        raise InputError(f"{path} is damaged: its columns should be {wanted}, each of its type")
    required = table.select("trial", "start_s", "duration_s")
    if required.null_count().sum_horizontal().item() or (required["trial"] >= trials).any():
        raise InputError(f"{path} is damaged: a row belongs to no trial, or tells no time")
    return _by_trial(table.iter_rows(named=True), path)


def _by_trial(rows: Iterable[dict[str, Any]], path: Path) -> dict[int, list[IntervalEvidence]]:
    intervals: dict[int, list[IntervalEvidence]] = defaultdict(list)
    for row in rows:
        shares, values = row.pop("quantile_shares") or [], row.pop("quantiles_ms") or []
        if len(shares) != len(values):
            raise InputError(f"{path} is damaged: percentiles and their times differ in number")
        quantiles = dict(zip(shares, values, strict=True))
        intervals[row.pop("trial")].append(IntervalEvidence(quantiles_ms=quantiles, **row))
    return intervals
