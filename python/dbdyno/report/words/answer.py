"""Lines of the first screen that sum up a whole section."""

from __future__ import annotations

from dbdyno.analysis.steadiness.model import Steadiness
from dbdyno.report import figures
from dbdyno.report.language import say, say_count, sentences


def steadiness_line(steadiness: Steadiness) -> str:
    """Return how steady throughput was within trials; "" where nothing is known."""
    if not steadiness.cells:
        return ""
    shares = [cell.variation.mean for cell in steadiness.cells]
    low, high = figures.share(min(shares)), figures.share(max(shares))
    if low == high:
        varied = say(
            "Within trials, throughput varied by {low} (coefficient of variation).", low=low
        )
    else:
        varied = say(
            "Within trials, throughput varied by {low} to {high} (coefficient of variation).",
            low=low,
            high=high,
        )
    dips = len(steadiness.worst) + steadiness.unlisted
    return sentences([varied, _dips(steadiness, dips)])


def _dips(steadiness: Steadiness, dips: int) -> str:
    if not dips:
        return say("No dips below half of the median.")
    longest_s = max((dip.duration_s for _, dip in steadiness.worst), default=0.0)
    return say_count(
        "{count} dip below half of the median, {longest} s long.",
        "{count} dips below half of the median; the longest that the section lists took {longest} "
        "s.",
        dips,
        longest=f"{longest_s:,.3g}",
    )
