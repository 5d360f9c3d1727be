"""Means held against the rounds that they are of, and the improvement that all rounds give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from dbdyno.analysis.audit.cells import (
    agrees,
    cells_of,
    label,
    main_metric,
    matching,
    subjects_named,
)
from dbdyno.analysis.audit.model import AuditFinding, Code, Joined, Line
from dbdyno.analysis.audit.subsets import LeftOut, find_left_out
from dbdyno.results_table.model import Figure, Summary

EXTREMES = ("", "lowest", "highest")


@dataclass(frozen=True)
class StatedMean:
    """A stated mean and the figures that it should be of."""

    stated: Figure
    subject: str
    rounds: tuple[Figure, ...]

    @property
    def half_step(self) -> float:
        """Return how far rounding may put it from the mean of figures as they stand here."""
        return self.stated.number.step / 2 + 1e-9 * abs(self.stated.value)

    @property
    def tolerance(self) -> float:
        """Return how far rounding, or cutting off, may put it from the mean."""
        inputs = fmean(each.number.step for each in self.rounds) / 2
        return self.stated.number.step / 2 + inputs + 1e-9 * abs(self.stated.value)

    @property
    def all_of_them(self) -> float:
        """Return what it should be."""
        values = [each.value for each in self.rounds]
        is_median = self.stated.summary is Summary.MEDIAN
        return median(values) if is_median else fmean(values)

    @property
    def holds(self) -> bool:
        """Tell whether it is some usual mean of all its rounds, rounded or cut off."""
        values = [each.value for each in self.rounds]
        allowed = [self.all_of_them, median(values)]
        if min(values) > 0:
            allowed.append(math.exp(fmean(map(math.log, values))))
        cut = self.stated.number.step / 2
        gaps = [self.stated.value - value for value in allowed]
        return any(-self.tolerance - cut <= gap <= self.tolerance for gap in gaps)

    @property
    def name(self) -> str:
        """Return whose mean it is."""
        return " ".join(filter(None, (self.subject, label(self.stated.levels))))


def check_means(joined: Joined) -> Iterator[AuditFinding]:
    """Yield what is wrong with stated means: those that leave rounds out, and all others."""
    wrong = [mean for mean in means_of(joined) if not mean.holds]
    found = [
        (
            mean,
            find_left_out([r.value for r in mean.rounds], mean.stated.value, mean.half_step)
            if mean.stated.summary is Summary.MEAN
            else None,
        )
        for mean in wrong
    ]
    named = [_left_out_line(mean, left) for mean, left in found if left is not None]
    if named:
        lines = [*named, *_improvements(joined, [m for m, left in found if left is not None])]
        yield AuditFinding(
            Code.ROUNDS_LEFT_OUT,
            joined.data.name,
            tuple(lines),
            (("means", len(named)), ("checked", len(means_of(joined)))),
        )
    unfounded = [mean for mean, left in found if left is None]
    if unfounded:
        yield AuditFinding(
            Code.MEAN_UNFOUNDED, joined.data.name, tuple(map(_unfounded_line, unfounded))
        )


def means_of(joined: Joined) -> list[StatedMean]:
    """Return all stated means whose rounds are known."""
    found = [mean for stated in joined.stated if (mean := _of_claims(joined, stated))]
    summaries = (Summary.MEAN, Summary.MEDIAN)
    in_table = [each for each in joined.data.figures if each.summary in summaries]
    return found + [mean for stated in in_table if (mean := _of_rows(joined, stated))]


def _of_claims(joined: Joined, stated: Figure) -> StatedMean | None:
    """Return a mean of a table of claims with its rounds; None where it is not of one cell."""
    known = {each.metric.name for each in joined.data.figures}
    metric = stated.metric.name if stated.metric.name in known else main_metric(joined.data)
    subjects = subjects_named(joined.data, stated.subject) if stated.subject else [""]
    if len(subjects) > 1:
        subjects = [s for s in subjects if s.lower() == stated.subject.lower()]
    cells = matching(cells_of(joined.data, metric), subjects, stated.levels)
    if len(cells) != 1:
        return None
    return StatedMean(stated, stated.subject, cells[0].figures)


def _of_rows(joined: Joined, stated: Figure) -> StatedMean | None:
    """Return a mean that stands in the table with the rounds of its levels, or those above it."""
    same = _figures_of(joined, stated)
    asked = [
        each
        for each in same
        if agrees(each.levels, stated.levels) and stated.subject in ("", each.subject)
    ]
    ends = [
        each.place.line
        for each in joined.data.figures
        if each.summary is not None and each.place.line < stated.place.line
    ]
    above = [each for each in asked if max(ends, default=0) < each.place.line < stated.place.line]
    choices = [
        StatedMean(stated, stated.subject, tuple(each)) for each in (asked, above) if len(each) > 1
    ]
    if not choices:
        return None
    is_spanning = stated.subject == "" and bool(joined.data.subjects)
    return next((each for each in choices if each.holds), choices[-1 if is_spanning else 0])


def _figures_of(joined: Joined, stated: Figure) -> list[Figure]:
    """Return all figures that a mean may be of: those of its column, its row, or the only metric.

    A column of means has its rounds in the same row, or merged over the rows of its rounds.
    """
    measured = joined.data.rounds
    own = [each for each in measured if each.metric == stated.metric]
    in_column = [each for each in own if each.place.column == stated.place.column]
    in_row = [each for each in own if each.place.line == stated.place.line]
    if in_column or len(in_row) > 1:
        return in_column or in_row
    metrics = {each.metric for each in measured}
    of_only = [each for each in measured if len(metrics) == 1]
    return own if len(own) > 1 else of_only


def _left_out_line(mean: StatedMean, left: LeftOut) -> Line:
    return Line(
        "left_out",
        name=mean.name,
        stated=mean.stated.number.text,
        line=mean.stated.place.line,
        table=mean.stated.place.table,
        rounds=_names(mean.rounds, left.places),
        count=len(left.places),
        of=len(mean.rounds),
        extreme=EXTREMES[1 if left.are_lowest else 2 if left.are_highest else 0],
        mean_of_all=mean.all_of_them,
    )


def _names(rounds: Sequence[Figure], places: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(rounds[place].round or str(place + 1) for place in places)


def _unfounded_line(mean: StatedMean) -> Line:
    return Line(
        "unfounded" if len(mean.rounds) > 1 else "unfounded_single",
        name=mean.name,
        stated=mean.stated.number.text,
        line=mean.stated.place.line,
        column=mean.stated.place.column,
        table=mean.stated.place.table,
        of=len(mean.rounds),
        mean_of_all=mean.all_of_them,
    )


def _improvements(joined: Joined, wrong: Sequence[StatedMean]) -> Iterator[Line]:
    """Yield the change between two subjects from all rounds, beside what their means give."""
    by_levels: dict[tuple[tuple[str, str], ...], list[StatedMean]] = {}
    levels = {mean.stated.levels for mean in wrong}
    for mean in means_of(joined):
        if mean.stated.levels in levels and mean.subject:
            by_levels.setdefault(mean.stated.levels, []).append(mean)
    for place, means in by_levels.items():
        if len(means) != 2:
            continue
        higher, lower = sorted(means, key=lambda mean: -mean.stated.value)
        yield Line(
            "improvement",
            cell=label(place),
            subject=higher.subject,
            other=lower.subject,
            from_stated_percent=100 * (higher.stated.value / lower.stated.value - 1),
            from_all_percent=100 * (higher.all_of_them / lower.all_of_them - 1),
        )
