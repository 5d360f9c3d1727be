"""What every command that runs an experiment does: run it, show the verdicts, write the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dbdyno.cli.exit_status import ExitStatus

if TYPE_CHECKING:
    from rich.console import Console

    from dbdyno.analysis.findings import Findings
    from dbdyno.experiment.model import Experiment
    from dbdyno.experiment.plan import Plan


def run_and_report(
    experiment: Experiment, plan: Plan, directory: Path, console: Console
) -> ExitStatus:
    """Run what is missing of the plan in a directory, then show and write what was found.

    After Ctrl-C there is a report too, on the trials so far.
    """
    from dbdyno.cli.live import TerminalProgress
    from dbdyno.run import RunInterruptedError, Runner

    progress = TerminalProgress(console)
    runner = Runner(experiment, plan, directory, progress)
    try:
        with progress.showing():
            outcome = runner.run()
    except RunInterruptedError:
        show_and_write(directory, ["html"], console)
        raise
    findings = show_and_write(directory, ["html"], console)
    is_valid = outcome.failed == 0 and findings.trials_used == findings.trials_planned
    return ExitStatus.SUCCESS if is_valid else ExitStatus.FAILED


def show_and_write(directory: Path, formats: list[str], console: Console) -> Findings:
    """Analyse a result, print its verdicts and write its reports."""
    from rich.text import Text

    from dbdyno.analysis.analyse import analyse
    from dbdyno.report.terminal import print_verdicts
    from dbdyno.report.write import write_report
    from dbdyno.store.reader import read_result

    findings = analyse(read_result(directory))
    console.print()
    print_verdicts(findings, console)
    for path in write_report(findings, directory, formats):
        console.print(Text(f"report: {path}"), soft_wrap=True)
    return findings
