"""The reference cell in words: which it is, and when it is measured again."""

from __future__ import annotations

from dbdyno.analysis.setup import Reference
from dbdyno.report import figures
from dbdyno.report.language import say, say_count


def reference_in_words(reference: Reference | None) -> str:
    """Return which cell is measured again, and in which trials; "" where none is."""
    if reference is None:
        return ""
    trials = say_count(
        "trial {numbers}",
        "trials {numbers}",
        len(reference.trials),
        numbers=figures.ranges(reference.trials),
    )
    return say(
        "{cell}: {trials}; this shows drift and is compared with no cell",
        cell=reference.cell.label(),
        trials=trials,
    )
