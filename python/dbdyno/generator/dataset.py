"""Has a generator do something with a dataset."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.database.session import WITHOUT_TRANSACTIONS, default_engine
from dbdyno.database.waits import LongWait
from dbdyno.errors import InputError, RunError
from dbdyno.generator.process import GeneratorProcess
from dbdyno.protocol.dataset_plan import Action, DatasetPlan
from dbdyno.protocol.events import DatasetDone, Loaded, Loading, Verified

SILENCE_LIMIT_S = 24 * 3600.0
"""An index over a large table is made without a word."""

_DOING: Mapping[Action, str] = {
    "load": "the tables to be made",
    "verify": "the tables to be looked at",
    "verify_sample": "a sample of the tables to be looked at",
    "drop": "the tables to be dropped",
    "prepare": "the statements to be read",
}
_ROWS = "rows to be taken"
_INDEXES = "indexes and statistics of the tables"


_DEMANDS_KEYS = re.compile(r"\(error (?:1173|3098|3750)\b|without an explicit primary key")
"""MariaDB's innodb_force_primary_key, MySQL's group replication and sql_require_primary_key, and
Percona's pxc_strict_mode."""
KEYS_ADVICE = (
    "; the server demands a primary key of each table, and the specification has none for history: "
    "load tables that have one (the schema benchmarksql: --schema benchmarksql, in an experiment "
    "workload: {tpcc: {schema: benchmarksql}}), or have the server make one (MySQL from 8.0.30: "
    "sql_generate_invisible_primary_key=ON)"
)


@dataclass
class DatasetOutcome:
    """What came of a plan for a dataset; None is what was not asked for, or not reached."""

    loaded: Loaded | None = None
    verified: Verified | None = None
    fingerprint: str = ""
    """Of the tables that were asked for, whether or not they are there."""


def carry_out(
    plan: DatasetPlan,
    url: str,
    password: str | None,
    *,
    cpus: Sequence[int] = (),
    wants_stop: Callable[[], bool] = lambda: False,
    tell: Callable[[Loading], None] = lambda _: None,
) -> DatasetOutcome:
    """Carry a plan out at a URL, and ``tell`` how far a load is.

    ``InputError`` where the plan is refused, ``RunError`` with the server's words where it fails.
    """
    if plan.action == "load" and url.startswith(("mysql:", "mariadb:")):
        _refuse_engine(plan, url, password)
    try:
        return _carry_out(plan, url, password, cpus, wants_stop, tell)
    except RunError as error:
        if "tpcc" in plan.workload and _DEMANDS_KEYS.search(str(error)):
            raise RunError(f"{error}{KEYS_ADVICE}") from error
        raise


def _carry_out(
    plan: DatasetPlan,
    url: str,
    password: str | None,
    cpus: Sequence[int],
    wants_stop: Callable[[], bool],
    tell: Callable[[Loading], None],
) -> DatasetOutcome:
    outcome = DatasetOutcome()
    wait = LongWait(url, _DOING[plan.action], SILENCE_LIMIT_S)
    rows = 0

    def look_and_ask() -> bool:
        wait.look()
        return wants_stop()

    with GeneratorProcess(
        plan.to_json(url), password=password, cpus=cpus, silence_limit_s=SILENCE_LIMIT_S
    ) as generator:
        for event in generator.events(look_and_ask):
            match event:
                case Loading():
                    if event.rows != rows:
                        rows = event.rows
                        wait.restart(_ROWS if rows < event.rows_total else _INDEXES)
                    tell(event)
                case Loaded():
                    outcome.loaded = event
                case Verified():
                    outcome.verified = event
                case DatasetDone():
                    outcome.fingerprint = event.fingerprint
    return outcome


def _refuse_engine(plan: DatasetPlan, url: str, password: str | None) -> None:
    """Refuse a default storage engine without transactions, where the tables would be of it."""
    if plan.workload.keys() & {"sysbench", "sql"}:
        # They name an engine, or are the user's own.
        return
    written = str(plan.workload)
    if "engine" in written.lower() or "'setup'" in written:
        return
    engine = default_engine(url, password)
    if engine.lower() in WITHOUT_TRANSACTIONS:
        raise InputError(
            f"the server's default_storage_engine is {engine}, which has no transactions; set "
            "default_storage_engine=InnoDB, or name another engine for the tables (table_options)"
        )
