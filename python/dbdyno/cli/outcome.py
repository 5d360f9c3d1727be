"""What every command that runs an experiment does: run it, show the verdicts, write the report."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.cli.exit_status import ExitStatus
from dbdyno.errors import DbdynoError, InputError

if TYPE_CHECKING:
    from rich.console import Console

    from dbdyno.analysis.findings import Findings
    from dbdyno.experiment.model import Experiment
    from dbdyno.experiment.plan import Plan
    from dbdyno.store.model import StoredResult


def run_and_report(
    experiment: Experiment,
    plan: Plan,
    directory: Path,
    console: Console,
    *,
    as_json: bool = False,
) -> ExitStatus:
    """Run what is missing of the plan in a directory, then show and write what was found.

    Where the run ended early there is a report too, on the trials so far.
    """
    from dbdyno.cli.json_progress import JsonProgress
    from dbdyno.cli.live import TerminalProgress
    from dbdyno.cli.surroundings import have_reported
    from dbdyno.interruption import RunEndedAtOnceError
    from dbdyno.run.runner import Runner

    have_reported()
    terminal = TerminalProgress(console)
    runner = Runner(experiment, plan, directory, JsonProgress() if as_json else terminal)
    try:
        with nullcontext() if as_json else terminal.showing():
            failed = runner.run()
    except RunEndedAtOnceError:
        raise
    except DbdynoError:
        if runner.has_begun:
            # The run's own error comes last and decides; why there is no report matters less.
            with suppress(DbdynoError):
                show_and_write(directory, console)
        raise
    findings = show_and_write(directory, console)
    if failed:
        console.print(_how_to_repeat(failed, directory), markup=False, soft_wrap=True)
    is_valid = findings.trials_used == findings.trials_planned
    return ExitStatus.SUCCESS if is_valid else ExitStatus.FAILED


def _how_to_repeat(failed: tuple[int, ...], directory: Path) -> str:
    from dbdyno.store.layout import trial_directory

    numbers = ", ".join(map(str, failed))
    return (
        f"failed: trial {numbers}. A failed trial is an outcome and is kept. To run one again, "
        f"remove its folder ({trial_directory(directory, failed[0])}) and call the same again."
    )


def _what_is_not_read(result: StoredResult) -> str:
    from dbdyno.store.layout import TRIALS_DIRECTORY

    return (
        f"warning: {result.directory / TRIALS_DIRECTORY} holds what is no trial of the plan and is "
        f"not read: {', '.join(result.unknown)}"
    )


def show_and_write(
    directory: Path,
    console: Console,
    formats: list[str] | None = None,
    languages: list[str] | None = None,
    *,
    is_summary: bool = False,
    baselines: Mapping[str, str] | None = None,
) -> Findings:
    """Analyse a result, write its reports and print its verdicts.

    Formats and languages are those that the experiment file names, unless others are given;
    ``baselines`` are levels by factor, in place of the experiment's own.
    """
    from dbdyno.experiment.baselines import changed_baselines, label_of, with_baselines
    from dbdyno.store.reader import ResultReader
    from dbdyno.target.local.files import file_errors

    with file_errors(f"read {directory}", InputError):
        reader = ResultReader(directory)
    plan = with_baselines(reader.plan, baselines or {})

    # What is no result is refused before the seconds that these take.
    from rich.text import Text

    from dbdyno.analysis.analyse import analyse
    from dbdyno.analysis.looks import Looks
    from dbdyno.analysis.published.analyse import analyse_published
    from dbdyno.published.stored import read_published
    from dbdyno.report.terminal import print_verdicts
    from dbdyno.report.write import write_report

    looks = Looks(reader.host, reader.other_hosts)
    with file_errors(f"read {directory}", InputError):
        result = reader.result(looks.add)
        published = read_published(directory)
    if result.unknown:
        print(_what_is_not_read(result), file=sys.stderr)
    for damage in result.damages:
        print(f"warning: {damage}", file=sys.stderr)
    findings = analyse(replace(result, plan=plan), looks)
    changed = changed_baselines(reader.plan.factors, plan.factors)
    findings = replace(
        findings,
        planned_baselines=changed,
        published=analyse_published(published, findings),
    )
    with file_errors(f"write the report into {directory}", InputError):
        paths = write_report(
            findings,
            directory,
            formats or result.plan.report.formats,
            languages or result.plan.report.languages,
            is_summary=is_summary,
            label=label_of(plan.factors, changed),
        )
    console.print()
    print_verdicts(findings, console)
    for path in paths:
        console.print(Text(f"report: {path}"), soft_wrap=True)
    return findings
