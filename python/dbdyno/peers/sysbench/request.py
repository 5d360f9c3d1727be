"""What a call asks for, in dbdyno's own terms: a generator's plan, and how to show the result."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.errors import InputError
from dbdyno.experiment.workload.scripts import ONE_TABLE
from dbdyno.peers.call.sending import SendingOptions, read_wait
from dbdyno.peers.sysbench.address import Address, read_address
from dbdyno.peers.sysbench.arguments import Arguments
from dbdyno.peers.sysbench.catalogue import SCRIPT, TABLES_ALONE
from dbdyno.protocol.dataset_plan import Action, DatasetPlan
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
from dbdyno.protocol.workload_plan import SysbenchPlan
from dbdyno.refusal import suggest

if TYPE_CHECKING:
    from dbdyno.peers.call.result import Call

DISTRIBUTIONS = ("uniform", "gaussian", "special", "pareto", "zipfian")

STATEMENT_LIMIT_S = 300.0
"""sysbench waits for ever; a server that says nothing for so long is not waited for any more."""

POSTGRESQL_SURVIVABLE = ("40P01", "40001", "23505")
"""What sysbench's driver for PostgreSQL retries: deadlock, serialization failure, duplicate key."""

BACKOFF_MS = (1.0, 50.0)
RETRIES = 2**32 - 1


@dataclass(frozen=True)
class Shown:
    """What is printed, and where results go besides."""

    percentile: int
    percentiles: tuple[float, ...]
    histogram: bool
    report_interval_s: int
    checkpoints_s: tuple[int, ...]
    quiet: bool
    validate: bool
    json: bool
    out: str


@dataclass(frozen=True)
class Request:
    """A call that was understood."""

    script: str
    address: Address
    clients: int
    sending: SendingOptions
    time_s: int
    warmup_s: int
    events: int
    rate_per_s: int
    seed: int
    seed_is_given: bool
    forced_shutdown_s: int | None
    compatible: bool
    prepared: bool
    reconnect: int
    init_limit_s: int
    ignored_errors: tuple[str, ...]
    workload: SysbenchPlan
    shown: Shown

    def trial_plan(self) -> TrialPlan:
        """Return what a generator is asked for by ``run``."""
        backoff_min_ms, backoff_max_ms = (0.0, 0.0) if self.compatible else BACKOFF_MS
        drain_s = STATEMENT_LIMIT_S if self.forced_shutdown_s is None else self.forced_shutdown_s
        return TrialPlan(
            workload={"sysbench": self.workload},
            clients=self.clients,
            **self.sending.plan(self.clients, self.address.url),
            protocol="prepared" if self.prepared else "text",
            session=SessionPlan(reconnect=self.reconnect),
            arrivals=open_loop("poisson", self.rate_per_s) if self.rate_per_s else CLOSED,
            warmup_s=float(self.warmup_s),
            duration_s=float(self.time_s) if self.time_s else NO_LIMIT_S,
            seed=self.seed,
            retry=RetryPlan(
                errors=self.ignored_errors,
                new_input=self.compatible,
                max_retries=RETRIES,
                backoff_min_ms=backoff_min_ms,
                backoff_max_ms=backoff_max_ms,
            ),
            error_budget=1.0,
            stop_at_failure=True,
            transactions=self.transactions,
            count_by_client=True,
            limits=LimitsPlan(self._connect_s(), STATEMENT_LIMIT_S, float(drain_s)),
        )

    def _connect_s(self) -> float:
        return self.address.connect_s or float(self.init_limit_s)

    def dataset_plan(self, action: Action, connections: int) -> DatasetPlan:
        """Return what a generator is asked for by ``prepare`` (load) and ``cleanup`` (drop)."""
        return DatasetPlan(
            action=action,
            workload={"sysbench": self.workload},
            seed=self.seed,
            connections=connections,
            connect_s=self._connect_s(),
        )

    @property
    def transactions(self) -> int | None:
        """How many there are to be; None where the run ends by its time."""
        return self.events or None

    @property
    def counted_phases(self) -> tuple[Phase, ...]:
        """The phases whose transactions count: sysbench waits for those under way, too."""
        return (Phase.WINDOW, Phase.DRAIN)

    def call(self) -> Call | None:
        """Return what is written of the call into its result; None where none is wanted."""
        if not self.shown.out:
            return None
        # Whoever needs it has imported what is heavy in it.
        from dbdyno.peers.call.result import Call

        return Call(
            directory=Path(self.shown.out),
            command=f"sysbench {self.script} run",
            experiment=f"sysbench-{self.script}",
            question=f"What does {self.script} with {self.clients} clients reach?",
            estimated_s=float(self.time_s),
            given={
                **self.workload,
                "threads": self.clients,
                "time_s": self.time_s,
                "warmup_s": self.warmup_s,
                "events": self.events,
                "rate_per_s": self.rate_per_s,
                "seed": self.seed,
                "behaviour": self.behaviour,
            },
        )

    @property
    def behaviour(self) -> str:
        """Say in one line which behaviour is on."""
        scrambled = " scrambled" if self.workload["scrambled"] else ""
        keys = f"{self.workload['distribution']}{scrambled}"
        if self.compatible:
            return (
                f"as sysbench (--compatible): keys {keys}, retries at once with new keys, "
                "statements that change nothing are counted as other"
            )
        return (
            f"dbdyno's: keys {keys}, retries with the same keys after a pause, statements that "
            "change nothing are counted as writes (--compatible for sysbench's)"
        )


