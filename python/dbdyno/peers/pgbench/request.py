"""What a call asks for, in dbdyno's own terms."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.errors import InputError
from dbdyno.peers.call.libpq.address import LibpqAddress
from dbdyno.peers.call.sending import SendingOptions, read_wait
from dbdyno.peers.pgbench.arguments import Arguments, wrong
from dbdyno.peers.pgbench.scripts import (
    NamedScript,
    read_scale,
    read_scripts,
    read_variables,
    workload_plan,
)
from dbdyno.protocol.intervals import Phase
from dbdyno.protocol.trial_plan import (
    CLOSED,
    NO_LIMIT_S,
    LimitsPlan,
    RetryPlan,
    SessionPlan,
    TrialPlan,
    open_loop,
)
from dbdyno.protocol.workload_plan import PgbenchPlan

if TYPE_CHECKING:
    from dbdyno.peers.call.result import Call

PROTOCOLS = {"simple": "text", "extended": "extended", "prepared": "prepared"}
CONFLICTS = ("40001", "40P01")
"""Serialization failure and deadlock: what pgbench counts as failed or tries again."""

UNLIMITED_RETRIES = 2**32 - 1
STATEMENT_LIMIT_S = 300.0
"""pgbench waits for ever; a server that says nothing for so long is not waited for any more."""
OPEN_DRAIN_S = 10.0
CONNECT_LIMIT_S = 60.0


@dataclass(frozen=True)
class Shown:
    """What is printed besides the summary."""

    progress_s: int
    epoch: bool
    latency_limit_ms: float | None
    failures_detailed: bool


@dataclass(frozen=True)
class Log:
    """The log of transactions that is asked for."""

    prefix: str
    sampling_rate: float
    aggregate_s: int
    """0 for a line for each transaction."""


@dataclass(frozen=True)
class Request:
    """A call that was understood. ``transactions`` are those of all clients together."""

    address: LibpqAddress
    scripts: tuple[NamedScript, ...]
    workload: PgbenchPlan
    scale: int
    mode: str
    clients: int
    sending: SendingOptions
    """Workers are the threads of ``--jobs``."""
    reconnects: bool
    transactions: int | None
    duration_s: float
    rate_per_s: float | None
    max_tries: int
    seed: int
    vacuums: bool
    vacuums_all: bool
    shown: Shown
    log: Log | None
    out: str
    transaction_log: Path | None = None
    """Where the generator is to write each transaction down."""
    warmup_s: float = 0.0

    @property
    def counted_phases(self) -> tuple[Phase, ...]:
        """The phases whose transactions count: pgbench waits for those under way, too."""
        return (Phase.WINDOW, Phase.DRAIN)

    @property
    def threads(self) -> int:
        """How many threads carry the clients."""
        return self.sending.plan(self.clients, self.address.url)["workers"]

    def trial_plan(self) -> TrialPlan:
        """Return what a generator is asked for by a run."""
        retries = UNLIMITED_RETRIES if self.max_tries == 0 else self.max_tries - 1
        # At a rate, what was due and not begun is given up when the time is over.
        drain_s = OPEN_DRAIN_S if self.rate_per_s else STATEMENT_LIMIT_S
        return TrialPlan(
            workload={"pgbench": self.workload},
            clients=self.clients,
            **self.sending.plan(self.clients, self.address.url),
            protocol=PROTOCOLS[self.mode],
            session=SessionPlan(reconnect=int(self.reconnects)),
            arrivals=open_loop("poisson", self.rate_per_s) if self.rate_per_s else CLOSED,
            warmup_s=self.warmup_s,
            duration_s=self.duration_s if self.transactions is None else NO_LIMIT_S,
            seed=self.seed,
            retry=RetryPlan(
                errors=CONFLICTS, max_retries=retries, backoff_min_ms=0.0, backoff_max_ms=0.0
            ),
            error_budget=1.0,
            stop_at_failure=True,
            transactions=self.transactions,
            transaction_log=None if self.transaction_log is None else str(self.transaction_log),
            limits=LimitsPlan(
                self.address.connect_s or CONNECT_LIMIT_S, STATEMENT_LIMIT_S, drain_s
            ),
        )

    def call(self) -> Call | None:
        """Return what a result directory says of the call; None where none is wanted."""
        if not self.out:
            return None
        # Only a few calls want it.
        from dbdyno.peers.call.result import Call

        names = ", ".join(script.name for script in self.scripts)
        return Call(
            directory=Path(self.out),
            command="pgbench",
            experiment="pgbench",
            question=f"{names} with {self.clients} clients",
            estimated_s=self.duration_s,
            given={"scripts": names, "clients": self.clients, "mode": self.mode},
        )


def read_request(arguments: Arguments, address: LibpqAddress) -> Request:
    """Return what a call asks for; InputError says what is wrong with it."""
    clients = arguments.integer("client")
    duration_s = float(arguments.integer("time")) if arguments.has("time") else 0.0
    transactions = None if duration_s else clients * arguments.integer("transactions")
    seed = _seed(arguments.text("random-seed"))
    scripts = read_scripts(arguments)
    scale, mode = read_scale(arguments), _mode(arguments)
    variables = read_variables(arguments)
    return Request(
        address=address,
        scripts=scripts,
        workload=workload_plan(scripts, scale, variables, is_simple=mode == "simple"),
        scale=scale,
        mode=mode,
        clients=clients,
        sending=SendingOptions(
            arguments.integer("jobs") if arguments.has("jobs") else None,
            read_wait("--wait", arguments.text("wait")),
            arguments.has("verbose"),
        ),
        reconnects=arguments.has("connect"),
        transactions=transactions,
        duration_s=duration_s,
        rate_per_s=arguments.number("rate") if arguments.has("rate") else None,
        max_tries=_max_tries(arguments),
        seed=seed,
        vacuums=not arguments.has("no-vacuum"),
        vacuums_all=arguments.has("vacuum-all"),
        shown=_shown(arguments),
        log=_log(arguments),
        out=arguments.text("out"),
    )


def _mode(arguments: Arguments) -> str:
    mode = arguments.text("protocol")
    if mode not in PROTOCOLS:
        raise wrong("protocol", mode, f"one of {', '.join(PROTOCOLS)}")
    return mode


def _max_tries(arguments: Arguments) -> int:
    tries = arguments.integer("max-tries", at_least=0)
    if tries == 0 and not (arguments.has("time") or arguments.has("latency-limit")):
        raise InputError("--max-tries=0 never stops retrying; give --time or --latency-limit, too")
    return tries


def _shown(arguments: Arguments) -> Shown:
    limited = arguments.has("latency-limit")
    return Shown(
        progress_s=arguments.integer("progress") if arguments.has("progress") else 0,
        epoch=arguments.has("progress-timestamp"),
        latency_limit_ms=arguments.number("latency-limit") if limited else None,
        failures_detailed=arguments.has("failures-detailed"),
    )


def _log(arguments: Arguments) -> Log | None:
    if not arguments.has("log"):
        return None
    rate = arguments.number("sampling-rate") if arguments.has("sampling-rate") else 1.0
    if rate > 1:
        raise wrong("sampling-rate", arguments.text("sampling-rate"), "above 0 and up to 1")
    has_sums = arguments.has("aggregate-interval")
    return Log(
        prefix=arguments.text("log-prefix"),
        sampling_rate=rate,
        aggregate_s=arguments.integer("aggregate-interval") if has_sums else 0,
    )


def _seed(text: str) -> int:
    if text == "time":
        return time.time_ns() % 2**63
    if text == "rand":
        return random.SystemRandom().getrandbits(63)
    if not (text.isascii() and text.isdecimal()) or int(text) >= 2**63:
        raise wrong("random-seed", text, "time, rand or a whole number")
    return int(text)


def check_workload(workload: PgbenchPlan) -> None:
    """Raise InputError where the generator would not take the scripts, with file and line."""
    from dbdyno._native import check_workload as find_mistake

    mistake = find_mistake(json.dumps({"pgbench": workload}), "postgresql")
    if mistake is not None:
        raise InputError(mistake[1])
