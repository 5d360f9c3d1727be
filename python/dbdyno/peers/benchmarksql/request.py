"""What a file of properties asks for, in dbdyno's own terms."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.database.address import Address
from dbdyno.database.session import open_session
from dbdyno.password import password_in
from dbdyno.peers.benchmarksql.run_settings import RunSettings
from dbdyno.peers.benchmarksql.settings import Settings
from dbdyno.peers.tpcc.request import TpccRequest, new_seed, read_workload
from dbdyno.protocol.trial_plan import LimitsPlan

SCHEMA = "benchmarksql"
LOADED_C_LAST = "nURandCLast"


def address(settings: Settings) -> Address:
    """Return where the server is; a password in the file goes before that of the environment."""
    return Address(settings.jdbc.url, settings.password or password_in())


def build_request(settings: Settings) -> TpccRequest:
    """Return what ``build`` and ``destroy`` ask for: the tables with their ten foreign keys."""
    written = {"warehouses": settings.warehouses, "schema": SCHEMA, "foreign_keys": True}
    return TpccRequest(
        command="benchmarksql build",
        address=address(settings),
        workload=read_workload(written),
        connections=settings.load_workers,
        limits=_limits(settings),
    )


def run_request(settings: Settings, run: RunSettings) -> TpccRequest:
    """Return what ``run`` asks for.

    BenchmarkSQL 5.0's terminals queue a Delivery, which takes no time, and carry it out at once.
    Here it is one transaction, whose time is that of the work. With a file of 6.0 it is
    deferred, as there.
    """
    written = {
        "warehouses": settings.warehouses,
        "schema": SCHEMA,
        "mix": dict(run.mix),
        "home_warehouse": "fixed" if run.is_warehouse_fixed else "random",
        "home_range": run.home_range,
        "pacing": {"keying": run.keying, "think": run.think},
        "delivery": run.delivery,
        "rollback_percent": run.rollback_percent,
    }
    per_terminal = run.transactions_per_terminal
    return TpccRequest(
        command="benchmarksql run",
        address=address(settings),
        workload=read_workload(written),
        clients=run.terminals,
        duration_s=60.0 * run.minutes,
        warmup_s=60.0 * run.rampup_minutes,
        transactions=per_terminal * run.terminals or None,
        rate_per_s=run.rate_per_s,
        arrivals="constant",
        seed=new_seed(),
        protocol=settings.jdbc.protocol,
        isolation=settings.jdbc.isolation,
        transactions_per_connection=run.transactions_per_connection,
        limits=_limits(settings),
    )


def _limits(settings: Settings) -> LimitsPlan:
    jdbc, usual = settings.jdbc, LimitsPlan()
    return LimitsPlan(
        connect_s=jdbc.connect_s or usual.connect_s,
        statement_s=jdbc.statement_s or usual.statement_s,
        drain_s=usual.drain_s,
    )


def with_constant(request: TpccRequest) -> tuple[TpccRequest, int]:
    """Return the request that draws last names as they were loaded, and the load's constant.

    Whoever loaded the tables has written it into bmsql_config.
    """
    with open_session(request.address.url, request.address.password) as session:
        rows = session.query(
            f"SELECT cfg_value FROM bmsql_config WHERE cfg_name = '{LOADED_C_LAST}'"
        )
    constant = int(rows[0][0] or 0) if rows else request.workload["c_last_load"]
    workload = request.workload | {"c_last_load": constant}
    return replace(request, workload=workload), constant
