"""Whether what a server acknowledged is there after a crash: TPC-C, clause 3.5.

Terminals write down every New-Order whose commit was acknowledged. In the middle of the load the
server is killed with SIGKILL; it is started again, recovers, and is asked for each of those orders,
for a few that are lost could hide behind others whose answers were on their way. Payments and
deliveries are held against what is stored as after every trial.

What this proves: that the server had handed an acknowledged commit to the operating system. What it
does not: that the operating system had written it to the disk. The page cache survives the death of
a process; only a loss of power, or of the whole virtual machine, shows whether the disk has it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from dbdyno.database.address import Address
from dbdyno.database.session import open_session
from dbdyno.generator.dataset import carry_out
from dbdyno.ledger import Evidence
from dbdyno.protocol.dataset_plan import DatasetPlan
from dbdyno.protocol.events import Connected, TrialEvent
from dbdyno.protocol.trial_plan import LimitsPlan, SessionPlan, TrialPlan
from dbdyno.protocol.workload_plan import TpccPlan
from dbdyno.run.trial import TrialLoad
from dbdyno.target.local.private import PrivateServer

SEED = 42
LONGEST_RUN_S = 3600.0
INTERVAL_S = 0.5
AFTER_CRASH_S = 2.0
"""How long terminals still try, so that nobody's last answer is cut off by our ending them."""

FIRST_OWN_ORDER = 3001
"""Those before it were loaded."""

Order = tuple[int, int, int]
"""Warehouse, district, number."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class DurabilityPlan:
    """What is loaded and run until the crash; ``tpcc`` is the workload as a trial plan has it."""

    tpcc: TpccPlan
    orders_table: str
    terminals: int
    connections: int
    run_s: float
    settings: Mapping[str, str]


@dataclass(frozen=True)
class DurabilityResult:
    """What was acknowledged, and what of it was there after the crash."""

    acknowledged: int
    lost: tuple[Order, ...]
    unacknowledged: int
    """Orders that are there although nobody was told: their answers were on the way."""
    ledger: Evidence = field(default_factory=Evidence)
    """The sums that are looked at after every trial: payments and deliveries, too."""

    @property
    def found(self) -> int:
        """How many of the acknowledged orders are there."""
        return self.acknowledged - len(self.lost)


def check_durability(
    server: PrivateServer, plan: DurabilityPlan, directory: Path, tell: Tell
) -> DurabilityResult:
    """Load, run, kill, recover, compare; the server runs again when this returns."""
    server.start(plan.settings)
    tell(f"loading; warehouses: {plan.tpcc['warehouses']}")
    _load(server, plan)
    log = directory / "transactions.csv"
    load = TrialLoad(_trial_plan(plan, log), _address(server))
    tell(f"{plan.terminals} terminals run; the server is killed after {plan.run_s:g} s")
    _run_until_crash(load, server, plan.run_s)
    tell("the server was killed; it starts again and recovers")
    server.start(plan.settings)
    orders = compare(read_log(log), _orders(server, plan.orders_table))
    # It may have another port once it has been started again.
    return replace(orders, ledger=load.close_books(_address(server)))


def compare(acknowledged: Iterable[Order], there: Iterable[Order]) -> DurabilityResult:
    """Return which of the acknowledged orders are not there."""
    known, found = set(acknowledged), set(there)
    return DurabilityResult(
        acknowledged=len(known),
        lost=tuple(sorted(known - found)),
        unacknowledged=len(found - known),
    )


def read_log(path: Path) -> list[Order]:
    """Return the orders in a log of transactions whose commit was acknowledged."""
    log = pl.read_csv(path, columns=["transaction", "ending", "note"])
    is_order = (pl.col("transaction") == "new_order") & (pl.col("ending") == "committed")
    keys = pl.col("note").str.extract_groups(r"w_id=(\d+) d_id=(\d+) o_id=(\d+)")
    orders = log.filter(is_order).select(keys.alias("key")).unnest("key").cast(pl.Int64)
    return [(w, d, o) for w, d, o in orders.iter_rows()]


def _load(server: PrivateServer, plan: DurabilityPlan) -> None:
    dataset = DatasetPlan(
        action="load", workload={"tpcc": plan.tpcc}, seed=SEED, connections=plan.connections
    )
    carry_out(dataset, server.url, server.password)


def _trial_plan(plan: DurabilityPlan, log: Path) -> TrialPlan:
    return TrialPlan(
        workload={"tpcc": plan.tpcc},
        clients=plan.terminals,
        workers=1,
        session=SessionPlan(autocommit=False),
        warmup_s=0.0,
        duration_s=LONGEST_RUN_S,
        interval_s=INTERVAL_S,
        seed=SEED,
        # What fails once the server is gone is no reason to end early.
        error_budget=1.0,
        transaction_log=str(log),
        limits=LimitsPlan(connect_s=10.0, statement_s=60.0, drain_s=5.0),
    )


def _run_until_crash(load: TrialLoad, server: PrivateServer, run_s: float) -> None:
    """Make the load, and kill the server in its middle."""
    crash = threading.Timer(run_s, server.crash)
    over = threading.Event()
    stop = threading.Timer(run_s + AFTER_CRASH_S, over.set)

    def listen(event: TrialEvent) -> None:
        if isinstance(event, Connected):
            crash.start()
            stop.start()

    try:
        load.make(listen, wants_stop=over.is_set)
    finally:
        for timer in (crash, stop):
            timer.cancel()


def _address(server: PrivateServer) -> Address:
    return Address(server.url, server.password)


def _orders(server: PrivateServer, table: str) -> list[Order]:
    with open_session(server.url, server.password) as session:
        rows = session.query(
            f"SELECT o_w_id, o_d_id, o_id FROM {table} WHERE o_id >= {FIRST_OWN_ORDER}"
        )
    return [(int(w or 0), int(d or 0), int(o or 0)) for w, d, o in rows]
