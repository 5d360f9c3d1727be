"""Loading, checking and dropping a dataset on one of an experiment's servers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dbdyno.errors import DbdynoError, RunError, StatementError
from dbdyno.experiment.design.workers import usual_loading_connections
from dbdyno.experiment.workload.registry import dataset_of
from dbdyno.generator.dataset import DatasetOutcome, carry_out
from dbdyno.generator.process import GeneratorLostError
from dbdyno.protocol.dataset_plan import Action, DatasetPlan
from dbdyno.protocol.events import Loaded
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.target.base import SystemUnderTest


@dataclass(frozen=True)
class Dataset:
    """What is loaded: a workload's tables as a seed fills them."""

    workload: WorkloadPlan
    seed: int

    @property
    def key(self) -> str:
        """A short name, equal for equal tables, whatever else the workload does with them."""
        text = json.dumps([dataset_of(self.workload), self.seed], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Loader:
    """Does things with datasets on one server."""

    server: SystemUnderTest
    cpus: Sequence[int]
    wants_stop: Callable[[], bool]
    tell_rows: Callable[[int, int], None]
    bulk: str = "auto"

    def load(self, dataset: Dataset) -> tuple[str, Loaded]:
        """Make the tables and fill them; return their fingerprint, and how that went.

        ``RunError`` where a table is there already, or the server refuses.
        """
        outcome = self._carry_out(dataset, "load")
        if outcome.loaded is None:
            raise RunError(f"target {self.server.name}: the load was stopped before its end")
        return outcome.fingerprint, outcome.loaded

    def prepare(self, dataset: Dataset, protocol: str) -> None:
        """Have the server read the statements that a trial is going to send, and those of checks.

        ``StatementError`` where it refuses one.
        """
        self._carry_out(dataset, "prepare", protocol=protocol)

    def check(self, dataset: Dataset, *, is_sample: bool = False) -> str | None:
        """Do as ``find`` does, at whichever of several hosts can be reached.

        A sample is of the rows of large tables.
        ``GeneratorLostError`` where whoever looks is ended: that says nothing of the tables.
        """
        action: Action = "verify_sample" if is_sample else "verify"
        return self._find_at(dataset, self.server.url, action)

    def find(self, dataset: Dataset) -> str | None:
        """Return the fingerprint of tables that hold what they should; None where none is there.

        ``RunError`` where they hold something else, or where some are missing, or where they are
        not on every host that the clients are spread over.
        """
        found = {url: self._find_at(dataset, url) for url in self.server.host_urls}
        missing = [url for url, fingerprint in found.items() if fingerprint is None]
        if missing and len(missing) < len(found):
            raise RunError(
                f"target {self.server.name}: the tables are not at {', '.join(missing)}, but at "
                "the other hosts; hosts that share clients must serve the same data"
            )
        return next(iter(found.values()))

    def _find_at(self, dataset: Dataset, url: str, action: Action = "verify") -> str | None:
        outcome = self._carry_out(dataset, action, url)
        is_complete = outcome.verified is not None and outcome.verified.complete
        return outcome.fingerprint if is_complete else None

    def drop(self, dataset: Dataset) -> None:
        """Remove the tables, if they are there."""
        self._carry_out(dataset, "drop")

    def _carry_out(
        self,
        dataset: Dataset,
        action: Action,
        url: str | None = None,
        *,
        protocol: str = "prepared",
    ) -> DatasetOutcome:
        """Do something with a dataset. Without a URL it is done where tables are filled.

        What is one database has several hosts to its clients; a table that one host makes, another
        may know a moment later.
        """
        plan = DatasetPlan(
            action=action,
            workload=dataset.workload,
            seed=dataset.seed,
            connections=usual_loading_connections(),
            bulk=self.bulk,
            protocol=protocol,
        )
        try:
            return carry_out(
                plan,
                url or self.server.load_url,
                self.server.password,
                cpus=self.cpus,
                wants_stop=self.wants_stop,
                tell=lambda loading: self.tell_rows(loading.rows, loading.rows_total),
            )
        except (GeneratorLostError, StatementError) as error:
            raise type(error)(f"target {self.server.name}: {error}") from error
        except DbdynoError as error:
            raise RunError(f"target {self.server.name}: {error}") from error
