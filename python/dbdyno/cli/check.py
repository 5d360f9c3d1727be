"""``dbdyno check``: whether TPC-C tables, loaded or run on by whatever tool, are consistent."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated

import typer

from dbdyno.cli.arguments import DatabaseUrl, WhichSchema

if TYPE_CHECKING:
    from collections.abc import Callable

    from dbdyno._native import Session
    from dbdyno.tpcc.check import ConditionResult, Progress
    from dbdyno.tpcc.schema import TpccSchema

    OpenSession = Callable[[], AbstractContextManager[Session]]


UNFINISHED = (
    "A load into this database was cut short, and its tables are there in part only: load again to "
    "go on where it was, or drop them. What follows is of the part that is there.\n"
)


def check(
    url: DatabaseUrl,
    conditions: Annotated[
        str | None,
        typer.Option("--conditions", metavar="LIST", help="Only these, as 1,8-10; else all 12."),
    ] = None,
    warehouses: Annotated[
        str | None,
        typer.Option(
            "--warehouses",
            metavar="LIST",
            help="Only these, as 1-10,42; or sample: the first, the last and two by chance.",
        ),
    ] = None,
    schema: WhichSchema = None,
    cardinality: Annotated[
        bool,
        typer.Option("--cardinality", help="Count the rows too, as they must be after loading."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Check TPC-C's 12 consistency conditions on whatever is loaded there."""
    from dbdyno.cli.check_output import CheckOutput
    from dbdyno.cli.exit_status import ExitStatus
    from dbdyno.tpcc.schema import find_schema, find_warehouses
    from dbdyno.tpcc.selection import select_conditions, select_warehouses

    numbers = select_conditions(conditions)
    database, open_session = _connector(url)
    with open_session() as session:
        found = find_schema(session, database, schema)
        present = find_warehouses(session, found)
        is_unfinished = _has_unfinished_load(session)
    selected = select_warehouses(warehouses, present)
    output = CheckOutput(found, selected, len(present), as_json=as_json)
    if is_unfinished:
        print(UNFINISHED, file=sys.stderr if as_json else sys.stdout)
    with output.showing() as progress:
        results = _check(open_session, found, selected, numbers, progress, cardinality)
    output.print(results)
    if not all(result.holds for result in results):
        raise typer.Exit(ExitStatus.FAILED)


def _check(
    open_session: OpenSession,
    schema: TpccSchema,
    warehouses: list[int],
    numbers: list[int],
    progress: Progress,
    cardinality: bool,
) -> list[ConditionResult]:
    from dbdyno.tpcc.check import check_cardinality, check_consistency

    results = check_consistency(open_session, schema, warehouses, numbers, progress)
    if cardinality:
        results += check_cardinality(open_session, schema, warehouses, progress)
    return results


def _has_unfinished_load(session: Session) -> bool:
    """Tell whether there is the table that a load keeps of itself until its end."""
    try:
        return bool(session.query("SELECT 1 FROM dbdyno_loading WHERE table_number = -1"))
    except RuntimeError:
        return False


def _connector(url: str) -> tuple[str, OpenSession]:
    """Return what kind of database a URL leads to, and a way to connect there."""
    from dbdyno.database.session import open_session
    from dbdyno.peers.call.address import read_url

    address = read_url(url)
    if address.is_embedded:
        refuse_missing_file(address.url)
    return address.kind, lambda: open_session(address.url, address.password)


def refuse_missing_file(url: str) -> None:
    """Refuse a file that is not there: SQLite would make an empty one."""
    from pathlib import Path

    from dbdyno.errors import InputError

    path = Path(url.partition("?")[0].removeprefix("sqlite:///"))
    if not path.is_file():
        raise InputError(f"there is no file {path}")
