"""Where the subjects of a table stand: in columns of their own, in rows, or in a named column."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from dbdyno.results_table.column_plan import DESCRIBING, MEASURED, ColumnPlan
from dbdyno.results_table.headings import claim_form, heading, metric_of
from dbdyno.results_table.model import UNKNOWN, Kind, Metric, Role
from dbdyno.results_table.numbers import is_missing
from dbdyno.results_table.raw import RawTable


def with_subjects(
    raw: RawTable, plans: list[ColumnPlan], numeric: dict[int, bool], given: set[str]
) -> list[ColumnPlan]:
    """Return the plans with what is compared, where the table tells it."""
    plans = _own_subjects(_rows_of_subjects(raw, plans, numeric, given), given)
    if not any(p.role in (Role.SUBJECT, Role.QUANTITY) or p.subject for p in plans):
        plans = _a_subject(plans, numeric, given)
    return plans


def _rows_of_subjects(
    raw: RawTable, plans: list[ColumnPlan], numeric: dict[int, bool], given: set[str]
) -> list[ColumnPlan]:
    """Take a column of words as the subjects that a metric heads, or that has a row of claims.

    The other columns are conditions then, as in ``tpmC | 8 GiB | 32 GiB``, or numbers of clients.
    """
    first = next((p for p in plans if p.role is not Role.NOTE), None)
    if first is None or first.role is not Role.FACTOR or first.name in given:
        return plans
    unknown = [p for p in plans if _is_unknown(p, given)]
    metric = metric_of(first.name)
    is_corner = metric is not None and not metric[2] and not numeric[first.index]
    levels = [p for p in plans if p.load and p.metric is None] if is_corner else []
    if len(unknown) + len(levels) < 2 or not (is_corner or _has_row_of_claims(raw, first, unknown)):
        return plans
    own = Metric(*metric[:2]) if metric is not None and is_corner else None
    return [
        replace(p, role=Role.SUBJECT)
        if p is first
        else replace(p, metric=own, subject=p.name)
        if p in unknown and own is not None
        else replace(p, metric=own)
        if p in levels
        else p
        for p in plans
    ]


def _has_row_of_claims(raw: RawTable, names: ColumnPlan, figures: list[ColumnPlan]) -> bool:
    """Tell whether a row that is called a claim is filled in all columns."""
    return any(
        claim_form(row.cells[names.index]) is not None
        and not any(is_missing(row.cells[p.index]) for p in figures)
        for row in raw.rows
    )


def _is_unknown(plan: ColumnPlan, given: set[str]) -> bool:
    is_other = plan.metric is not None and plan.metric.kind is Kind.OTHER
    is_measured = MEASURED.search(heading(plan.name).text) is not None
    return plan.role is Role.FIGURE and plan.name not in given and is_other and not is_measured


def _own_subjects(plans: list[ColumnPlan], given: set[str]) -> list[ColumnPlan]:
    """Take what tells columns of one metric apart as the subject, and unknown columns likewise."""
    metrics = Counter(p.metric for p in plans if p.role is Role.FIGURE and p.metric)
    settled = []
    for plan in plans:
        if plan.rest and plan.metric and metrics[plan.metric] > 1:
            settled.append(replace(plan, subject=plan.rest))
        elif plan.rest and plan.metric:
            named = Metric(f"{plan.rest.lower()} {plan.metric.name}", plan.metric.kind)
            is_only = plan.metric.kind is Kind.THROUGHPUT
            settled.append(replace(plan, metric=plan.metric if is_only else named))
        else:
            settled.append(plan)
    if any(p.subject or p.role in (Role.SUBJECT, Role.VALUE) for p in settled):
        return settled
    return _columns_of_subjects(settled, given)


def _columns_of_subjects(plans: list[ColumnPlan], given: set[str]) -> list[ColumnPlan]:
    """Take two or more columns of numbers that nothing is known of as a subject each."""
    has_metric = any(p.role is Role.METRIC for p in plans)
    unknown = [p for p in plans if _is_unknown(p, given)]
    is_known = any(p.metric and p.metric.kind is not Kind.OTHER for p in plans)
    has_levels = any(p.role in DESCRIBING for p in plans)
    if len(unknown) < 2 or is_known or not has_levels:
        return plans
    metric = None if has_metric else UNKNOWN
    return [replace(p, subject=p.name, metric=metric) if p in unknown else p for p in plans]


def _a_subject(
    plans: list[ColumnPlan], numeric: dict[int, bool], given: set[str]
) -> list[ColumnPlan]:
    """Take the first column of words as the subject where no column is called so."""
    has_case = any(p.role is Role.CASE for p in plans)
    words = [p for p in plans if p.role is Role.FACTOR and not numeric[p.index]]
    no_subject = r"(workload|transaction|type|script|scenario|kind|role|场景|类型|负载).*"
    fit = [p for p in words if not re.fullmatch(no_subject, heading(p.name).text)]
    fit = [p for p in fit if p.name not in given]
    if has_case or not fit:
        return plans
    return [replace(p, role=Role.SUBJECT) if p is fit[0] else p for p in plans]
