"""Starts the server of each level once before the first trial, and asks whether the level is there.

A level that its server does not have ends the run while nothing has been measured. A server that
does not come up with a level costs the trials of that level alone. Each of several servers reads
the statements of the experiment's own, too, where that costs no loading that the trials do without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from dbdyno.errors import NotTakenError, RunError
from dbdyno.experiment.design.varied_target import target_of
from dbdyno.experiment.file.target import UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.experiment.workload.registry import is_written
from dbdyno.interruption import RunInterruptedError
from dbdyno.run.levels import ServerLevels
from dbdyno.run.log import RunLog
from dbdyno.run.preparation import TrialPreparation, statements_key


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


def rehearse_statements(
    experiment: Experiment, trials: Sequence[PlannedTrial], preparation: TrialPreparation
) -> None:
    """Have each of several servers read the statements of the experiment's own.

    With one server and one workload the first trial's preparation does the same. Hooks may make
    what statements need. ``InputError`` for a statement that a server refuses.
    """
    hooks = experiment.hooks
    has_hooks = hooks.before_experiment or hooks.before_cell or hooks.before_trial
    if experiment.procedure.start != "snapshot" or has_hooks:
        return
    written = [trial for trial in trials if is_written(trial.generator_plan.workload)]
    first = {statements_key(trial): trial for trial in reversed(written)}
    if len(first) < 2:
        return
    for trial in first.values():
        try:
            preparation.prepare(trial)
        except RunInterruptedError:
            raise
        except RunError:
            # The trial itself will say it.
            with suppress(RunError):
                preparation.abandon(trial.target)


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
