"""Where the level of a series changed, and whether it drifts; of the whole series, after the fact.

A part of a series at another level than the rest is looked for at the end of it and within it, as
circular binary segmentation does (Olshen and others, Biostatistics 5, 2004, 557-572), and its parts
are looked at again. The statistic is the share of the squares that the part explains; its limit is
that of normal noise by Monte Carlo, for the largest of so many parts. A single outlier is put to
the median of itself and its neighbours first, also in the noise, so that it hides nothing. A drift
is shown by Mann and Kendall's test, where a line describes the series better than levels do (BIC).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import special

FEWEST = 3
"""So many results a history needs before one that may be at another level."""
CONFIRMED = 2
"""So many results in a row make a level."""
CHANCE = 0.0075
"""That noise alone shows a level at the end of a series; the same again for one within it."""
DRIFT_CHANCE = 0.005
LEAST_CHANGE = math.log(1.001)
"""A tenth of a percent: less is seen by nobody, however little a rate that was given scatters."""
OUTLYING = 4.0
"""Deviations from the median of three, in standard deviations of the noise."""
DRAWS = 4000
DRAWN_RESULTS = 80
"""The limit of a longer series hardly differs: it grows by the logarithm of its parts."""

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Levels:
    """Where each level of a series begins, the first at 0; and what it drifts by, as a logarithm.

    ``drift`` is None where no drift is shown; otherwise the series has one level.
    """

    begins: tuple[int, ...]
    drift: float | None


def find_levels(logarithms: Values) -> Levels:
    """Return the levels of a series of logarithms, the oldest first."""
    if len(logarithms) < FEWEST + CONFIRMED:
        return Levels((0,), None)
    cleaned = without_outliers(logarithms[np.newaxis])[0]
    begins = (0, *sorted(_changes(cleaned, 0)))
    drift = _drift(cleaned)
    if drift is not None and _is_rather_a_line(cleaned, begins):
        return Levels((0,), drift)
    return Levels(begins, None)


def without_outliers(rows: Values) -> Values:
    """Return rows of results with single outliers put to the median of three.

    The noise is known by successive differences, which a step or a drift hardly enters.
    """
    ends = np.concatenate([rows[:, 2:3], rows, rows[:, -3:-2]], axis=1)
    middle = np.median(np.stack([ends[:, :-2], rows, ends[:, 2:]]), axis=0)
    noise = np.median(np.abs(np.diff(rows, axis=1)), axis=1) * 1.4826 / math.sqrt(2)
    return np.where(np.abs(rows - middle) > OUTLYING * noise[:, np.newaxis], middle, rows)


def _changes(cleaned: Values, at: int) -> Iterator[int]:
    """Yield where levels begin within a part of the series that begins at ``at``."""
    found = _part_apart(cleaned, at)
    if found is None:
        return
    edges = [0, *(edge for edge in found if edge < len(cleaned)), len(cleaned)]
    for begin, end in pairwise(edges):
        if begin:
            yield at + begin
        yield from _changes(cleaned[begin:end], at + begin)


def _part_apart(cleaned: Values, at: int) -> tuple[int, int] | None:
    """Return begin and end of the part that is most surely at another level; None where none is."""
    count = len(cleaned)
    if count < FEWEST + CONFIRMED:
        return None
    limits = _limits(count)
    surest, best = 0.0, None
    for limit, parts in zip(limits, (_ends(count), _inner(count)), strict=True):
        shares = _explained(cleaned[np.newaxis], parts)[0]
        if not len(shares):
            continue
        place = int(np.argmax(shares))
        begin, end = int(parts[0][place]), int(parts[1][place])
        inside, outside = cleaned[begin:end], np.delete(cleaned, slice(begin, end))
        is_seen = abs(inside.mean() - outside.mean()) > LEAST_CHANGE
        if is_seen and shares[place] > limit and shares[place] > surest:
            surest, best = float(shares[place]), (begin, end)
    return best


Parts = tuple[NDArray[np.intp], NDArray[np.intp]]


@lru_cache(maxsize=256)
def _ends(count: int) -> Parts:
    """Return begins and ends of all parts at the end of so many results."""
    begins = np.arange(FEWEST, count - CONFIRMED + 1)
    return begins, np.full_like(begins, count)


@lru_cache(maxsize=256)
def _inner(count: int) -> Parts:
    """Return begins and ends of all parts with results before and after them."""
    begins, ends = np.triu_indices(count + 1, CONFIRMED)
    fits = (begins >= FEWEST) & (ends <= count - CONFIRMED)
    return begins[fits], ends[fits]


def _explained(rows: Values, parts: Parts) -> Values:
    """Return the share of each row's squares that each part explains by a level of its own."""
    count = rows.shape[1]
    centred = rows - rows.mean(axis=1, keepdims=True)
    sums = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(centred, axis=1)], axis=1)
    begins, ends = parts
    lengths = ends - begins
    between = (sums[:, ends] - sums[:, begins]) ** 2 * count / (lengths * (count - lengths))
    squares = np.sum(centred**2, axis=1, keepdims=True)
    shares: Values = np.zeros(between.shape)
    np.divide(between, squares, out=shares, where=squares > 0)
    return shares


@lru_cache(maxsize=256)
def _limits(count: int) -> tuple[float, float]:
    """Return what parts at the end, and parts within, explain of noise as seldom as ``CHANCE``."""
    drawn = min(count, DRAWN_RESULTS)
    draws = min(DRAWS, 4_000_000 // drawn**2)
    noise = np.random.default_rng(drawn).standard_normal((draws, drawn))
    cleaned = without_outliers(noise)
    at_end, within = (
        float(np.quantile(_explained(cleaned, parts).max(axis=1, initial=0.0), 1 - CHANCE))
        for parts in (_ends(drawn), _inner(drawn))
    )
    return _of_count(at_end, drawn, count), _of_count(within, drawn, count)


def _of_count(share: float, drawn: int, count: int) -> float:
    """Return the share that has the same F among ``count`` results as among those drawn."""
    if share >= 1:
        return share
    ratio = share / (1 - share) * (drawn - 2)
    return ratio / (ratio + count - 2)


def _drift(cleaned: Values) -> float | None:
    """Return the change along the line of least squares, where Mann and Kendall show a trend."""
    count = len(cleaned)
    signs = np.sign(cleaned[np.newaxis, :] - cleaned[:, np.newaxis])
    score = float(np.sum(np.triu(signs, 1)))
    deviation = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    p_value = 2 * float(special.ndtr(-max(abs(score) - 1, 0) / deviation))
    slope = float(np.polyfit(np.arange(count), cleaned, 1)[0])
    change = slope * (count - 1)
    return change if p_value < DRIFT_CHANCE and abs(change) > LEAST_CHANGE else None


def _is_rather_a_line(cleaned: Values, begins: tuple[int, ...]) -> bool:
    """Compare a line with levels by the Bayesian information criterion."""
    count = len(cleaned)
    slope, begin = np.polyfit(np.arange(count), cleaned, 1)
    line: Values = begin + slope * np.arange(count, dtype=np.float64)
    edges = [*begins, count]
    levels = np.concatenate([np.full(b - a, cleaned[a:b].mean()) for a, b in pairwise(edges)])

    def criterion(model: Values, parameters: int) -> float:
        squares = max(float(np.mean((cleaned - model) ** 2)), np.finfo(float).tiny)
        return count * math.log(squares) + parameters * math.log(count)

    return criterion(line, 2) < criterion(levels, 2 * len(begins) - 1)
