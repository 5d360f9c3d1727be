"""What a search has found, in words: the knee, and the clients that keep a limit."""

from __future__ import annotations

from dbdyno.experiment.design.search import Knee, find_knee, next_levels
from dbdyno.experiment.design.search_plan import knee_search
from dbdyno.experiment.plan import PlannedSearch
from dbdyno.store.model import StoredResult
from dbdyno.store.search_points import search_points


def knee_sentences(result: StoredResult) -> tuple[str, ...]:
    """Return a sentence for each combination of the other factors' levels, if searched."""
    search = result.plan.search
    if search is None:
        return ()
    sentences = []
    for cell, points in search_points(result).items():
        knee = find_knee(knee_search(search), points)
        where = f"{cell.label()}: " if cell.levels else ""
        if knee is None:
            sentences.append(f"{where}no number of clients got any work done")
            continue
        is_open = bool(next_levels(knee_search(search), points))
        so_far = "so far, " if is_open else ""
        sentences.append(f"{where}{so_far}{_highest(search, knee)}{_within(search, knee)}")
    return tuple(sentences)


def _highest(search: PlannedSearch, knee: Knee) -> str:
    trials = f"{knee.rounds} trial" + ("" if knee.rounds == 1 else "s")
    at_end = (
        ", the most that was allowed: more may give more" if knee.clients == search.high else ""
    )
    return (
        f"throughput is highest at {knee.clients} clients, {knee.throughput_per_s:,.0f} "
        f"transactions/s ({trials}){at_end}"
    )


def _within(search: PlannedSearch, knee: Knee) -> str:
    if search.limit_s is None or search.quantile is None:
        return ""
    limit = f"a p{100 * search.quantile:g} of {1000 * search.limit_s:g} ms"
    if knee.within_limit is None:
        return f"; not even {search.low} clients keep {limit}"
    if knee.first_beyond_limit is None:
        return f"; all up to {knee.within_limit} clients keep {limit}"
    return f"; up to {knee.within_limit} clients keep {limit}, {knee.first_beyond_limit} do not"
