"""How load is made and how the experiment is carried out, as written in the file."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Strict,
    Tag,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.limits import Disk
from dbdyno.experiment.file.quantity import Duration, Share
from dbdyno.experiment.file.reference import Reference
from dbdyno.protocol.trial_plan import LimitsPlan, RetryPlan
from dbdyno.refusal import suggest

Start = Literal["snapshot", "continue", "reload"]
EARLIER_NAMES = {"as_is": "continue"}
"""What earlier versions called a start, and what it is called now."""

WrittenStart = Annotated[
    Start,
    BeforeValidator(
        lambda value: EARLIER_NAMES.get(value, value) if isinstance(value, str) else value
    ),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": ["snapshot", "continue", "reload"]},
                {"enum": list(EARLIER_NAMES), "deprecated": True},
            ]
        }
    ),
]
Caches = Literal["workload", "warm", "cold"]
Order = Literal["interleaved", "abba", "sequential"]
PositiveDuration = Annotated[Duration, Field(gt=0)]
DurationOrZero = Annotated[Duration, Field(ge=0)]


class Load(FileModel):
    """The clients, and when they send."""

    clients: int = Field(
        default=1,
        ge=1,
        le=1_000_000,
        description="Virtual users, each with one connection.",
        examples=[64],
    )
    workers: int | None = Field(
        default=None,
        ge=1,
        description="Threads of the generator, never more than clients; without it, one for each "
        "of the generator's CPUs, and fewer where it shares them with the server.",
        examples=[4],
    )
    rate_per_s: float | None = Field(
        default=None,
        alias="rate",
        gt=0,
        le=1e9,
        description="Transactions a second that arrive whatever the server does (open loop).",
        examples=[500],
    )
    arrivals: Literal["closed", "constant", "poisson"] | None = Field(
        default=None,
        description="Without it, poisson where a rate is given and closed where none is.",
    )
    protocol: Literal["prepared", "text", "multi", "extended"] = Field(
        default="prepared",
        description="Prepared statements, or SQL text with the values in it. multi: those of a "
        "transaction that do not need each other's answers in one round trip (MySQL: one text; "
        "PostgreSQL: a pipeline of prepared statements). extended: PostgreSQL parses "
        "each statement anew, under no name.",
    )
    pipelining: Literal["auto", "off"] = Field(
        default="auto",
        description="auto: prepared statements of a transaction that need nothing of each other's "
        "answers share a round trip (TPC-C, on MySQL without autocommit); whether the server takes "
        "that is tried out first. off: each waits for the answer to the one before.",
    )
    kernel_timestamps: bool = Field(
        default=True,
        description="Have the kernel tell when an answer arrived, over TCP. It costs a few percent "
        "of the generator's CPU; without it, the generator's own delay is in the response times.",
    )


ERROR_CLASSES = (
    "deadlock",
    "lock_wait_timeout",
    "serialization_failure",
    "duplicate_key",
    "constraint_violation",
    "too_many_connections",
    "read_only",
    "resource_exhausted",
    "statement_lost",
    "invalid_statement",
    "other",
)
"""Those after which a connection can still be used; after the others there is nothing to retry."""

RETRIED_ERRORS = ("deadlock", "lock_wait_timeout", "serialization_failure", "statement_lost")
"""Those that the same transaction, sent again, may well survive, whatever the workload."""

ERROR_NUMBER = re.compile(r"\d+|[0-9A-Z]{5}")
"""A server's number (1213), or an SQLSTATE (40P01)."""


def _read_error(name: str | int) -> str:
    text = str(name)
    if text in ERROR_CLASSES or ERROR_NUMBER.fullmatch(text):
        return text
    raise PydanticCustomError(
        "error_class",
        "{text} is not a class of errors, a server's number (1213) or an SQLSTATE (40P01); {hint}",
        {"text": repr(text), "hint": suggest(text, ERROR_CLASSES)},
    )


RetriedError = Annotated[str | int, AfterValidator(_read_error)]


