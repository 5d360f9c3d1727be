"""Reads the results of a history, and refuses those that cannot stand in one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

from dbdyno.analysis.analyse import analyse
from dbdyno.analysis.history.collect import Line, Moment, began_unix_s, lines_of, versions_of
from dbdyno.analysis.imported.analyse import analyse_evidence
from dbdyno.analysis.imported.joined import evidence_of
from dbdyno.analysis.joined.part import Part
from dbdyno.analysis.joined.unlike import unlike
from dbdyno.cli.compared_sides import refuse_copy
from dbdyno.cli.listed_names import required_names
from dbdyno.cli.read_stored import read_stored
from dbdyno.cli.short_names import short_names
from dbdyno.errors import InputError
from dbdyno.experiment.plan import RESULT_PATH
from dbdyno.report.words.unlike import unlike_sentence
from dbdyno.report.write import write_report
from dbdyno.target.local.files import file_errors
from dbdyno.trial_evidence import ResultEvidence


@dataclass(frozen=True)
class History:
    """Results in order of time, with a line for each cell and metric."""

    experiment: str
    moments: tuple[Moment, ...]
    lines: tuple[Line, ...]


def read_history(directories: Sequence[Path]) -> History:
    """Read results; InputError where one was asked something else than the first."""
    paths = list(dict.fromkeys(path.resolve() for path in directories))
    if len(paths) < 2:
        raise InputError("a history needs two results at least")
    parts = [_part(path, name) for path, name in zip(paths, short_names(paths), strict=True)]
    parts.sort(key=lambda part: began_unix_s(part.result))
    for one, another in pairwise(parts):
        # Copies begin at the same time, and so they are neighbours.
        refuse_copy(one, another)
    order = tuple(factor.name for factor in parts[0].factors)
    for part in parts[1:]:
        _refuse_unlike(parts[0], replace(part, order=order))
    moments = tuple(_moment(part) for part in parts)
    return History(parts[0].result.plan.experiment, moments, tuple(lines_of(moments)))


def write_history_report(history: History, directory: Path, languages: str) -> list[Path]:
    """Write a report in which the factor ``result`` has the moments as its levels."""
    told = [evidence_of(moment.findings, moment.name) for moment in history.moments]
    trials = tuple(
        replace(trial, levels=((RESULT_PATH, label(moment)), *trial.levels))
        for moment, evidence in zip(history.moments, told, strict=True)
        for trial in evidence.trials
    )
    result = ResultEvidence(name=history.experiment, trials=trials, counted=told[0].counted)
    with file_errors(f"write the report into {directory}", InputError):
        directory.mkdir(parents=True, exist_ok=True)
        return write_report(
            analyse_evidence(result), directory, ["html"], required_names("--lang", languages)
        )


def label(moment: Moment) -> str:
    """Return when a result began, and its name."""
    began = datetime.fromtimestamp(moment.unix_s, UTC)
    return f"{began:%Y-%m-%d %H:%M} {moment.name}"


def _part(path: Path, name: str) -> Part:
    result = read_stored(path)
    if not result.trials:
        raise InputError(f"{path} has no trial that was measured: leave it out")
    return Part(name, result, {})


def _moment(part: Part) -> Moment:
    findings = analyse(part.result)
    return Moment(part.name, began_unix_s(part.result), versions_of(findings), findings)


def _refuse_unlike(first: Part, part: Part) -> None:
    """Refuse a result that was asked something else, or whose server promised something else.

    Cells that a result lacks are gaps of the history.
    """
    reasons = unlike(first, part)
    if not reasons:
        return
    names = first.name, part.name
    sentences = "\n".join(f"  {unlike_sentence(each, names)}" for each in reasons)
    raise InputError(
        f"{part.name} is no later run of what {first.name} is. Leave it out, or make a history of "
        f"its own for it:\n{sentences}"
    )
