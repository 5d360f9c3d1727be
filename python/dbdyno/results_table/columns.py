"""What each column of a table is: by its description, its name, and what stands in it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from dbdyno.results_table.column_plan import MEASURED, MOSTLY, ColumnPlan
from dbdyno.results_table.headings import (
    MS_PER_UNIT,
    claim_form,
    heading,
    is_factor,
    load_level_of,
    mean_of,
    metric_of,
    role_of,
    round_of,
    summary_of,
)
from dbdyno.results_table.model import UNKNOWN, ClaimForm, Kind, Metric, Role, Summary
from dbdyno.results_table.numbers import is_missing, plain_text, read_number
from dbdyno.results_table.raw import RawTable
from dbdyno.results_table.subjects import with_subjects

_KINDS = {"throughput": Kind.THROUGHPUT, "response": Kind.RESPONSE, "success": Kind.SUCCESS}


def plan_columns(
    raw: RawTable, given: dict[str, str], *, decimal_commas: bool
) -> tuple[ColumnPlan, ...]:
    """Return a plan for each column that holds anything."""
    numeric = {
        index: _is_numeric([row.cells[index] for row in raw.rows], decimal_commas)
        for index in range(len(raw.headings))
    }
    used = [n for n in numeric if any(row.cells[n].strip() for row in raw.rows)]
    first = [_by_name(raw, n, given, is_numeric=numeric[n]) for n in used]
    return tuple(_settled(raw, first, numeric, set(given)))


def _is_numeric(cells: list[str], decimal_commas: bool) -> bool:
    told = [cell for cell in cells if not is_missing(cell)]
    numbers = sum(read_number(cell, decimal_commas=decimal_commas) is not None for cell in told)
    return bool(told) and numbers >= MOSTLY * len(told)


def _by_name(raw: RawTable, index: int, given: dict[str, str], *, is_numeric: bool) -> ColumnPlan:
    name = raw.headings[index]
    plan = ColumnPlan(index, name, Role.FACTOR)
    if name in given:
        return _as_given(plan, given[name])
    role = role_of(name)
    if heading(name).text == "server" and _are_hosts([row.cells[index] for row in raw.rows]):
        role = None
    if not is_numeric:
        return replace(plan, role=role or (_metric_names(raw, index) or Role.FACTOR))
    if role is not None:
        return replace(plan, role=role)
    return _of_numbers(plan, raw)


def _are_hosts(cells: list[str]) -> bool:
    """Tell whether cells are ``201`` and ``202``, or ``db1`` and ``db2``: these are no systems."""
    parts = [re.fullmatch(r"(\D*)[\d.]+", plain_text(cell)) for cell in cells if cell.strip()]
    return all(parts) and len({match[1] for match in parts if match}) == 1


def _of_numbers(plan: ColumnPlan, raw: RawTable) -> ColumnPlan:
    """Return the plan of a column of numbers that is none of those that describe."""
    cells = [row.cells[plan.index] for row in raw.rows]
    unit = _usual_unit(cells)
    name = plan.name
    if form := claim_form(name, unit) or _form_of_cells(name, cells, unit):
        return replace(plan, role=Role.CLAIM, claim=form)
    if (round_number := round_of(name)) or (level := load_level_of(name)):
        is_round = round_number is not None
        return replace(plan, role=Role.FIGURE, round=round_number, load=None if is_round else level)
    if metric_of(name) is None and (summary := summary_of(name)) is not None:
        return replace(plan, role=Role.FIGURE, summary=summary)
    if unit in MS_PER_UNIT and not heading(name).unit:
        name = f"{name} ({unit})"
    if (found := _metric_and_rest(name)) and not _is_set_up_time(plan, raw, found[0], cells):
        metric, rest = found
        unit_round = round_of(heading(name).unit)
        plan = replace(plan, role=Role.FIGURE, metric=metric, round=unit_round)
        return _with_rest(plan, _as_written(name, rest))
    return plan if found or is_factor(name) else _unknown(plan, name)


def _usual_unit(cells: list[str]) -> str:
    """Return the unit that most figures of a column have; "" where there is none."""
    units = Counter(number.unit for cell in cells if (number := read_number(cell)) is not None)
    unit, count = units.most_common(1)[0] if units else ("", 0)
    return unit if count >= MOSTLY * units.total() else ""


def _form_of_cells(name: str, cells: list[str], unit: str) -> ClaimForm | None:
    """Return the form of claims that cells tell: ``1.4x``, ``+4 pp``, or signs at all ``+3 %``."""
    told = [plain_text(cell) for cell in cells if read_number(cell) is not None]
    moved = [text for text in told if read_number(text) and text.strip("0.% +-")]
    if unit == "%" and moved and all(text[0] in "+-↑↓▲▼" for text in moved):
        return ClaimForm.CHANGE_PERCENT
    forms = {"x": ClaimForm.RATIO, "pp": ClaimForm.DIFFERENCE}
    return forms.get(unit) if metric_of(name) is None else None


def _is_set_up_time(plan: ColumnPlan, raw: RawTable, metric: Metric, cells: list[str]) -> bool:
    """Tell whether times are of the axis or of the set-up: round ones beside a rate, or the first.

    ``Duration (s)`` may as well be the result.
    """
    if metric.name != "elapsed" or metric_of(heading(plan.name).text):
        return False
    has_rate = any(
        (found := metric_of(name)) and found[1] is Kind.THROUGHPUT for name in raw.headings
    )
    values = {number.value for cell in cells if (number := read_number(cell)) is not None}
    return plan.index == 0 or (has_rate and all(value % 5 == 0 for value in values))


def _unknown(plan: ColumnPlan, name: str) -> ColumnPlan:
    """Return the plan of a column of numbers that names no metric: whose mean it is, or nothing."""
    plan = replace(plan, role=Role.FIGURE)
    if subject := mean_of(_as_written(name, heading(name).text)):
        # ``MySQL mean``
        return replace(plan, metric=UNKNOWN, summary=Summary.MEAN, rest=subject)
    return replace(plan, metric=Metric(heading(name).text, Kind.OTHER))


def _metric_and_rest(name: str) -> tuple[Metric, str] | None:
    """Return the metric that a heading names, or its unit as in ``MySQL (TPS)``; and the rest."""
    if found := metric_of(name):
        return Metric(*found[:2]), found[2]
    of_unit = metric_of(heading(name).unit)
    return None if of_unit is None else (Metric(*of_unit[:2]), heading(name).text)


def _as_given(plan: ColumnPlan, role: str) -> ColumnPlan:
    if role in (*_KINDS, "errors", "figure"):
        found = metric_of(plan.name)
        kind = _KINDS.get(role, Kind.ERRORS if role == "errors" else Kind.OTHER)
        name = found[0] if found else heading(plan.name).text
        return replace(plan, role=Role.FIGURE, metric=Metric(name, kind))
    if role == "claim":
        form = claim_form(plan.name) or ClaimForm.CHANGE_PERCENT
        return replace(plan, role=Role.CLAIM, claim=form)
    return replace(plan, role=Role(role))


def _metric_names(raw: RawTable, index: int) -> Role | None:
    """Return METRIC where the cells of a column are names of metrics, and no heading is one."""
    if any(metric_of(name) is not None for name in raw.headings):
        return None
    cells = [row.cells[index] for row in raw.rows if row.cells[index].strip()]
    named = sum(metric_of(cell) is not None or claim_form(cell) is not None for cell in cells)
    return Role.METRIC if cells and named >= MOSTLY * len(cells) else None


def _as_written(name: str, rest: str) -> str:
    """Return the rest of a heading in the case in which it stands there."""
    words = re.escape(rest).replace(r"\ ", r"[\s_]+")
    match = re.search(words, plain_text(name), re.I) if rest else None
    return match[0] if match else rest


def _with_rest(plan: ColumnPlan, rest: str) -> ColumnPlan:
    if round_number := round_of(rest):
        return replace(plan, round=round_number)
    if level := load_level_of(rest):
        return replace(plan, load=level)
    if (summary := summary_of(rest)) is not None:
        return replace(plan, summary=summary)
    if subject := mean_of(rest):
        return replace(plan, summary=Summary.MEAN, rest=subject)
    return replace(plan, rest=rest)


def _settled(
    raw: RawTable, plans: list[ColumnPlan], numeric: dict[int, bool], given: set[str]
) -> list[ColumnPlan]:
    """Return the plans with what one column tells of another one."""
    plans = _first_columns(raw, plans, numeric, given)
    plans = _parts(raw, plans, given)
    plans = _turned(plans, numeric, given)
    plans = _one_metric_column(plans)
    plans = _behind_figures(raw, plans, numeric, given)
    plans = with_subjects(raw, plans, numeric, given)
    has_rounds = any(p.round or p.load for p in plans) or any(p.role is Role.ROUND for p in plans)
    if any(p.round for p in plans):
        # Beside ``Round 1 (ms)``, ``Avg (ms)`` is the mean of the rounds.
        rate = _rate_of_mean(plans)
        plans = [
            replace(p, metric=rate, summary=summary_of(p.name)) if summary_of(p.name) else p
            for p in plans
        ]
        plans = [replace(p, metric=p.metric or rate) if p.round else p for p in plans]
    if not has_rounds:
        # A column of means alone is a column of figures.
        plans = [replace(p, summary=None) if p.role is Role.FIGURE else p for p in plans]
    return plans


def _rate_of_mean(plans: list[ColumnPlan]) -> Metric | None:
    """Return the rate of ``Mean TPS``, which is that of the rounds beside it; None if it has none.

    A time may be in another unit than its rounds, and says nothing of them.
    """
    if any(p.role is Role.METRIC for p in plans):
        return None
    rates = {
        p.metric
        for p in plans
        if p.metric and p.metric.kind is Kind.THROUGHPUT and summary_of(p.name) is Summary.MEAN
    }
    return next(iter(rates)) if len(rates) == 1 else None


def _first_columns(
    raw: RawTable, plans: list[ColumnPlan], numeric: dict[int, bool], given: set[str]
) -> list[ColumnPlan]:
    """Take unknown numbers that come before all figures, and come again, as levels."""
    settled = list(plans)
    for place, plan in enumerate(plans):
        is_unknown = plan.metric is not None and plan.metric.kind is Kind.OTHER
        if not is_unknown or plan.name in given or not numeric[plan.index]:
            break_here = plan.role in (Role.FIGURE, Role.CLAIM, Role.VALUE)
            if break_here:
                break
            continue
        cells = [row.cells[plan.index] for row in raw.rows]
        repeats = max(Counter(cells).values()) > 1
        if place == 0 or (
            repeats
            and not MEASURED.search(heading(plan.name).text)
            and len(set(cells)) <= len(cells) / 2
        ):
            settled[place] = replace(plan, role=Role.FACTOR, metric=None)
        else:
            break
    return settled


_WORDS_OF_SET_UP = re.compile(
    r"(workload|transaction|type|script|scenario|mode|setting|config\w*|kind|role|场景|类型|负载).*"
)
_NUMBERS_OF_SET_UP = re.compile(r"duration|warm|window|seconds|minutes|warehouses?|scale|时长|预热")


def _behind_figures(
    raw: RawTable, plans: list[ColumnPlan], numeric: dict[int, bool], given: set[str]
) -> list[ColumnPlan]:
    """Take columns behind the figures as remarks and further figures: the set-up comes first."""
    figures = [place for place, p in enumerate(plans) if p.role in (Role.FIGURE, Role.VALUE)]
    settled = list(plans)
    for place, plan in enumerate(plans):
        text = heading(plan.name).text
        if not figures or place < figures[0] or plan.role is not Role.FACTOR or plan.name in given:
            continue
        cells = [row.cells[plan.index] for row in raw.rows]
        if not numeric[plan.index]:
            is_set_up = is_factor(plan.name) or _WORDS_OF_SET_UP.fullmatch(text)
            settled[place] = plan if is_set_up else replace(plan, role=Role.NOTE)
        elif len(set(cells)) == len(cells) > 1 and not _NUMBERS_OF_SET_UP.search(text):
            settled[place] = replace(plan, role=Role.FIGURE, metric=Metric(text, Kind.OTHER))
    return settled


def _parts(raw: RawTable, plans: list[ColumnPlan], given: set[str]) -> list[ColumnPlan]:
    """Take a column as one of parts only where it has totals of them too."""
    settled = []
    for plan in plans:
        cells = (row.cells[plan.index] for row in raw.rows)
        has_total = any(summary_of(cell) is Summary.TOTAL for cell in cells)
        is_part = plan.role is Role.PART and (has_total or plan.name in given)
        settled.append(
            replace(plan, role=Role.FACTOR) if plan.role is Role.PART and not is_part else plan
        )
    return settled


def _turned(plans: list[ColumnPlan], numeric: dict[int, bool], given: set[str]) -> list[ColumnPlan]:
    """Return plans in which a heading as ``Round`` or ``Threads`` is of the headings beside it.

    Its own column has words then, which are the subjects.
    """
    for plan in plans:
        is_corner = plan.role in (Role.ROUND, Role.LOAD) and not numeric[plan.index]
        if not is_corner or plan.name in given or not any(p.load for p in plans):
            continue
        if plan.role is Role.ROUND:
            plans = [replace(p, round=p.load, load=None) if p.load else p for p in plans]
        return [replace(p, role=Role.SUBJECT) if p.index == plan.index else p for p in plans]
    return plans


def _one_metric_column(plans: list[ColumnPlan]) -> list[ColumnPlan]:
    """Take one column as that of the metrics' names: the one that is called so, or the last."""
    named = [p for p in plans if p.role is Role.METRIC]
    called = [p for p in named if role_of(p.name) is Role.METRIC]
    kept = (called or named)[-1:]
    return [replace(p, role=Role.NOTE) if p in named and p not in kept else p for p in plans]
