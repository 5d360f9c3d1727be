"""What differs between compared cells besides the factor, and may be the true cause of an effect.

Single settings are in ``analysis/differences.py``. Here is everything else that is known of a
trial.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dbdyno.analysis.confounders.facts import FACTS, FACTS_OF_UNLIKE_PRODUCTS
from dbdyno.analysis.confounders.meaning import MEANINGS, is_of_one_family, is_same_order
from dbdyno.analysis.confounders.model import (
    BY_MEANING,
    SCHEMA_ASPECTS,
    Aspect,
    Confounder,
    LevelMeanings,
)
from dbdyno.analysis.confounders.schema import told_parts
from dbdyno.analysis.confounders.set_by import is_set_by
from dbdyno.analysis.differences import RoundsOfCells, pairs_of_trials
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.store.model import StoredTrial

OF_ONE_START = frozenset({"boot_id"})
"""Facts that tell one start of a host from another, and change no figure."""

OWN_WORKLOAD = "workload.of_target"
"""The path of what a factor sets whose levels are targets with workloads of their own."""


def find_confounders(
    factors: Sequence[FactorLevels],
    rounds_of: RoundsOfCells,
    host_of: Mapping[int, Mapping[str, Any]] | None = None,
) -> tuple[Confounder, ...]:
    """Return what differs within compared rounds, by factor; only what is known of both.

    ``host_of`` has facts of the host by the number of a trial.
    """
    hosts = host_of or {}
    examples: dict[tuple[str, Aspect], tuple[str, str]] = {}
    pairs: dict[tuple[str, Aspect], set[tuple[Cell, Cell]]] = defaultdict(set)
    compared: dict[str, set[tuple[Cell, Cell]]] = defaultdict(set)
    by_meaning: set[tuple[str, Aspect]] = set()
    # What a factor sets: a target may have fields of the workload of its own.
    sets = {factor.name: {factor.sets} for factor in factors}
    for factor, cell, baseline, own, other in pairs_of_trials(factors, rounds_of):
        compared[factor].add((cell, baseline))
        if own.planned.generator_plan.workload != other.planned.generator_plan.workload:
            sets[factor].add(OWN_WORKLOAD)
        for aspect, differing in _all_differing(own, other, hosts):
            examples.setdefault((factor, aspect), differing)
            pairs[factor, aspect].add((cell, baseline))
            if aspect in MEANINGS and not is_of_one_family(own, other):
                by_meaning.add((factor, aspect))
    return tuple(
        Confounder(
            factor,
            aspect,
            *_told(aspect, *values),
            comparisons=len(pairs[factor, aspect]),
            compared=len(compared[factor]),
            is_expected=any(is_set_by(aspect, path) for path in sets[factor]),
            is_by_meaning=(factor, aspect) in by_meaning,
        )
        for (factor, aspect), values in examples.items()
    )


def find_meanings(
    factors: Sequence[FactorLevels], rounds_of: RoundsOfCells
) -> tuple[LevelMeanings, ...]:
    """Return what settings mean, of those levels alone that are compared with another product's."""
    found: dict[tuple[str, str], dict[Aspect, dict[str, None]]] = {}
    for factor, cell, baseline, own, other in pairs_of_trials(factors, rounds_of):
        if is_of_one_family(own, other):
            continue
        for level, trial in ((baseline.level(factor), other), (cell.level(factor), own)):
            values = found.setdefault((factor, level), {aspect: {} for aspect in BY_MEANING})
            for aspect in BY_MEANING:
                value = FACTS_OF_UNLIKE_PRODUCTS[aspect](trial)
                if value is not None:
                    values[aspect][value] = None
    return tuple(
        LevelMeanings(factor, level, {aspect: tuple(each) for aspect, each in values.items()})
        for (factor, level), values in found.items()
    )


def _all_differing(
    own: StoredTrial, other: StoredTrial, hosts: Mapping[int, Mapping[str, Any]]
) -> Iterator[tuple[Aspect, tuple[str, str]]]:
    """Yield each aspect in which two trials differ, with both values."""
    is_alike = is_of_one_family(own, other)
    for aspect, find in (FACTS if is_alike else FACTS_OF_UNLIKE_PRODUCTS).items():
        if aspect is Aspect.COLLATION and not is_alike and is_same_order(own, other):
            continue
        if aspect is Aspect.FRONT and own.server.version != other.server.version:
            continue  # Another version of the server says so itself.
        differing = _differing(find(own), find(other))
        if differing is not None:
            yield aspect, differing
    values, others = (hosts.get(each.planned.number, {}) for each in (own, other))
    unlike = [
        name
        for name in values.keys() & others.keys() - OF_ONE_START
        if values[name] != others[name]
    ]
    if unlike:
        yield Aspect.HOST, (_listed(values, sorted(unlike)), _listed(others, sorted(unlike)))


def _listed(facts: Mapping[str, Any], names: Sequence[str]) -> str:
    return ", ".join(f"{name}={facts[name]}" for name in names)


def _differing(value: str | None, baseline_value: str | None) -> tuple[str, str] | None:
    """Return both values where they are known and differ."""
    if value is None or baseline_value is None or value == baseline_value:
        return None
    return value, baseline_value


def _told(aspect: Aspect, value: str, baseline_value: str) -> tuple[str, str]:
    """Return both values; of long ones, fingerprints and lists, only what differs."""
    if aspect in SCHEMA_ASPECTS:
        return told_parts(value, baseline_value), told_parts(baseline_value, value)
    return (
        unlike_words(value, baseline_value) if aspect is Aspect.DATASET else (value, baseline_value)
    )


def unlike_words(value: str, baseline_value: str) -> tuple[str, str]:
    """Return of two fingerprints those words that the other one lacks."""
    own, other = value.split(), baseline_value.split()
    return (
        " ".join(word for word in own if word not in other),
        " ".join(word for word in other if word not in own),
    )
