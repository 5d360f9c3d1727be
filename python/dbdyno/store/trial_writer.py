"""Writes one trial: events as they come, and what is made of them when the trial is over.

State of a trial's folder, and what it holds:

- *unfinished* (under a hidden name): the generator's plan, ``trial.json`` that says "interrupted",
  the events so far, and what hosts did meanwhile. This is also what a crash leaves behind.
- *finished* (under the trial's number): tables and histograms made of the events, which are gone,
  and ``trial.json`` with the outcome. An earlier attempt stays beside it, marked as superseded.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import polars as pl

from dbdyno.contained_files import (
    make_folder,
    names_in,
    remove,
    rename,
    sync_folder,
    write_file,
)
from dbdyno.errors import InputError
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.host_usage import HOST_USAGE, HostUsage
from dbdyno.json_documents import read_document, write_document
from dbdyno.protocol.events import End, TrialEvent, to_document
from dbdyno.store import layout
from dbdyno.store.conversion import convert_events
from dbdyno.store.json_lines import JsonLinesWriter
from dbdyno.store.model import TrialStatus
from dbdyno.store.record import (
    TRIAL,
    TrialRecord,
)
from dbdyno.store.tables import write_table
from dbdyno.store.trial_clock import TrialClock

CUT_SHORT = "the run ended before this trial did"
NO_END = "the generator ended without saying how the trial ended"


class TrialWriter:
    """Takes the events of one trial; as a context manager it always leaves a finished folder."""

    def __init__(
        self,
        directory: Path,
        planned: PlannedTrial,
        generator_plan: bytes,
        *,
        server: Mapping[str, Any],
        dataset: Mapping[str, Any],
    ) -> None:
        self._unfinished = layout.unfinished_directory(directory, planned.number)
        remove(self._unfinished)
        make_folder(self._unfinished)
        self._started_monotonic_s = time.monotonic()
        self._record = TrialRecord(
            number=planned.number,
            round=planned.round,
            cell=dict(planned.cell.levels),
            status=TrialStatus.INTERRUPTED,
            reason=CUT_SHORT,
            plan_sha256=hashlib.sha256(generator_plan).hexdigest(),
            server=dict(server),
            dataset=dict(dataset),
            clock={"started_unix_s": time.time()},
        )
        write_file(self._unfinished / layout.GENERATOR_PLAN_FILE, generator_plan)
        write_document(self._unfinished / layout.TRIAL_FILE, TRIAL, self._record)
        self._events = JsonLinesWriter(self._unfinished / layout.EVENTS_FILE)
        self._usage = JsonLinesWriter(self._unfinished / layout.USAGE_FILE)
        self._usage_lock = threading.Lock()
        self._clock = TrialClock()
        self._finished = False

    def event(self, event: TrialEvent) -> None:
        """Keep one event of the generator, at once; not what its clients were told is committed."""
        if isinstance(event, End):
            event = replace(event, ledger=None)
        self._clock.take(event, time.monotonic())
        self._events.write({"received_unix_s": time.time(), "said": to_document(event)})

    def usage(self, usages: Sequence[HostUsage]) -> None:
        """Keep what hosts have just done until the trial is over; watchers' threads call this.

        A disk that has no room for it is no matter of the trial: those who look on do without.
        """
        with self._usage_lock, suppress(OSError):
            if self._finished:
                return
            for usage in usages:
                told = HOST_USAGE.dump_python(usage, mode="json")
                self._usage.write({"read_unix_s": time.time(), "usage": told})

    def finish(
        self,
        *,
        status: TrialStatus | None = None,
        reason: str | None = None,
        server: Mapping[str, Any] | None = None,
        dataset: Mapping[str, Any] | None = None,
        resources: pl.DataFrame | None = None,
        watch_failures: Sequence[str] = (),
    ) -> TrialStatus:
        """Make the trial's folder final and return its status.

        Without ``status`` it is what the generator's end event says. ``server`` and ``dataset`` are
        added to what was known when the trial began. ``start_s`` of ``resources`` is on this host's
        monotonic clock; what is stored counts from the window's start.
        """
        with self._usage_lock:
            self._finished = True
            with suppress(OSError):
                self._usage.close()
        self._events.close()
        if resources is not None:
            aligned = self._clock.aligned(resources)
            write_table(aligned, self._unfinished / layout.RESOURCES_FILE)
        record = replace(
            self._record,
            status=TrialStatus.FAILED if status is None else status,
            reason=NO_END if status is None else reason,
            server={**self._record.server, **(server or {})},
            dataset={**self._record.dataset, **(dataset or {})},
            clock=self._record.clock | self._passed(),
            resources_zero=self._clock.zero,
            watch_failures=tuple(watch_failures),
        )
        return _finish(self._unfinished, record, believe_end=status is None)

    def _passed(self) -> dict[str, float]:
        return {
            "wall_s": time.time() - self._record.clock["started_unix_s"],
            "monotonic_s": time.monotonic() - self._started_monotonic_s,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._finished:
            return
        if error is None:
            self.finish()
        elif isinstance(error, Exception):
            self.finish(status=TrialStatus.FAILED, reason=str(error) or type(error).__name__)
        else:
            self.finish(status=TrialStatus.INTERRUPTED, reason="stopped from outside")


def recover(unfinished: Path, number: int) -> None:
    """Finish what a crash left of a trial: it becomes an interrupted trial with what there is.

    What cannot be read, after a power failure say, is kept as an attempt that another follows.
    """
    if not os.path.lexists(unfinished / layout.TRIAL_FILE):
        # The crash came before the generator was started, so there is nothing to keep.
        remove(unfinished)
        return
    try:
        record = read_document(unfinished / layout.TRIAL_FILE, TRIAL)
        _finish(unfinished, replace(record, number=number), believe_end=False)
    except (InputError, LookupError, TypeError, ValueError):
        rename(unfinished, _superseded_name(unfinished.parent, number))


def _finish(unfinished: Path, record: TrialRecord, *, believe_end: bool) -> TrialStatus:
    """Turn events into tables, write the outcome, and give the folder its final name.

    With ``believe_end`` an end event decides on status and reason. Every step can be repeated, so a
    crash in the middle of it does no harm.
    """
    events_path = unfinished / layout.EVENTS_FILE
    if events_path.exists():
        record = _with_events(unfinished, record, believe_end)
        write_document(unfinished / layout.TRIAL_FILE, TRIAL, record)
        remove(events_path)
    remove(unfinished / layout.USAGE_FILE)
    sync_folder(unfinished)
    final = unfinished.parent / layout.trial_name(record.number)
    if os.path.lexists(final):
        rename(final, _superseded_name(final.parent, record.number))
    rename(unfinished, final.name)
    sync_folder(final.parent)
    return record.status


def _with_events(unfinished: Path, record: TrialRecord, believe_end: bool) -> TrialRecord:
    told = convert_events(unfinished, record.clock["started_unix_s"])
    if told.end and believe_end:
        record = replace(record, status=TrialStatus(told.end.status), reason=told.end.reason)
    return replace(
        record,
        connected=told.connected,
        end=told.end,
        window_start=told.window_start,
        standings=tuple(told.standings),
        clocks=tuple(told.clocks),
        warmup=told.warmup,
    )


def _superseded_name(trials: Path, number: int) -> str:
    earlier = f"{layout.trial_name(number)}{layout.SUPERSEDED}"
    attempt = 1 + sum(name.startswith(earlier) for name in names_in(trials))
    return f"{earlier}{attempt}"
