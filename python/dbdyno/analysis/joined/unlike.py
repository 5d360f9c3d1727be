"""What keeps two parts from being compared: they were not asked the same, or promise unlike things.

A comparison says something about servers, settings, versions or machines only where the work was
the same. What the servers are may differ: that is what is compared, and the report names it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dbdyno.analysis.confounders.find import unlike_words
from dbdyno.analysis.confounders.meaning import UNKNOWN_DURABILITY
from dbdyno.analysis.joined.model import Unlike, UnlikeKind
from dbdyno.analysis.joined.part import Part
from dbdyno.analysis.session_summary import isolation_of
from dbdyno.experiment.plan import Cell
from dbdyno.store.model import StoredTrial

OF_ONE_RUN = frozenset({"seed", "url", "version", "workers", "placement", "transaction_log"})
"""Fields of a trial plan that two runs of one experiment may have of their own."""


def unlike(baseline: Part, other: Part) -> tuple[Unlike, ...]:
    """Return all that keeps two parts from being compared, each thing once."""
    gross = tuple(_gross(baseline, other))
    if gross or baseline.is_of_one_result_with(other):
        # Within one result, an experiment has said what its factors change.
        return gross
    first: dict[tuple[UnlikeKind, str], Unlike] = {}
    for each in _by_cell(baseline, other):
        first.setdefault((each.kind, each.what), each)
    return tuple(first.values())


def only_in_one(baseline: Part, other: Part) -> tuple[list[Cell], list[Cell]]:
    """Return the cells that only the baseline has, and those that only the other one has."""
    own, others = set(baseline.cells), set(other.cells)
    return (
        [cell for cell in baseline.cells if cell not in others],
        [cell for cell in other.cells if cell not in own],
    )


def _gross(baseline: Part, other: Part) -> Iterator[Unlike]:
    """Yield what makes it useless to look at single cells."""
    smokes = [part.result.plan.is_smoke for part in (baseline, other)]
    if any(smokes):
        yield Unlike(UnlikeKind.SMOKE, "", *(str(each).lower() for each in smokes))
    stand_ins = [part.result.plan.is_stand_in for part in (baseline, other)]
    if len(set(stand_ins)) > 1:
        yield Unlike(UnlikeKind.STAND_IN, "", *(str(each).lower() for each in stand_ins))
    names = [", ".join(factor.name for factor in part.factors) for part in (baseline, other)]
    if set(names[0].split(", ")) != set(names[1].split(", ")):
        yield Unlike(UnlikeKind.FACTORS, "", *names)
    elif not set(baseline.cells) & set(other.cells):
        cells = ["; ".join(cell.label() for cell in part.cells) for part in (baseline, other)]
        yield Unlike(UnlikeKind.NO_COMMON_CELL, "", *cells)
    counts = [len(part.trials) for part in (baseline, other)]
    if not all(counts):
        yield Unlike(UnlikeKind.NOTHING_MEASURED, "", *map(str, counts))


def _by_cell(baseline: Part, other: Part) -> Iterator[Unlike]:
    own, others = _first_of_each(baseline), _first_of_each(other)
    for cell in own:
        if cell in others:
            yield from _between(own[cell], others[cell])


def _first_of_each(part: Part) -> dict[Cell, StoredTrial]:
    """Return a trial of each cell; that all trials of a cell are alike is checked elsewhere."""
    first: dict[Cell, StoredTrial] = {}
    for trial in part.trials:
        first.setdefault(trial.planned.cell, trial)
    return first


def _between(own: StoredTrial, other: StoredTrial) -> Iterator[Unlike]:
    yield from _asked(own.generator_plan.to_document(), other.generator_plan.to_document())
    facts = (
        (UnlikeKind.DATASET, own.dataset.fingerprint, other.dataset.fingerprint),
        (UnlikeKind.DURABILITY, own.server.durability, other.server.durability),
        (UnlikeKind.ISOLATION, isolation_of(own), isolation_of(other)),
    )
    for kind, value, other_value in facts:
        unknown = None, UNKNOWN_DURABILITY
        if value not in unknown and other_value not in unknown and value != other_value:
            yield Unlike(kind, "", *_told(kind, str(value), str(other_value)))


def _asked(own: Mapping[str, Any], other: Mapping[str, Any], path: str = "") -> Iterator[Unlike]:
    """Yield the fields in which two plans differ, by their paths."""
    for name in sorted(own.keys() | other.keys()):
        value, other_value = own.get(name), other.get(name)
        if value == other_value or (not path and name in OF_ONE_RUN):
            continue
        where = f"{path}.{name}" if path else name
        if isinstance(value, Mapping) and isinstance(other_value, Mapping):
            yield from _asked(value, other_value, where)
        else:
            yield Unlike(UnlikeKind.ASKED, where, _shown(value), _shown(other_value))


def _told(kind: UnlikeKind, value: str, other_value: str) -> tuple[str, str]:
    """Return both values; of fingerprints of data only the words that differ."""
    return unlike_words(value, other_value) if kind is UnlikeKind.DATASET else (value, other_value)


def _shown(value: object) -> str:
    return "" if value is None else str(value)
