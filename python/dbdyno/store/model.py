"""What a result directory holds, as types: the only thing that analysis and report ever see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

    from dbdyno._native import Histogram
    from dbdyno.experiment.plan import Plan, PlannedTrial
    from dbdyno.facts.host import HostFacts, OtherHost
    from dbdyno.protocol.events import (
        Connected,
        End,
        Facts,
        GeneratorStanding,
        HostClock,
        WarmupEnded,
    )
    from dbdyno.protocol.trial_plan import TrialPlan
    from dbdyno.store.facts import Clock, DatasetFacts, ServerFacts
    from dbdyno.store.journal import JournalEvent
    from dbdyno.store.named_files import NamedFile
    from dbdyno.store.stored_histograms import StoredHistogram
    from dbdyno.store.trial_tables import TrialTables

FORMAT_NAME = "dbdyno-result"
FORMAT_VERSION = 2
READABLE_VERSIONS = (1, 2)
"""In version 1, ``resources.parquet`` had a column for each figure, and no place on the trial's
clock."""


class ResourcesZero(StrEnum):
    """From where ``start_s`` of a trial's resources counts."""

    WINDOW_START = "window_start"
    """From the window's start, as the generator told it."""
    FIRST_INTERVAL = "first_interval"
    """From the window's start, told by the first interval's arrival: late by some milliseconds."""
    WATCH_START = "watch_start"
    """From when watching began: the trial never had an interval, or its result is of version 1."""


class TrialStatus(StrEnum):
    """How a trial ended."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True)
class ErrorTotal:
    """How often an error occurred in a phase, and one server's words for it."""

    phase: str
    error_class: str
    code: int | None
    sqlstate: str | None
    count: int
    sample: str


@dataclass(frozen=True)
class StoredTrial:
    """One trial as it was measured.

    ``generator_plan`` is what the generator was asked for, at ``url``, and ``plan_sha256`` the hash
    of the bytes that it received. ``intervals`` has one row per interval and transaction
    with the columns of ``store.columns.INTERVAL_SCHEMA``, ``generator`` one per interval with those
    of ``GENERATOR_SCHEMA``. ``histograms`` are keyed by (transaction, measure), merged over the
    *window* only, in nanoseconds, measure being ``response``, ``service``, ``lag`` or, where
    transactions failed, ``failed_response``; so is ``loop_lag``. ``drained`` has the same of what
    was under way at the window's end and ended in the drain. ``interval_percentiles`` holds, per
    window interval, percentiles of response time for charts (``PERCENTILE_SCHEMA``). ``errors`` are
    totals with the keys phase, class, code, sqlstate, count and sample. ``clock`` has
    ``started_unix_s`` and, unless a crash ended the trial, ``wall_s`` and ``monotonic_s``: the
    time that it took by either clock.
    """

    planned: PlannedTrial
    status: TrialStatus
    reason: str | None
    plan_sha256: str
    url: str
    generator_plan: TrialPlan
    end: End | None
    server: ServerFacts
    dataset: DatasetFacts
    clock: Clock
    tables: TrialTables
    histograms: Mapping[tuple[str, str], Histogram]
    loop_lag: StoredHistogram
    errors: tuple[ErrorTotal, ...]
    connected: Connected | None = None
    """What connections ran with, as it was read back."""
    drained: Mapping[tuple[str, str], Histogram] = field(default_factory=dict)
    resources_zero: ResourcesZero = ResourcesZero.WATCH_START
    watch_failures: tuple[str, ...] = ()
    """What could not be watched, or not to the end, in words."""
    standings: tuple[GeneratorStanding, ...] = ()
    """Which of several generators were late, came back or were lost."""
    clocks: tuple[HostClock, ...] = ()
    """Of those on other hosts, how their clocks stood to the runner's."""
    warmup: WarmupEnded | None = None
    """How a warm-up ended that was to end when throughput is steady; None where it was fixed."""

    @property
    def intervals(self) -> pl.DataFrame:
        """One row per interval and transaction; read from the trial's folder, as all tables are."""
        return self.tables.intervals()

    @property
    def generator(self) -> pl.DataFrame:
        """One row per interval."""
        return self.tables.generator()

    @property
    def interval_percentiles(self) -> pl.DataFrame:
        """One row per interval of the window, and transaction."""
        return self.tables.interval_percentiles()

    @property
    def resources(self) -> pl.DataFrame | None:
        """What was watched; None where nothing was."""
        return self.tables.resources()

    @property
    def hosts(self) -> pl.DataFrame | None:
        """By interval and host (``HOST_SCHEMA``), where clients were spread over several."""
        return self.tables.hosts()

    @property
    def generators(self) -> pl.DataFrame | None:
        """By interval and generator (``GENERATORS_SCHEMA``), where there were several."""
        return self.tables.generators()

    @property
    def facts(self) -> Facts:
        """What the workload says of its input; nothing of a trial that did not come to its end."""
        return {} if self.end is None else self.end.facts


@dataclass(frozen=True)
class StoredResult:
    """A whole result directory.

    ``missing`` are planned trials that have no stored outcome yet. ``unknown`` are the names of
    what lies among the trials and is none of the plan, so that nothing of it was read. ``damages``
    say which files cannot be read and why; a trial with such a file is among the missing.
    """

    directory: Path
    plan: Plan
    experiment_text: str
    host: HostFacts
    trials: tuple[StoredTrial, ...]
    missing: tuple[PlannedTrial, ...]
    unknown: tuple[str, ...]
    journal: tuple[JournalEvent, ...]
    damages: tuple[str, ...] = ()
    other_hosts: Mapping[str, OtherHost] = field(default_factory=dict)
    """By name; none in results from before they were stored."""
    named_files: tuple[NamedFile, ...] = ()
    """The texts that the experiment file names; none in results from before they were stored."""
