"""Percentages and ratios that do not follow, or are of chosen cells, or hang on a rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import fmean

from dbdyno.analysis.audit.cells import label
from dbdyno.analysis.audit.changes import resolve_claims
from dbdyno.analysis.audit.model import AuditFinding, Code, FigureValue, Joined, Line
from dbdyno.analysis.audit.pairs import Pair, Resolved
from dbdyno.analysis.audit.ratios import (
    SLACK,
    Range,
    Rounded,
    expected_of,
    follows_from,
    mistake_of,
    ratio_range,
    right_value,
)
from dbdyno.results_table.model import ClaimForm, Kind, Levels

FEW = 3
"""Claims of a column that may all be wrong without a reason to doubt what they are of."""


def check_changes(joined: Joined) -> Iterator[AuditFinding]:
    """Yield the claims that do not follow from the two figures, a finding for all of a table."""
    lines = [
        line
        for column in resolve_claims(joined)
        if is_understood(column)
        for each in column
        if not each.matched
        for line in _wrong(each)
    ]
    if lines:
        yield AuditFinding(Code.CHANGE_WRONG, joined.data.name, tuple(lines))


def is_understood(column: Sequence[Resolved]) -> bool:
    """Tell whether it is known what the claims of a column compare.

    Where none of three or more follows, nor is a usual mistake, they are of something else.
    """
    if len(column) < FEW or any(each.matched for each in column):
        return True
    kinds = [line.kind for each in column for line in _wrong(each)]
    return any(kind not in ("change_other", "no_cell") for kind in kinds)


def _wrong(resolved: Resolved) -> Iterator[Line]:
    claim, pairs = resolved.claim, resolved.pairs
    if len(pairs) > 1 and _is_of_all(resolved):
        return
    ratios = [(pair, ratio) for pair in pairs if (ratio := pair.ratio()) is not None]
    if not ratios:
        return
    told: dict[str, FigureValue] = {
        "table": claim.place.table,
        "line": claim.place.line,
        "column": claim.place.column,
        "cell": label(claim.levels),
        "stated": claim.number.text,
    }
    if len(ratios) > 1:
        expected = [expected_of(claim, ratio, resolved.kind)[0].exact for _, ratio in ratios]
        yield Line("no_cell", **told, cells=len(ratios), low=min(expected), high=max(expected))
        return
    pair, ratio = ratios[0]
    above, below = pair.above.mean, pair.below.mean
    subject, other = pair.names
    sides: dict[str, FigureValue] = {
        "subject": subject,
        "figure": above.value,
        "other": other,
        "other_figure": below.value,
    }
    if claim.form is ClaimForm.DIFFERENCE:
        yield Line("change_other", **told, **sides, right=pair.difference().exact, unit="")
        return
    in_percent = resolved.kind is Kind.SUCCESS or "percent" in resolved.metric
    mistake = mistake_of(claim, above, below, ratio, in_percent=in_percent)
    yield Line(
        f"change_{mistake.value.replace('-', '_')}",
        **told,
        **sides,
        right=right_value(claim, ratio, resolved.kind),
        unit="" if claim.form is ClaimForm.RATIO else "%",
    )


def _is_of_all(resolved: Resolved) -> bool:
    """Tell whether a claim is of all its cells: their means, or the mean of their ratios."""
    pairs = resolved.pairs
    above = Rounded(fmean(p.above.mean.value for p in pairs), pairs[0].above.half_step)
    below = Rounded(fmean(p.below.mean.value for p in pairs), pairs[0].below.half_step)
    ratios = [each for pair in pairs if (each := pair.ratio()) is not None]
    tried = [ratio_range(above, below), geometric_mean(ratios)]
    return any(
        follows_from(resolved.claim, ratio, resolved.kind) for ratio in tried if ratio is not None
    )


def geometric_mean(ratios: Sequence[Range]) -> Range | None:
    """Return the geometric mean of ratios with its rounding."""
    if not ratios or min(ratio.low for ratio in ratios) <= 0:
        return None
    ends = [
        math.exp(fmean(math.log(getattr(ratio, end)) for ratio in ratios))
        for end in ("low", "exact", "high")
    ]
    return Range(*ends)


def check_rounding(joined: Joined) -> Iterator[AuditFinding]:
    """Yield claims of a difference between figures that are rounded too coarsely to show one."""
    lines = []
    for column in resolve_claims(joined):
        for each in column:
            pair = each.matched[0] if len(each.matched) == 1 else None
            ratio = pair.ratio() if pair is not None else None
            if pair is None or ratio is None:
                continue
            is_either = ratio.low <= 1 + SLACK and ratio.high >= 1 - SLACK
            if is_either and each.claim.number.value not in (0, 1, 100):
                lines.append(_rounding_line(each, pair, ratio))
    if lines:
        yield AuditFinding(Code.WITHIN_ROUNDING, joined.data.name, tuple(lines))


def _rounding_line(resolved: Resolved, pair: Pair, ratio: Range) -> Line:
    change = ratio.mapped(100, -100)
    return Line(
        "rounding",
        cell=label(resolved.claim.levels),
        stated=resolved.claim.number.text,
        line=resolved.claim.place.line,
        table=resolved.claim.place.table,
        subject=pair.above.subject,
        figure=pair.above.mean.value,
        other=pair.below.subject,
        other_figure=pair.below.mean.value,
        low_percent=change.low,
        high_percent=change.high,
    )


def check_chosen_cells(joined: Joined) -> Iterator[AuditFinding]:
    """Yield columns of claims that are each of one cell of several, chosen alike."""
    for column in resolve_claims(joined):
        open_claims = [each for each in column if len(_open_levels(each)) > 1]
        if not open_claims or not all(each.matched for each in open_claims):
            continue
        if all(_is_of_all(each) for each in open_claims):
            continue
        common = set.intersection(
            *({_extra(each, pair) for pair in each.matched} for each in open_claims)
        )
        if len(common) == 1:
            yield _chosen(joined, open_claims, next(iter(common)))


def _extra(resolved: Resolved, pair: Pair) -> Levels:
    """Return the levels of a pair that its claim does not name."""
    named = {name.lower() for name, _ in resolved.claim.levels}
    return tuple((n, level) for n, level in pair.above.levels if n.lower() not in named)


def _open_levels(resolved: Resolved) -> set[Levels]:
    return {_extra(resolved, pair) for pair in resolved.pairs}


def _chosen(joined: Joined, column: Sequence[Resolved], chosen: Levels) -> AuditFinding:
    lines = []
    for each in column:
        pair = next(pair for pair in each.matched if _extra(each, pair) == chosen)
        ratios = [ratio.exact for other in each.pairs if (ratio := other.ratio()) is not None]
        exact = [ratio.exact for p in (pair,) if (ratio := p.ratio()) is not None]
        lines.append(
            Line(
                "chosen",
                cell=label(each.claim.levels),
                stated=each.claim.number.text,
                subject=pair.above.subject,
                figure=pair.above.mean.value,
                other=pair.below.subject,
                other_figure=pair.below.mean.value,
                ratio=exact[0],
                low=min(ratios),
                high=max(ratios),
                pairs=len(ratios),
            )
        )
    opponents = {pair.below.subject for each in column for pair in each.pairs}
    best = len(opponents) > 1 and all(_is_best(each, chosen) for each in column)
    return AuditFinding(
        Code.CHOSEN_CELLS,
        joined.data.name,
        tuple(lines),
        (
            ("at", label(chosen)),
            ("levels", len(set().union(*map(_open_levels, column)))),
            ("variants", tuple(sorted(opponents)) if best else ()),
        ),
        variant="best" if best else "",
    )


def _is_best(resolved: Resolved, chosen: Levels) -> bool:
    """Tell whether the other side is the better of its variants in the chosen cell."""
    at = [pair for pair in resolved.pairs if _extra(resolved, pair) == chosen]
    matched = [pair for pair in at if pair in resolved.matched]
    return max(p.below.mean.value for p in at) == max(p.below.mean.value for p in matched)
