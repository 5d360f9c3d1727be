"""The journal of a run: what happened when, one line an event, kept whatever happens next."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from dbdyno.store.json_lines import JsonLinesWriter, read_json_lines
from dbdyno.store.model import TrialStatus


@dataclass(frozen=True, kw_only=True)
class _Event:
    unix_s: float = 0.0
    """When it happened; the journal sets it."""


@dataclass(frozen=True, kw_only=True)
class RunStarted(_Event):
    """A run of dbdyno began, on a host, with so many trials left to do."""

    event: Literal["run_started"] = "run_started"
    pending: int = 0
    host: Mapping[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class RunCompleted(_Event):
    """No trial is left to do."""

    event: Literal["run_completed"] = "run_completed"


@dataclass(frozen=True, kw_only=True)
class RunEndedEarly(_Event):
    """A run ended before all trials were done."""

    event: Literal["run_ended_early"] = "run_ended_early"
    reason: str


@dataclass(frozen=True, kw_only=True)
class ExperimentChanged(_Event):
    """The result is continued with a changed file: which fields differ, and how many trials now."""

    event: Literal["experiment_changed"] = "experiment_changed"
    changes: Sequence[Mapping[str, Any]]
    trials: int


@dataclass(frozen=True, kw_only=True)
class TrialStarted(_Event):
    """The preparation of a trial began."""

    event: Literal["trial_started"] = "trial_started"
    trial: int


@dataclass(frozen=True, kw_only=True)
class TrialFinished(_Event):
    """A trial is stored."""

    event: Literal["trial_finished"] = "trial_finished"
    trial: int
    status: TrialStatus
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class TrialRecovered(_Event):
    """What a crash left of a trial is stored."""

    event: Literal["trial_recovered"] = "trial_recovered"
    trial: int


JournalEvent = (
    RunStarted
    | RunCompleted
    | RunEndedEarly
    | ExperimentChanged
    | TrialStarted
    | TrialFinished
    | TrialRecovered
)

_EVENT: TypeAdapter[JournalEvent] = TypeAdapter(
    Annotated[JournalEvent, Field(discriminator="event")]
)


class Journal:
    """Appends events with their wall time to ``journal.jsonl``."""

    def __init__(self, path: Path) -> None:
        self._lines = JsonLinesWriter(path)

    def write(self, event: JournalEvent) -> None:
        """Append one event, which happens now."""
        stamped = replace(event, unix_s=round(time.time(), 3))
        self._lines.write(_EVENT.dump_python(stamped, mode="json"))

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


def read_journal(path: Path, damages: list[str]) -> tuple[JournalEvent, ...]:
    """Read ``journal.jsonl`` without its damaged lines; the first is noted, and how many more."""
    lines, unreadable = read_json_lines(path)
    journal = []
    for line in lines:
        try:
            journal.append(_EVENT.validate_python(line))
        except ValidationError as error:
            unreadable.append(f"{path} is damaged: {error.errors()[0]['msg']}")
    if unreadable:
        more = f" (and {len(unreadable) - 1} more)" if len(unreadable) > 1 else ""
        damages.append(f"{unreadable[0]}{more}")
    return tuple(journal)
