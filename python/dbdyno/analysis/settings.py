"""The effective settings of each target: those that somebody chose, and all others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dbdyno.analysis.differences import UNIMPORTANT, normalised
from dbdyno.store.model import StoredTrial

Values = Mapping[str, tuple[str, ...]]
"""By setting the values that it had in the trials, in the order in which they came."""


@dataclass(frozen=True)
class TargetSettings:
    """What a target's server had, as it was read back; secrets are stored masked.

    ``chosen`` are those that the experiment, an option file or a command line set; a factor gives
    one of them several values. Where a server does not tell what was set, they are those that the
    experiment asked for. Of what was asked for and not told, the value is the one asked for.
    """

    target: str
    chosen: Values
    others: Values
    trial: int
    """The first of the target's trials, in whose file all of them stand."""


def settings_by_target(trials: Iterable[StoredTrial]) -> tuple[TargetSettings, ...]:
    """Return the settings of each target over its trials."""
    values: dict[str, dict[str, dict[str, None]]] = {}
    chosen: dict[str, set[str]] = {}
    first: dict[str, int] = {}
    for trial in trials:
        target = trial.planned.target
        first.setdefault(target, trial.planned.number)
        asked = {normalised(name): value for name, value in trial.planned.server_settings.items()}
        told = {normalised(name): value for name, value in trial.server.settings.items()}
        known = values.setdefault(target, {})
        for name, value in (asked | told).items():
            known.setdefault(name, {})[value] = None
        names = chosen.setdefault(target, set())
        names |= {*asked, *map(normalised, trial.server.chosen_settings or ())}
    return tuple(
        TargetSettings(
            target,
            {name: tuple(known[name]) for name in sorted(known.keys() & chosen[target])},
            {
                name: tuple(known[name])
                for name in sorted(known.keys() - chosen[target] - UNIMPORTANT)
            },
            first[target],
        )
        for target, known in values.items()
        if known
    )