class Retry(FileModel):
    """What a client does when its transaction lost a deadlock or a conflict."""

    errors: Annotated[tuple[RetriedError, ...], Strict(False)] | None = Field(
        default=None,
        description="Errors after which a transaction is tried again: classes (deadlock), servers' "
        "numbers (1213) and SQLSTATEs (40P01). Without it deadlock, lock_wait_timeout, "
        "serialization_failure and statement_lost; for sysbench also PostgreSQL's 23505, which a "
        "DELETE and INSERT of one row by two clients at once ends with.",
        examples=[["deadlock", 1213]],
    )
    max_retries: int = Field(
        default=10, ge=0, description="After so many, the transaction has failed."
    )
    backoff_min_s: DurationOrZero = Field(
        default=0.001,
        alias="backoff_min",
        description="The shortest wait before a retry.",
        examples=["1ms"],
    )
    backoff_max_s: DurationOrZero = Field(
        default=0.05,
        alias="backoff_max",
        description="The longest wait before a retry.",
        examples=["50ms"],
    )

    def plan(self, usual_errors: tuple[str, ...]) -> RetryPlan:
        """Return it as a trial plan has it. ``usual_errors`` holds where the file names none."""
        return RetryPlan(
            errors=usual_errors if self.errors is None else tuple(map(str, self.errors)),
            max_retries=self.max_retries,
            backoff_min_ms=self.backoff_min_s * 1000,
            backoff_max_ms=self.backoff_max_s * 1000,
        )


class Limits(FileModel):
    """How long anything may take before it counts as failed, and how much a run may take."""

    connect_s: PositiveDuration = Field(
        default=30.0, alias="connect", description="All clients ready."
    )
    statement_s: PositiveDuration = Field(
        default=60.0, alias="statement", description="One statement."
    )
    drain_s: PositiveDuration = Field(
        default=10.0,
        alias="drain",
        description="Transactions that are under way when the window ends.",
    )
    trial_s: PositiveDuration | None = Field(
        default=None,
        alias="trial",
        description="The load of one trial, from its first connection to the end of its drain; "
        "then it is stopped, and has failed.",
        examples=["1h"],
    )
    campaign_s: PositiveDuration | None = Field(
        default=None,
        alias="campaign",
        description="One call of dbdyno run: no trial is begun that would end later. The same "
        "command goes on, for as long again.",
        examples=["8h"],
    )
    disk_bytes: Disk | None = Field(
        default=None,
        alias="disk",
        description="What the result may take on disk, with data directories and snapshots, as in "
        "200G; looked at before and between trials.",
        examples=["200G"],
    )

    def plan(self) -> LimitsPlan:
        """Return the limits that a generator keeps."""
        return LimitsPlan(self.connect_s, self.statement_s, self.drain_s)


class SteadyWarmup(FileModel):
    """Load before the window, until throughput is steady."""

    until: Literal["steady"] = Field(
        description="The window begins as soon as throughput is shown to change by less than 10 % "
        "over the last 20 intervals, or over the latter half of all (METHODOLOGY.md)."
    )
    most_s: PositiveDuration = Field(
        default=60.0,
        alias="most",
        description="The window begins after so long in any case; the trial is marked then.",
        examples=["5m"],
    )
    least_s: DurationOrZero = Field(
        default=0.0, alias="least", description="It does not begin before, however steady."
    )


def _form_of_warmup(value: object) -> str:
    return "<mapping>" if isinstance(value, dict | SteadyWarmup) else "<duration>"


WrittenWarmup = Annotated[
    Annotated[DurationOrZero, Tag("<duration>")] | Annotated[SteadyWarmup, Tag("<mapping>")],
    Discriminator(_form_of_warmup),
]


