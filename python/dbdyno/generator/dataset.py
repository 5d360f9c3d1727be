"""Has a generator do something with a dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dbdyno.database.session import WITHOUT_TRANSACTIONS, default_engine
from dbdyno.errors import InputError
from dbdyno.generator.process import GeneratorProcess
from dbdyno.protocol.dataset_plan import DatasetPlan
from dbdyno.protocol.events import DatasetDone, Loaded, Loading, Verified

SILENCE_LIMIT_S = 24 * 3600.0
"""An index over a large table is made without a word."""


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
    outcome = DatasetOutcome()
    with GeneratorProcess(
        plan.to_json(url), password=password, cpus=cpus, silence_limit_s=SILENCE_LIMIT_S
    ) as generator:
        for event in generator.events(wants_stop):
            match event:
                case Loading():
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
