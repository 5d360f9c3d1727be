"""``dbdyno run``: carry an experiment out, or resume where it stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def run(
    experiment_file: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT.yaml", help="The experiment file.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="The result directory; without it, results/ and the experiment's name. "
            "One that holds a part of this experiment is continued.",
        ),
    ] = None,
    smoke: Annotated[
        bool,
        typer.Option(
            "--smoke",
            help="Run the smoke size: with the servers and sizes that the file's section smoke "
            "names; or, without one, all made small, which takes seconds and proves nothing.",
        ),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Tell what happens as JSON lines on standard output; the verdicts go to standard "
            "error.",
        ),
    ] = False,
) -> None:
    """Run an experiment; again with the same directory: resume where it stopped."""
    from rich.console import Console

    from dbdyno.cli.outcome import run_and_report
    from dbdyno.cli.planning import read_and_plan
    from dbdyno.report.write import refuse_unwritable

    experiment, plan = read_and_plan(experiment_file, smoke=smoke)
    refuse_unwritable(plan.report.formats, plan.report.languages)
    name = f"{experiment.name}-smoke" if smoke else experiment.name
    directory = out or Path("results") / name
    console = Console(highlight=False, stderr=as_json)
    status = run_and_report(experiment, plan, directory, console, as_json=as_json)
    raise typer.Exit(status)
