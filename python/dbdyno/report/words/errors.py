"""Errors in words: how many there were, when, and what a server said of one."""

from __future__ import annotations

from dbdyno.analysis.errors.model import CellErrors, ErrorFigures, FoundErrors, Peak
from dbdyno.experiment.file.quantity import without_commands
from dbdyno.report import figures
from dbdyno.report.grammar import cell_label
from dbdyno.report.language import clauses, labelled, listed, say, say_count, sentences

LONGEST_SAMPLE = 160
"""Characters that are shown of what a server said."""


def errors_in_words(found: FoundErrors) -> str:
    """Return how many errors there were, and in how much work; none are 0."""
    return sentences(
        [
            say(
                "{errors} in the windows of {trials}, in which {transactions} ended.",
                errors=say_count("{count} error", "{count} errors", found.count),
                trials=say_count("{count} trial", "{count} trials", found.trials),
                transactions=say_count("{count} transaction", "{count} transactions", found.ended),
            ),
            _outside(found.outside),
        ]
    )


def _outside(count: int) -> str:
    if not count:
        return ""
    return say_count(
        "{count} more error occurred before a window or after it; it is in no figure here.",
        "{count} more errors occurred before a window or after it; they are in no figure here.",
        count,
    )


def without_errors(cells: int) -> str:
    """Return of how many cells the table has no row; "" where it has one of each."""
    if not cells:
        return ""
    return say_count(
        "{count} cell had 0 errors and has no row.",
        "{count} cells had 0 errors and have no row.",
        cells,
    )


def when_in_words(error: ErrorFigures) -> str:
    """Return the span of the window in which an error occurred: ``3–17.5``, in seconds."""
    return f"{seconds(error.first_s)}–{seconds(error.last_s)}"


def peak_in_words(peak: Peak) -> str:
    """Return in which interval an error occurred most often."""
    span = f"{seconds(peak.start_s)}–{seconds(peak.start_s + peak.duration_s)}"
    return say("trial {trial}, {span} s", trial=peak.trial, span=span)


def seconds(value_s: float) -> str:
    """Write a time of the window with a tenth of a second where it has one."""
    return f"{value_s:,.1f}".removesuffix(".0").replace("-", "−")


def sample_in_words(sample: str) -> str:
    """Return what a server said on one line, cut where it is long."""
    text = " ".join(without_commands(sample).split())
    if len(text) <= LONGEST_SAMPLE:
        return text or figures.ABSENT
    return text[: LONGEST_SAMPLE - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def trials_heading(*, is_used: bool) -> str:
    """Return the heading of valid trials, or of the others."""
    return say("valid trials") if is_used else say("trials that are not used")


def panel_heading(cell: CellErrors) -> str:
    """Return which trials a panel is of."""
    label = cell_label(cell.cell)
    return label if cell.is_used else listed([label, trials_heading(is_used=False)])


def panel_in_words(cell: CellErrors) -> str:
    """Return a panel for those who cannot see it."""
    counts = (labelled(name, figures.count(count)) for name, count in cell.by_class.items())
    return say(
        "{cell}. Trials: {trials}. Errors in their windows: {counts}.",
        cell=panel_heading(cell),
        trials=cell.trials,
        counts=clauses(counts),
    )
