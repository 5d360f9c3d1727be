"""What a reader should know of a plan before it runs: of its workload, and of its matrix.

None of this is a mistake; what is one is refused when the file is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from dbdyno.experiment.comparable import uncompared
from dbdyno.experiment.design.effects import say_no_effect, unmet_need
from dbdyno.experiment.design.resolved_cell import ResolvedCell
from dbdyno.experiment.file.procedure import Start
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.workload.scripts import FATES, content, rows_loaded
from dbdyno.experiment.workload.sysbench import Sysbench

_NEXT: dict[Start, str] = {
    "snapshot": "the next trial starts from the snapshot again",
    "reload": "the next trial starts from tables loaded anew",
    "continue": "the next trial starts from what this one leaves, so that rounds are not alike",
}


def make_notes(experiment: Experiment, cells: Sequence[ResolvedCell]) -> tuple[str, ...]:
    """Return the notes, a sentence each, in the order of the matrix."""
    matrix = _of_matrix(experiment, cells)
    if not isinstance(experiment.workload, Sysbench):
        return tuple(matrix)
    notes = [
        note
        for resolved in cells
        for note in _of_data(resolved.sysbench, experiment.procedure.start)
    ]
    return *matrix, *dict.fromkeys(notes), *_of_effects(experiment, cells)


def _of_matrix(experiment: Experiment, cells: Sequence[ResolvedCell]) -> Iterator[str]:
    """Say which levels are never compared, because other factors differ as well."""
    factors = [factor.planned() for factor in experiment.factors]
    for each in uncompared(factors, [resolved.cell for resolved in cells]):
        verb = "differ" if len(each.together) > 1 else "differs"
        too = f"{_all_of(each.together)} {verb}" if each.together else "other factors differ"
        told = (
            f"there will be no verdict about {each.factor}: where it is {_all_of(each.levels)}, "
            f"and not {each.baseline}"
            if each.is_whole
            else f"{each.factor}={_all_of(each.levels)} will not be compared with {each.baseline}"
        )
        yield f"{told}{',' if each.is_whole else ':'} {too} too"


def _all_of(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _of_data(workload: Sysbench, start: Start) -> Iterator[str]:
    """Say what a script begins with and does to it, where that is not the usual."""
    script = workload.script
    if content(workload) == "no_rows":
        yield f"{script} with auto_inc: false starts with empty tables, for it gives ids of its own"
    if content(workload) == "bulk_tables":
        yield f"{script} has tables of its own, of the columns id and k, which are empty at first"
    if FATES[script] == "joined":
        yield f"{script} makes the tables grow while it runs; {_NEXT[start]}"
    if FATES[script] == "removed":
        yield f"{script} drains the tables while it runs: {_how_fast(workload)}; {_NEXT[start]}"


def _how_fast(workload: Sysbench) -> str:
    """Say when deletes begin to find nothing, which is far cheaper than to find a row."""
    rows = rows_loaded(workload)
    if workload.distribution != "uniform":
        return (
            f"of its {rows:,} rows the hot ones are gone first, and from then on most transactions "
            "find none"
        )
    half = round(rows * math.log(2))
    return (
        f"after about {half:,} transactions half of its {rows:,} rows are gone, and every second "
        "transaction finds none"
    )


def _of_effects(experiment: Experiment, cells: Sequence[ResolvedCell]) -> Iterator[str]:
    """Name the cells that are equal because a factor does nothing in them."""
    for factor in experiment.factors:
        if factor.subject != "workload" or len(factor.levels) == 1:
            continue
        unmet = [unmet_need(factor.field, resolved) for resolved in cells]
        reasons = [reason for reason in unmet if reason is not None]
        if reasons:
            yield (
                f"{factor.name} {say_no_effect(reasons)}: {len(reasons)} of {len(cells)} cells "
                "differ from one another in name only"
            )
