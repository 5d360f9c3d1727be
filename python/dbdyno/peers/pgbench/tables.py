"""pgbench's tables: made by ``-i``, looked at and vacuumed before a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from dbdyno.database.address import Address
from dbdyno.database.session import open_session
from dbdyno.errors import InputError, RunError
from dbdyno.experiment.design.workers import usual_loading_connections
from dbdyno.generator.dataset import carry_out
from dbdyno.peers.pgbench.arguments import Arguments, wrong
from dbdyno.peers.pgbench.request import CONNECT_LIMIT_S, Request
from dbdyno.peers.pgbench.scripts import read_scale, read_scripts, workload_plan
from dbdyno.peers.pgbench.steps import METHODS, STEPS, TABLES, Wanted, carry_out_steps
from dbdyno.protocol.dataset_plan import DatasetPlan
from dbdyno.protocol.events import Loading
from dbdyno.protocol.workload_plan import PgbenchPlan

Say = Callable[[str], None]

USUAL_STEPS = {"dtgvp", "dtgp", "dtgvpf", "dtgpf"}
"""The orders of steps that the loader carries out, over several connections."""

LOAD_SEED = 42
TOLD_EVERY_ROWS = 100_000
TOLD_QUIETLY_EVERY_S = 5.0


def initialize(arguments: Arguments, address: Address, say: Say) -> None:
    """Make the tables, or do some of the steps; ``RunError`` with the server's words."""
    steps, wanted = _steps(arguments), _wanted(arguments)
    started = time.monotonic()
    if steps not in USUAL_STEPS or not wanted.is_usual:
        if "d" in steps:
            _forget_loads(_workload(arguments, wanted), address)
        with open_session(address.url, address.password) as session:
            times = carry_out_steps(session, steps, wanted, say)
        say(f"done in {time.monotonic() - started:.2f} s ({times}).\n")
        return
    workload = _workload(arguments, wanted) | {"foreign_keys": "f" in steps}
    with open_session(address.url, address.password) as session:
        say("dropping old tables...\n")
        session.query(f"DROP TABLE IF EXISTS {', '.join(TABLES)}")
    _load(workload, address, LoadingLines(say, is_quiet=arguments.has("quiet")))
    if "v" in steps:
        say("vacuuming...\n")
        failures = _vacuum(address, [f"VACUUM ANALYZE {table}" for table in TABLES])
        if failures:
            raise RunError(failures[0])
    say(f"done in {time.monotonic() - started:.2f} s.\n")


def _steps(arguments: Arguments) -> str:
    """Return the letters of the steps, as -n and --foreign-keys change them."""
    steps = arguments.text("init-steps").replace(" ", "")
    unknown = [step for step in steps if step not in STEPS]
    if unknown or not steps:
        raise wrong("init-steps", steps, f"made of the letters {''.join(STEPS)}")
    if arguments.has("foreign-keys") and "f" not in steps:
        steps += "f"
    return steps.replace("v", "") if arguments.has("no-vacuum") else steps


def _wanted(arguments: Arguments) -> Wanted:
    fillfactor = arguments.integer("fillfactor", 10)
    if fillfactor > 100:
        raise wrong("fillfactor", str(fillfactor), "a whole number from 10 to 100")
    partitions, method = arguments.integer("partitions", 0), arguments.text("partition-method")
    if method not in METHODS:
        raise wrong("partition-method", method, f"one of {', '.join(METHODS)}")
    if arguments.has("partition-method") and not partitions:
        raise InputError("--partition-method needs --partitions above 0")
    return Wanted(
        scale=read_scale(arguments),
        fillfactor=fillfactor,
        is_unlogged=arguments.has("unlogged-tables"),
        partitions=partitions,
        method=method,
        tablespace=arguments.text("tablespace"),
        index_tablespace=arguments.text("index-tablespace"),
    )


def _workload(arguments: Arguments, wanted: Wanted) -> PgbenchPlan:
    workload = workload_plan(read_scripts(arguments), wanted.scale, {})
    return workload | {"fillfactor": wanted.fillfactor}


def _forget_loads(workload: PgbenchPlan, address: Address) -> DatasetPlan:
    """Drop the tables, and with them what an earlier load has noted of them; return the plan."""
    plan = DatasetPlan(
        action="drop",
        workload={"pgbench": workload},
        seed=LOAD_SEED,
        connections=usual_loading_connections(),
        connect_s=CONNECT_LIMIT_S,
    )
    carry_out(plan, address.url, address.password)
    return plan


def _load(workload: PgbenchPlan, address: Address, lines: LoadingLines) -> None:
    plan = _forget_loads(workload, address)
    lines.begin()
    load = replace(plan, action="load")
    carry_out(load, address.url, address.password, tell=lines.tell)


class LoadingLines:
    """Tells how far a load is, as pgbench does: after each 100,000 rows, or every five seconds."""

    def __init__(self, say: Say, *, is_quiet: bool) -> None:
        self._say = say
        self._is_quiet = is_quiet
        self._begun = self._told_at = time.monotonic()
        self._rows = TOLD_EVERY_ROWS

    def begin(self) -> None:
        """Say that the tables are about to be made."""
        self._say("creating tables...\ngenerating data (client-side)...\n")
        self._begun = self._told_at = time.monotonic()

    def tell(self, event: Loading) -> None:
        """Say how far the load is, where that is due."""
        now = time.monotonic()
        rows, total = event.rows, event.rows_total
        every_s, every_rows = TOLD_QUIETLY_EVERY_S, TOLD_EVERY_ROWS
        is_due = now - self._told_at >= every_s if self._is_quiet else rows >= self._rows
        if not is_due and rows < total:
            return
        elapsed_s = now - self._begun
        left_s = elapsed_s * (total - rows) / rows if rows else 0.0
        self._say(
            f"{rows} of {total} tuples ({100 * rows // max(total, 1)}%) done "
            f"(elapsed {elapsed_s:.2f} s, remaining {left_s:.2f} s)\n"
        )
        self._told_at, self._rows = now, (rows // every_rows + 1) * every_rows


def count_branches(request: Request) -> int:
    """Return the scale of the tables that are there; ``RunError`` where there are none."""
    with open_session(request.address.url, request.address.password) as session:
        try:
            ((count,),) = session.query("SELECT COUNT(*) FROM pgbench_branches")
        except RuntimeError as error:
            raise RunError(f"{error}; create the tables first: dbdyno pgbench -i") from error
    if not int(count or 0):
        raise InputError("pgbench_branches is empty; make the tables with dbdyno pgbench -i")
    return int(count or 0)


def vacuum(request: Request, say: Say) -> None:
    """Vacuum before a run as pgbench does: what a server refuses is told, and passed over."""
    say("starting vacuum...")
    failures = _vacuum(
        request.address,
        ["VACUUM pgbench_branches", "VACUUM pgbench_tellers", "TRUNCATE pgbench_history"],
    )
    say("end.\n" if not failures else "\n")
    if request.vacuums_all:
        say("starting vacuum pgbench_accounts...")
        failures += _vacuum(request.address, ["VACUUM ANALYZE pgbench_accounts"])
        say("end.\n")
    for failure in failures:
        say(f"{failure} (ignored, as in pgbench; -n leaves VACUUM out)\n")


def _vacuum(address: Address, statements: list[str]) -> list[str]:
    """Carry statements out; return why those failed that did."""
    failures = []
    with open_session(address.url, address.password) as session:
        for sql in statements:
            try:
                session.query(sql)
            except RuntimeError as error:
                failures.append(str(error))
    return failures
