"""What ``dbdyno import`` prints: a table of the runs that were read, and every note."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from dbdyno.analysis.imported.measure import measure_of
from dbdyno.report import figures
from dbdyno.report.terminal_table import terminal_table
from dbdyno.report.words.import_notes import note_in_words
from dbdyno.report.words.throughput import measure_heading
from dbdyno.trial_evidence import Counted, MeasuredFrom, ResultEvidence, Times, TrialEvidence

_WANTED_SHARE = 0.95
_PER_UNIT = {Counted.NEW_ORDERS: 60.0}
_FROM = {MeasuredFrom.START: "sending", MeasuredFrom.SCHEDULED: "schedule"}
_SOURCES_NAMED = 3


def show_import(result: ResultEvidence, out: Path, console: Console) -> None:
    """Print what was read, what must be known of it, and where it is."""
    table = terminal_table(
        *("source", "tool", "cell", "round", "measured", _unit(result)),
        *("time", "from"),
    )
    for column in (3, 4, 5, 6):
        table.columns[column].justify = "right"
    names = _names(result.trials)
    for trial in result.trials:
        table.add_row(*map(Text, _row(trial, names, result.counted)))
    console.print(table)
    for line in _sentences(result, names):
        console.print(Text(line))
    console.print(Text(f"\nWritten to {out}."))


def _unit(result: ResultEvidence) -> str:
    if result.counted is Counted.NEW_ORDERS:
        return "New-Orders/min"
    return measure_heading(measure_of(result))


def _names(trials: Iterable[TrialEvidence]) -> dict[str, str]:
    """Return paths without the directory that all of them are in."""
    paths = list(dict.fromkeys(trial.source.path for trial in trials))
    common = os.path.commonpath([str(Path(path).parent) for path in map(os.path.abspath, paths)])
    return {path: os.path.relpath(path, common) for path in paths}


def _row(trial: TrialEvidence, names: dict[str, str], counted: Counted) -> tuple[str, ...]:
    source = trial.source
    rate = trial.throughput_per_s
    measured = trial.measured_s
    return (
        names[source.path],
        f"{source.tool} {source.tool_version or ''}".strip(),
        ", ".join(f"{factor}={level}" for factor, level in trial.levels) or figures.ABSENT,
        str(trial.round),
        figures.ABSENT if measured is None else f"{figures.rate(measured)} s",
        "failed" if trial.failure else figures.rate(rate and rate * _PER_UNIT.get(counted, 1.0)),
        _time(trial.times),
        _FROM[trial.times.measured_from] if trial.times else figures.ABSENT,
    )


def _time(times: Times | None) -> str:
    """Return p95, or the percentile that is nearest to it, or else the mean."""
    if times is None:
        return figures.ABSENT
    if times.quantiles_ms:
        share = min(times.quantiles_ms, key=lambda each: abs(each - _WANTED_SHARE))
        return f"p{share * 100:g} {figures.milliseconds(times.quantiles_ms[share])} ms"
    if times.mean_ms is None:
        return figures.ABSENT
    return f"mean {figures.milliseconds(times.mean_ms)} ms"


def _sentences(result: ResultEvidence, names: dict[str, str]) -> Iterator[str]:
    """Yield each note once, with the sources that it is about, and each failure."""
    sources: dict[str, list[str]] = defaultdict(list)
    for trial in result.trials:
        for note in trial.notes:
            sources[note_in_words(note)].append(names[trial.source.path])
    if sources or result.notes:
        yield ""
    yield from (note_in_words(note) for note in result.notes)
    for words, found in sources.items():
        yield f"{_listed(found, len(result.trials))}: {words}"
    for trial in result.trials:
        if trial.failure:
            yield f"{names[trial.source.path]} failed: {trial.failure}"


def _listed(found: list[str], trials: int) -> str:
    once = list(dict.fromkeys(found))
    if len(found) == trials and len(once) > 1:
        return "All"
    more = len(once) - _SOURCES_NAMED
    named = ", ".join(once[:_SOURCES_NAMED])
    return f"{named} and {more} more" if more > 0 else named
