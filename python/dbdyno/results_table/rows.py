"""What the describing cells of a row say, and which rows are remarks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dbdyno.results_table.column_plan import DESCRIBING, ColumnPlan
from dbdyno.results_table.headings import claim_form, summary_of
from dbdyno.results_table.model import Levels, Role, Summary
from dbdyno.results_table.numbers import is_missing, plain_text, read_number
from dbdyno.results_table.raw import RawRow

THREADS = "threads"
"""The factor of columns that have a number of clients as their heading."""

COLUMN = "column"
"""The factor of columns that have a condition as their heading, where the rows are the subjects."""


@dataclass(frozen=True)
class RowContext:
    """What the describing cells of a row say."""

    line: int
    subject: str
    levels: Mapping[str, str]
    round: str | None
    part: str
    metric: str
    quantity: str
    summary: Summary | None
    summarised: str


def context_of(row: RawRow, plans: tuple[ColumnPlan, ...], subject_above: str) -> RowContext:
    """Return what a row says; a subject that is left empty is the one above."""
    cells = {p: plain_text(row.cells[p.index]) for p in plans if p.role in DESCRIBING}
    summaries = {
        p: summary_of(text)
        for p, text in cells.items()
        if p.role not in (Role.METRIC, Role.QUANTITY)
    }
    summed = next((p for p, summary in summaries.items() if summary is not None), None)
    summary = None if summed is None else summaries[summed]
    kept = {p: text for p, text in cells.items() if summaries.get(p) is None}
    subjects = [text for p, text in kept.items() if p.role is Role.SUBJECT]
    subject = " ".join(filter(None, subjects))
    if not subject and summary is None:
        subject = subject_above
    levels = {
        p.name: text
        for p, text in kept.items()
        if p.role in (Role.FACTOR, Role.LOAD, Role.CASE)
        and not (summary is not None and is_missing(text))
    }
    of_rounds = summed is not None and summed.role is Role.ROUND
    return RowContext(
        line=row.line,
        subject=subject,
        levels=levels,
        round=_only(kept, Role.ROUND) or None,
        part=_only(cells, Role.PART),
        metric=_only(kept, Role.METRIC),
        quantity=_only(kept, Role.QUANTITY),
        summary=summary,
        summarised="" if summed is None or of_rounds else summed.name,
    )


def _only(cells: Mapping[ColumnPlan, str], role: Role) -> str:
    return next((text for plan, text in cells.items() if plan.role is role), "")


def is_note(row: RawRow, plans: tuple[ColumnPlan, ...], commas: bool) -> bool:
    """Tell whether a row is a remark: no figure in it, or one text over all of it."""
    cells = [
        row.cells[p.index] for p in plans if p.role not in DESCRIBING and p.role is not Role.NOTE
    ]
    told = [cell for cell in cells if not is_missing(cell)]
    if any(read_number(cell, decimal_commas=commas) for cell in told):
        return False
    has_name = any(row.cells[p.index].strip() for p in plans if p.role in DESCRIBING)
    if not has_name:
        # A row of units below the headings.
        return True
    is_one_text = len(set(row.cells)) == 1 and len(row.cells) > 1
    return is_one_text or (not told and not any(cell.strip() for cell in cells))


def row_name(context: RowContext) -> str:
    """Return what the figures of a row are: a quantity, a metric, or a claim among subjects."""
    # ``faster`` may as well be the name of a mode.
    is_name = re.fullmatch(r"(\w+ )?(faster|slower)", context.subject, re.IGNORECASE) is not None
    is_claim = claim_form(context.subject) is not None and not is_name
    return context.quantity or context.metric or (context.subject if is_claim else "")


def sorted_levels(levels: Mapping[str, str]) -> Levels:
    """Return levels in the one order in which they can be compared."""
    return tuple(sorted(levels.items()))
