"""A table of texts → figures and claims, by what its columns are."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from dbdyno.results_table.claims import claim_of, claim_of_column
from dbdyno.results_table.column_plan import DESCRIBING, ColumnPlan
from dbdyno.results_table.columns import plan_columns
from dbdyno.results_table.description import Description
from dbdyno.results_table.headings import (
    MS_PER_UNIT,
    claim_form,
    heading,
    is_claimed,
    metric_of,
    ms_per_unit,
    unit_scale,
)
from dbdyno.results_table.merged import claims_once, means_once
from dbdyno.results_table.model import (
    UNKNOWN,
    Claim,
    Column,
    Figure,
    Kind,
    Metric,
    Place,
    ResultsTable,
    Role,
    Summary,
)
from dbdyno.results_table.numbers import (
    Number,
    has_decimal_commas,
    is_missing,
    read_number,
)
from dbdyno.results_table.paired_cells import split_pairs
from dbdyno.results_table.raw import RawRow, RawTable
from dbdyno.results_table.rows import (
    COLUMN,
    THREADS,
    RowContext,
    context_of,
    is_note,
    row_name,
    sorted_levels,
)


@dataclass
class _Found:
    """What has been read so far."""

    figures: list[Figure] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    stated: list[Figure] = field(default_factory=list)
    absent: list[Figure] = field(default_factory=list)
    blank: list[Place] = field(default_factory=list)
    unread: list[Place] = field(default_factory=list)


def build_table(raw: RawTable, description: Description) -> ResultsTable:
    """Return the typed table; its description names columns that it has."""
    raw = split_pairs(raw, description.columns)
    texts = [cell for row in raw.rows for cell in row.cells]
    commas = has_decimal_commas(texts)
    plans = plan_columns(raw, dict(description.columns), decimal_commas=commas)
    found = _Found()
    subject = ""
    for row in raw.rows:
        context = context_of(row, plans, subject)
        subject = context.subject if context.summary is None else subject
        if not is_note(row, plans, commas):
            _read_row(raw, row, context, plans, found, commas)
    if raw.path.stem.lower().replace("_", "-").endswith("claims"):
        # Figures of a table of claims are means that somebody states.
        means = [replace(each, summary=Summary.MEAN) for each in found.figures]
        found.stated, found.figures = [*found.stated, *means], []
    subjects = tuple(dict.fromkeys(each.subject for each in found.figures if each.subject))
    is_csv = raw.path.suffix.lower() == ".csv"
    return ResultsTable(
        name=raw.name,
        path=raw.path,
        columns=tuple(Column(p.name, p.role, heading(p.name).unit) for p in plans),
        figures=_evenly_written(means_once(found.figures), by_program=is_csv),
        claims=tuple(claims_once(found.claims, subjects)),
        stated=tuple(found.stated),
        absent=tuple(found.absent),
        blank=tuple(found.blank),
        unread=tuple(found.unread),
        texts=raw.texts,
        section=raw.section,
        description=description,
    )


def _read_row(
    raw: RawTable,
    row: RawRow,
    context: RowContext,
    plans: tuple[ColumnPlan, ...],
    found: _Found,
    commas: bool,
) -> None:
    # A name that is merged over columns of figures is no figure of theirs.
    named = {row.cells[plan.index] for plan in plans if plan.role in DESCRIBING}
    for plan in plans:
        if plan.role not in (Role.FIGURE, Role.VALUE, Role.CLAIM):
            continue
        text = row.cells[plan.index]
        place = Place(raw.name, row.line, plan.name)
        if is_missing(text) or (text in named and read_number(text) is None):
            if plan.role is not Role.CLAIM:
                found.absent.append(_figure(plan, context, Number(0, 0, ""), place))
            if not text.strip() and context.summary is None:
                found.blank.append(place)
            continue
        number = read_number(text, decimal_commas=commas)
        if number is None:
            found.unread.append(place)
            # It is there, whatever it says: no cell is missing.
            found.absent.append(_figure(plan, context, Number(0, 0, text), place))
        else:
            _take(plan, context, number.scaled(unit_scale(plan.name)), place, found)


def _take(
    plan: ColumnPlan, context: RowContext, number: Number, place: Place, found: _Found
) -> None:
    told = plan.name if plan.role is Role.CLAIM else row_name(context)
    form = plan.claim if plan.role is Role.CLAIM else claim_form(told) if told else None
    if form is not None and context.summary is Summary.SPREAD:
        return
    if form is not None:
        claim = claim_of(told, form, context, number, place)
        found.claims.append(
            claim if plan.role is Role.CLAIM else claim_of_column(claim, plan, told)
        )
        return
    figure = _in_ms(_figure(plan, context, number, place), told or plan.name)
    if context.quantity or is_claimed(plan.name) or is_claimed(context.metric):
        subject = context.quantity or figure.subject
        found.stated.append(replace(figure, subject=subject, summary=Summary.MEAN))
    else:
        found.figures.append(figure)


def _figure(plan: ColumnPlan, context: RowContext, number: Number, place: Place) -> Figure:
    levels = dict(context.levels)
    if plan.load is not None:
        levels[THREADS] = plan.load
    subject = context.subject
    if plan.subject:
        if subject:
            levels[COLUMN] = plan.subject
        else:
            subject = plan.subject
    return Figure(
        metric=_metric(plan, context),
        number=number,
        place=place,
        subject=subject,
        levels=sorted_levels(levels),
        round=plan.round or context.round,
        part=context.part,
        summary=plan.summary or context.summary,
        summarised="" if plan.summary else context.summarised,
    )


def _in_ms(figure: Figure, name: str) -> Figure:
    """Return a response time in milliseconds, by the unit of its cell or of its heading."""
    if figure.metric.kind is not Kind.RESPONSE:
        return figure
    scale = MS_PER_UNIT.get(figure.number.unit) or ms_per_unit(name)
    return replace(figure, number=figure.number.scaled(scale))


def _metric(plan: ColumnPlan, context: RowContext) -> Metric:
    if plan.metric is not None:
        return plan.metric
    if context.metric:
        found = metric_of(context.metric)
        return Metric(*found[:2]) if found else Metric(context.metric.lower(), Kind.OTHER)
    return UNKNOWN


def _evenly_written(figures: list[Figure], *, by_program: bool) -> tuple[Figure, ...]:
    """Return figures of one column as finely written as the finest: zeros at an end are dropped."""
    steps: dict[tuple[str, str], float] = {}
    whole: dict[tuple[str, str], bool] = {}
    for each in figures:
        key = (each.place.column, each.metric.name)
        steps[key] = min(steps.get(key, each.number.step), each.number.step)
        is_rate = by_program and each.metric.kind is Kind.THROUGHPUT
        whole[key] = whole.get(key, is_rate) and each.number.text.endswith(".0")
    # Where each rate ends in .0, a program has put it behind whole numbers.
    return tuple(
        replace(each, number=replace(each.number, step=steps[key] * (10 if whole[key] else 1)))
        for each in figures
        for key in [(each.place.column, each.metric.name)]
    )
