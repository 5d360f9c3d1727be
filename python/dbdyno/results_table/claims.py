"""Percentages and ratios of a table as claims, by their column, their row and their cell."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.results_table.column_plan import ColumnPlan
from dbdyno.results_table.headings import heading, is_reduction, is_speed_up, metric_of, sides
from dbdyno.results_table.model import UNKNOWN, Claim, ClaimForm, Place, Role, Summary
from dbdyno.results_table.numbers import Number, plain_text
from dbdyno.results_table.rows import COLUMN, THREADS, RowContext, sorted_levels


def claim_of(
    told: str, form: ClaimForm, context: RowContext, number: Number, place: Place
) -> Claim:
    """Return the claim of a cell; ``told`` is what says that it is one."""
    form = _form(form, number)
    metric = metric_of(told) or metric_of(context.metric)
    above, below = sides(told, is_ratio=form is not ClaimForm.CHANGE_PERCENT)
    whole = f"{heading(told).text} {heading(told).unit}"
    return Claim(
        number=number,
        form=form,
        place=place,
        levels=sorted_levels(context.levels),
        metric=metric[0] if metric else context.metric.lower(),
        kind=metric[1] if metric else None,
        above=context.subject or above,
        below=below,
        over=context.summarised if context.summary in (Summary.MEAN, Summary.ALL) else "",
        round=context.round,
        is_reduction=is_reduction(told),
        is_speed_up=is_speed_up(told),
        is_unit_told=number.unit in ("%", "x", "pp") or "%" in whole or "percent" in whole,
        column=told,
    )


def _form(form: ClaimForm, number: Number) -> ClaimForm:
    """Return how a claim holds its figures against each other, by its own unit and sign too."""
    if number.unit == "x":
        return ClaimForm.RATIO
    if number.unit == "%" and form is ClaimForm.RATIO:
        is_change = plain_text(number.text)[:1] in "+-"
        return ClaimForm.CHANGE_PERCENT if is_change else ClaimForm.RATIO_PERCENT
    return form


def claim_of_column(claim: Claim, plan: ColumnPlan, told: str) -> Claim:
    """Return a claim that stands below the figures that it is of."""
    levels = dict(claim.levels) | ({} if plan.load is None else {THREADS: plan.load})
    levels |= {COLUMN: plan.subject} if plan.subject and claim.above == told else {}
    is_over = plan.summary in (Summary.MEAN, Summary.ALL)
    own = claim.metric or (plan.metric.name if plan.metric else UNKNOWN.name)
    if plan.subject and claim.above != told:
        # A row of a metric, whose columns are the subjects.
        return replace(claim, levels=sorted_levels(levels), above=plan.subject, metric=own)
    return replace(
        claim,
        levels=sorted_levels(levels),
        above="" if claim.above == told else claim.above,
        metric=own,
        over=THREADS if is_over else claim.over,
        is_of_column=plan.role is not Role.VALUE,
    )
