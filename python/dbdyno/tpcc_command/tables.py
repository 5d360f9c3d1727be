"""What is there to run on."""

from __future__ import annotations

from dataclasses import replace

from dbdyno._native import Session
from dbdyno.direct.generator import carry_out
from dbdyno.errors import RunError
from dbdyno.server.session import open_session
from dbdyno.tpcc_command.request import LOAD_SEED, TpccRequest

WAREHOUSE_TABLES = {"benchmarksql": "bmsql_warehouse"}
"""Their names; in all other schemas it is ``warehouse``."""


def with_tables(request: TpccRequest, warehouses: int | None) -> TpccRequest:
    """Return the request for so many of the warehouses that are there; None takes all.

    ``RunError`` where the tables are missing, unfinished or too small.
    """
    schema = request.workload["schema"]
    with open_session(request.address.url, request.address.password) as session:
        loaded = _loaded(session, schema)
    if not loaded:
        raise RunError(
            f"there are no warehouses in the tables of schema {schema} at {request.address.url}; "
            "load them first"
        )
    if warehouses is not None and warehouses > loaded:
        raise RunError(
            f"{warehouses} warehouses are asked for, but those loaded at {request.address.url} "
            f"are {loaded}; ask for no more, or load more"
        )
    _refuse_unfinished(_of(request, loaded))
    return _of(request, warehouses or loaded)


def _of(request: TpccRequest, warehouses: int) -> TpccRequest:
    return replace(request, workload={**request.workload, "warehouses": warehouses})


def _loaded(session: Session, schema: str) -> int:
    """Return how many warehouses there are; without the table, none."""
    table = WAREHOUSE_TABLES.get(schema, "warehouse")
    try:
        ((count,),) = session.query(f"SELECT COUNT(*) FROM {table}")
    except RuntimeError:
        return 0
    return int(count or 0)


def _refuse_unfinished(request: TpccRequest) -> None:
    # What a run draws has another seed than what a load does.
    plan = replace(request, seed=LOAD_SEED).dataset_plan("verify")
    words = carry_out(plan, request.address)
    verified = words["verified"]
    if not verified["complete"]:
        raise RunError(verified.get("message") or "the tables are not there; load them first")
