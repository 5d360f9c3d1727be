"""Other baselines than the experiment's, chosen when its result is analysed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
    known = [factor.name for factor in plan.given_factors]
    for name in chosen:
        if name not in known:
            there_are = f"its factors are {', '.join(known)}" if known else "it has no factor"
            raise InputError(f"baseline {name}: the experiment has no such factor; {there_are}")
    factors = tuple(
        _with_baseline(factor, chosen[factor.name]) if factor.name in chosen else factor
        for factor in plan.factors
    )
    return replace(plan, factors=factors)


def planned_instead(own: Plan, used: Plan) -> dict[str, str]:
    """Return the experiment's own baseline of each factor that has another one now."""
    return {
        factor.name: factor.baseline_level
        for factor, now in zip(own.factors, used.factors, strict=True)
        if factor.baseline != now.baseline
    }


def file_label(own: Plan, used: Plan) -> str:
    """Return what tells a report with other baselines from the experiment's, for a file's name."""
    others = planned_instead(own, used)
    levels = (f"{each.name}={each.baseline_level}" for each in used.factors if each.name in others)
    return re.sub(r"[^\w=,.+-]+", "_", ",".join(levels))


def _with_baseline(factor: FactorLevels, level: str) -> FactorLevels:
    if level not in factor.levels:
        levels = ", ".join(factor.levels)
        raise InputError(f"baseline {factor.name}={level}: no such level; there are {levels}")
    return replace(factor, baseline=factor.levels.index(level))
