"""``dbdyno demo``: a whole experiment in about a minute, on SQLite, with nothing to install."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXPERIMENT_FILE = Path(__file__).with_name("demo.yaml")


def demo(
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="The result directory; without it, a new one in results/."
        ),
    ] = None,
    smoke: Annotated[bool, typer.Option("--smoke", help="Run the smoke size, in seconds.")] = False,
) -> None:
    """Run an experiment on embedded SQLite, start to report, in about a minute."""
    import time

    from rich.console import Console

    from dbdyno.cli.outcome import run_and_report
    from dbdyno.cli.planning import read_and_plan
    from dbdyno.experiment.translated import text_in

    experiment, plan = read_and_plan(EXPERIMENT_FILE, smoke=smoke)
    directory = out or Path("results") / time.strftime("demo-%Y-%m-%d-%H%M%S")
    console = Console(highlight=False)
    console.print(f"[bold]{text_in(experiment.question)}[/bold]")
    console.print(f"{len(plan.trials)} trials, about {plan.estimated_s:.0f} s\n")
    raise typer.Exit(run_and_report(experiment, plan, directory, console))
