"""What a call asks of TPC-C, in dbdyno's own terms: the plans that a generator receives."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.database.address import Address
from dbdyno.errors import InputError
from dbdyno.experiment.design.workers import usual_loading_connections
from dbdyno.peers.call.sending import AS_IS_BEST, SendingOptions
from dbdyno.protocol.dataset_plan import Action, DatasetPlan
from dbdyno.protocol.intervals import Phase
from dbdyno.protocol.trial_plan import (
    CLOSED,
    NO_LIMIT_S,
    Arrivals,
    LimitsPlan,
    RetryPlan,
    SessionPlan,
    TrialPlan,
    open_loop,
)
from dbdyno.protocol.workload_plan import TpccPlan

if TYPE_CHECKING:
    from dbdyno.peers.call.result import Call

LOAD_SEED = 1
"""Tables are the same in every load, unless another seed is asked for."""

GIVEN = (
    "clients",
    "duration_s",
    "warmup_s",
    "rate_per_s",
    "seed",
    "protocol",
    "pipelining",
    "autocommit",
    "isolation",
)
"""What a result notes of a call, besides the workload."""

ERROR_BUDGET = 0.01
"""As in an experiment: of a run with more failures nothing can be said."""


@dataclass(frozen=True)
class TpccRequest:
    """A call that was understood. ``workload`` is TPC-C's part of a trial plan."""

    command: str
    address: Address
    workload: TpccPlan
    clients: int = 1
    connections: int | None = None
    """Those of a loader; None leaves it to dbdyno."""
    duration_s: float = 60.0
    warmup_s: float = 0.0
    transactions: int | None = None
    """With it the run ends when so many were started, and everything is counted."""
    longest_s: float = NO_LIMIT_S
    """After so long such a run ends, too."""
    rate_per_s: float | None = None
    """Transactions of all kinds a second, in an open loop; without it terminals set the pace."""
    arrivals: str = "poisson"
    """How an open loop's transactions are spaced: poisson or constant."""
    log: Path | None = None
    """A file, not there yet, for a line about each transaction."""
    seed: int = LOAD_SEED
    protocol: str = "prepared"
    pipelining: str = "auto"
    """Whether prepared statements share round trips: auto, where the server takes it, or off."""
    autocommit: bool | None = None
    """None is as TPC-C's other tools have it: off."""
    isolation: str | None = None
    sending: SendingOptions = AS_IS_BEST
    transactions_per_connection: int = 0
    """After so many a connection is made anew; 0 for never."""
    bulk: str = "auto"
    """How a loader sends rows: auto, native or insert."""
    max_retries: int = 10
    error_budget: float = ERROR_BUDGET
    stop_at_failure: bool = False
    """Whether an error that is not tried again ends the run, as one that failed."""
    limits: LimitsPlan = field(default_factory=LimitsPlan)
    out: Path | None = None

    @property
    def warehouses(self) -> int:
        """How many there are."""
        return self.workload["warehouses"]

    @property
    def counted_phases(self) -> tuple[Phase, ...]:
        """The phases whose transactions count.

        Where the number of transactions is given, those count too that end in the drain: it is as
        long as they are.
        """
        is_limited = self.transactions is not None
        return (Phase.WINDOW, Phase.DRAIN) if is_limited else (Phase.WINDOW,)

    @property
    def loader_connections(self) -> int:
        """How many connections load."""
        return self.connections or usual_loading_connections()

    @property
    def is_embedded(self) -> bool:
        """Whether the database is SQLite, which commits whatever no BEGIN stands before."""
        return self.address.is_embedded

    def trial_plan(self) -> TrialPlan:
        """Return what a generator is asked for by a run."""
        is_limited = self.transactions is not None
        return TrialPlan(
            workload={"tpcc": self.workload},
            clients=self.clients,
            **self.sending.plan(self.clients, self.address.url),
            protocol=self.protocol,
            pipelining=self.pipelining,
            session=self._session(),
            arrivals=self._arrivals(),
            warmup_s=self.warmup_s,
            duration_s=self.longest_s if is_limited else self.duration_s,
            seed=self.seed,
            retry=RetryPlan(max_retries=self.max_retries),
            error_budget=self.error_budget,
            stop_at_failure=self.stop_at_failure,
            transactions=self.transactions,
            transaction_log=None if self.log is None else str(self.log.absolute()),
            limits=self.limits,
        )

    def _session(self) -> SessionPlan:
        return SessionPlan(
            isolation=self.isolation,
            autocommit=self.is_embedded if self.autocommit is None else self.autocommit,
            reconnect=self.transactions_per_connection,
        )

    def _arrivals(self) -> Arrivals:
        return CLOSED if self.rate_per_s is None else open_loop(self.arrivals, self.rate_per_s)

    def dataset_plan(self, action: Action) -> DatasetPlan:
        """Return what a generator is asked for by loading and dropping."""
        return DatasetPlan(
            action=action,
            workload={"tpcc": self.workload},
            seed=self.seed,
            connections=self.loader_connections,
            bulk=self.bulk,
            connect_s=self.limits.connect_s,
        )

    def call(self) -> Call | None:
        """Return what is written of the call into its result; None where none is wanted."""
        if self.out is None:
            return None
        from dbdyno.peers.call.result import Call

        given = {name: getattr(self, name) for name in GIVEN}
        return Call(
            directory=self.out,
            command=self.command,
            experiment=self.command.replace(" ", "-"),
            question=f"What do {self.clients} terminals reach on {self.warehouses} warehouses?",
            estimated_s=self.duration_s,
            given={**self.workload, **given},
        )


def new_seed() -> int:
    """Return a seed of a call that gives none."""
    return time.time_ns() % 2**32


def read_workload(written: Mapping[str, object]) -> TpccPlan:
    """Return TPC-C's part of a plan from fields as an experiment file has them.

    ``InputError`` names the first that is wrong.
    """
    from pydantic import ValidationError

    from dbdyno.experiment.workload.tpcc import Tpcc, plan_of

    try:
        return plan_of(Tpcc.model_validate(dict(written)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not str(part).startswith("<"))
        said = first["msg"][:1].lower() + first["msg"][1:]
        raise InputError(f"{where}: {said}" if where else said) from error
