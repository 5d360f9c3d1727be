"""One figure for several cells: a mean of percentages or of ratios."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from dbdyno.analysis.audit.cells import agrees, label
from dbdyno.analysis.audit.change_checks import geometric_mean
from dbdyno.analysis.audit.changes import resolve_claims
from dbdyno.analysis.audit.means import means_of
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.analysis.audit.pairs import Resolved
from dbdyno.analysis.audit.ratios import Range, Rounded, expected_of, follows, ratio_range
from dbdyno.results_table.model import Claim, ClaimForm, Role, Summary


def check_percentiles(joined: Joined) -> Iterator[AuditFinding]:
    """Yield means of percentiles over loads or workloads: they are percentiles of nothing."""
    cases = joined.data.named(Role.CASE)
    lines = tuple(
        Line(
            "mean_of_percentiles",
            stated=mean.stated.number.text,
            line=mean.stated.place.line,
            column=mean.stated.place.column,
            metric=mean.stated.metric.name,
            rows=len(mean.rounds),
        )
        for mean in means_of(joined)
        if mean.stated.summary is Summary.MEAN
        and mean.stated.summarised not in ("", *cases)
        and re.fullmatch(r"p\d\S*", mean.stated.metric.name)
        and mean.holds
    )
    if lines:
        yield AuditFinding(Code.MEAN_OF_PERCENTILES, joined.data.name, lines)


@dataclass(frozen=True)
class _Aggregate:
    """A claim over several cells, with what the cells give."""

    claim: Claim
    members: tuple[Resolved, ...]
    plain: Range
    """The mean of the claims of the cells."""
    geometric: float
    low: float
    high: float
    is_plain: bool
    is_fair: bool
    """Whether it is the geometric mean, or the ratio of the cells' means."""


def check_aggregates(joined: Joined) -> Iterator[AuditFinding]:
    """Yield claims over several cells that are plain means of percentages, or nothing at all."""
    wrong: list[Line] = []
    plain: list[Line] = []
    for judged in _judged(joined):
        wrong += [_line("aggregate_wrong", e) for e in judged if not e.is_plain and not e.is_fair]
        # What is the same by either mean tells nothing; the others of the column tell which it is.
        if any(each.is_plain and not each.is_fair for each in judged):
            plain += [_line("plain_mean", each) for each in judged if each.is_plain]
    for code, lines in ((Code.AGGREGATE_WRONG, wrong), (Code.MEAN_OF_RATIOS, plain)):
        if lines:
            yield AuditFinding(code, joined.data.name, tuple(lines))


def judged_aggregates(joined: Joined) -> list[Claim]:
    """Return the claims over several cells whose cells are known."""
    return [each.claim for judged in _judged(joined) for each in judged]


def _judged(joined: Joined) -> Iterator[list[_Aggregate]]:
    """Yield what is known of the claims over cells of each column."""
    every = [each for found in resolve_claims(joined) for each in found]
    for key, column in _by_column(joined).items():
        own = [each for each in every if _key(each.claim) == key]
        # A summary that is printed elsewhere is of a column of this table.
        members = own or [each for each in every if each.claim.column == key[1]]
        yield [each for claim in column if (each := _judge(claim, members)) is not None]


Key = tuple[str, str]


def _key(claim: Claim) -> Key:
    return claim.place.table, claim.column


def _by_column(joined: Joined) -> dict[Key, list[Claim]]:
    columns: dict[Key, list[Claim]] = {}
    for claim in joined.claims:
        if claim.over:
            columns.setdefault(_key(claim), []).append(claim)
    return columns


def _judge(claim: Claim, column: Sequence[Resolved]) -> _Aggregate | None:
    """Return what is known of a claim over cells; None where there are less than two of them."""
    members = [each for each in column if agrees(each.claim.levels, claim.levels)]
    used = [pair for each in members for pair in (each.matched or each.pairs)[:1]]
    ratios = [ratio for pair in used if (ratio := pair.ratio()) is not None]
    geometric = geometric_mean(ratios)
    if len(members) < 2 or len(ratios) != len(members) or geometric is None:
        return None
    kind = members[0].kind
    exact = [expected_of(claim, ratio, kind)[0].exact for ratio in ratios]
    stated = [each.claim.number.value for each in members]
    half = fmean(each.claim.number.step for each in members) / 2
    plain = Range(fmean(stated) - half, fmean(stated), fmean(stated) + half)
    of_means = ratio_range(
        Rounded(fmean(p.above.mean.value for p in used), 0),
        Rounded(fmean(p.below.mean.value for p in used), 0),
    )
    fair = [
        each
        for ratio in (geometric, of_means)
        if ratio is not None
        for each in expected_of(claim, ratio, kind)
    ]
    return _Aggregate(
        claim=claim,
        members=tuple(members),
        plain=plain,
        geometric=expected_of(claim, geometric, kind)[0].exact,
        low=min(exact),
        high=max(exact),
        is_plain=follows(claim, plain) or follows(claim, _point(fmean(exact))),
        is_fair=any(follows(claim, each) for each in fair),
    )


def _point(value: float) -> Range:
    return Range(value, value, value)


def _line(kind: str, each: _Aggregate) -> Line:
    return Line(
        kind,
        cell=label(each.claim.levels),
        stated=each.claim.number.text,
        table=each.claim.place.table,
        line=each.claim.place.line,
        cells=len(each.members),
        plain=each.plain.exact,
        geometric=each.geometric,
        low=each.low,
        high=each.high,
        unit="" if each.claim.form is ClaimForm.RATIO else "%",
    )
