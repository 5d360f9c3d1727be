"""A table of results → ``ResultEvidence``: a trial for each cell and round."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dbdyno.errors import InputError
from dbdyno.results_table.model import Figure, Kind, Levels, Metric, ResultsTable, Role, Summary
from dbdyno.trial_evidence import Counted, ResultEvidence, Source, Times, TrialEvidence

SUBJECT = "system"
"""The factor of subjects that the table names in its headings."""

NEW_ORDERS = ("tpmc", "nopm")
COUNTED = {
    **dict.fromkeys(NEW_ORDERS, Counted.NEW_ORDERS),
    "qps": Counted.QUERIES,
    "ops": Counted.OPERATIONS,
}
PREFERRED = (*NEW_ORDERS, "tps", "tpm_total", "throughput", "ops", "qps")
"""The throughput that is taken where a table has several."""
PER_MINUTE = frozenset({*NEW_ORDERS, "tpm_total"})

EMPTY = "–"
"""The level of a row that leaves a factor empty."""

_Key = tuple[tuple[tuple[str, str], ...], str | None]
"""The levels of a trial, and its round as the table calls it."""


def to_evidence(table: ResultsTable) -> ResultEvidence:
    """Return the trials of a table; InputError where it has no figures.

    Rates are per second and times in milliseconds, whatever the table has. What is neither stands
    among ``figures``, by its name and as the table has it. Of a case with parts, the total is
    taken. Columns that are the same in all trials are options.
    """
    metric = _throughput(table)
    rows: dict[_Key, list[dict[str, Figure]]] = defaultdict(list)
    for each in measured(table):
        same = rows[_levels(table, each), each.round]
        # Rows alike in all but their figures are rounds without a number.
        row = next((row for row in same if each.metric.name not in row), None)
        if row is None:
            same.append(row := {})
        row[each.metric.name] = each
    found = [(levels, name, row) for (levels, name), same in rows.items() for row in same if row]
    if not found:
        raise InputError(f"{table.name}: has no figures that could be drawn")
    factors = _varied([levels for levels, _, _ in found])
    source = Source(
        tool="table",
        path=str(table.path),
        sha256=hashlib.sha256(table.path.read_bytes()).hexdigest(),
    )
    rounds: dict[tuple[tuple[str, str], ...], int] = defaultdict(int)
    trials = []
    parts = _parts(table)
    for levels, name, row in found:
        rounds[levels] += 1
        number = int(name) if name and name.isdecimal() else rounds[levels]
        trial = _trial(table, source, levels, number, row, metric, factors)
        trials.append(replace(trial, figures={**trial.figures, **parts.get((levels, name), {})}))
    counted = COUNTED.get(metric, Counted.TRANSACTIONS)
    return ResultEvidence(name=table.path.stem, trials=tuple(trials), counted=counted)


def _throughput(table: ResultsTable) -> str:
    """Return the throughput that counts; "" where there is none."""
    names = {each.metric.name for each in table.figures if each.metric.kind is Kind.THROUGHPUT}
    known = [name for name in PREFERRED if name in names] + sorted(names - set(PREFERRED))
    return known[0] if known else ""


def _parts(table: ResultsTable) -> Mapping[_Key, Mapping[str, float]]:
    """Return the figures of parts that have a total, each by its name and that of its part."""
    totals: dict[tuple[Metric, str, Levels], list[Figure]] = defaultdict(list)
    for each in table.figures:
        if each.summary is Summary.TOTAL and each.part:
            totals[each.metric, each.subject, each.levels].append(each)
    found: dict[_Key, dict[str, float]] = defaultdict(dict)
    for each in table.rounds:
        if not each.part:
            continue
        for total in _totals_of(each.part, totals[each.metric, each.subject, each.levels]):
            key = _levels(table, total), total.round
            found[key][f"{each.metric.name} ({each.part})"] = each.value
    return found


def _totals_of(part: str, totals: Sequence[Figure]) -> Sequence[Figure]:
    """Return those totals that a part is in: of several, those that name it."""
    return totals if len(totals) < 2 else [each for each in totals if part in each.part]


def measured(table: ResultsTable) -> list[Figure]:
    """Return all that is measured; of what has a total, that alone."""
    has_parts = bool(table.named(Role.PART))
    totals = [each for each in table.figures if has_parts and each.summary is Summary.TOTAL]
    with_total = {(each.metric, each.subject, each.levels) for each in totals}
    whole = [
        each
        for each in table.rounds
        if not each.part or (each.metric, each.subject, each.levels) not in with_total
    ]
    return sorted([*whole, *totals], key=lambda each: each.place.line)


def _levels(table: ResultsTable, figure: Figure) -> tuple[tuple[str, str], ...]:
    """Return the levels of a figure in the order of the columns, the subject first."""
    own = dict(figure.levels)
    if figure.part:
        own[table.named(Role.PART)[0]] = figure.part
    order = [column.name for column in table.columns if column.name in own]
    names = [*order, *(name for name in own if name not in order)]
    subjects = table.named(Role.SUBJECT)
    subject = [(subjects[0] if subjects else SUBJECT, figure.subject)] if figure.subject else []
    return (*subject, *((name, own[name]) for name in names))


def _varied(trials: Sequence[tuple[tuple[str, str], ...]]) -> list[str]:
    """Return the factors that have several levels, in the order in which they come."""
    names = list(dict.fromkeys(name for levels in trials for name, _ in levels))
    return [name for name in names if len({dict(levels).get(name) for levels in trials}) > 1]


def _trial(
    table: ResultsTable,
    source: Source,
    levels: tuple[tuple[str, str], ...],
    number: int,
    row: Mapping[str, Figure],
    metric: str,
    factors: Sequence[str],
) -> TrialEvidence:
    own, facts = dict(levels), table.description.facts
    loads = [own[name] for name in (*table.named(Role.LOAD), "threads") if name in own]
    errors = [each for each in row.values() if each.metric.kind is Kind.ERRORS]
    return TrialEvidence(
        source=source,
        levels=tuple((name, own.get(name) or EMPTY) for name in factors),
        round=number,
        options={name: level for name, level in levels if name not in factors and level},
        clients=int(loads[0]) if loads and loads[0].isdecimal() else None,
        warmup_s=facts.warmup_s,
        measured_s=facts.window_s,
        throughput_per_s=row[metric].value / _period_s(metric) if metric in row else None,
        times=_times(row),
        figures={
            name: each.value
            for name, each in row.items()
            if name != metric and each.metric.kind is not Kind.RESPONSE
        },
        failed=int(errors[0].value) if errors and errors[0].value.is_integer() else None,
    )


def _period_s(metric: str) -> float:
    return 60.0 if metric in PER_MINUTE else 1.0


def _times(row: Mapping[str, Figure]) -> Times | None:
    """Return the response times of a row; None where it has none."""
    values = {n: each.value for n, each in row.items() if each.metric.kind is Kind.RESPONSE}
    quantiles = {float(name[1:]) / 100: v for name, v in values.items() if name.startswith("p")}
    if "median" in values:
        quantiles.setdefault(0.5, values["median"])
    if not values:
        return None
    return Times(
        quantiles_ms=dict(sorted(quantiles.items())),
        mean_ms=values.get("mean"),
        min_ms=values.get("min"),
        max_ms=values.get("max"),
    )
