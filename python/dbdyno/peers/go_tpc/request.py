"""What a call asks for, in dbdyno's own terms."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.peers.call.sending import SendingOptions, read_wait
from dbdyno.peers.go_tpc.address import read_address
from dbdyno.peers.go_tpc.arguments import Arguments
from dbdyno.peers.go_tpc.parameters import Parameters
from dbdyno.peers.go_tpc.values import (
    choice,
    duration_s,
    integer,
    interval_s,
    isolation,
    weights,
)
from dbdyno.peers.tpcc.request import TpccRequest, new_seed, read_workload
from dbdyno.protocol.trial_plan import NO_LIMIT_S, LimitsPlan
from dbdyno.protocol.workload_plan import TpccPlan
from dbdyno.tpcc.naming import GO_TPC

OUTPUTS = ("plain", "table", "json")
BY_HASH = 1
CONFLICT_RETRIES = 10
"""How often a transaction that lost a conflict is tried again where errors are not ignored."""


@dataclass(frozen=True)
class RunRequest:
    """A call of ``run`` that was understood."""

    request: TpccRequest
    interval_s: int
    output: str
    waits: bool
    ignores_errors: bool
    is_silent: bool
    is_endless: bool
    """Only a signal ends it."""


def read_run(arguments: Arguments, connection: Parameters) -> RunRequest:
    """Return what a call of ``run`` asks for."""
    clients = integer(arguments, "threads", 1)
    transactions = _transactions(integer(arguments, "count"), clients)
    ignores = arguments.switch("ignore-error")
    longest_s = _time_s(arguments)
    request = TpccRequest(
        command="go-tpc tpcc run",
        address=read_address(arguments, connection.encryption),
        workload=_run_workload(arguments),
        clients=clients,
        duration_s=longest_s,
        longest_s=longest_s,
        transactions=transactions,
        seed=integer(arguments, "seed") if arguments.text("seed") else new_seed(),
        # Its transactions begin with START TRANSACTION.
        autocommit=True,
        isolation=isolation(arguments) or connection.isolation,
        max_retries=0 if ignores else CONFLICT_RETRIES,
        error_budget=1.0,
        stop_at_failure=not ignores,
        limits=_limits(connection),
        sending=SendingOptions(
            integer(arguments, "workers", 1) if arguments.text("workers") else None,
            read_wait("--wait-by", arguments.text("wait-by")),
            arguments.switch("verbose"),
        ),
        out=Path(arguments.text("out")) if arguments.text("out") else None,
    )
    return RunRequest(
        request=request,
        interval_s=interval_s(arguments),
        output=choice(arguments, "output", OUTPUTS),
        waits=arguments.switch("wait"),
        ignores_errors=ignores,
        is_silent=arguments.switch("silence"),
        is_endless=transactions is None and not arguments.has("time"),
    )


def _run_workload(arguments: Arguments) -> TpccPlan:
    """Return TPC-C's part of the plan: as there, each transaction has another home."""
    written = {
        "schema": GO_TPC,
        "mix": weights(arguments),
        "home_warehouse": "random",
        "pacing": "spec" if arguments.switch("wait") else "none",
    }
    return read_workload(written)


def read_prepare(arguments: Arguments, connection: Parameters) -> TpccRequest:
    """Return what a call of ``prepare`` or ``cleanup`` asks for."""
    warehouses = integer(arguments, "warehouses", 1)
    written = {
        "warehouses": warehouses,
        "schema": GO_TPC,
        "foreign_keys": arguments.switch("use-fk"),
        "partitions": _partitions(arguments, warehouses),
    }
    return TpccRequest(
        command=f"go-tpc tpcc {arguments.command}",
        address=read_address(arguments, connection.encryption),
        workload=read_workload(written),
        connections=integer(arguments, "threads", 1) if arguments.has("threads") else None,
        limits=_limits(connection),
    )


def _transactions(count: int, clients: int) -> int | None:
    """Return how many transactions all threads share; None where there is no end.

    There, each thread runs its part, and what does not divide evenly is left out.
    """
    return count // clients * clients or count or None


def _time_s(arguments: Arguments) -> float:
    if not arguments.has("time"):
        return NO_LIMIT_S
    seconds = duration_s(arguments, "time")
    if seconds <= 0:
        raise InputError("--time must be above 0; leave it out for a run until Ctrl-C")
    return min(seconds, NO_LIMIT_S)


def _partitions(arguments: Arguments, warehouses: int) -> int:
    parts = integer(arguments, "parts", 1)
    if parts == 1:
        return 0
    if parts > warehouses:
        raise InputError(f"--parts {parts} is more than --warehouses {warehouses}")
    if integer(arguments, "partition-type", 1) != BY_HASH:
        raise InputError(
            "--partition-type: tables are partitioned by hash only; give 1, or leave --parts out"
        )
    return parts


def _limits(connection: Parameters) -> LimitsPlan:
    usual = LimitsPlan()
    return LimitsPlan(
        connect_s=connection.connect_s or usual.connect_s,
        statement_s=connection.statement_s or usual.statement_s,
        drain_s=usual.drain_s,
    )
