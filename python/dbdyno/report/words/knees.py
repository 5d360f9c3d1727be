"""What a search has found, in sentences: the knee, and the clients that keep a limit."""

from __future__ import annotations

from dbdyno.analysis.findings import Findings
from dbdyno.analysis.knee import FoundKnee
from dbdyno.experiment.design.search import Knee
from dbdyno.experiment.plan import PlannedSearch
from dbdyno.report import figures
from dbdyno.report.language import clauses, say, say_count
from dbdyno.report.words.evidence.figures import number


def knee_sentences(findings: Findings) -> list[str]:
    """Return a sentence for each combination of the other factors' levels, without its full stop.

    It begins with a small letter where no levels stand before it.
    """
    return [
        say("{cell}: {found}", cell=found.others.label(), found=_sentence(found))
        if found.others.levels
        else _sentence(found)
        for found in findings.knees
    ]


def _sentence(found: FoundKnee) -> str:
    knee = found.knee
    if knee is None:
        return say("no number of clients got any work done")
    at_end = ""
    if knee.clients == found.search.high:
        at_end = say("this is the most that was allowed, and more may give more")
    highest = _highest(knee, is_open=found.is_open)
    return clauses([highest, _beyond(knee), at_end, _within(found.search, knee)])


def _highest(knee: Knee, *, is_open: bool) -> str:
    shown = {
        "clients": figures.count(knee.clients),
        "throughput": figures.count(knee.throughput_per_s),
        "trials": say_count("{count} trial", "{count} trials", knee.rounds),
    }
    if is_open:
        return say(
            "so far, throughput is highest at {clients} clients, {throughput} transactions/s "
            "({trials})",
            **shown,
        )
    return say(
        "throughput is highest at {clients} clients, {throughput} transactions/s ({trials})",
        **shown,
    )


def _beyond(knee: Knee) -> str:
    """Return what more clients gave; "" where none gave more."""
    if knee.best is None:
        return ""
    return say(
        "more clients gave no more than noise explains ({clients}: {throughput} transactions/s)",
        clients=figures.count(knee.best.clients),
        throughput=figures.count(knee.best.throughput_per_s),
    )


def _within(search: PlannedSearch, knee: Knee) -> str:
    """Return which numbers of clients keep the limit; "" where none is asked for."""
    if search.limit_s is None or search.quantile is None:
        return ""
    limit = {"quantile": number(100 * search.quantile), "limit": number(1000 * search.limit_s)}
    if knee.within_limit is None:
        return say_count(
            "not even {count} client keeps a p{quantile} of {limit} ms",
            "not even {count} clients keep a p{quantile} of {limit} ms",
            search.low,
            **limit,
        )
    within = figures.count(knee.within_limit)
    if knee.first_beyond_limit is None:
        return say(
            "all up to {clients} clients keep a p{quantile} of {limit} ms", clients=within, **limit
        )
    return say(
        "up to {clients} clients keep a p{quantile} of {limit} ms, {beyond} do not",
        clients=within,
        beyond=figures.count(knee.first_beyond_limit),
        **limit,
    )
