"""``dbdyno tpcc acid``: TPC-C's atomicity and isolation tests on tables that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dbdyno.cli.arguments import DatabaseUrl, WhichSchema

if TYPE_CHECKING:
    from dbdyno.tpcc.acid.check import Target


def acid(
    url: DatabaseUrl,
    *,
    schema: WhichSchema = None,
    isolation: Annotated[
        str | None,
        typer.Option(
            "--isolation",
            help="read_uncommitted, read_committed, repeatable_read, serializable; without it, "
            "the server's.",
        ),
    ] = None,
    wait_s: Annotated[
        float,
        typer.Option(
            "--wait",
            metavar="SECONDS",
            min=0.05,
            help="Without an answer for so long, a statement is taken to wait for another "
            "transaction.",
        ),
    ] = 1.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Try atomicity and isolation (clauses 3.2.2, 3.4.2) on tables that nobody else changes.

    Consistency is checked by tpcc check, durability by tpcc durability.
    """
    from dbdyno.cli.acid_output import AcidOutput
    from dbdyno.cli.exit_status import ExitStatus
    from dbdyno.tpcc.acid.check import check_acid, effective_isolation
    from dbdyno.tpcc.acid.result import Verdict

    target = _target(url, schema, isolation, wait_s)
    output = AcidOutput(
        target.schema, effective_isolation(target), is_default=isolation is None, as_json=as_json
    )
    output.begin()
    results = check_acid(target, output.tell)
    output.end(results)
    if any(result.verdict is not Verdict.PASSED for result in results):
        raise typer.Exit(ExitStatus.FAILED)


def _target(url: str, schema: str | None, isolation: str | None, wait_s: float) -> Target:
    from dbdyno.cli.check import refuse_missing_file
    from dbdyno.database.session import open_session
    from dbdyno.peers.call.address import read_url
    from dbdyno.peers.tpcc.options import read_word
    from dbdyno.tpcc.acid.check import Target
    from dbdyno.tpcc.schema import find_schema, find_warehouses

    address = read_url(url)
    if address.is_embedded:
        refuse_missing_file(address.url)
    level = None if isolation is None else read_word("--isolation", isolation)
    with open_session(address.url, address.password) as session:
        wanted = None if schema is None else schema.replace("-", "_")
        found = find_schema(session, address.kind, wanted)
        find_warehouses(session, found)
    return Target(address.url, address.password, found, level, wait_s)
