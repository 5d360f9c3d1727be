"""Starts the server of each level once before the first trial, and asks whether the level is there.

A level that its server does not have ends the run while nothing has been measured. A server that
does not come up with a level costs the trials of that level alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from dbdyno.errors import NotTakenError, RunError
from dbdyno.experiment.design.varied_target import target_of
from dbdyno.experiment.file.target import UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.run.levels import ServerLevels
from dbdyno.run.log import RunLog
from dbdyno.run.preparation import TrialPreparation


def rehearse(
    experiment: Experiment,
    trials: Iterable[PlannedTrial],
    preparation: TrialPreparation,
    log: RunLog,
) -> None:
    """Start the server of each level of a server's setting, but those that commands start.

    ``InputError`` for a level that is not in effect, or that is the same as another; ``RunError``
    where no server came up.
    """
    levels = ServerLevels(experiment)
    chosen = _one_of_each_level(experiment, levels, trials)
    failures: list[RunError] = []
    for trial in chosen:
        try:
            described = preparation.start(trial).describe()
        except NotTakenError as error:
            raise levels.wrong(levels.factors[0].name, str(error)) from None
        except RunError as error:
            failures.append(error)
            preparation.abandon(trial.target)
            continue
        levels.check(trial, described.adjusted_settings, described.settings)
    if failures and len(failures) == len(chosen):
        raise failures[0]
    for failure in failures:
        log.warn(str(failure))


def _one_of_each_level(
    experiment: Experiment, levels: ServerLevels, trials: Iterable[PlannedTrial]
) -> list[PlannedTrial]:
    """Return trials that together have each level of each factor on each server."""
    chosen: list[PlannedTrial] = []
    seen: set[tuple[str, str, str]] = set()
    for trial in trials:
        target = target_of(experiment, trial)
        if isinstance(target, UrlTarget) and (target.commands.apply or target.commands.restart):
            continue
        own = levels.of(trial)
        if not own <= seen:
            seen |= own
            chosen.append(trial)
    return chosen
