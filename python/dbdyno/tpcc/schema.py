"""Finds TPC-C's tables in a database, whichever tool made them."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass

from dbdyno._native import Session
from dbdyno.errors import InputError, RunError
from dbdyno.tpcc.dialect import DIALECTS, Dialect
from dbdyno.tpcc.naming import (
    FIRST_SET,
    GO_TPC,
    GO_TPC_INDEXES,
    NAMINGS,
    SPEC,
    SYSBENCH_TPCC,
    TableNames,
    known_namings,
)

WHAT_WAS_LOOKED_FOR = (
    "the nine tables warehouse, district, customer, history, new_order, orders, order_line, item "
    "and stock, with these names (as go-tpc and HammerDB have them), or with new_orders "
    "(tpcc-mysql), with oorder (BenchBase), with bmsql_ before each name and bmsql_oorder "
    "(BenchmarkSQL), or with a number behind each (sysbench-tpcc)"
)


MOST_MISSING = 4
"""Where more than these are missing, what is there was not meant for TPC-C."""


@dataclass(frozen=True)
class TpccSchema:
    """Tables that were found. ``name`` says whose they are: spec, go_tpc, benchmarksql and so on.

    ``is_history_indexed``: the payments of one warehouse's customers can be found without reading
    those of all others.
    """

    name: str
    dialect: Dialect
    names: TableNames
    is_history_indexed: bool = False


def find_schema(session: Session, database: str, wanted: str | None = None) -> TpccSchema:
    """Return the schema that is there, or the wanted one of several; InputError where none is.

    ``database`` is mysql, postgresql or sqlite.
    """
    dialect = DIALECTS[database]
    listed, refusal = _ask(session, dialect.tables)
    present = {str(name) for (name,) in listed}
    found = _complete(present)
    if not found:
        # A layer may list the tables of its nodes, and answer to other names.
        present |= _answering(session)
        found = _complete(present)
    if not found and refusal:
        raise RunError(f"the tables cannot be listed: {refusal}")
    indexes = [(str(t), str(i), str(c)) for t, i, c in _ask(session, dialect.indexes)[0]]
    if SPEC in found and _made_by_go_tpc(found[SPEC], indexes):
        found = {GO_TPC: found.pop(SPEC)} | found
    name = _choose(found, wanted, present)
    is_indexed = any(
        table == found[name].history and column == "h_c_w_id" for table, _, column in indexes
    )
    return TpccSchema(name, dialect, found[name], is_indexed)


def _ask(session: Session, catalogue: str) -> tuple[list[tuple[str | None, ...]], str]:
    """Return rows of a catalogue; where a layer does not know it, none, and why."""
    try:
        return session.query(catalogue), ""
    except RuntimeError as error:
        return [], str(error)


def _complete(present: set[str]) -> dict[str, TableNames]:
    namings = known_namings(present).items()
    return {name: names for name, names in namings if not names.missing_in(present)}


def _answering(session: Session) -> set[str]:
    """Return the tables that can be read, whether or not the catalogue has them."""
    namings = known_namings({"warehouse1"}).values()
    answering = set()
    for table in {table for names in namings for table in asdict(names).values()}:
        with suppress(RuntimeError):
            session.query(f"SELECT 1 FROM {table} WHERE 1 = 0")
            answering.add(table)
    # Nothing answers on a connection that was lost, and that is not what this asks.
    session.query("SELECT 1")
    return answering


def _made_by_go_tpc(names: TableNames, indexes: Iterable[tuple[str, str, str]]) -> bool:
    return {index for table, index, _ in indexes if table == names.history} >= GO_TPC_INDEXES


def _choose(found: dict[str, TableNames], wanted: str | None, present: set[str]) -> str:
    # The two have the same tables, and whoever asks for one means those.
    if wanted in (SPEC, GO_TPC) and wanted not in found:
        wanted = next((name for name in (SPEC, GO_TPC) if name in found), wanted)
    if wanted == SYSBENCH_TPCC:
        wanted = FIRST_SET
    if wanted is not None and found and wanted not in found:
        raise InputError(f"there is no schema {wanted}; there is {' and '.join(found)}")
    if wanted is None and len(found) > 1:
        raise InputError(
            f"there are tables of {' and '.join(found)}; say which are meant with --schema"
        )
    if not found:
        raise InputError(f"there are no TPC-C tables; {_nearest(present)}")
    return wanted or next(iter(found))


def _nearest(present: set[str]) -> str:
    """Say what was looked for, and what is missing where most of it is there."""
    missing = {name: names.missing_in(present) for name, names in NAMINGS.items()}
    nearest = min(missing, key=lambda name: len(missing[name]))
    said = f"looked for {WHAT_WAS_LOOKED_FOR}"
    if len(missing[nearest]) <= MOST_MISSING:
        verb = "is" if len(missing[nearest]) == 1 else "are"
        said += f"; of {nearest}'s tables {', '.join(missing[nearest])} {verb} missing"
    return said


def find_warehouses(session: Session, schema: TpccSchema) -> list[int]:
    """Return the numbers of all warehouses; InputError where the tables are empty."""
    rows = session.query(f"SELECT w_id FROM {schema.names.warehouse} ORDER BY w_id")
    if not rows:
        raise InputError(f"the table {schema.names.warehouse} is empty; load the tables first")
    return [int(number or 0) for (number,) in rows]
