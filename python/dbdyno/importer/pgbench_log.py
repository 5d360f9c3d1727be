"""pgbench's log of single transactions (``-l``), a file a thread.

A line is ``client number time script epoch microseconds``, then the lag behind the schedule where
there is ``--rate``, then the retries where there are several tries. One column more may be either:
lags are microseconds, retries a few. In place of the time stands ``skipped`` or a kind of failure.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from dbdyno.importer.log import Log
from dbdyno.importer.numbers import LARGEST, per_second
from dbdyno.importer.quantiles import seconds, times_of
from dbdyno.source_notes import NoteCode
from dbdyno.trial_evidence import KindEvidence, MeasuredFrom, SourceNote, TrialEvidence

TOOL = "pgbench"
LOOKED_FOR = "lines of numbers as pgbench -l writes them"

_LINE = re.compile(
    r"\d{1,9} \d{1,18} (?:\d{1,18}|skipped|failed|serialization|deadlock) \d{1,6} \d{9,11} \d{1,6}"
    r"(?: -?[\d.]{1,18}){0,2}$"
)
_LINES_LOOKED_AT = 20
_RECOGNISED_SHARE = 0.8
_SCHEMA = {
    "client": pl.Int64,
    "number": pl.Int64,
    "time": pl.String,
    "script": pl.Int64,
    "epoch": pl.Int64,
    "us": pl.Int64,
    "seventh": pl.Float64,
    "eighth": pl.Float64,
}
_EXTRA = ("seventh", "eighth")
_LAG_TYPICAL_US = 10
"""Above the retries that transactions usually have, below what waking up takes."""
_OTHER_RUN_S = 30 * 86_400
_SAMPLED_BELOW = 0.98
_SKIPPED = "skipped"


def is_ours(log: Log) -> bool:
    """Tell whether a file looks like a log of pgbench's transactions, by its first lines."""
    lines = [line.rstrip("\r") for line in log.head.split("\n")[:_LINES_LOOKED_AT] if line.strip()]
    fitting = sum(_LINE.match(line) is not None for line in lines)
    return fitting > 0 and fitting >= _RECOGNISED_SHARE * len(lines)


def read(log: Log) -> list[TrialEvidence]:
    """Return the trial of a file."""
    return read_parts([log])


def read_parts(logs: Sequence[Log]) -> list[TrialEvidence]:
    """Return the one trial that the logs of a run's threads tell together."""
    table = pl.concat([_table(log) for log in logs])
    lines = sum(log.data.count(b"\n") + (not log.data.endswith(b"\n")) for log in logs)
    known = _known(table)
    if known.is_empty():
        return []
    trial = _trial(logs[0], known)
    notes = list(trial.notes)
    if lines > known.height:
        figures = (("lines", lines - known.height),)
        notes.append(SourceNote(code=NoteCode.DAMAGED_LINES, figures=figures))
    if len(logs) > 1:
        figures = (("files", len(logs)),)
        notes.append(SourceNote(code=NoteCode.THREAD_LOGS_JOINED, figures=figures))
    return [replace(trial, notes=tuple(notes))]


def _table(log: Log) -> pl.DataFrame:
    data = log.data.replace(b"\r\n", b"\n").replace(b"\0", b"")
    # A first line of all columns makes the table as wide as any line may be.
    widest = b" ".join([b"0"] * len(_SCHEMA)) + b"\n"
    return pl.read_csv(
        io.BytesIO(widest + data),
        separator=" ",
        has_header=False,
        schema=_SCHEMA,
        quote_char=None,
        truncate_ragged_lines=True,
        ignore_errors=True,
        encoding="utf8-lossy",
    )[1:]


def _known(table: pl.DataFrame) -> pl.DataFrame:
    """Return the lines that are whole, with ``end``, ``time_ms``, ``is_counted`` and others."""
    time_us = pl.col("time").cast(pl.Int64, strict=False)
    word = pl.col("time").is_in([_SKIPPED, "failed", "serialization", "deadlock"])
    end = pl.col("epoch").cast(pl.Float64) + pl.col("us") / 1e6
    told = table.with_columns(time_us=time_us, is_word=word, end=end).filter(
        pl.all_horizontal(pl.col("client", "number", "script", "end").is_not_null()),
        pl.col("is_word") | pl.col("time_us").is_between(0, LARGEST),
        pl.col("us").is_between(0, 999_999),
        pl.col("number").is_between(0, LARGEST),
    )
    near = (pl.col("end") - pl.col("end").median()).abs() <= _OTHER_RUN_S
    extra = (pl.when(pl.col(name).is_between(0, LARGEST)).then(name) for name in _EXTRA)
    return told.filter(near).with_columns(
        *extra,
        time_ms=pl.col("time_us") / 1e3,
        is_counted=pl.col("time_us").is_not_null(),
        is_skipped=pl.col("time") == _SKIPPED,
        is_failed=pl.col("is_word") & (pl.col("time") != _SKIPPED),
    )


