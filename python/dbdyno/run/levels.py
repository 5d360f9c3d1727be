"""Refuses levels that a server does not have: their figures would stand under a false name."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from dbdyno.errors import InputError
from dbdyno.experiment.design.resolved_cell import own_settings
from dbdyno.experiment.file.source import Source
from dbdyno.experiment.file.target import database_of
from dbdyno.experiment.in_effect import (
    NotInEffect,
    levels_not_in_effect,
    settings_named,
    shown_setting,
)
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import FactorLevels, FollowingSetting, PlannedTrial


class ServerLevels:
    """The levels of server settings, and what servers have shown for them so far."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        levels = [
            each.planned()
            for each in experiment.factors
            # What is set on the running server is there only when its trial has been prepared.
            if each.subject != "server" or each.apply != "online"
        ]
        whole = [replace(each, follows=self._following(each)) for each in levels]
        self.factors = [each for each in whole if settings_named(each.sets) or each.follows]
        # By factor and server: the level for which the server showed a value first, by that value.
        self._levels: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)

    def of(self, trial: PlannedTrial) -> set[tuple[str, str, str]]:
        """Return what a trial has: a server, a factor and a level each."""
        server = self._server(trial)
        return {(server, each.name, trial.cell.level(each.name)) for each in self.factors}

    def check(
        self, trial: PlannedTrial, adjusted: Mapping[str, str], settings: Mapping[str, str]
    ) -> None:
        """InputError, with its line, for a level that is not in effect or the same as another.

        ``adjusted`` has what the server shows otherwise than it was asked for, as asked, and
        ``settings`` what it shows.
        """
        for found in levels_not_in_effect(self.factors, trial.cell, adjusted, settings):
            raise self.wrong(found.factor, _not_in_effect(found, trial.target))
        for factor in self.factors:
            self._refuse_same(factor, trial, settings)

    def wrong(self, factor: str, message: str) -> InputError:
        """Return the error about a factor, with the line of the file."""
        source = Source(self._experiment.path, smoke=self._experiment.is_stand_in)
        return source.error(("factors", factor), message)

    def _refuse_same(
        self, factor: FactorLevels, trial: PlannedTrial, settings: Mapping[str, str]
    ) -> None:
        shown = shown_setting(factor.sets, settings)
        if shown is None:
            return
        setting, value = shown
        level = trial.cell.level(factor.name)
        other = self._levels[factor.name, self._server(trial)].setdefault(value, level)
        if other != level:
            first, second = sorted((other, level), key=factor.levels.index)
            raise self.wrong(
                factor.name,
                f"the levels {first} and {second} are the same to the server of target "
                f"{trial.target}: it has {setting}={value} for both; write levels that differ",
            )

    def _following(self, factor: FactorLevels) -> tuple[FollowingSetting, ...]:
        """Return the settings that a factor's levels have besides the one that it names.

        Of targets, which are alike in most of their settings, these are the others.
        """
        if factor.sets != "target":
            return factor.follows
        targets = {level: self._experiment.targets[level] for level in factor.levels}
        by_database: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
        for level, target in targets.items():
            by_database[database_of(target)][level] = own_settings(target)
        return tuple(
            FollowingSetting(level, name, (value,))
            for alike in by_database.values()
            for level, settings in alike.items()
            for name, value in settings.items()
            if any(other.get(name) != value for other in alike.values())
        )

    @staticmethod
    def _server(trial: PlannedTrial) -> str:
        """Return a name of the server that a trial runs on, whatever it is set to."""
        return f"{trial.target} {json.dumps(trial.target_changes, sort_keys=True)}"


def _not_in_effect(found: NotInEffect, target: str) -> str:
    has = "does nothing with it" if found.shown is None else f"has {found.shown}"
    return (
        f"the level {found.level} is not in effect: {found.setting}={found.asked} is asked for, "
        f"and the server of target {target} {has}; write a value that it takes, or remove the level"
    )
