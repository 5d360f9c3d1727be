"""Steadiness in words: how much throughput changed over the window, and what came with a dip."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.steadiness.model import CellSteadiness, Dip, ServerEvent
from dbdyno.analysis.steadiness.trial_steadiness import DIP_SHARE, FEWEST_INTERVALS
from dbdyno.report import figures
from dbdyno.report.language import listed, message, say, say_count

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


def trend_in_words(cell: CellSteadiness) -> tuple[str, str]:
    """Write the change over the window with its interval: ``("−3.1 %", "[−5.0, −1.2]")``."""
    ends = (None if end is None else 100 * end for end in (cell.change_low, cell.change_high))
    return figures.effect(100 * cell.change_share, *ends)


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
