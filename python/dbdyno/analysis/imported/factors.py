"""Which factors somebody else's trials have, and in which order their levels are."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dbdyno.experiment.plan import FactorLevels
from dbdyno.trial_evidence import NOT_TOLD, TrialEvidence

LOAD_WORDS = frozenset({"threads", "terminals", "clients", "concurrency", "connections", "users"})
"""Names of factors that say how many clients there are, in any tool."""
SCRIPT_WORDS = frozenset({"script", "workload"})
"""Names of factors that say which transactions a tool carried out."""

_NUMBER = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*([kKmMgGtT]?)i?[bB]?\s*")
_SIZES = {"": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40}


def factors_of(trials: Sequence[TrialEvidence]) -> tuple[FactorLevels, ...]:
    """Return the factors in the order of the trials' levels, of which the first is the baseline.

    Levels that are numbers or sizes come in their order, others as they are met.
    """
    names = [name for name, _ in trials[0].levels] if trials else []
    return tuple(
        FactorLevels(name, levels, _sets(name, levels))
        for name in names
        for levels in [_in_order([dict(each.levels)[name] for each in trials])]
    )


def _sets(name: str, levels: Sequence[str]) -> str:
    """Return what a factor sets: clients where each level is a number, a script where not."""
    words = set(re.split(r"[^a-z]+", name.lower()))
    if all(level.isdecimal() for level in levels):
        return "load.clients" if LOAD_WORDS & words else name
    return "workload.script" if SCRIPT_WORDS & words else name


def _in_order(levels: Sequence[str]) -> tuple[str, ...]:
    # What a log does not tell comes last, and so is no baseline.
    known = sorted(dict.fromkeys(levels), key=lambda level: level == NOT_TOLD)
    sizes = [_size(level) for level in known if level != NOT_TOLD]
    if None in sizes:
        return tuple(known)
    return tuple(sorted(known, key=lambda level: (level == NOT_TOLD, _size(level) or 0.0)))


def _size(level: str) -> float | None:
    """Return a number, or a size in bytes; None of any other level."""
    match = _NUMBER.fullmatch(level)
    if match is None:
        return None
    return float(match[1].replace(",", ".")) * _SIZES[match[2].lower()]
