"""Prepares trials: brings a target to the state in which a trial is to begin.

Where a trial starts from is the experiment's choice:

- *snapshot*: the server's files as they were after loading, restored before each trial. The data
  are loaded once for each target and dataset, into a server without any others and under the
  target's own settings, so that cells which differ in a setting start from the very same bytes.
- *reload*: tables that are dropped and loaded anew, under the trial's settings.
- *continue*: what the trial before it left.

Where a trial starts from the tables as they were loaded or found, their logical size is among what
is known of its dataset.

On a server that was up before us, tables that are no dataset of the experiment are never touched.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from types import TracebackType

from dbdyno.contained_files import read_file, write_file
from dbdyno.dataset import Dataset, Loader, Snapshots
from dbdyno.errors import RunError, StatementError
from dbdyno.experiment.design.resolved_cell import own_setup
from dbdyno.experiment.design.taking_over import as_taken_over
from dbdyno.experiment.design.varied_target import data_name, target_of
from dbdyno.experiment.file.source import Source
from dbdyno.experiment.file.target import UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial, TargetSetup
from dbdyno.experiment.workload.registry import is_written, makes_what_it_uses
from dbdyno.interruption import Interruption, RunInterruptedError
from dbdyno.processes import marks
from dbdyno.run.caches import drop_caches, warm_caches
from dbdyno.run.log import RunLog
from dbdyno.run.members_elsewhere import remove_files, remove_files_elsewhere
from dbdyno.run.open_targets import OpenTargets
from dbdyno.run.sizes import compression_facts, logical_facts
from dbdyno.run.tables import analyse_nodes
from dbdyno.store.facts import CacheFacts, DatasetFacts
from dbdyno.store.journal import (
    DatasetLoaded,
    PhaseName,
    ServerStarted,
    ServerStopped,
    SnapshotRestored,
    SnapshotTaken,
)
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.capabilities import Snapshotable, killed_for_memory


def statements_key(trial: PlannedTrial) -> str:
    """Return what is equal for trials that send the same statements to the same kind of server."""
    plan = trial.generator_plan
    parts = [trial.target, trial.target_changes, plan.workload, plan.protocol]
    return json.dumps(parts, sort_keys=True)


class TrialPreparation:
    """The servers of an experiment, with their files in a work directory.

    As a context manager it leaves none of them running, and no files but snapshots, which a later
    run can use.
    """

    __test__ = False  # pytest takes the name for one of its own.

    def __init__(
        self,
        experiment: Experiment,
        work_directory: Path,
        log: RunLog,
        interruption: Interruption,
    ) -> None:
        self._experiment = experiment
        self._work_directory = work_directory
        self._log = log
        self._interruption = interruption
        self._snapshots = Snapshots(work_directory / "snapshots")
        self._targets = OpenTargets(experiment, work_directory)
        self._running: dict[str, TargetSetup] = {}
        # By target: the dataset that this run has put or found there, whole or in part, and what
        # is known of it once it is whole, but for its logical size: each trial changes that.
        self._tables: dict[str, Dataset] = {}
        self._facts: dict[str, DatasetFacts] = {}
        self._read_statements: set[str] = set()

    def prepare(self, trial: PlannedTrial) -> tuple[SystemUnderTest, DatasetFacts]:
        """Return the trial's server, running and loaded, and what is known of its dataset.

        ``RunInterruptedError`` between two steps when the run is to end. ``InputError`` for a
        statement of the experiment's own that the server refuses.
        """
        server = self._server(trial)
        try:
            return server, self._prepare(server, trial)
        except RunInterruptedError:
            raise
        except StatementError as error:
            if not is_written(trial.generator_plan.workload):
                raise
            source = Source(self._experiment.path, smoke=self._experiment.is_stand_in)
            raise source.error(("workload",), str(error)) from error
        except RunError as error:
            # What a client has seen of it says less.
            cause = killed_for_memory(server)
            if cause is None:
                raise
            raise RunError(cause) from error

    def start(self, trial: PlannedTrial) -> SystemUnderTest:
        """Return the trial's server, running as the trial has it, with whatever data it has."""
        server = self._server(trial)
        self._run_server(server, trial.setup)
        return server

    def _prepare(self, server: SystemUnderTest, trial: PlannedTrial) -> DatasetFacts:
        dataset = self.dataset(trial)
        start = self._experiment.procedure.start
        if start == "snapshot":
            facts = self._from_snapshot(server, dataset, trial)
        elif start == "reload":
            facts = self._from_reload(server, dataset, trial)
        else:
            facts = self._continue(server, dataset, trial)
        self._have_statements_read(server, dataset, trial)
        facts = DatasetFacts(start=start) | facts
        return facts | DatasetFacts(caches=self._set_caches(server, trial))

    def _have_statements_read(
        self, server: SystemUnderTest, dataset: Dataset, trial: PlannedTrial
    ) -> None:
        """Have a server read statements of the experiment's own once, before they are measured."""
        plan = trial.generator_plan
        if not is_written(plan.workload):
            return
        key = statements_key(trial)
        if key in self._read_statements:
            return
        # What is prepared is prepared as a client connects, whatever it makes later.
        if plan.protocol == "prepared" or not makes_what_it_uses(plan.workload):
            self.loader(server).prepare(dataset, plan.protocol)
        self._read_statements.add(key)

    def _set_caches(self, server: SystemUnderTest, trial: PlannedTrial) -> CacheFacts:
        """Bring the caches into the condition that is asked for; return what came of it."""
        condition = self._experiment.procedure.caches
        if condition == "cold":
            self._step("dropping_caches", f"dropping the caches of {server.name}", server)
            self.abandon(server.name)
            facts = drop_caches(self._targets.place(trial) / server.name)
            self._run_server(server, trial.setup)
            return facts
        if condition == "warm":
            self._step("warming_caches", f"reading the tables of {server.name}", server)
            return warm_caches(server, trial.generator_plan.workload)
        return CacheFacts(condition=condition)

    def dataset(self, trial: PlannedTrial) -> Dataset:
        """Return what the trial's server is loaded with: its seed is the experiment's own."""
        workload = trial.generator_plan.workload
        if self._experiment.procedure.start == "continue":
            workload = as_taken_over(self._experiment, workload)
        return Dataset(workload, self._experiment.procedure.seed)

    def loader(self, server: SystemUnderTest) -> Loader:
        """Return what loads and checks datasets on a server."""
        return Loader(
            server,
            cpus=self._experiment.generator_cpus,
            wants_stop=self._interruption.is_requested,
            tell_rows=self._log.loading,
            bulk=self._experiment.procedure.bulk,
        )

    def abandon(self, target: str) -> None:
        """Stop a target's server: its state is not to be trusted any more.

        What a command that ends a server has left of its tables is looked at before they are used.
        """
        self._forget_running(target)
        if target in self._targets.servers:
            self._targets.servers[target].stop()
        model = self._experiment.targets[target]
        if isinstance(model, UrlTarget) and model.commands.stop is not None:
            self._tables.pop(target, None)
            self._facts.pop(target, None)

    def _server(self, trial: PlannedTrial) -> SystemUnderTest:
        """Return a target's server, and stop the others, which would take memory and CPU from it.

        A target that a factor changes is another server in the same place, or one with other data.
        """
        target, targets = trial.target, self._targets
        for other in [name for name in self._running if name != target]:
            self.abandon(other)
        if targets.differ_in_route(trial):
            targets.reroute(trial)
        elif not targets.are_open_for(trial):
            self.abandon(target)
            if targets.have_other_data(trial):
                self._tables.pop(target, None)
                self._facts.pop(target, None)
            targets.open(trial)
        return targets.servers[target]

    def _from_snapshot(
        self, server: SystemUnderTest, dataset: Dataset, trial: PlannedTrial
    ) -> DatasetFacts:
        key = f"{trial.target}-{self._made_by(server, trial)}-{dataset.key}"
        # An earlier run may have taken the snapshot, which saves the loading.
        facts_path = self._work_directory / f"{key}.json"
        if not self._snapshots.has_all(server, key):
            facts = self._load_alone(server, dataset, trial)
            write_file(facts_path, json.dumps(facts.to_document()))
            self._step("taking_snapshot", "taking a snapshot", server)
            self._forget_running(server.name)
            self._snapshots.take(server, key)
            self._log.write(SnapshotTaken(target=server.name, key=key))
        self._step("restoring_snapshot", "restoring the snapshot", server)
        self._forget_running(server.name)
        self._snapshots.restore(server, key)
        self._log.write(SnapshotRestored(target=server.name, key=key))
        self._run_server(server, trial.setup)
        return DatasetFacts.model_validate_json(read_file(facts_path))

    def _made_by(self, server: SystemUnderTest, trial: PlannedTrial) -> str:
        """Return a short name of all that a snapshot's files depend on besides the dataset.

        Another version of the server could not read them, or would convert them in every trial.
        """
        model = target_of(self._experiment, trial)
        assert not isinstance(model, UrlTarget), "refused when the experiment was read"
        assert isinstance(server, Snapshotable), "its files are ours"
        made_by = {
            "server": server.maker(),
            "settings": {
                role: dict(setup.settings) for role, setup in own_setup(model).roles.items()
            },
            "changes": data_name(trial.target_changes),
        }
        return hashlib.sha256(json.dumps(made_by, sort_keys=True).encode()).hexdigest()[:8]

    def _load_alone(
        self, server: SystemUnderTest, dataset: Dataset, trial: PlannedTrial
    ) -> DatasetFacts:
        """Load into a server that is made anew, so that no other dataset has left its traces."""
        model = target_of(self._experiment, trial)
        assert not isinstance(model, UrlTarget), "refused when the experiment was read"
        self.abandon(server.name)
        self._tables.pop(server.name, None)
        remove_files(server, self._targets.place(trial) / server.name)
        self._run_server(server, own_setup(model))
        return self._load(server, dataset)

    def _from_reload(
        self, server: SystemUnderTest, dataset: Dataset, trial: PlannedTrial
    ) -> DatasetFacts:
        self._run_server(server, trial.setup)
        if server.name not in self._tables and self.loader(server).find(dataset) is not None:
            self._tables[server.name] = dataset
        return self._load(server, dataset)

    def _continue(
        self, server: SystemUnderTest, dataset: Dataset, trial: PlannedTrial
    ) -> DatasetFacts:
        self._run_server(server, trial.setup)
        there = self._tables.get(server.name)
        fingerprint = self.loader(server).find(dataset) if there is None else None
        if fingerprint is not None:
            self._tables[server.name] = dataset
            facts = DatasetFacts(fingerprint=fingerprint, found=True)
            return self._keep_facts(server, dataset, facts)
        if there is None or there.key != dataset.key or server.name not in self._facts:
            return self._load(server, dataset)
        return self._facts[server.name]

    def _run_server(self, server: SystemUnderTest, setup: TargetSetup) -> None:
        running = self._running.get(server.name)
        if running == setup:
            return
        if running is not None and running.at_start() == setup.at_start():
            self._step("starting", f"setting {server.name}", server)
            self._running.pop(server.name)
            server.apply(setup)
            self._running[server.name] = setup
            return
        self._step("starting", f"starting {server.name}", server)
        self._forget_running(server.name)
        server.begin(setup)
        self._running[server.name] = setup
        processes = marks(server.process_ids())
        self._log.write(ServerStarted(target=server.name, url=server.url, processes=processes))

    def _load(self, server: SystemUnderTest, dataset: Dataset) -> DatasetFacts:
        """Load a dataset in place of the one that this run knows to be there, if any."""
        self._step("loading", f"loading into {server.name}", server)
        loader = self.loader(server)
        self._facts.pop(server.name, None)
        if server.name in self._tables:
            loader.drop(self._tables[server.name])
        self._tables[server.name] = dataset
        fingerprint, loaded = loader.load(dataset)
        for reason in analyse_nodes(server, dataset.workload):
            self._log.warn(f"target {server.name}: a node did not analyse its tables: {reason}")
        self._log.write(DatasetLoaded(target=server.name, dataset=dataset.key, rows=loaded.rows))
        facts = DatasetFacts(
            fingerprint=fingerprint,
            rows=loaded.rows,
            load_s=loaded.elapsed_s,
            index_s=loaded.index_s,
            load_method=loaded.method,
            load_refusals=list(loaded.refusals),
        )
        return self._keep_facts(server, dataset, facts)

    def _keep_facts(
        self, server: SystemUnderTest, dataset: Dataset, facts: DatasetFacts
    ) -> DatasetFacts:
        """Keep what is known of tables for later trials; return that with what their rows hold."""
        self._facts[server.name] = facts
        logical = logical_facts(server, dataset.workload)
        compression = compression_facts(server, logical)
        return facts | DatasetFacts(logical=logical, compression=compression)

    def _step(self, phase: PhaseName, words: str, server: SystemUnderTest) -> None:
        self._interruption.check()
        self._log.begin_phase(phase, words, server.name)

    def _forget_running(self, target: str) -> None:
        """Note that a target's servers are being stopped, if they were up."""
        if self._running.pop(target, None) is not None:
            self._log.write(ServerStopped(target=target))

    def __enter__(self) -> TrialPreparation:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # A large server may take minutes to end in order. Whoever cannot wait for that leaves it
        # to the kernel, which ends servers together with us.
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            return
        self._targets.close()
        if self._snapshots.is_empty():
            remove_files_elsewhere(self._targets.models, self._work_directory, self._log.warn)
            shutil.rmtree(self._work_directory, ignore_errors=True)
