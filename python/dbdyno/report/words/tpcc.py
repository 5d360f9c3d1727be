"""A requirement in words, the same wherever it is told: what was observed, what is allowed."""

from __future__ import annotations

import math

from dbdyno.analysis.tpcc.model import Group, Requirement, Unit
from dbdyno.analysis.tpcc.requirements import SKIPPED_MAX, judge
from dbdyno.report.language import message, say
from dbdyno.report.words.requirements import requirement_name

DISCLAIMER = message("Not a TPC result.")
UNPACED = message("NOPM (the unpaced figure that BenchmarkSQL and tpcc-mysql call tpmC)")
PACED = message("tpmC (with keying and think times)")
"""What the throughput is called."""


def in_words(requirement: Requirement) -> str:
    """Return ``New-Orders rolled back 2.10 % (0.9 to 1.1 %)``."""
    return say(
        "{requirement} {observed} ({allowed})",
        requirement=title(requirement),
        observed=observed(requirement),
        allowed=allowed(requirement),
    )


def title(requirement: Requirement) -> str:
    """Return what is required in words that need no heading above them."""
    match requirement.group:
        case Group.RESPONSE:
            return say("p90 of {kind}", kind=requirement_name(requirement.name))
        case Group.MIX:
            return say("{kind} in the mix", kind=requirement_name(requirement.name))
        case Group.DELIVERY:
            return say("Deliveries that skipped a district")
        case _:
            return requirement_name(requirement.name)


def observed(requirement: Requirement) -> str:
    """Return the figure, with as many decimals as put it on the side of the limit where it is."""
    value = requirement.observed
    if value is None:
        return "–"
    if requirement.unit is Unit.MILLISECONDS:
        return "> 2 h" if math.isinf(value) else _time(value)
    factor, unit = _scale(requirement)
    low, high = (None if end is None else end * factor for end in _range(requirement))
    exact = value * factor
    fewest = 0 if requirement.unit is Unit.COUNT else 2
    texts = [f"{exact:.{decimals}f}" for decimals in range(fewest, 5)]
    standing = judge(exact, low, high)
    faithful = (text for text in texts if judge(float(text), low, high) is standing)
    return next(faithful, texts[-1]) + unit


def allowed(requirement: Requirement) -> str:
    """Return ``0.9 to 1.1 %``, ``at least 43 %``, ``at most 5 s``; "" where there is no limit."""
    low, high = _range(requirement)
    if requirement.group is Group.DELIVERY:
        # One is allowed however few there are; as a share that differs from cell to cell.
        return say("at most {limit}, or one Delivery", limit=f"{SKIPPED_MAX * 100:g} %")
    if requirement.unit is Unit.MILLISECONDS:
        return "" if high is None else say("at most {limit}", limit=f"{high / 1000:g} s")
    factor, unit = _scale(requirement)
    if low is not None and high is not None:
        return say("{low} to {high}", low=_plain(low * factor), high=_plain(high * factor) + unit)
    if low is not None:
        return say("at least {limit}", limit=_plain(low * factor) + unit)
    return "" if high is None else say("at most {limit}", limit=_plain(high * factor) + unit)


def _range(requirement: Requirement) -> tuple[float | None, float | None]:
    return requirement.low, requirement.high


def _scale(requirement: Requirement) -> tuple[float, str]:
    return (100.0, " %") if requirement.unit is Unit.SHARE else (1.0, "")


def _plain(value: float) -> str:
    return f"{value:.4g}"


def _time(value_ms: float) -> str:
    """Return a time with three digits, as the histograms have it, in seconds from 1 s on."""
    value, unit = (value_ms, "ms") if value_ms < 1000 else (value_ms / 1000, "s")
    decimals = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{decimals}f} {unit}"
