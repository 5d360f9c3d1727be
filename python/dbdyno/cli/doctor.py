"""``dbdyno doctor``: what would spoil a benchmark on this machine, or on a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dbdyno.doctor.check import Check
    from dbdyno.target.url.server import ExternalServer
    from dbdyno.watch.client_limits import ClientNeeds

MARKS = {"ok": "[green]ok[/green]  ", "warn": "[yellow]warn[/yellow]", "fail": "[red]fail[/red]"}


def doctor(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|URL", help="An experiment file, or the URL of a server that is up."
        ),
    ],
    clients: Annotated[
        int, typer.Option("--clients", min=1, help="How many are to connect to a URL.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Look for what would spoil a benchmark: host, limits, targets, server settings."""
    import json
    from dataclasses import asdict

    from rich.console import Console
    from rich.markup import escape

    from dbdyno.cli.exit_status import ExitStatus

    checks = list(_of_url(what, clients) if "://" in what else _of_file(Path(what)))
    if as_json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        console = Console(highlight=False, soft_wrap=True)
        for check in checks:
            console.print(f"{MARKS[check.status]}  {escape(check.name)}: {escape(check.found)}")
            if check.advice:
                console.print(f"      {escape(check.advice)}")
    if any(check.status == "fail" for check in checks):
        raise typer.Exit(ExitStatus.FAILED)


def _of_url(url: str, clients: int) -> Iterator[Check]:
    from dbdyno.database.url import tcp_servers
    from dbdyno.peers.call.address import read_url
    from dbdyno.target.url.server import ExternalServer
    from dbdyno.watch.client_limits import ClientNeeds

    address = read_url(url)
    servers = len(tcp_servers(address.url))
    to_server = -(-clients // servers) if servers else 0
    yield from _of_host(clients, ClientNeeds(clients, to_server))
    yield from _of_server(ExternalServer("server", address.url, address.password), clients)


def _of_file(path: Path) -> Iterator[Check]:
    """Do as ``plan`` does, and look at each server that is up."""
    from dbdyno.cli.planning import read_and_plan
    from dbdyno.doctor.check import Check, judge
    from dbdyno.experiment.file.target import UrlTarget
    from dbdyno.run.host_loads import THIS_HOST, client_needs
    from dbdyno.run.preflight import preflight
    from dbdyno.target.url.server import ExternalServer
    from dbdyno.watch.client_limits import ClientNeeds

    experiment, plan = read_and_plan(path, smoke=False)
    clients = max(trial.generator_plan.clients for trial in plan.trials)
    needs = client_needs(experiment, plan.trials)
    yield from _of_host(clients, needs.get(THIS_HOST, ClientNeeds(0, 0)))
    targets = sorted({trial.target for trial in plan.trials})
    problems = preflight(experiment, plan.trials, Path("results"))
    for problem in problems:
        yield Check("preflight", "fail", problem.message, "put this right before the run")
    if not problems:
        yield judge("preflight", f"{', '.join(targets)} can be started", wrong=False, advice="")
    for name in targets:
        target = experiment.targets[name]
        if isinstance(target, UrlTarget) and not problems:
            yield from _of_server(ExternalServer.of_target(name, target), clients)


def _of_host(clients: int, needs: ClientNeeds) -> Iterator[Check]:
    from dbdyno.doctor.host import check_host, momentary
    from dbdyno.watch.facts.host import host_facts

    yield from check_host(host_facts(Path.cwd()), momentary(), clients, needs)


def _of_server(server: ExternalServer, clients: int) -> Iterator[Check]:
    from dataclasses import replace

    from dbdyno.database.hosts import is_local
    from dbdyno.doctor.check import Check, judge
    from dbdyno.doctor.server import check_server
    from dbdyno.errors import RunError

    try:
        description = server.describe()
    except RunError as error:
        yield Check(
            f"{server.name}: sign-on", "fail", str(error), "see that it is up and lets us in"
        )
        return
    product = f"{description.product} {description.version}"
    yield judge(f"{server.name}: sign-on", product, wrong=False, advice="")
    if not server.url.startswith("sqlite:"):
        yield judge(
            f"{server.name}: place",
            "this machine" if is_local(server.url) else "another machine",
            wrong=is_local(server.url),
            advice="client and server share the CPUs; bind each to its own, or use two machines",
        )
    yield from _way_to(server)
    for check in check_server(description, clients):
        yield replace(check, name=f"{server.name}: {check.name}")


def _way_to(server: ExternalServer) -> Iterator[Check]:
    """Tell how long each host of a server takes to accept a connection over TCP."""
    from dbdyno.database.url import tcp_servers
    from dbdyno.doctor.check import judge
    from dbdyno.watch.round_trips import round_trips_ms

    for host, time_ms in round_trips_ms(tcp_servers(server.url)).items():
        yield judge(f"{server.name}: round trip", f"{time_ms} ms to {host}", wrong=False, advice="")
