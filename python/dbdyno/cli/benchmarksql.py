"""``dbdyno benchmarksql``: the commands that BenchmarkSQL users know."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dbdyno.cli.arguments import Verbose, Wait, Workers
from dbdyno.cli.say import say, warn

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Build, run and destroy as BenchmarkSQL does: its property files (5.0, 6.0), our engine.",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Properties = Annotated[
    Path,
    typer.Argument(metavar="PROPERTIES", help="The file that BenchmarkSQL would be given."),
]


@app.command("build")
def build(properties: Properties) -> None:
    """Make the tables with indexes and foreign keys, and load them."""
    from dbdyno.peers.benchmarksql.command import build as carry_out

    carry_out(properties, say, warn, is_terminal=sys.stdout.isatty())


@app.command("run")
def run(
    properties: Properties,
    *,
    workers: Workers = None,
    wait: Wait = "auto",
    verbose: Verbose = False,
) -> None:
    """Run the transactions; resultDirectory also gets a result that dbdyno report reads."""
    from dbdyno.peers.benchmarksql.command import run as carry_out
    from dbdyno.peers.call.sending import SendingOptions, read_wait

    carry_out(properties, say, warn, SendingOptions(workers, read_wait("--wait", wait), verbose))


@app.command("destroy")
def destroy(properties: Properties) -> None:
    """Remove the tables."""
    from dbdyno.peers.benchmarksql.command import destroy as carry_out

    carry_out(properties, say)
