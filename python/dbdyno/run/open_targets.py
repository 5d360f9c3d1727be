"""The servers of an experiment that are open: one for each target, as the trial at hand has it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from dbdyno.experiment.design.varied_target import Changes, data_name, start_changes, target_of
from dbdyno.experiment.file.target import ClusterTarget, Target, UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.run.members_elsewhere import remove_files, run_name
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.capabilities import Reroutable
from dbdyno.target.opening import open_target


class OpenTargets:
    """Servers by the names of their targets, with their files in a work directory.

    ``models`` are all targets that were opened, each as a factor had changed it. What an earlier
    run has left of a server's files is removed: nobody knows its state.
    """

    def __init__(self, experiment: Experiment, work_directory: Path) -> None:
        self._experiment = experiment
        self._work_directory = work_directory
        self.servers: dict[str, SystemUnderTest] = {}
        self.models: list[Target] = []
        # By target: what the server that was opened last has changed of it.
        self._changes: dict[str, Changes] = {}
        self._folders: set[Path] = set()
        self._exit = ExitStack()

    def place(self, trial: PlannedTrial) -> Path:
        """Return where the files of a trial's target are, apart for each of its data."""
        return self._work_directory / data_name(trial.target_changes)

    def are_open_for(self, trial: PlannedTrial) -> bool:
        """Tell whether the trial's target is open as the trial has it."""
        return self._changes.get(trial.target) == trial.target_changes

    def differ_in_route(self, trial: PlannedTrial) -> bool:
        """Tell whether the open servers do for a trial, and only its clients go elsewhere."""
        known = self._changes.get(trial.target)
        return (
            known is not None
            and known != trial.target_changes
            and start_changes(known) == start_changes(trial.target_changes)
        )

    def have_other_data(self, trial: PlannedTrial) -> bool:
        """Tell whether the trial's target is open with data that are not the trial's."""
        known = self._changes.get(trial.target)
        return known is not None and data_name(known) != data_name(trial.target_changes)

    def reroute(self, trial: PlannedTrial) -> None:
        """Send the clients of a trial where it has them go, while its servers run."""
        server, model = self.servers[trial.target], target_of(self._experiment, trial)
        assert isinstance(server, Reroutable), "its URL is varied"
        assert isinstance(model, UrlTarget | ClusterTarget), "its URL is varied"
        server.reroute(model.url)
        self._changes[trial.target] = dict(trial.target_changes)

    def open(self, trial: PlannedTrial) -> None:
        """Open the trial's target, and close what stands for it; nothing is started."""
        target, place = trial.target, self.place(trial)
        if target in self.servers:
            self.servers[target].close()
        model = target_of(self._experiment, trial)
        server = open_target(model, target, place, run_name(model, self._work_directory))
        self.servers[target] = self._exit.enter_context(server)
        self.models.append(model)
        self._changes[target] = dict(trial.target_changes)
        if place / target not in self._folders:
            remove_files(server, place / target)
            self._folders.add(place / target)

    def close(self) -> None:
        """Stop and close all servers."""
        self._exit.close()
