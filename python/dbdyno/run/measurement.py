"""One trial of an experiment: target made ready, load made, tables looked at, outcome stored."""

from __future__ import annotations

import shlex
import time
from dataclasses import asdict, dataclass, replace

from dbdyno.database.address import Address
from dbdyno.errors import InputError, RunError
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.plan import PlannedTrial
from dbdyno.generator.process import GeneratorLostError
from dbdyno.interruption import Interruption
from dbdyno.password import password_in
from dbdyno.processes import marks
from dbdyno.protocol.events import TrialEvent
from dbdyno.resources import SERVER
from dbdyno.run.consistency import check_tables
from dbdyno.run.elsewhere import Reached
from dbdyno.run.log import RunLog
from dbdyno.run.preparation import TrialPreparation
from dbdyno.run.sizes import disk_facts
from dbdyno.run.tables import scan_facts, scanned_rows, schema_facts, statistics_facts
from dbdyno.run.trial import TrialLoad, Watched
from dbdyno.run.waiting import HostWait
from dbdyno.store.facts import CheckFacts, DatasetFacts, DiskFacts, DiskSize, LedgerFacts
from dbdyno.store.journal import GeneratorStarted
from dbdyno.store.model import TrialStatus
from dbdyno.store.trial_writer import TrialWriter
from dbdyno.store.writer import ResultWriter
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.capabilities import killed_for_memory, lost_member, out_of_memory_kills
from dbdyno.target.description import ServerDescription
from dbdyno.watch.exporter.watcher import ExporterAddress
from dbdyno.watch.facts.storage import file_system_of
from dbdyno.watch.limits import GroupWatch


@dataclass(frozen=True)
class _Ready:
    """All that a trial begins with: its server, running and loaded, and what is known of it."""

    server: SystemUnderTest
    description: ServerDescription
    dataset: DatasetFacts
    disk: DiskSize
    load: TrialLoad