@dataclass(frozen=True)
class _Extra:
    """What the columns behind the sixth are."""

    lag: str | None
    retries: str | None
    is_guessed: bool = False


def _extra(table: pl.DataFrame) -> _Extra:
    if table["eighth"].count():
        return _Extra("seventh", "eighth")
    seventh = table["seventh"].drop_nulls()
    if seventh.is_empty():
        return _Extra(None, None)
    median = seventh.median()
    is_lag = isinstance(median, float) and median >= _LAG_TYPICAL_US
    return _Extra("seventh", None, True) if is_lag else _Extra(None, "seventh", True)


def _trial(log: Log, table: pl.DataFrame) -> TrialEvidence:
    extra = _extra(table)
    begin = _lowest(table.select((pl.col("end") - pl.col("time_us").fill_null(0) / 1e6).min()))
    measured_s = _lowest(table.select(pl.col("end").max())) - begin
    share = _sampled_share(table)
    is_sampled = share < _SAMPLED_BELOW
    counted = table.filter("is_counted")
    measured_from = MeasuredFrom.SCHEDULED if extra.lag else MeasuredFrom.START
    intervals = tuple(seconds(table.with_columns(end_s=pl.col("end") - begin), measured_s))
    retries = table[extra.retries].sum() if extra.retries else None
    return TrialEvidence(
        source=log.source(TOOL),
        clients=None if is_sampled else table["client"].n_unique(),
        measured_s=round(measured_s, 6) or None,
        began_unix_s=round(begin, 6),
        throughput_per_s=None if is_sampled else per_second(counted.height, measured_s),
        times=times_of(counted["time_ms"], measured_from),
        kinds=_scripts(table, measured_from),
        failed=None if is_sampled else int(table["is_failed"].sum()),
        retries=None if is_sampled or retries is None else int(retries),
        intervals=() if is_sampled else intervals,
        notes=tuple(_notes(table, extra, share)),
    )


def _lowest(table: pl.DataFrame) -> float:
    value = table.item()
    assert isinstance(value, float)
    return value


def _sampled_share(table: pl.DataFrame) -> float:
    """Return the share of transactions that the log has: clients number theirs without gaps."""
    spans = table.group_by("client").agg(span=pl.col("number").max() - pl.col("number").min() + 1)
    return table.height / float(spans["span"].sum())


def _scripts(table: pl.DataFrame, measured_from: MeasuredFrom) -> dict[str, KindEvidence]:
    """Return what became of each of several scripts, by their numbers."""
    parts = table.partition_by("script", as_dict=True)
    if len(parts) < 2:
        return {}
    return {
        f"script {number}": KindEvidence(
            committed=int(part["is_counted"].sum()),
            failed=int(part["is_failed"].sum()),
            times=times_of(part.filter("is_counted")["time_ms"], measured_from),
        )
        for (number,), part in sorted(parts.items())[:_SCRIPTS_MAX]
    }


_SCRIPTS_MAX = 128
"""pgbench knows no more."""


def _notes(table: pl.DataFrame, extra: _Extra, share: float) -> list[SourceNote]:
    notes = [SourceNote(code=NoteCode.TABLE_ONLY)]
    if extra.is_guessed:
        figures = (("is_lag", int(extra.lag is not None)),)
        notes.append(SourceNote(code=NoteCode.SEVENTH_COLUMN, figures=figures))
    if share < _SAMPLED_BELOW:
        notes.append(SourceNote(code=NoteCode.SAMPLED, figures=(("share", share),)))
    if skipped := int(table["is_skipped"].sum()):
        notes.append(SourceNote(code=NoteCode.SKIPPED, figures=(("skipped", skipped),)))
    return notes
