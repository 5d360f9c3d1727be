"""A table of texts → figures and claims, by what its columns are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dbdyno.errors import InputError
from dbdyno.refusal import suggest
from dbdyno.results_table.columns import DESCRIBING, ColumnPlan, plan_columns
from dbdyno.results_table.description import Description
from dbdyno.results_table.headings import (
    claim_form,
    heading,
    is_claimed,
    is_reduction,
    metric_of,
    sides,
    summary_of,
    unit_scale,
)
from dbdyno.results_table.merged import claims_once, means_once
from dbdyno.results_table.model import (
    UNKNOWN,
    Claim,
    ClaimForm,
    Column,
    Figure,
    Kind,
    Levels,
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
    plain_text,
    read_number,
)
from dbdyno.results_table.raw import RawRow, RawTable

THREADS = "threads"
"""The factor of columns that have a number of clients as their heading."""


@dataclass(frozen=True)
class _RowContext:
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
    """Return the typed table; InputError where the description names a column that is not there."""
    for name in description.columns:
        if name not in raw.headings:
            known = suggest(name, raw.headings)
            raise InputError(f"{raw.name}: the description names the column {name!r}; {known}")
    texts = [cell for row in raw.rows for cell in row.cells]
    commas = has_decimal_commas(texts)
    plans = plan_columns(raw, dict(description.columns), decimal_commas=commas)
    found = _Found()
    subject = ""
    for row in raw.rows:
        context = _context(row, plans, subject)
        subject = context.subject if context.summary is None else subject
        if not _is_note(row, plans, commas):
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
        description=description,
    )


def _context(row: RawRow, plans: tuple[ColumnPlan, ...], subject_above: str) -> _RowContext:
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
    return _RowContext(
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


def _is_note(row: RawRow, plans: tuple[ColumnPlan, ...], commas: bool) -> bool:
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


def _read_row(
    raw: RawTable,
    row: RawRow,
    context: _RowContext,
    plans: tuple[ColumnPlan, ...],
    found: _Found,
    commas: bool,
) -> None:
    for plan in plans:
        if plan.role not in (Role.FIGURE, Role.VALUE, Role.CLAIM):
            continue
        text = row.cells[plan.index]
        place = Place(raw.name, row.line, plan.name)
        if is_missing(text):
            if plan.role is not Role.CLAIM:
                found.absent.append(_figure(plan, context, Number(0, 0, ""), place))
            if not text.strip() and context.summary is None:
                found.blank.append(place)
            continue
        number = read_number(text, decimal_commas=commas)
        if number is None:
            found.unread.append(place)
            # It is there, whatever it says: no cell is missing.
            found.absent.append(_figure(plan, context, Number(0, 0, ""), place))
        else:
            _take(plan, context, number.scaled(unit_scale(plan.name)), place, found)


def _take(
    plan: ColumnPlan, context: _RowContext, number: Number, place: Place, found: _Found
) -> None:
    told = plan.name if plan.role is Role.CLAIM else _row_name(context)
    form = plan.claim if plan.role is Role.CLAIM else claim_form(told) if told else None
    if form is not None and context.summary is Summary.SPREAD:
        return
    if form is not None:
        claim = _claim(told, form, context, number, place)
        found.claims.append(claim if plan.role is Role.CLAIM else _of_column(claim, plan, told))
        return
    figure = _in_ms(_figure(plan, context, number, place), told or plan.name)
    if context.quantity or is_claimed(plan.name) or is_claimed(context.metric):
        subject = context.quantity or figure.subject
        found.stated.append(replace(figure, subject=subject, summary=Summary.MEAN))
    else:
        found.figures.append(figure)


def _row_name(context: _RowContext) -> str:
    """Return what the figures of a row are: a quantity, a metric, or a claim among subjects."""
    is_claim = claim_form(context.subject) is not None
    return context.quantity or context.metric or (context.subject if is_claim else "")


def _figure(plan: ColumnPlan, context: _RowContext, number: Number, place: Place) -> Figure:
    levels = dict(context.levels)
    if plan.load is not None:
        levels[THREADS] = plan.load
    subject = context.subject
    if plan.subject:
        if subject:
            levels["column"] = plan.subject
        else:
            subject = plan.subject
    return Figure(
        metric=_metric(plan, context),
        number=number,
        place=place,
        subject=subject,
        levels=_sorted(levels),
        round=plan.round or context.round,
        part=context.part,
        summary=plan.summary or context.summary,
        summarised="" if plan.summary else context.summarised,
    )


_TO_MS = {"s": 1e3, "sec": 1e3, "秒": 1e3, "us": 1e-3, "µs": 1e-3, "μs": 1e-3}


def _in_ms(figure: Figure, name: str) -> Figure:
    """Return a response time in milliseconds, by the unit of its cell or of its heading."""
    unit = figure.number.unit or heading(name).unit.lower()
    if figure.metric.kind is not Kind.RESPONSE or unit not in _TO_MS:
        return figure
    return replace(figure, number=figure.number.scaled(_TO_MS[unit]))


def _metric(plan: ColumnPlan, context: _RowContext) -> Metric:
    if plan.metric is not None:
        return plan.metric
    if context.metric:
        found = metric_of(context.metric)
        return Metric(*found[:2]) if found else Metric(context.metric.lower(), Kind.OTHER)
    return UNKNOWN


def _claim(told: str, form: ClaimForm, context: _RowContext, number: Number, place: Place) -> Claim:
    form = _form(form, number)
    metric = metric_of(told) or metric_of(context.metric)
    above, below = sides(told, is_ratio=form is not ClaimForm.CHANGE_PERCENT)
    whole = f"{heading(told).text} {heading(told).unit}"
    return Claim(
        number=number,
        form=form,
        place=place,
        levels=_sorted(context.levels),
        metric=metric[0] if metric else context.metric.lower(),
        kind=metric[1] if metric else None,
        above=context.subject or above,
        below=below,
        over=context.summarised if context.summary in (Summary.MEAN, Summary.ALL) else "",
        round=context.round,
        is_reduction=is_reduction(told),
        is_unit_told=number.unit in ("%", "x") or "%" in whole or "percent" in whole,
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


def _of_column(claim: Claim, plan: ColumnPlan, told: str) -> Claim:
    """Return a claim that stands below the figures that it is of."""
    levels = dict(claim.levels) | ({} if plan.load is None else {THREADS: plan.load})
    is_over = plan.summary in (Summary.MEAN, Summary.ALL)
    own = claim.metric or (plan.metric.name if plan.metric else UNKNOWN.name)
    return replace(
        claim,
        levels=_sorted(levels),
        above="" if claim.above == told else claim.above,
        metric=own,
        over=THREADS if is_over else claim.over,
        is_of_column=plan.role is not Role.VALUE,
    )


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


def _sorted(levels: Mapping[str, str]) -> Levels:
    return tuple(sorted(levels.items()))