def read_request(arguments: Arguments) -> Request:
    """Read all options of a call with a script; InputError names the first that is wrong."""
    seed = arguments.integer("rand-seed")
    clients = arguments.integer("threads")
    if clients == 0:
        raise InputError("invalid value of --threads: there must be at least one")
    address = read_address(arguments)
    forced = arguments.text("forced-shutdown")
    return Request(
        script=arguments.script,
        address=address,
        clients=clients,
        sending=SendingOptions(
            arguments.integer("workers") or None,
            read_wait("--wait", arguments.text("wait")),
            arguments.switch("verbose"),
        ),
        time_s=arguments.integer("time"),
        warmup_s=arguments.integer("warmup-time"),
        events=arguments.integer("events"),
        rate_per_s=arguments.integer("rate"),
        seed=seed or time.time_ns() % 2**32,
        seed_is_given=seed != 0,
        forced_shutdown_s=None if forced == "off" else arguments.integer("forced-shutdown"),
        compatible=arguments.switch("compatible"),
        prepared=_prepared(arguments.text("db-ps-mode")),
        reconnect=arguments.integer("reconnect"),
        init_limit_s=arguments.integer("thread-init-timeout"),
        ignored_errors=_ignored_errors(arguments, address.driver),
        workload=_workload(arguments, clients),
        shown=_shown(arguments),
    )


def _prepared(mode: str) -> bool:
    if mode not in ("auto", "disable"):
        raise InputError(f"invalid value of --db-ps-mode: {mode!r}; known: auto, disable")
    return mode == "auto"


def _ignored_errors(arguments: Arguments, driver: str) -> tuple[str, ...]:
    if driver == "pgsql":
        return POSTGRESQL_SURVIVABLE
    if driver == "sqlite":
        return ("lock_wait_timeout", "serialization_failure", "deadlock")
    ignored = arguments.texts("mysql-ignore-errors")
    return tuple(error for error in ignored if error != "none")


def _shown(arguments: Arguments) -> Shown:
    percentile = arguments.integer("percentile")
    percentiles = tuple(_percentile(text) for text in arguments.texts("percentiles"))
    if percentile > 100:
        raise InputError(f"invalid value of --percentile: {percentile} is not from 0 to 100")
    return Shown(
        percentile=percentile,
        percentiles=percentiles,
        histogram=arguments.switch("histogram"),
        report_interval_s=arguments.integer("report-interval"),
        checkpoints_s=tuple(sorted(set(arguments.integers("report-checkpoints")) - {0})),
        quiet=arguments.integer("verbosity") < 3,
        validate=arguments.switch("validate"),
        json=arguments.switch("json"),
        out=arguments.text("out"),
    )


def _percentile(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 100:
        raise InputError(f"invalid value of --percentiles: {text!r} is not above 0 and up to 100")
    return value


def _workload(arguments: Arguments, clients: int) -> SysbenchPlan:
    """Return the options of the script under their names in dbdyno."""
    workload: dict[str, str | int | float | bool] = {"script": arguments.script}
    for option in SCRIPT:
        if option.refusal is None and option.name != "reconnect":
            workload[option.name.replace("-", "_")] = arguments.value(option)
    if arguments.script == "bulk_insert":
        # A table a client, whatever --tables says.
        workload["tables"] = clients
    elif arguments.script in ONE_TABLE and arguments.command == "run":
        # They know the first one, and make as many as --tables says, as all scripts do.
        workload["tables"] = 1
    elif arguments.script in {*ONE_TABLE, TABLES_ALONE}:
        workload["script"] = "oltp_point_select"
    return workload | {
        "distribution": _distribution(arguments),
        "pareto_h": arguments.number("rand-pareto-h"),
        "zipfian_exponent": arguments.number("rand-zipfian-exp"),
        "special_percent": arguments.number("rand-spec-pct"),
        "special_residual": arguments.number("rand-spec-res"),
        "scrambled": arguments.switch("scrambled"),
        "read_hash": arguments.switch("read-hash"),
    }


def _distribution(arguments: Arguments) -> str:
    if "rand-type" not in arguments.given and arguments.switch("compatible"):
        return "special"
    name = arguments.text("rand-type")
    if name not in DISTRIBUTIONS:
        raise InputError(f"invalid value of --rand-type: {name!r}; {suggest(name, DISTRIBUTIONS)}")
    return name
