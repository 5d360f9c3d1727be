"""The journal of a run: what happened when, one line an event, kept whatever happens next."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from dbdyno.processes import ProcessMark
from dbdyno.store.json_lines import JsonLinesWriter, read_json_lines
from dbdyno.store.model import TrialStatus

PhaseName = Literal[
    "starting",
    "loading",
    "taking_snapshot",
    "restoring_snapshot",
    "dropping_caches",
    "warming_caches",
    "load",
    "checking",
    "resting",
    "waiting_for_host",
]
"""What a run does; ``load`` is the load of a trial, from its first connection to its end."""


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
class PlanGrew(_Event):
    """A search has planned its next step; so many trials there are now."""

    event: Literal["plan_grew"] = "plan_grew"
    trials: int


@dataclass(frozen=True, kw_only=True)
class TrialStarted(_Event):
    """The preparation of a trial began; ``attempt`` counts those of this trial from 1 on."""

    event: Literal["trial_started"] = "trial_started"
    trial: int
    attempt: int = 1


@dataclass(frozen=True, kw_only=True)
class PhaseBegan(_Event):
    """What the run does from now on, for which target."""

    event: Literal["phase_began"] = "phase_began"
    phase: PhaseName
    target: str | None = None


@dataclass(frozen=True, kw_only=True)
class Heartbeat(_Event):
    """The run is still at work: what ended without a word ended after the last of these."""

    event: Literal["heartbeat"] = "heartbeat"
    trial: int | None = None
    waiting: str | None = None
    """What has been waited for that long, in words."""


@dataclass(frozen=True, kw_only=True)
class ServerStarted(_Event):
    """A target's servers are up; ``processes`` are those on this machine that are ours to end."""

    event: Literal["server_started"] = "server_started"
    target: str
    url: str
    processes: tuple[ProcessMark, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ServerStopped(_Event):
    """A target's servers are down."""

    event: Literal["server_stopped"] = "server_stopped"
    target: str


@dataclass(frozen=True, kw_only=True)
class GeneratorStarted(_Event):
    """A generator's process is up."""

    event: Literal["generator_started"] = "generator_started"
    trial: int
    processes: tuple[ProcessMark, ...]


@dataclass(frozen=True, kw_only=True)
class DatasetLoaded(_Event):
    """A dataset is loaded whole; ``dataset`` is its key."""

    event: Literal["dataset_loaded"] = "dataset_loaded"
    target: str
    dataset: str
    rows: int


@dataclass(frozen=True, kw_only=True)
class SnapshotTaken(_Event):
    """A copy of a loaded target's files is kept under a key."""

    event: Literal["snapshot_taken"] = "snapshot_taken"
    target: str
    key: str


@dataclass(frozen=True, kw_only=True)
class SnapshotRestored(_Event):
    """A target's files are those of a snapshot again."""

    event: Literal["snapshot_restored"] = "snapshot_restored"
    target: str
    key: str


@dataclass(frozen=True, kw_only=True)
class LeftoverEnded(_Event):
    """A process was ended that an earlier run had started and had not ended."""

    event: Literal["leftover_ended"] = "leftover_ended"
    process: ProcessMark


@dataclass(frozen=True, kw_only=True)
class HookEnded(_Event):
    """A command of the experiment's own was run, and how it ended; None: it was killed."""

    event: Literal["hook_ended"] = "hook_ended"
    hook: str
    exit_status: int | None
    elapsed_s: float


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
    | PlanGrew
    | TrialStarted
    | TrialFinished
    | TrialRecovered
    | PhaseBegan
    | Heartbeat
    | ServerStarted
    | ServerStopped
    | GeneratorStarted
    | DatasetLoaded
    | SnapshotTaken
    | SnapshotRestored
    | LeftoverEnded
    | HookEnded
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


def read_journal_event(line: Mapping[str, Any]) -> JournalEvent:
    """Return the event of a line; ValueError where it is none."""
    return _EVENT.validate_python(line)


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
