"""What is there to run on."""

from __future__ import annotations

from dataclasses import replace

from dbdyno._native import Session
from dbdyno.database.session import WITHOUT_TRANSACTIONS, open_session
from dbdyno.errors import InputError, RunError
from dbdyno.generator.dataset import carry_out
from dbdyno.peers.tpcc.request import LOAD_SEED, TpccRequest
from dbdyno.protocol.workload_plan import TpccPlan

SYSBENCH_TPCC = "sysbench_tpcc"

WAREHOUSE_TABLES = {"benchmarksql": "bmsql_warehouse", SYSBENCH_TPCC: "warehouse1"}
"""Their names; in all other schemas it is ``warehouse``."""

TELLING_TABLES = {
    "benchmarksql": "bmsql_new_order",
    "tpcc_mysql": "new_orders",
    "spec": "new_order",
    SYSBENCH_TPCC: "new_orders1",
}
"""A table by which a schema is known. go-tpc's has the specification's names, and is run alike."""


def with_schema_there(request: TpccRequest) -> TpccRequest:
    """Return the request for the schema of the tables that are there, where one is known."""
    address = request.address
    with open_session(address.url, address.password) as session:
        found = [name for name, table in TELLING_TABLES.items() if _has(session, table)]
    if len(found) > 1:
        raise InputError(
            f"the tables of several schemas are at {address.url}: {', '.join(found)}; say which "
            "with --schema"
        )
    return _with(request, {"schema": found[0]}) if found else request


def unused_sets(request: TpccRequest) -> str | None:
    """Return a warning where sysbench-tpcc has made more than the one set that is run on."""
    if request.workload["schema"] != SYSBENCH_TPCC:
        return None
    address = request.address
    with open_session(address.url, address.password) as session:
        if not _has(session, "new_orders2"):
            return None
    return (
        "sysbench-tpcc has made several sets of tables, and draws one for each transaction; here "
        "all transactions run on the first set (warehouse1, district1 and so on), so that the "
        "figures cannot be compared with its own"
    )


def with_tables(request: TpccRequest, warehouses: int | None) -> TpccRequest:
    """Return the request for so many of the warehouses that are there; None takes all.

    ``RunError`` where the tables are missing, unfinished, too small, or without transactions.
    """
    schema = request.workload["schema"]
    with open_session(request.address.url, request.address.password) as session:
        loaded = _loaded(session, schema)
        if loaded and request.address.kind == "mysql":
            _refuse_engine(session, schema)
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
    _refuse_unfinished(_with(request, {"warehouses": loaded}))
    return _with(request, {"warehouses": warehouses or loaded})


def _with(request: TpccRequest, changes: TpccPlan) -> TpccRequest:
    return replace(request, workload=request.workload | changes)


def _loaded(session: Session, schema: str) -> int:
    """Return how many warehouses there are; without the table, none."""
    table = WAREHOUSE_TABLES.get(schema, "warehouse")
    if not _has(session, table):
        return 0
    ((count,),) = session.query(f"SELECT COUNT(*) FROM {table}")
    return int(count or 0)


def _refuse_engine(session: Session, schema: str) -> None:
    """Refuse tables that roll nothing back: what is stored would be more than what was done."""
    names = WAREHOUSE_TABLES.get(schema, "warehouse"), TELLING_TABLES.get(schema, "new_order")
    told = session.query(
        "SELECT table_name, engine FROM information_schema.tables "
        f"WHERE table_schema = DATABASE() AND table_name IN {names}"
    )
    for table, engine in told:
        if engine is not None and engine.lower() in WITHOUT_TRANSACTIONS:
            raise RunError(
                f"the table {table} is of the engine {engine}, which has no transactions; make the "
                f"tables InnoDB's (ALTER TABLE {table} ENGINE=InnoDB), or load them anew"
            )


def _has(session: Session, table: str) -> bool:
    try:
        session.query(f"SELECT 1 FROM {table} WHERE 1 = 0")
    except RuntimeError:
        return False
    return True


def _refuse_unfinished(request: TpccRequest) -> None:
    # What a run draws has another seed than what a load does.
    plan = replace(request, seed=LOAD_SEED).dataset_plan("verify")
    verified = carry_out(plan, request.address.url, request.address.password).verified
    if verified is None or not verified.complete:
        message = None if verified is None else verified.message
        raise RunError(message or "the tables are not there; load them first")
