"""A run as a result directory: an experiment of one trial, which report reads."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from dbdyno.database.address import Address
from dbdyno.experiment.plan import Cell, Plan, PlannedTrial
from dbdyno.host_usage import HostUsage
from dbdyno.ledger import Evidence
from dbdyno.protocol.events import TrialEvent
from dbdyno.protocol.trial_plan import TrialPlan
from dbdyno.run.trial import TrialLoad
from dbdyno.store.facts import CheckFacts, DatasetFacts, LedgerFacts
from dbdyno.store.journal import TrialFinished, TrialStarted
from dbdyno.store.writer import ResultWriter
from dbdyno.target.local.files import file_errors
from dbdyno.target.url.server import ExternalServer
from dbdyno.watch.facts.host import host_facts
from dbdyno.watch.facts.storage import file_system_of

TARGET = "server"


@dataclass(frozen=True)
class Call:
    """What was asked, in words and values, and where the result goes."""

    directory: Path
    command: str
    experiment: str
    question: str
    estimated_s: float
    given: Mapping[str, Any]
    """The options that matter, without any password."""


class ResultDirectory:
    """Takes the events of the one trial; as a context manager it always leaves a whole result."""

    def __init__(self, call: Call, plan: TrialPlan, address: Address, load: TrialLoad) -> None:
        self._call = call
        self._generator_plan = plan
        self._address = address
        self._load = load
        self._dataset = DatasetFacts(check=CheckFacts(done=False))

    def event(self, event: TrialEvent) -> None:
        """Keep an event of the generator."""
        self._trial.event(event)

    def usage(self, usages: Sequence[HostUsage]) -> None:
        """Keep what hosts have just done, until the trial is over."""
        self._trial.usage(usages)

    def keep_ledger(self, evidence: Evidence) -> None:
        """Keep how the acknowledged stands to the stored."""
        ledger = LedgerFacts.model_validate(evidence.to_dict())
        self._dataset |= DatasetFacts(ledger=ledger)

    def __enter__(self) -> Self:
        server = ExternalServer(TARGET, self._address.url, self._address.password)
        described = server.describe()
        data = file_system_of(described.data_directory)
        plan = self._plan()
        directory = self._call.directory
        with file_errors(f"write to {directory}"):
            directory.mkdir(parents=True, exist_ok=True)
            self._result = ResultWriter.create(
                directory,
                experiment_text=self._experiment_text(),
                plan=plan,
                host=host_facts(directory),
            )
            self._result.journal.write(TrialStarted(trial=1))
            self._trial = self._result.begin(
                plan.trials[0],
                self._load.plan,
                server=asdict(replace(described, data_file_system=data)),
                dataset=self._dataset.to_document(),
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with file_errors(f"write to {self._call.directory}"):
            if error is None:
                self._trial.finish(
                    resources=self._load.resources(),
                    watch_failures=self._load.watch_failures(),
                    dataset=self._dataset.to_document(),
                )
            else:
                self._trial.__exit__(kind, error, traceback)
            record = self._result.record(1)
            assert record is not None
            finished = TrialFinished(trial=1, status=record.status, reason=record.reason)
            self._result.journal.write(finished)
            self._result.close()

    def _plan(self) -> Plan:
        trial = PlannedTrial(
            number=1, round=1, cell=Cell(()), target=TARGET, generator_plan=self._generator_plan
        )
        return Plan(
            experiment=self._call.experiment,
            question=self._call.question,
            factors=(),
            rounds=1,
            order="interleaved",
            trials=(trial,),
            estimated_s=self._call.estimated_s,
        )

    def _experiment_text(self) -> str:
        """Return what was asked, for people: such a call has no experiment file."""
        given = dict(self._call.given) | {"url": self._address.url}
        options = "".join(f"#   {name}: {value}\n" for name, value in sorted(given.items()))
        moment = time.strftime("%Y-%m-%d %H:%M:%S")
        return f"# Made by dbdyno {self._call.command}, {moment}:\n{options}"
