"""Figures held against each other with their rounding: which claims follow, and what they are."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dbdyno.results_table.model import Claim, ClaimForm, Kind

SLACK = 1e-9


@dataclass(frozen=True)
class Rounded:
    """A value and how far it may be off by rounding."""

    value: float
    half_step: float


@dataclass(frozen=True)
class Range:
    """Where a figure lies, by the rounding of what it is computed from."""

    low: float
    exact: float
    high: float

    def mapped(self, scale: float, shift: float) -> Range:
        """Return the range of a linear function."""
        ends = sorted((self.low * scale + shift, self.high * scale + shift))
        return Range(ends[0], self.exact * scale + shift, ends[1])


class Mistake(StrEnum):
    """What a claim is in place of what it says."""

    WRONG_BASE = "wrong-base"
    SIGN = "sign"
    RATIO_AS_CHANGE = "ratio-as-change"
    CHANGE_AS_RATIO = "change-as-ratio"
    POINTS = "points"
    OTHER = "other"


def ratio_range(above: Rounded, below: Rounded) -> Range | None:
    """Return the ratio of two positive figures; None where there is none."""
    if below.value - below.half_step <= 0 or above.value <= 0:
        return None
    return Range(
        max(above.value - above.half_step, 0) / (below.value + below.half_step),
        above.value / below.value,
        (above.value + above.half_step) / (below.value - below.half_step),
    )


def difference_range(above: Rounded, below: Rounded) -> Range:
    """Return by how much the first figure is above the second one."""
    exact, half_step = above.value - below.value, above.half_step + below.half_step
    return Range(exact - half_step, exact, exact + half_step)


def follows(claim: Claim, expected: Range) -> bool:
    """Tell whether a claim is the figure, rounded or cut off at its last digit."""
    value, step = claim.number.value, claim.number.step
    if _written_as(value, step, expected):
        return True
    if claim.is_unit_told or claim.form is not ClaimForm.CHANGE_PERCENT:
        return False
    # Without a unit, 0.2 may be 20 %; below a heading as ``A vs B``, 1.2 may be the ratio.
    is_ratio = bool(claim.below) and _written_as(value, step, expected.mapped(0.01, 1))
    return is_ratio or _written_as(100 * value, 100 * step, expected)


def _written_as(written: float, step: float, expected: Range) -> bool:
    slack = SLACK * max(abs(written), 1)
    cut = step / 2 if written > 0 else 0.0
    cut_negative = step / 2 if written < 0 else 0.0
    low, high = written - step / 2 - cut_negative - slack, written + step / 2 + cut + slack
    return low <= expected.high and expected.low <= high


def expected_of(claim: Claim, ratio: Range, kind: Kind) -> list[Range]:
    """Return what the claim may rightly be: in response times less is an improvement."""
    if claim.form is ClaimForm.CHANGE_PERCENT:
        return _changes(claim, ratio, kind)
    # Twice as fast is half the time; below another heading it may be the ratio of the times.
    speed = _inverse(ratio) if kind is Kind.RESPONSE else ratio
    plain = [speed] if claim.is_speed_up else list(dict.fromkeys((ratio, speed)))
    plain += [_inverse(ratio)] if claim.is_reduction else []
    percent = [each.mapped(100, 0) for each in plain]
    if claim.form is ClaimForm.RATIO:
        return plain
    if claim.form is ClaimForm.EFFICIENCY:
        return percent if claim.is_unit_told else [*percent, *plain]
    both = [*percent, *([speed.mapped(100, -100)] if claim.is_speed_up else [])]
    return sorted(both, key=lambda each: abs(each.exact - claim.number.value))


def _changes(claim: Claim, ratio: Range, kind: Kind) -> list[Range]:
    change, reduction = ratio.mapped(100, -100), ratio.mapped(-100, 100)
    if claim.sign:
        return [change if claim.sign > 0 else reduction]
    if claim.is_reduction:
        return [reduction, change] if claim.number.value < 0 else [reduction]
    if kind is not Kind.RESPONSE:
        return [change]
    faster = [_inverse(ratio).mapped(100, -100)] if claim.is_speed_up else []
    return [change, reduction, *faster]


def _inverse(ratio: Range) -> Range:
    return Range(1 / ratio.high, 1 / ratio.exact, 1 / max(ratio.low, SLACK))


def follows_from(claim: Claim, ratio: Range, kind: Kind) -> bool:
    """Tell whether a claim is one of what it may rightly be of a ratio."""
    return any(follows(claim, each) for each in expected_of(claim, ratio, kind))


def right_value(claim: Claim, ratio: Range, kind: Kind) -> float:
    """Return what would be right, in the direction in which the claim speaks."""
    choices = [each.exact for each in expected_of(claim, ratio, kind)]
    return min(choices, key=lambda value: abs(value - claim.number.value))


def mistake_of(
    claim: Claim, above: Rounded, below: Rounded, ratio: Range, *, in_percent: bool
) -> Mistake:
    """Return what a claim that does not follow is."""
    inverse = _inverse(ratio)
    change = ratio.mapped(100, -100)
    tried: list[tuple[Mistake, list[Range]]] = []
    if claim.form is ClaimForm.CHANGE_PERCENT:
        tried = [
            (Mistake.WRONG_BASE, [inverse.mapped(-100, 100), inverse.mapped(100, -100)]),
            (Mistake.SIGN, [change if claim.sign < 0 else change.mapped(-1, 0)]),
            (Mistake.RATIO_AS_CHANGE, [ratio.mapped(100, 0), ratio]),
        ]
    else:
        tried = [
            (Mistake.WRONG_BASE, [inverse, inverse.mapped(100, 0)]),
            (Mistake.CHANGE_AS_RATIO, [change, ratio.mapped(1, -1)]),
        ]
    if in_percent:
        width = above.half_step + below.half_step
        points = above.value - below.value
        tried.insert(0, (Mistake.POINTS, [Range(points - width, points, points + width)]))
    # A coarse claim matches much by chance: what it is said to be must be far from what is right.
    for mistake, ranges in tried:
        if any(_written_as(claim.number.value, claim.number.step, each) for each in ranges):
            return mistake
    return Mistake.OTHER
