"""What the limit of each cell was, by what its trials say and by how that changes with load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from dbdyno.analysis.bottleneck.collected import CellFigures, Collected, SubjectFigures
from dbdyno.analysis.bottleneck.growth import grows, series_of_each
from dbdyno.analysis.bottleneck.model import (
    CellLimit,
    Certainty,
    Figure,
    FigureName,
    Limit,
    LimitCode,
)
from dbdyno.analysis.bottleneck.readings import Subject
from dbdyno.analysis.findings import CellSummary
from dbdyno.experiment.plan import Cell, FactorLevels

_ORDER = list(LimitCode)

_FIRST = (LimitCode.GENERATOR, LimitCode.CPU_QUOTA)

_TIME_SHARES = (
    FigureName.CPU_WAIT_SHARE,
    FigureName.LOCK_SHARE,
    FigureName.LOG_SHARE,
    FigureName.IO_SHARE,
)

UNKNOWN_SHARE = 0.5
"""Where nobody knows how much of sessions' time something took."""


def find_limits(
    factors: Sequence[FactorLevels], summaries: Sequence[CellSummary], collected: Collected
) -> tuple[CellLimit, ...]:
    """Return the limit of each cell, in the order of the cells."""
    cells = collected.cells
    series = series_of_each(factors, cells)
    return tuple(_of_cell(summary, series, cells) for summary in summaries)


def _of_cell(
    summary: CellSummary,
    series: Mapping[Cell, Sequence[Cell]],
    cells: Mapping[Cell, CellFigures],
) -> CellLimit:
    own = cells.get(summary.cell)
    if own is None:
        return CellLimit(summary.cell, 0)
    limits: list[Limit] = []
    not_growing: list[Limit] = []
    for subject, figures in _at_limit(own):
        growth = grows(subject, summary.cell, series[summary.cell], cells)
        certainty = Certainty.LIKELY if growth is None else Certainty.SHOWN
        found = Limit(
            subject.code,
            subject.member,
            subject.host,
            subject.device,
            figures.figures(),
            certainty,
        )
        (not_growing if growth is False else limits).append(found)
    return CellLimit(
        cell=summary.cell,
        trials=own.trials,
        limits=tuple(limits) or _given(summary, own),
        not_growing=tuple(not_growing),
        unknown=own.never_judged(),
        time=own.time(),
    )


def _at_limit(own: CellFigures) -> Iterator[tuple[Subject, SubjectFigures]]:
    """Yield what was at its limit and waited for, in at least half of the trials and on average."""
    found = [
        (subject, figures)
        for subject, figures in own.subjects.items()
        if 2 * figures.complete >= own.trials
        and figures.reach(figures.use)
        and figures.reach(figures.waits)
    ]
    yield from sorted(found, key=lambda each: _rank(*each))


def _rank(subject: Subject, figures: SubjectFigures) -> tuple[bool, float, int]:
    """Put what took most of sessions' time first.

    Shares count to a tenth: samples tell no more, and where a cause and its effect both took nearly
    all of the time, the cause is first.

    Before that come the generator, with which it was not the server that was measured, and a quota,
    which makes threads wait for CPUs that are free.
    """
    shares = [figures.mean(name) for name in _TIME_SHARES if name in figures.spreads]
    share = max(shares, default=UNKNOWN_SHARE)
    return subject.code not in _FIRST, -round(share, 1), _ORDER.index(subject.code)


def _given(summary: CellSummary, own: CellFigures) -> tuple[Limit, ...]:
    """Return the load that was given, where it was done and nothing was at its limit."""
    if summary.always_asks or not summary.kept_up:
        return ()
    done = Figure(
        FigureName.DONE_PER_S,
        own.done_per_s / own.trials,
        own.done_per_s / own.trials,
        own.done_per_s / own.trials,
        own.trials,
    )
    offered = summary.offered_per_s
    if offered is None:
        return (Limit(LimitCode.GIVEN_LOAD, figures=(done,), certainty=Certainty.SHOWN),)
    asked = replace(
        done, name=FigureName.OFFERED_PER_S, mean=offered, lowest=offered, highest=offered
    )
    return (Limit(LimitCode.GIVEN_LOAD, figures=(asked, done), certainty=Certainty.SHOWN),)