class Procedure(FileModel):
    """How trials are carried out, how often and in which order."""

    warmup: WrittenWarmup = Field(
        default=10.0,
        description="Load before the window, not measured: a duration, or {until: steady}.",
    )
    duration_s: PositiveDuration = Field(
        default=60.0, alias="duration", description="The window: the measured part of a trial."
    )
    rounds: int = Field(
        default=6,
        ge=1,
        le=1000,
        description="How often every cell is run; an even number, so that a linear drift cancels.",
    )
    order: Order = Field(
        default="interleaved",
        description="interleaved: every round runs every cell, in mirrored pairs of rounds, and "
        "who goes first changes from pair to pair. abba: the same, and every pair begins with the "
        "levels as the file has them. sequential: all rounds of a cell follow each other, so that "
        "drift looks like an effect.",
    )
    pause_s: DurationOrZero = Field(
        default=0.0,
        alias="pause",
        description="Rest between two trials, for a machine that has to cool down or to finish "
        "what it does in the background.",
    )
    reference: Reference | None = Field(
        default=None,
        description="A cell that is measured again and again, to show how the machine drifts: "
        "baseline, or a level for some factors, as in {clients: 8}. It is compared with no cell.",
        examples=["baseline"],
    )
    reference_every: int | None = Field(
        default=None,
        ge=1,
        description="Measure the reference after every so many trials; without it at the start, "
        "in the middle and at the end.",
        examples=[10],
    )
    start: WrittenStart = Field(
        default="snapshot",
        description="What a trial starts from. snapshot: the server's files as they were after "
        "loading; reload: tables that were loaded anew; continue: what the last trial left. "
        "A target by url takes continue unless told otherwise.",
    )
    caches: Caches = Field(
        default="workload",
        description="What they hold when clients connect. workload: what the start has left, and "
        "what the warm-up brings; warm: all tables are read before; cold: the server is restarted, "
        "and the page cache of its files is dropped.",
    )
    interval_s: PositiveDuration = Field(
        default=1.0,
        alias="interval",
        description="Counters and histograms are kept for each interval.",
    )
    seed: int = Field(
        default=1, ge=0, lt=2**53, description="Data, inputs and order follow from it."
    )
    bulk: Literal["auto", "native", "insert"] = Field(
        default="auto",
        description="How tables are filled. native: LOAD DATA or COPY; insert: INSERT with many "
        "rows; auto: native where the server takes it.",
    )
    check: Literal["consistency", "sample", "none"] = Field(
        default="consistency",
        description="What is verified in the tables after each trial; of TPC-C's tables the twelve "
        "consistency conditions, too. sample: of sysbench's tables the first id, the last one and "
        "20 ranges of 1,000 ids between, which takes seconds where counting a billion rows takes "
        "as long as a trial.",
    )
    attempts: int = Field(
        default=1,
        ge=1,
        le=10,
        description="How often a trial is tried that fails; the attempts that failed are kept.",
        examples=[2],
    )
    retry: Retry = Field(default=Retry(), description=Retry.__doc__)
    error_budget: Share = Field(
        default=0.01, description="A trial in which more transactions fail than this is not valid."
    )
    limits: Limits = Field(default=Limits(), description=Limits.__doc__)
    on_generator_loss: Literal["fail", "finish_marked"] = Field(
        default="fail",
        description="What becomes of a trial that loses one of several generators. fail: it ends, "
        "as failed. finish_marked: the others go on with their shares, and what they measured is "
        "kept, marked, and not compared.",
    )
    wait_for_hosts_s: DurationOrZero = Field(
        default=0.0,
        alias="wait_for_hosts",
        description="How long a trial waits before it begins for a generator's host that is gone. "
        "One that does not come back in time is a trial that could not begin, which the next call "
        "runs. 0: nobody waits, and a trial whose host is gone has failed.",
    )

    @property
    def steady_warmup(self) -> SteadyWarmup | None:
        """The warm-up where it ends when throughput is steady."""
        return self.warmup if isinstance(self.warmup, SteadyWarmup) else None

    @property
    def warmup_s(self) -> float:
        """How long the warm-up takes at the most."""
        return self.warmup.most_s if isinstance(self.warmup, SteadyWarmup) else self.warmup
