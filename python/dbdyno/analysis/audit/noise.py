"""Differences held against the noise of rounds, or against having no rounds at all."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median, variance

from scipy import special

from dbdyno.analysis.audit.cells import (
    Cell,
    cells_of,
    clients_of,
    kind_of,
    label,
    matching,
    subjects_named,
)
from dbdyno.analysis.audit.changes import resolve_claims
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.analysis.audit.pairs import Pair, Resolved
from dbdyno.analysis.compare.power import critical
from dbdyno.results_table.model import UNKNOWN, Kind

FEW_PERCENT = 4.995
"""Single runs of one cell often differ by as much; what is written as 5 is no less."""
LARGEST_LOG = 700.0
"""A larger one has no ratio in floating point."""
CLEARLY_SLOWER = 1.02
"""Tools round response times to buckets that are about 2 % wide."""


@dataclass(frozen=True)
class Change:
    """The change between two cells in percent, with its interval at 95 % where there are rounds."""

    percent: float
    low_percent: float | None = None
    high_percent: float | None = None

    @property
    def ends_percent(self) -> tuple[float, float]:
        """The ends of the interval; of single runs both are the change."""
        low, high = self.low_percent, self.high_percent
        return (self.percent, self.percent) if low is None or high is None else (low, high)

    @property
    def has_rounds(self) -> bool:
        """Whether it has an interval."""
        return self.low_percent is not None

    @property
    def is_shown(self) -> bool:
        """Tell whether there are rounds and their interval has no zero in it."""
        low, high = self.ends_percent
        return self.has_rounds and not low <= 0 <= high


def change(above: Sequence[float], below: Sequence[float]) -> Change | None:
    """Return the change from one cell to another by Welch's t of the logarithms.

    The rounds are not paired: a table does not tell whether those of one number ran side by side.
    None where a figure is not positive.
    """
    if min(*above, *below) <= 0:
        return None
    one, other = [math.log(v) for v in above], [math.log(v) for v in below]
    centre = fmean(one) - fmean(other)
    if len(one) < 2 or len(other) < 2:
        return Change(100 * math.expm1(centre))
    parts = [variance(values) / len(values) for values in (one, other)]
    total = sum(parts)
    if total <= 0:
        margin = 0.0
    else:
        freedom = total**2 / sum(
            part**2 / (len(v) - 1) for part, v in zip(parts, (one, other), strict=True)
        )
        margin = critical(freedom) * math.sqrt(total)
    ends = (100 * math.expm1(min(end, LARGEST_LOG)) for end in (centre - margin, centre + margin))
    return Change(100 * math.expm1(centre), *ends)


def variation(values: Sequence[float]) -> float:
    """Return the coefficient of variation of rounds."""
    return math.sqrt(variance(values)) / fmean(values)


def variation_p_value(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the p-value of the Brown-Forsythe test that rounds of two cells vary alike.

    The logarithms' distances to their medians are compared by a one-way analysis of variance
    (Brown and Forsythe 1974), which one slow round among many does not mislead as it does an F test
    of the variances. 1 where a cell does not vary at all.
    """
    logs = [[math.log(value) for value in values] for values in (one, other)]
    distances = [[abs(value - median(values)) for value in values] for values in logs]
    if min(max(each) for each in distances) <= 0:
        return 1.0
    grand = fmean([each for group in distances for each in group])
    between = sum(len(group) * (fmean(group) - grand) ** 2 for group in distances)
    within = sum((each - fmean(group)) ** 2 for group in distances for each in group)
    freedom = len(one) + len(other) - 2
    return float(special.fdtrc(1, freedom, freedom * between / within)) if within > 0 else 1.0


def check_noise(joined: Joined) -> Iterator[AuditFinding]:
    """Yield claimed changes that rounds do not tell from noise, and small ones of single runs."""
    unclear: list[Line] = []
    single: list[Line] = []
    for column in resolve_claims(joined):
        for each in (resolved for resolved in column if _is_noisy(resolved)):
            for pair in (each.matched or each.pairs)[:1]:
                found = _measured(joined, each, pair)
                if found is None:
                    continue
                if found.low_percent is None and abs(found.percent) < FEW_PERCENT:
                    single.append(_line("single", each, pair, found))
                elif found.low_percent is not None and not found.is_shown:
                    unclear.append(_line("unclear", each, pair, found))
        single += _close_cells(column)
    if unclear:
        yield AuditFinding(Code.WITHIN_NOISE, joined.data.name, tuple(unclear))
    single.sort(key=lambda line: abs(float(str(dict(line.figures)["change_percent"]))))
    if single:
        yield AuditFinding(
            Code.NO_REPETITION, joined.data.name, tuple(single), (("limit_percent", 5.0),)
        )


