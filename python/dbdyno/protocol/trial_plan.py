"""The trial plan: what a generator is asked to do in one trial."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass
from pydantic_core import to_jsonable_python

from dbdyno.protocol.form import left_out
from dbdyno.protocol.generators import GeneratorPart, OnLoss, Placement, SharePlan, with_wait
from dbdyno.protocol.waiting import NAP
from dbdyno.protocol.workload_plan import TpccPlan, WorkloadField

NO_LIMIT_S = 1e7
"""A duration for a trial that something else ends: the longest that a generator takes."""

STEADY_INTERVALS_MIN = 20
"""Over fewer intervals nobody can tell whether throughput is steady."""

Arrivals = Mapping[str, Mapping[str, float]]
"""When transactions are due: ``closed``, ``constant`` or ``poisson`` → its rate, if it has one."""

CLOSED: Arrivals = {"closed": {}}
"""Each client sends its next transaction when the last one is answered."""


def open_loop(kind: str, rate_per_s: float) -> Arrivals:
    """Return arrivals that follow a schedule, ``constant`` or ``poisson``."""
    return {kind: {"rate_per_s": rate_per_s}}


@dataclass(frozen=True)
class SessionPlan:
    """What connections are set to, and how long they last."""

    isolation: str | None = None
    """None leaves the server's default."""
    autocommit: bool = True
    reconnect: int = 0
    """The number of transactions that a connection serves; 0 for all of them."""


@dataclass(frozen=True)
class RetryPlan:
    """What a client does when its transaction lost a deadlock or a conflict."""

    errors: tuple[str, ...] | None = None
    """Classes, numbers, SQLSTATEs or ``all``; None for those that are worth another attempt."""
    max_retries: int = 10
    backoff_min_ms: float = 1.0
    backoff_max_ms: float = 50.0
    new_input: bool = left_out(False)
    """Whether an attempt draws its input anew, as sysbench does."""


@dataclass(frozen=True)
class LimitsPlan:
    """How long anything may take."""

    connect_s: float = 30.0
    statement_s: float = 60.0
    drain_s: float = 10.0
    interrupted_drain_s: float = left_out(2.0)
    """For what is under way when a trial is stopped from outside."""

    @property
    def silence_s(self) -> float:
        """How long a generator may have nothing to say beside the intervals of its load."""
        return self.connect_s + self.statement_s + self.drain_s


@dataclass(frozen=True, kw_only=True)
class TrialPlan:
    """All that a generator needs for one trial, but for the server's URL and the password.

    The URL of a server that is started for the trial is known only once it is up.
    """

    version: int = 1
    workload: WorkloadField
    clients: int
    """Those of all generators together."""
    share: SharePlan | None = left_out(None)
    """None: this generator makes all of the load."""
    start: Literal["at_once", "when_told"] = left_out("at_once")
    """Whether the load begins when all clients are ready, or at a time that is told after that."""
    workers: int
    """Threads that carry the clients of one generator."""
    protocol: str = "prepared"
    """``prepared``, ``text``, ``extended``, or ``multi``: several statements in one round trip."""
    pipelining: str = "auto"
    kernel_timestamps: bool = True
    session: SessionPlan = SessionPlan()
    wait: str = NAP
    """How workers wait for answers (``protocol.generators``)."""
    placement: Placement = "unknown"
    """Where the server runs: what ``workers`` and ``wait`` go by where nobody has said them."""
    arrivals: Arrivals = Field(default_factory=lambda: CLOSED)
    warmup_s: float
    warmup_least_s: float | None = left_out(None)
    """None: the warm-up takes ``warmup_s``. Otherwise it ends as soon as throughput is steady, not
    before so many seconds, and after ``warmup_s`` in any case."""
    duration_s: float
    interval_s: float = 1.0
    seed: int
    retry: RetryPlan = RetryPlan()
    error_budget: float
    """The share of transactions that may fail in a valid trial."""
    limits: LimitsPlan = LimitsPlan()
    stop_at_failure: bool = left_out(False)
    """Whether the first transaction that fails for good ends the trial."""
    transactions: int | None = left_out(None)
    """At most so many are started; None for as many as there is time for."""
    count_by_client: bool = left_out(False)
    transaction_log: str | None = left_out(None)
    """A file for a line about each transaction."""
    generators: tuple[GeneratorPart, ...] = left_out(())
    """Those that share the load. Empty: one makes all of it, and receives just this plan."""
    on_generator_loss: OnLoss = left_out("fail")

    _read_older = model_validator(mode="before")(with_wait)

    def sending_as(self, other: TrialPlan) -> TrialPlan:
        """Return it with what goes by where the server runs as another plan has it."""
        parts = self.generators
        if len(parts) == len(other.generators):
            parts = tuple(map(_sending_as, parts, other.generators))
        return replace(_sending_as(self, other), generators=parts)

    def of_generator(self, part: GeneratorPart) -> TrialPlan:
        """Return what one of several generators receives."""
        log = self.transaction_log
        return replace(
            self,
            share=part.share,
            start="when_told",
            workers=part.workers,
            wait=part.wait,
            placement=part.placement,
            transaction_log=None if log is None else f"{log}.{part.share.index}",
            generators=(),
            on_generator_loss="fail",
        )

    @property
    def tpcc(self) -> TpccPlan | None:
        """What is asked of TPC-C; None where the workload is another."""
        return self.workload.get("tpcc")

    @property
    def offered_per_s(self) -> float | None:
        """The rate of an open loop; None in a closed one."""
        (schedule,) = self.arrivals.values()
        return schedule.get("rate_per_s")

    @property
    def always_asks(self) -> bool:
        """Whether each client asks for the next transaction as soon as one has ended.

        It does not in an open loop, nor where TPC-C's terminals key in or think.
        """
        pacing = {} if self.tpcc is None else self.tpcc.get("pacing", {})
        return self.offered_per_s is None and not any(multiple > 0 for multiple in pacing.values())

    @property
    def sleeps(self) -> bool:
        """Whether a script of the user's pauses: the server has fewer clients meanwhile.

        JSON doubles the backslash.
        """
        scripts = {k: v for k, v in self.workload.items() if k in {"pgbench", "sql"}}
        return r"\\sleep" in json.dumps(scripts)

    @property
    def asking_clients(self) -> int | None:
        """The clients, where all of them wait for the server and never on purpose."""
        return self.clients if self.always_asks and not self.sleeps else None

    def to_document(self) -> dict[str, Any]:
        """Return the plan as JSON has it, without the URL."""
        document: dict[str, Any] = to_jsonable_python(self)
        return document

    def to_json(self, url: str) -> bytes:
        """Return just what the generator receives, for a server with this URL."""
        return json.dumps({"url": url} | self.to_document()).encode()


Sender = TypeVar("Sender", TrialPlan, GeneratorPart)


def _sending_as(one: Sender, other: Sender) -> Sender:
    return replace(one, workers=other.workers, wait=other.wait, placement=other.placement)
