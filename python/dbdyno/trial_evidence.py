"""What somebody else has measured, as far as a log or a table tells it: the one type for analysis.

What is not told is None, or missing from a mapping. It is never zero. Rates are per second, times
in milliseconds, shares between 0 and 1. Passwords are dropped where a source is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

Figure: TypeAlias = int | float | str | None
Quantiles: TypeAlias = Mapping[float, float]
"""Milliseconds by share: ``{0.95: 7.4}`` says that p95 is 7.4 ms."""

NOT_TOLD = "?"
"""The level of a trial whose source does not tell an option in which others differ."""


class MeasuredFrom(StrEnum):
    """The instant from which a source measures a transaction's time."""

    START = "start"
    """From when it was sent: service time, whatever the source calls it."""
    SCHEDULED = "scheduled"
    """From when it was due: response time."""


@dataclass(frozen=True, kw_only=True)
class Times:
    """How long transactions took; each figure as the source has rounded it."""

    measured_from: MeasuredFrom = MeasuredFrom.START
    quantiles_ms: Quantiles = field(default_factory=dict)
    mean_ms: float | None = None
    min_ms: float | None = None
    max_ms: float | None = None
    count: int | None = None


@dataclass(frozen=True, kw_only=True)
class KindEvidence:
    """What became of the transactions of one kind."""

    committed: int | None = None
    rolled_back: int | None = None
    failed: int | None = None
    retries: int | None = None
    rate_per_s: float | None = None
    times: Times | None = None


@dataclass(frozen=True, kw_only=True)
class IntervalEvidence:
    """One line that a tool has printed of an interval, or a bucket of single transactions.

    ``start_s`` counts from the beginning of what was measured; negative in a warm-up.
    """

    start_s: float
    duration_s: float
    throughput_per_s: float | None = None
    quantiles_ms: Quantiles = field(default_factory=dict)
    mean_ms: float | None = None
    max_ms: float | None = None
    failed_per_s: float | None = None
    reconnects_per_s: float | None = None
    clients: int | None = None


@dataclass(frozen=True, kw_only=True)
class SourceNote:
    """What a reader must know of a source: a code and figures. Words are the report's."""

    code: str
    figures: tuple[tuple[str, Figure], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where figures come from: which tool's log, or which table."""

    tool: str
    """``sysbench``, ``benchmarksql``, ``tpcc-mysql``, ``go-tpc``, ``pgbench``, ``table`` …"""
    path: str
    tool_version: str | None = None
    sha256: str | None = None
    """Of the file's bytes as they were read."""
    heading: str | None = None
    """What stands above this run, where a file has several and their headings differ."""


@dataclass(frozen=True, kw_only=True)
class TrialEvidence:
    """One run of somebody's tool, or one cell and round of a table.

    ``options`` are the settings that the source tells, by the tool's own names, as text.
    ``throughput_per_s`` counts what ``ResultEvidence.counted`` says.
    """

    source: Source
    levels: tuple[tuple[str, str], ...] = ()
    """Factor → level, the same factors in the same order in all trials of a result."""
    round: int = 1
    options: Mapping[str, str] = field(default_factory=dict)
    clients: int | None = None
    share_in_effect: float | None = None
    """Of the clients: those that waited for the server, as far as the generator knew."""
    warmup_s: float | None = None
    measured_s: float | None = None
    began_unix_s: float | None = None
    throughput_per_s: float | None = None
    throughput_step_per_s: float | None = None
    """How finely throughput is known, where it was divided by seconds of few digits."""
    times: Times | None = None
    """Of those transactions that throughput counts."""
    kinds: Mapping[str, KindEvidence] = field(default_factory=dict)
    """By kind, TPC-C's by the names of ``analysis.tpcc.requirements``."""
    failed: int | None = None
    retries: int | None = None
    reconnects: int | None = None
    intervals: tuple[IntervalEvidence, ...] = ()
    statements: Mapping[str, float] = field(default_factory=dict)
    """How many of each kind a transaction has, by the names of the source: read, write, other."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Whatever else a table has of this trial, by the name that it has there: sizes, CPU use …"""
    failure: str | None = None
    """Why the run did not end well, in the source's own words."""
    notes: tuple[SourceNote, ...] = ()


class Counted(StrEnum):
    """What a throughput counts."""

    TRANSACTIONS = "transactions"
    NEW_ORDERS = "new_orders"
    """New-Orders without keying and think times, whatever the source calls them."""
    QUERIES = "queries"
    OPERATIONS = "operations"


@dataclass(frozen=True, kw_only=True)
class ResultEvidence:
    """All trials that were imported together."""

    name: str
    trials: tuple[TrialEvidence, ...]
    counted: Counted = Counted.TRANSACTIONS
    question: str = ""
    notes: tuple[SourceNote, ...] = ()