class Measurement:
    """Carries trials of an experiment out, one after the other."""

    def __init__(
        self,
        experiment: Experiment,
        preparation: TrialPreparation,
        log: RunLog,
        interruption: Interruption,
        reached: Reached,
    ) -> None:
        self._elsewhere = reached.start
        self._hosts = HostWait(
            experiment.procedure.wait_for_hosts_s, reached.find, log, interruption.check
        )
        self._experiment = experiment
        self._preparation = preparation
        self._log = log
        self._interruption = interruption
        # Before anything is started, which then does not inherit the passwords.
        self._exporters = [
            ExporterAddress(
                url=exporter.url,
                host=exporter.shown_host,
                member=exporter.shown_member,
                database=exporter.database,
                password=None
                if exporter.password_env is None
                else password_in(exporter.password_env),
            )
            for exporter in experiment.watch.exporters
        ]

    def wait_for_hosts(self, trial: PlannedTrial) -> None:
        """Return when a trial's hosts are there; ``RunError`` where one does not come back."""
        self._hosts.wait(part.host for part in trial.generator_plan.generators if part.host)

    def carry_out(self, result: ResultWriter, trial: PlannedTrial) -> None:
        """Measure a trial and store it, whatever becomes of its load.

        ``RunError`` where it could not begin: nothing is stored then.
        """
        ready = self._make_ready(trial)
        dataset = ready.dataset | DatasetFacts(disk=DiskFacts(before=ready.disk))
        with result.begin(
            trial,
            ready.load.plan,
            server=asdict(ready.description),
            dataset=dataset.to_document(),
        ) as writer:
            self._measure(writer, trial, ready)

    def abandon(self, trial: PlannedTrial) -> None:
        """Stop a trial's target, whose state is not to be trusted any more."""
        self._preparation.abandon(trial.target)

    def _make_ready(self, trial: PlannedTrial) -> _Ready:
        """Bring a trial's server to where the trial begins, and look at it."""
        server, dataset = self._preparation.prepare(trial)
        workload, described = trial.generator_plan.workload, server.describe()
        data = file_system_of(described.data_directory)
        cpus = trial.generator_cpus or self._experiment.generator_cpus
        return _Ready(
            server,
            dataset=dataset
            | DatasetFacts(
                table_schema=schema_facts(server, workload),
                statistics=statistics_facts(server, workload),
            ),
            disk=disk_facts(server, workload),
            description=replace(described, data_file_system=data),
            load=TrialLoad(
                trial.generator_plan,
                Address(server.url, server.password, by_name=server.addresses),
                cpus=cpus,
                elsewhere=self._elsewhere,
            ),
        )

    def _measure(self, writer: TrialWriter, trial: PlannedTrial, ready: _Ready) -> None:
        """Make a trial's load, look at server and tables afterwards, and store what came of it."""
        server = ready.server
        self._log.trial_started(trial)
        group = GroupWatch(server.process_ids())
        # Between books that are opened and closed, which may read whole tables themselves.
        scanned = scanned_rows(server)
        try:
            failure = self._make_load(writer, trial, ready)
        except OSError as error:
            # A full disk, say, is not the trial's fault: the next call runs it again.
            writer.finish(status=TrialStatus.INTERRUPTED, reason=str(error))
            raise
        failure = _why_lost(server) or failure
        checked = DatasetFacts()
        if failure is None:
            scans = scan_facts(scanned, scanned_rows(server))
            after = disk_facts(server, trial.generator_plan.workload)
            # First: what it finds is the cause of what the other finds.
            ledger = LedgerFacts.model_validate(ready.load.close_books().to_dict())
            check, failure = self._check(trial, server)
            disk = DiskFacts(before=ready.disk, after=after)
            checked = DatasetFacts(disk=disk, ledger=ledger, check=check, scans=scans)
        facts, resources = group.facts(), ready.load.resources()
        missed = ready.load.watch_failures()
        if trial.server_limits.memory_bytes is not None:
            # The reason above is taken from the same counter.
            facts["out_of_memory_kills"] = out_of_memory_kills(server)
        described = {"control_group": facts}
        if failure is None:
            writer.finish(
                resources=resources,
                watch_failures=missed,
                server=described,
                dataset=checked.to_document(),
            )
        else:
            requested = self._interruption.is_requested()
            status = TrialStatus.INTERRUPTED if requested else TrialStatus.FAILED
            writer.finish(
                status=status,
                reason=failure,
                server=described,
                resources=resources,
                watch_failures=missed,
            )

    def _make_load(self, writer: TrialWriter, trial: PlannedTrial, ready: _Ready) -> str | None:
        """Make the load to its end; return what failed."""

        def started(process_ids: tuple[int, ...]) -> None:
            self._log.write(GeneratorStarted(trial=trial.number, processes=marks(process_ids)))

        def listen(event: TrialEvent) -> None:
            writer.event(event)
            self._log.event(trial, event)

        watched: Watched | None = None
        watch = self._experiment.watch
        if watch.host == "local":
            watched = Watched(
                _processes_by_name(ready.server),
                server_counters=watch.server == "counters",
                hosts=watch.hosts,
                ssh=shlex.split(watch.ssh),
                exporters=self._exporters,
            )
        deadline = _Deadline(self._experiment.procedure.limits.trial_s)

        def wants_stop() -> bool:
            return self._interruption.is_requested() or deadline.is_over()

        try:
            ready.load.make(
                listen,
                started=started,
                wants_stop=wants_stop,
                watched=watched,
                cpu_used=self._log.cpu_used,
                hosts_used=writer.usage,
            )
        except (RunError, InputError) as error:
            return str(error)
        return deadline.reason()

    def _check(self, trial: PlannedTrial, server: SystemUnderTest) -> tuple[CheckFacts, str | None]:
        """Look whether the tables still hold what the workload keeps in them.

        Where the server, or whoever looks, is lost meanwhile, the second is why: that does not tell
        that rows are.
        """
        if self._experiment.procedure.check == "none" or self._interruption.is_requested():
            return CheckFacts(done=False), None
        self._log.begin_phase("checking", "checking the tables", trial.target)
        preparation = self._preparation
        try:
            check = check_tables(
                server,
                trial,
                preparation.loader(server),
                preparation.dataset(trial),
                is_sample=self._experiment.procedure.check == "sample",
            )
        except RunError as error:
            if self._interruption.is_requested():
                return CheckFacts(done=False), None
            if isinstance(error, GeneratorLostError):
                return CheckFacts(done=False), f"its tables could not be checked: {error}"
            check = CheckFacts(done=True, passed=False, message=str(error))
        is_right = check.done and check.passed
        return check, None if is_right else _why_lost(server)


def _processes_by_name(target: SystemUnderTest) -> dict[str, tuple[int, ...]]:
    """Return the processes of each server; one that is alone is just called so."""
    if len(target.members) == 1:
        return {SERVER: target.process_ids()}
    return {member.name: member.process_ids for member in target.members}


class _Deadline:
    """When a load must have come to its end, if ever; it notes whether it was stopped for that."""

    def __init__(self, limit_s: float | None) -> None:
        self._limit_s = limit_s
        self._started_s = time.monotonic()
        self._was_over = False

    def is_over(self) -> bool:
        if self._limit_s is not None and time.monotonic() - self._started_s > self._limit_s:
            self._was_over = True
        return self._was_over

    def reason(self) -> str | None:
        """Return why a load was stopped; None where it came to its end by itself."""
        if not self._was_over:
            return None
        return (
            f"its load was stopped, because it took longer than limits.trial ({self._limit_s:g} s)"
        )


def _why_lost(server: SystemUnderTest) -> str | None:
    """Return why a target is not all there any more; None where it is."""
    return killed_for_memory(server) or lost_member(server) or _what_is_wrong_with(server)


def _what_is_wrong_with(server: SystemUnderTest) -> str | None:
    """Return why a server does not answer after a trial; None where it does.

    Clients that cannot connect again fail few transactions: the generator may call that complete.
    """
    try:
        server.describe()
    except RunError as error:
        return str(error)
    return None
