"""Say roughly how long a plan takes, before anything is started.

The rates are those of a small machine with a local disk, so that the estimate errs on the long
side; a run shows how long it really has to go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dbdyno.experiment.design.sizes import data_bytes
from dbdyno.experiment.design.varied_target import data_name, start_changes
from dbdyno.experiment.file.commands import Commands
from dbdyno.experiment.file.target import ClusterTarget, PrivateTarget, Target, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.experiment.workload.registry import checked_rows_of, dataset_key, rows_of

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


class Estimate(NamedTuple):
    """The seconds of all trials together, by what is done."""

    loading_s: float = 0.0
    copying_s: float = 0.0
    """Restoring the snapshots from which trials start."""
    starting_s: float = 0.0
    """Starting servers and generators."""
    warmup_s: float = 0.0
    measuring_s: float = 0.0
    checking_s: float = 0.0
    """Verifying what the tables hold after each trial."""
    pausing_s: float = 0.0

    @property
    def total_s(self) -> float:
        """The seconds of all together."""
        return sum(self)


def estimate(experiment: Experiment, trials: Sequence[PlannedTrial]) -> Estimate:
    """Return the seconds that loading and all trials take."""
    datasets: set[tuple[object, ...]] = set()
    previous: PlannedTrial | None = None
    parts = [Estimate()]
    for trial in trials:
        dataset = _dataset(trial)
        is_loaded = dataset in datasets and not _is_deployed(experiment, trial, previous)
        datasets.add(dataset)
        parts.append(_of_trial(experiment, trial, previous, is_loaded=is_loaded))
        previous = trial
    return Estimate(*map(sum, zip(*parts, strict=True)))


def _of_trial(
    experiment: Experiment, trial: PlannedTrial, previous: PlannedTrial | None, *, is_loaded: bool
) -> Estimate:
    procedure, workload = experiment.procedure, trial.generator_plan.workload
    is_filled = not is_loaded or procedure.start == "reload"
    is_copied = procedure.start == "snapshot"
    checked = checked_rows_of(workload, is_sample=procedure.check == "sample")
    starting_s = _server_s(experiment, trial, previous, is_loaded=is_loaded)
    return Estimate(
        loading_s=rows_of(workload) / LOADED_ROWS_PER_S if is_filled else 0.0,
        copying_s=data_bytes(workload) / COPIED_BYTES_PER_S if is_copied else 0.0,
        starting_s=starting_s + TRIAL_OVERHEAD_S,
        warmup_s=trial.generator_plan.warmup_s,
        measuring_s=trial.generator_plan.duration_s,
        checking_s=checked / VERIFIED_ROWS_PER_S if procedure.check != "none" else 0.0,
        pausing_s=0.0 if previous is None else procedure.pause_s,
    )


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
    """Count the starts that commands of the user make: ``estimate`` has no time for them."""
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
