"""Steadiness in words: how much throughput changed over the window, and what came with a dip."""

from __future__ import annotations

from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.compare.model import SHOWN, Comparison
from dbdyno.analysis.findings import Findings
from dbdyno.analysis.steadiness.model import CellSteadiness, Change, Dip, ServerEvent
from dbdyno.analysis.steadiness.trial_steadiness import DIP_SHARE, FEWEST_INTERVALS
from dbdyno.analysis.throughput import ThroughputMeasure
from dbdyno.report import figures
from dbdyno.report.language import clauses, listed, message, say, say_count

UNLIKE_TREND_MIN = 0.1
"""Changes over the window that are nearer to each other than this share are taken to be alike."""

_EVENTS = {
    ServerEvent.CHECKPOINT_TIMED: message("checkpoint, by time"),
    ServerEvent.CHECKPOINT_REQUESTED: message("checkpoint, requested"),
    ServerEvent.FLUSH_WAIT: message("waits for pages to be flushed"),
    ServerEvent.AUTOVACUUM: message("autovacuum"),
}


def meaning() -> str:
    """Return what steadiness is, and what the table's figures are."""
    return say(
        "How even throughput was from interval to interval within a trial. P5 and P95 are of the "
        "intervals' throughput, in percent of their trial's median. A dip is a run of intervals "
        "below {dip} of the median. The trend is the change from the first to the last interval "
        "by the slope of Theil and Sen. Only whole intervals count, and trials with at least "
        "{fewest} of them.",
        dip=figures.percent(100 * DIP_SHARE),
        fewest=FEWEST_INTERVALS,
    )


def changes_in_words(findings: Findings) -> str:
    """Return how often throughput moved to another level within a trial."""
    changes = findings.steadiness.changes
    trials = {change.trial for _, change in changes}
    if not changes:
        return ""
    return say_count(
        "In {count} trial throughput moved to another level and stayed there for a while, {times} "
        "in all. Marks in the charts over time show where; no verdict rests on them.",
        "In {count} trials throughput moved to another level and stayed there for a while, {times} "
        "in all. Marks in the charts over time show where; no verdict rests on them.",
        len(trials),
        times=say_count("{count} time", "{count} times", len(changes)),
    )


def change_in_words(change: Change, measure: ThroughputMeasure) -> str:
    """Return what a mark of a change of level says."""
    percent = 100 * (change.after_per_s / change.before_per_s - 1) if change.before_per_s else None
    before, after = (
        figures.rate(measure.of(each)) for each in (change.before_per_s, change.after_per_s)
    )
    return say(
        "trial {trial}, {seconds} s: {before} → {after} ({percent})",
        trial=change.trial,
        seconds=f"{change.at_s:.4g}",
        before=before,
        after=after,
        percent=figures.ABSENT if percent is None else figures.effect(percent, None, None)[0],
    )


def dip_in_words(dip: Dip) -> str:
    """Return what a mark of a dip says."""
    text = say(
        "trial {trial}, {seconds} s: dip to {lowest} of the median, {duration} s",
        trial=dip.trial,
        seconds=f"{dip.start_s:.4g}",
        lowest=figures.share(dip.lowest_share),
        duration=f"{dip.duration_s:.4g}",
    )
    return clauses([text, beside_in_words(dip)] if dip.events else [text])


def trend_in_words(cell: CellSteadiness) -> tuple[str, str]:
    """Write the change over the window with its interval: ``("−3.1 %", "[−5.0, −1.2]")``."""
    ends = (None if end is None else 100 * end for end in (cell.change_low, cell.change_high))
    return figures.effect(100 * cell.change_share, *ends)


def unlike_trends(comparison: Comparison, findings: Findings) -> str:
    """Return that throughput of the two did not change alike over the window, or "".

    Of a difference that is shown, and where the intervals of both trends lie apart: how large it
    is then depends on how long the window was.
    """
    if comparison.kind not in SHOWN or comparison.metric != THROUGHPUT:
        return ""
    known = {each.cell: each for each in findings.steadiness.cells}
    own, base = known.get(comparison.cell), known.get(comparison.baseline)
    if own is None or base is None or not _lie_apart(own, base):
        return ""
    return say(
        "{baseline} changed by {baseline_change} over the window, {level} by {change}: how large "
        "the difference is depends on the window",
        baseline=comparison.baseline.level(comparison.factor),
        baseline_change=trend_in_words(base)[0],
        level=comparison.cell.level(comparison.factor),
        change=trend_in_words(own)[0],
    )


def _lie_apart(own: CellSteadiness, base: CellSteadiness) -> bool:
    lower, upper = sorted((own, base), key=lambda each: each.change_share)
    if lower.change_high is None or upper.change_low is None:
        return False
    differ = upper.change_share - lower.change_share >= UNLIKE_TREND_MIN
    return differ and lower.change_high < upper.change_low


def beside_in_words(dip: Dip) -> str:
    """Return what the server counted beside a dip."""
    return listed(say(_EVENTS[event]) for event in dip.events) or figures.ABSENT


def dips_in_words(findings: Findings) -> str:
    """Return how many dips there were in all, and how many of them are listed."""
    listed_dips = len(findings.steadiness.worst)
    total = listed_dips + findings.steadiness.unlisted
    if not total:
        return say("No interval of any trial was below half of its trial's median.")
    if findings.steadiness.unlisted:
        return say_count(
            "{count} dip in all; listed: the {listed} worst, by the work that was not done "
            "meanwhile, told as seconds of the median.",
            "{count} dips in all; listed: the {listed} worst, by the work that was not done "
            "meanwhile, told as seconds of the median.",
            total,
            listed=listed_dips,
        )
    return say_count(
        "{count} dip in all; listed: all, by the work that was not done meanwhile, told as seconds "
        "of the median.",
        "{count} dips in all; listed: all, by the work that was not done meanwhile, told as "
        "seconds of the median.",
        total,
    )
