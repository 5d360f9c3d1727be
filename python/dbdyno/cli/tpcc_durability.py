"""``dbdyno tpcc durability``: what a server acknowledged must be there after its crash."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dbdyno.cli.say import say

if TYPE_CHECKING:
    from dbdyno.experiment.file.target import MysqlTarget, PostgresqlTarget
    from dbdyno.target.local.private import PrivateServer
    from dbdyno.tpcc.check import ConditionResult


def durability(
    server: Annotated[
        str, typer.Argument(metavar="SERVER", help="mysql (or MariaDB), or postgresql.")
    ],
    *,
    basedir: Annotated[
        Path | None,
        typer.Option(help="Where the server is installed; without it, the one on the PATH."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A server option; may be repeated."),
    ] = None,
    warehouses: Annotated[int, typer.Option("--warehouses", "-w", min=1, help="How many.")] = 1,
    terminals: Annotated[int, typer.Option(min=1, help="How many.")] = 16,
    run_s: Annotated[
        float, typer.Option("--run", metavar="SECONDS", min=0.5, help="Until it is killed.")
    ] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Kill a private server under load, and look for all that it had acknowledged."""
    import json

    from dbdyno.cli.exit_status import ExitStatus
    from dbdyno.experiment.workload.tpcc import Tpcc, plan_of
    from dbdyno.ledger import Standing
    from dbdyno.target.local.private import PrivateServer
    from dbdyno.target.opening import open_server
    from dbdyno.tpcc.durability.durability import DurabilityPlan, check_durability
    from dbdyno.tpcc.durability.outcome import document, lines
    from dbdyno.tpcc.durability.scratch import scratch_folder

    target = _target(server, basedir, settings or [])
    plan = DurabilityPlan(
        tpcc=plan_of(Tpcc(warehouses=warehouses)),
        orders_table="orders",
        terminals=terminals,
        connections=2,
        run_s=run_s,
        settings=target.settings,
    )
    with scratch_folder() as folder:
        private = open_server(target, "server", folder)
        assert isinstance(private, PrivateServer)
        with private:
            tell = (lambda _: None) if as_json else (lambda text: say(f"{text}\n"))
            result = check_durability(private, plan, folder, tell)
            violated = _violated(private)
            description = private.describe()
    if as_json:
        said = document(result, description)
        said["conditions_violated"] = [condition.number for condition in violated]
        say(json.dumps(said, indent=2) + "\n")
    else:
        said_lines = [*lines(result, description), _consistency(violated)]
        say("\n" + "".join(f"{line}\n" for line in said_lines))
    if result.lost or violated or result.ledger.standing is Standing.LESS:
        raise typer.Exit(ExitStatus.FAILED)


def _target(kind: str, basedir: Path | None, written: list[str]) -> MysqlTarget | PostgresqlTarget:
    from pydantic import ValidationError

    from dbdyno.errors import InputError
    from dbdyno.experiment.file.messages import explain
    from dbdyno.experiment.file.target import MysqlTarget, PostgresqlTarget
    from dbdyno.refusal import suggest

    models: dict[str, type[MysqlTarget | PostgresqlTarget]] = {
        "mysql": MysqlTarget,
        "postgresql": PostgresqlTarget,
    }
    if kind not in models:
        raise InputError(f"no server {kind!r}; {suggest(kind, models)}")
    settings = {}
    for setting in written:
        name, equals, value = setting.partition("=")
        if not (equals and name):
            raise InputError(f"--set {setting}: write NAME=VALUE, as in sync_binlog=0")
        settings[name] = value
    try:
        return models[kind].model_validate({"set": settings, "basedir": basedir})
    except ValidationError as error:
        raise InputError(f"--set: {explain(error.errors()[0])}") from None


def _violated(server: PrivateServer) -> list[ConditionResult]:
    """Return the consistency conditions that do not hold after the recovery."""
    from dbdyno.database.session import open_session
    from dbdyno.tpcc.check import check_consistency
    from dbdyno.tpcc.schema import find_schema, find_warehouses

    with open_session(server.url, server.password) as session:
        schema = find_schema(session, server.scheme, None)
        warehouses = find_warehouses(session, schema)
    results = check_consistency(
        lambda: open_session(server.url, server.password), schema, warehouses
    )
    return [result for result in results if not result.holds]


def _consistency(violated: list[ConditionResult]) -> str:
    if not violated:
        return "All 12 consistency conditions hold after the recovery."
    numbers = ", ".join(str(condition.number) for condition in violated)
    return f"Consistency conditions that do not hold after the recovery: {numbers}"