def _is_noisy(resolved: Resolved) -> bool:
    """Tell whether a claim is of a rate or a time, and not of a share or a size."""
    is_rate = resolved.kind in (Kind.THROUGHPUT, Kind.RESPONSE)
    return is_rate or resolved.metric == UNKNOWN.name


def _measured(joined: Joined, resolved: Resolved, pair: Pair) -> Change | None:
    """Return the change between the rounds of a pair, also where its sides are stated means."""
    above, below = (
        _cell(joined, resolved, side.subject, side.levels) for side in (pair.above, pair.below)
    )
    if above is None or below is None:
        return None
    return change(above.values, below.values)


def _cell(
    joined: Joined, resolved: Resolved, subject: str, levels: tuple[tuple[str, str], ...]
) -> Cell | None:
    is_own = subject in joined.data.subjects or not joined.data.subjects
    names = [subject] if is_own else subjects_named(joined.data, subject)
    cells = matching(cells_of(joined.data, resolved.metric), names, levels)
    return cells[0] if len(cells) == 1 else None


def _line(kind: str, resolved: Resolved, pair: Pair, found: Change) -> Line:
    return Line(
        kind,
        cell=label(pair.above.levels),
        stated=resolved.claim.number.text,
        metric=resolved.metric,
        subject=pair.names[0],
        other=pair.names[1],
        change_percent=found.percent,
        low_percent=found.low_percent,
        high_percent=found.high_percent,
    )


def _close_cells(column: Sequence[Resolved]) -> list[Line]:
    """Return the cells that claims of chosen cells pass over, and that differ by little."""
    return [
        _line("single_other", each, pair, found)
        for each in column
        if len({pair.above.levels for pair in each.pairs}) > 1
        for pair in each.pairs
        if pair not in each.matched
        for found in [change(pair.above.values, pair.below.values)]
        if found is not None and found.low_percent is None and abs(found.percent) < FEW_PERCENT
    ]


def check_slower_response(joined: Joined) -> Iterator[AuditFinding]:
    """Yield claimed gains in throughput where response times became longer."""
    times = [m.name for m in {f.metric for f in joined.data.figures} if m.kind is Kind.RESPONSE]
    lines = [
        line
        for column in resolve_claims(joined)
        for each in column
        if kind_of(joined.data, each.metric) is Kind.THROUGHPUT
        for pair in each.matched[:1]
        if clients_of(joined.data, pair.above.levels) == clients_of(joined.data, pair.below.levels)
        if pair.above.mean.value > pair.below.mean.value
        for metric in sorted(times)
        for line in _slower(joined, each, pair, metric)
    ]
    if lines:
        metrics = dict.fromkeys(str(dict(line.figures)["metric"]) for line in lines)
        figures = (("metrics", tuple(metrics)),)
        yield AuditFinding(Code.SLOWER_RESPONSE, joined.data.name, tuple(lines), figures)


def _slower(joined: Joined, resolved: Resolved, pair: Pair, metric: str) -> Iterator[Line]:
    cells = cells_of(joined.data, metric)
    above = matching(cells, [pair.above.subject], pair.above.levels)
    below = matching(cells, [pair.below.subject], pair.below.levels)
    if len(above) != 1 or len(below) != 1:
        return
    found = change(above[0].values, below[0].values)
    if found is None or above[0].mean <= CLEARLY_SLOWER * below[0].mean:
        return
    if found.low_percent is not None and not found.is_shown:
        return
    rate = change(pair.above.values, pair.below.values)
    yield Line(
        "slower",
        cell=label(pair.above.levels),
        subject=pair.above.subject,
        metric=metric,
        throughput_change_percent=rate.percent if rate is not None else None,
        time_ms=above[0].mean,
        other_time_ms=below[0].mean,
    )
