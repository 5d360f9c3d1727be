"""The test stand: brings a trial's server to the state in which the trial is to begin.

Where a trial starts from is the experiment's choice:

- *snapshot*: the server's files as they were after loading, restored before each trial. The data
  are loaded once for each target and dataset, under the target's own settings, so that cells which
  differ in a setting start from the very same bytes.
- *reload*: tables that are dropped and loaded anew, under the trial's settings.
- *as_is*: what the trial before it left.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from dbdyno.dataset import Dataset, Loader, Snapshots
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.experiment.target import UrlTarget
from dbdyno.experiment.workload import DATASET_FIELDS
from dbdyno.run.progress import Progress
from dbdyno.server import Server, open_server


class TestStand:
    """The servers of an experiment; as a context manager it leaves none of them running."""

    __test__ = False  # pytest takes the name for one of its own.

    def __init__(
        self,
        experiment: Experiment,
        work_directory: Path,
        progress: Progress,
        wants_stop: Callable[[], bool],
    ) -> None:
        self._experiment = experiment
        self._work_directory = work_directory
        self._progress = progress
        self._wants_stop = wants_stop
        self._snapshots = Snapshots(work_directory / "snapshots")
        self._servers: dict[str, Server] = {}
        self._running: dict[str, dict[str, str]] = {}
        self._loaded: dict[str, dict[str, Any]] = {}
        self._exit = ExitStack()

    def prepare(self, trial: PlannedTrial) -> tuple[Server, dict[str, Any]]:
        """Return the trial's server, running and loaded, and what is known of its dataset."""
        server = self._server(trial.target)
        dataset = self.dataset(trial)
        start = self._experiment.procedure.start
        if start == "snapshot":
            facts = self._from_snapshot(server, dataset, trial)
        elif start == "reload":
            facts = self._from_reload(server, dataset, trial)
        else:
            facts = self._as_is(server, dataset, trial)
        return server, {"start": start} | facts

    def dataset(self, trial: PlannedTrial) -> Dataset:
        """Return what the trial's server is loaded with: its seed is the experiment's own."""
        return Dataset(trial.generator_plan["workload"], self._experiment.procedure.seed)

    def loader(self, server: Server) -> Loader:
        """Return what loads and checks datasets on a server."""
        return Loader(
            server,
            cpus=self._experiment.generator.cpus or (),
            log_path=self._work_directory / "loader.log",
            wants_stop=self._wants_stop,
            tell_rows=self._progress.loading,
        )

    def abandon(self, target: str) -> None:
        """Stop a target's server: its state is not to be trusted any more."""
        self._running.pop(target, None)
        if target in self._servers:
            self._servers[target].stop()

    def _server(self, target: str) -> Server:
        if target not in self._servers:
            self._stop_others(target)
            model = self._experiment.targets[target]
            server = open_server(model, target, self._work_directory)
            self._servers[target] = self._exit.enter_context(server)
        else:
            self._stop_others(target)
        return self._servers[target]

    def _stop_others(self, target: str) -> None:
        """Stop servers that idle: they take memory and CPU from the one that is measured."""
        for other in [name for name in self._running if name != target]:
            self.abandon(other)

    def _from_snapshot(
        self, server: Server, dataset: Dataset, trial: PlannedTrial
    ) -> dict[str, Any]:
        key = _key(trial.target, dataset)
        if not (self._snapshots.has(key) and key in self._loaded):
            model = self._experiment.targets[trial.target]
            assert not isinstance(model, UrlTarget)
            self._run_server(server, model.settings)
            self._loaded[key] = self._load(server, dataset)
            self._progress.preparing("taking a snapshot")
            self._snapshots.take(server, key)
        self._progress.preparing("restoring the snapshot")
        self._running.pop(server.name, None)
        self._snapshots.restore(server, key)
        self._run_server(server, trial.server_settings)
        return self._loaded[key]

    def _from_reload(self, server: Server, dataset: Dataset, trial: PlannedTrial) -> dict[str, Any]:
        self._run_server(server, trial.server_settings)
        self.loader(server).drop(dataset)
        return self._load(server, dataset)

    def _as_is(self, server: Server, dataset: Dataset, trial: PlannedTrial) -> dict[str, Any]:
        self._run_server(server, trial.server_settings)
        key = _key(trial.target, dataset)
        if key not in self._loaded:
            loader = self.loader(server)
            if loader.is_complete(dataset):
                self._loaded[key] = {"fingerprint": loader.fingerprint(dataset), "found": True}
            else:
                self._loaded[key] = self._load(server, dataset)
        return self._loaded[key]

    def _run_server(self, server: Server, settings: dict[str, str]) -> None:
        if self._running.get(server.name) == settings:
            return
        self._progress.preparing(f"starting {server.name}")
        self._running.pop(server.name, None)
        server.start(settings)
        self._running[server.name] = settings

    def _load(self, server: Server, dataset: Dataset) -> dict[str, Any]:
        self._progress.preparing(f"loading into {server.name}")
        return self.loader(server).load(dataset)

    def __enter__(self) -> TestStand:
        return self

    def __exit__(self, *exception: object) -> None:
        self._exit.close()


def _key(target: str, dataset: Dataset) -> str:
    """Return a name for one dataset on one target: equal for equal rows."""
    fields = {
        name: {field: options[field] for field in DATASET_FIELDS if field in options}
        for name, options in dataset.workload.items()
    }
    text = json.dumps([fields, dataset.seed], sort_keys=True)
    return f"{target}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
