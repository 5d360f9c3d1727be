"""Figures that cannot be, each for itself or beside another one of its row."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise

from dbdyno.analysis.audit.cells import label
from dbdyno.analysis.audit.laws import beyond_laws
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.results_table.model import Figure, Kind

NOT_ABOVE: tuple[tuple[str, str], ...] = (
    ("tpmc", "tpm_total"),
    ("nopm", "tpm_total"),
    ("tps", "qps"),
    *(("min", name) for name in ("mean", "median", "p50", "p90", "p95", "p99", "p99.9", "max")),
    *(("mean", name) for name in ("p95", "p99", "p99.9", "max")),
)
"""The first of two metrics is never above the second one; a mean above p95 takes long stalls."""
_PERCENT = re.compile(r"%|percent|pct|prozent|百分", re.I)


def check_impossible(joined: Joined) -> Iterator[AuditFinding]:
    """Yield figures that cannot be, a finding for all of a table."""
    rows: dict[tuple[object, ...], dict[str, Figure]] = defaultdict(dict)
    for each in joined.data.figures:
        key = (each.subject, each.levels, each.round, each.part, each.summary)
        rows[key].setdefault(each.metric.name, each)
    lines = [line for each in joined.data.figures for line in _alone(each)]
    for row in rows.values():
        lines += _beside(row)
    lines += beyond_laws(joined, list(rows.values()))
    if lines:
        yield AuditFinding(Code.IMPOSSIBLE, joined.data.name, tuple(lines))


def _alone(figure: Figure) -> Iterator[Line]:
    if figure.value < 0 and figure.metric.kind is not Kind.OTHER:
        yield _line("negative", figure)
    is_percent = figure.number.unit == "%" or _PERCENT.search(figure.place.column) is not None
    if figure.metric.kind is Kind.SUCCESS and figure.value > 100 and is_percent:
        yield _line("above_all", figure)


def _beside(row: Mapping[str, Figure]) -> Iterator[Line]:
    for less, more in (*NOT_ABOVE, *_percentiles(row)):
        if less in row and more in row:
            low, high = row[less], row[more]
            slack = (low.number.step + high.number.step) / 2
            if low.value > high.value + slack:
                yield _pair_line("above", low, high)
    errors = next((each for each in row.values() if each.metric.kind is Kind.ERRORS), None)
    success = next((each for each in row.values() if each.metric.kind is Kind.SUCCESS), None)
    if errors and success and errors.value > 0 and success.value == 100:
        yield _pair_line("all_with_errors", errors, success)


def _percentiles(row: Mapping[str, Figure]) -> list[tuple[str, str]]:
    """Return neighbouring percentiles of a row, and the highest one with the maximum."""
    known = sorted((name for name in row if name[:1] == "p" and _number(name)), key=_number)
    known = [*known, *(name for name in ("max",) if name in row)]
    known = (["median"] if "median" in row and "p50" not in row else []) + known
    return list(pairwise(known))


def _number(name: str) -> float:
    try:
        return float(name[1:])
    except ValueError:
        return 0.0


def _line(kind: str, figure: Figure) -> Line:
    place = figure.place
    return Line(
        kind,
        line=place.line,
        column=place.column,
        metric=figure.metric.name,
        stated=figure.number.text,
        cell=" ".join(filter(None, (figure.subject, label(figure.levels)))),
    )


def _pair_line(kind: str, low: Figure, high: Figure) -> Line:
    return Line(
        kind,
        **dict(_line(kind, low).figures),
        other_metric=high.metric.name,
        other_stated=high.number.text,
    )
