"""Say roughly how long a plan takes, before anything is started.

The rates are those of a small machine with a local disk, so that the estimate errs on the long
side; a run shows how long it really has to go.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.experiment.design.sizes import data_bytes
from dbdyno.experiment.design.varied_target import data_name, start_changes
from dbdyno.experiment.file.commands import Commands
from dbdyno.experiment.file.target import ClusterTarget, PrivateTarget, Target, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.experiment.workload.registry import dataset_key, rows_of

LOADED_ROWS_PER_S = 100_000
COPIED_BYTES_PER_S = 300e6
VERIFIED_ROWS_PER_S = 1_000_000

TRIAL_OVERHEAD_S = 0.5
"""Starting a generator, connecting, preparing, draining, storing."""

INITIALISE_S = 3.0
"""Making the data directory of a server, once for each target and data set."""

RESTART_S = 3.0
"""Ending a server and starting it again with other files or settings."""

RESTART_OF_ROLE_S = 1.5
"""The same for each further role of a cluster, whose servers wait for those of other roles."""


def estimate_s(experiment: Experiment, trials: Sequence[PlannedTrial]) -> float:
    """Return the seconds that loading and all trials take together."""
    datasets: set[tuple[object, ...]] = set()
    previous: PlannedTrial | None = None
    total_s = 0.0
    for trial in trials:
        is_loaded = _dataset(trial) in datasets and not _is_deployed(experiment, trial, previous)
        datasets.add(_dataset(trial))
        total_s += _data_s(experiment, trial, is_loaded=is_loaded)
        total_s += _server_s(experiment, trial, previous, is_loaded=is_loaded)
        total_s += trial.generator_plan.warmup_s + trial.generator_plan.duration_s
        total_s += TRIAL_OVERHEAD_S
        total_s += 0.0 if previous is None else experiment.procedure.pause_s
        previous = trial
    return total_s


def _data_s(experiment: Experiment, trial: PlannedTrial, *, is_loaded: bool) -> float:
    """Return the seconds for loading, restoring and verifying the data of one trial."""
    procedure, rows = experiment.procedure, _rows(trial)
    seconds = 0.0
    if not is_loaded or procedure.start == "reload":
        seconds += rows / LOADED_ROWS_PER_S
    if procedure.start == "snapshot":
        seconds += data_bytes(trial.generator_plan.workload) / COPIED_BYTES_PER_S
    if procedure.check == "consistency":
        seconds += rows / VERIFIED_ROWS_PER_S
    return seconds


def _server_s(
    experiment: Experiment, trial: PlannedTrial, previous: PlannedTrial | None, *, is_loaded: bool
) -> float:
    """Return the seconds for making and restarting the server of one trial."""
    target = experiment.targets[trial.target]
    if not isinstance(target, PrivateTarget | ClusterTarget):
        return 0.0
    starting_s = 0.0 if is_loaded else INITIALISE_S
    if _is_started(experiment, trial, previous):
        starting_s += RESTART_S + RESTART_OF_ROLE_S * (_roles(target) - 1)
    return starting_s


def _roles(target: Target) -> int:
    return len(target.members) if isinstance(target, ClusterTarget) else 1


def _is_started(experiment: Experiment, trial: PlannedTrial, previous: PlannedTrial | None) -> bool:
    """Tell whether a trial needs its server started, which the one before it does not leave so."""
    return (
        previous is None
        or experiment.procedure.start == "snapshot"
        or previous.target != trial.target
        or previous.setup.at_start() != trial.setup.at_start()
        or start_changes(previous.target_changes) != start_changes(trial.target_changes)
    )


def _is_deployed(
    experiment: Experiment, trial: PlannedTrial, previous: PlannedTrial | None
) -> bool:
    """Tell whether commands make a trial's server anew, so that it has no tables."""
    has_stop = _commands_of(experiment, trial).stop is not None
    return has_stop and _is_started(experiment, trial, previous)


def starts_by_commands(experiment: Experiment, trials: Sequence[PlannedTrial]) -> int:
    """Count the starts that commands of the user make: ``estimate_s`` has no time for them."""
    return sum(
        _commands_of(experiment, trial).restart is not None
        and _is_started(experiment, trial, previous)
        for previous, trial in zip([None, *trials], trials, strict=False)
    )


def _commands_of(experiment: Experiment, trial: PlannedTrial) -> Commands:
    """Return the user's commands for a trial's server; none where dbdyno starts it."""
    target = experiment.targets[trial.target]
    return target.commands if isinstance(target, UrlTarget) else Commands()


def _dataset(trial: PlannedTrial) -> tuple[object, ...]:
    return trial.target, data_name(trial.target_changes), dataset_key(trial.generator_plan.workload)


def _rows(trial: PlannedTrial) -> int:
    return rows_of(trial.generator_plan.workload)
