"""Other baselines than the experiment's, chosen when its result is analysed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from dbdyno.errors import InputError
from dbdyno.experiment.plan import FactorLevels, Plan


def read_baselines(texts: Sequence[str]) -> dict[str, str]:
    """Return the level of each factor that is written ``FACTOR=LEVEL``; InputError otherwise."""
    chosen: dict[str, str] = {}
    for text in texts:
        factor, sign, level = text.partition("=")
        if not sign:
            raise InputError(f"baseline {text}: must be FACTOR=LEVEL, as in clients=8")
        if factor in chosen:
            raise InputError(f"baseline {text}: {factor} has a baseline already: {chosen[factor]}")
        chosen[factor] = level
    return chosen


def with_baselines(plan: Plan, chosen: Mapping[str, str]) -> Plan:
    """Return the plan with these levels as baselines; InputError for what it does not have."""
    given = [factor.name for factor in plan.given_factors]
    return replace(plan, factors=factors_with_baselines(plan.factors, chosen, given))


def factors_with_baselines(
    factors: Sequence[FactorLevels], chosen: Mapping[str, str], given: Sequence[str]
) -> tuple[FactorLevels, ...]:
    """Return the factors with these levels as baselines; ``given`` are those that may have one.

    InputError for a factor or a level that is not there.
    """
    for name in chosen:
        if name not in given:
            there_are = f"its factors are {', '.join(given)}" if given else "it has no factor"
            raise InputError(f"baseline {name}: the experiment has no such factor; {there_are}")
    return tuple(
        _with_baseline(factor, chosen[factor.name]) if factor.name in chosen else factor
        for factor in factors
    )


def changed_baselines(own: Sequence[FactorLevels], used: Sequence[FactorLevels]) -> dict[str, str]:
    """Return the experiment's own baseline of each factor that has another one now."""
    return {
        factor.name: factor.baseline_level
        for factor, now in zip(own, used, strict=True)
        if factor.baseline != now.baseline
    }


def label_of(used: Sequence[FactorLevels], changed: Collection[str]) -> str:
    """Return what tells a report with other baselines from the experiment's, for a file's name."""
    levels = (f"{each.name}={each.baseline_level}" for each in used if each.name in changed)
    return re.sub(r"[^\w=,.+-]+", "_", ",".join(levels))


def _with_baseline(factor: FactorLevels, level: str) -> FactorLevels:
    if level not in factor.levels:
        levels = ", ".join(factor.levels)
        raise InputError(f"baseline {factor.name}={level}: no such level; there are {levels}")
    return replace(factor, baseline=factor.levels.index(level), against=())
