"""Whether a limit grows with load: over the cells that differ in nothing but clients or rate.

What is at its limit already cannot grow, and the waiting for it does. Only a disk whose limit is
not known has to show more: from its limit on, more load brings no more requests a second, and each
takes longer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from dbdyno.analysis.bottleneck.collected import CellFigures, SubjectFigures
from dbdyno.analysis.bottleneck.model import FigureName, LimitCode
from dbdyno.analysis.bottleneck.readings import Subject
from dbdyno.analysis.bottleneck.thresholds import (
    FLAT_REQUESTS,
    GROWN,
    NEARLY_FULL,
    NOT_FALLEN,
    RISING_AWAIT,
    THRESHOLDS,
)
from dbdyno.experiment.plan import Cell, FactorLevels

_BOUNDED = frozenset(
    {
        FigureName.CPU_PRESSURE,
        FigureName.MEMORY_PRESSURE,
        FigureName.IO_PRESSURE,
        FigureName.REDO_HIGHEST,
        FigureName.FLOW_PAUSED,
    }
)
"""Shares of time or space, which cannot grow beyond 1."""

_CPUS = (LimitCode.SERVER_CPU, LimitCode.HOST_CPU)


def series_of_each(
    factors: Sequence[FactorLevels], cells: Mapping[Cell, CellFigures]
) -> dict[Cell, list[Cell]]:
    """Return for each cell those that differ from it in load alone, itself included, by load."""
    of_load = {factor.name for factor in factors if factor.is_load}
    alike: dict[Cell, list[Cell]] = defaultdict(list)
    rest = {
        cell: Cell(tuple(level for level in cell.levels if level[0] not in of_load))
        for cell in cells
    }
    for cell in sorted(cells, key=lambda each: cells[each].load):
        alike[rest[cell]].append(cell)
    return {cell: alike[rest[cell]] for cell in cells}


def grows(
    subject: Subject, cell: Cell, series: Sequence[Cell], cells: Mapping[Cell, CellFigures]
) -> bool | None:
    """Tell whether being at the limit and waiting for it grow with load; None is not known."""
    if len(series) < 2:
        return None
    if subject.code is LimitCode.DISK and not subject.member:
        pairs = [pair for pair in pairwise(series) if cell in pair]
        return any(_is_flat(subject, *(cells[each] for each in pair)) for pair in pairs)
    least, most = (_of(subject, cells[each]) for each in (series[0], series[-1]))
    if most is None:
        return False
    if least is None:
        # At another load it was not even used so much that it could be this one's.
        return True
    has_not_fallen = most.reach(most.use) or all(
        most.mean(name) >= NOT_FALLEN * least.mean(name) for name in most.use
    )
    has_grown = any(most.mean(name) >= GROWN * least.mean(name) for name in most.waits)
    has_no_room = all(name in _BOUNDED for name in least.waits) and (
        _is_quota(subject, least) or all(least.mean(name) >= NEARLY_FULL for name in least.waits)
    )
    return has_not_fallen and (has_grown or (has_no_room and _takes_longer(cells, series)))


def _is_quota(subject: Subject, least: SubjectFigures) -> bool:
    """Tell whether a server uses nearly all that it may have of a disk, at the lowest load already.

    The kernel does not tell how long it holds requests back. Pressure tells that some task waits,
    and not how many do: one client waits as much of the time as many. Where the use has no room
    for a tenth more, it is flat as that of a disk whose limit is not known.
    """
    is_used_up = all(
        FLAT_REQUESTS * least.mean(name) >= THRESHOLDS[name].value for name in least.use
    )
    return subject.code is LimitCode.DISK and is_used_up and least.reach(least.waits)


def _takes_longer(cells: Mapping[Cell, CellFigures], series: Sequence[Cell]) -> bool:
    """Tell whether a transaction takes longer at the highest load than at the lowest."""
    least, most = (cells[each].service_s / cells[each].trials for each in (series[0], series[-1]))
    return most >= GROWN * least


def _of(subject: Subject, cell: CellFigures) -> SubjectFigures | None:
    """Return what another cell says of the same thing.

    A host's CPUs are the same ones, whether a server used most of them or not.
    """
    if subject.code not in _CPUS or subject in cell.subjects:
        return cell.subjects.get(subject)
    same = (
        figures
        for other, figures in cell.subjects.items()
        if other.code in _CPUS and other.host == subject.host
    )
    return next(same, None)


def _is_flat(subject: Subject, less: CellFigures, more: CellFigures) -> bool:
    """Tell whether more load has brought a disk no more requests, and longer ones."""
    before, after = _of(subject, less), _of(subject, more)
    if before is None or after is None:
        return False
    requests, await_ms = FigureName.DISK_REQUESTS, FigureName.DISK_AWAIT
    return (
        after.mean(requests) <= FLAT_REQUESTS * before.mean(requests)
        and after.mean(await_ms) >= RISING_AWAIT * before.mean(await_ms)
        and after.mean(FigureName.DISK_DEPTH) > before.mean(FigureName.DISK_DEPTH)
    )
