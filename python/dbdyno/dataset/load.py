"""Loading, checking and dropping a dataset, each carried out by a generator process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbdyno.errors import RunError
from dbdyno.experiment.kinds import dataset_of
from dbdyno.experiment.workers import usual_loading_connections
from dbdyno.generator import GeneratorProcess
from dbdyno.server import Server

PLAN_VERSION = 1

SILENCE_LIMIT_S = 24 * 3600.0
"""An index over a large table is made without a word."""

CONNECT_LIMIT_S = 30.0


@dataclass(frozen=True)
class Dataset:
    """What is loaded: a workload's tables as a seed fills them."""

    workload: Mapping[str, Any]
    seed: int

    @property
    def key(self) -> str:
        """A short name, equal for equal tables, whatever else the workload does with them."""
        text = json.dumps([dataset_of(self.workload), self.seed], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Loader:
    """Does things with datasets on one server; ``log_path`` takes what a generator complains."""

    server: Server
    cpus: Sequence[int]
    log_path: Path
    wants_stop: Callable[[], bool]
    tell_rows: Callable[[int, int], None]
    bulk: str = "auto"

    def load(self, dataset: Dataset) -> dict[str, Any]:
        """Make the tables and fill them; return fingerprint, rows, times and the way taken.

        ``RunError`` where a table is there already, or the server refuses.
        """
        words = self._carry_out(dataset, "load")
        loaded = words["loaded"]
        return {
            "fingerprint": words["dataset"]["fingerprint"],
            "rows": loaded["rows"],
            "load_s": loaded["elapsed_s"],
            "index_s": loaded["index_s"],
            "load_method": loaded["method"],
            "load_refusals": loaded["refusals"],
        }

    def check(self, dataset: Dataset) -> str | None:
        """Do as ``find`` does, at whichever of several hosts can be reached."""
        return self._find_at(dataset, self.server.url)

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

    def _find_at(self, dataset: Dataset, url: str) -> str | None:
        words = self._carry_out(dataset, "verify", url)
        return str(words["dataset"]["fingerprint"]) if words["verified"]["complete"] else None

    def drop(self, dataset: Dataset) -> None:
        """Remove the tables, if they are there."""
        self._carry_out(dataset, "drop")

    def _carry_out(
        self, dataset: Dataset, action: str, url: str | None = None
    ) -> dict[str, dict[str, Any]]:
        """Return the last event of each kind. Without a URL it is done at the first host.

        What is one database has several hosts to its clients; a table that one host makes, another
        may know a moment later.
        """
        words: dict[str, dict[str, Any]] = {}
        with GeneratorProcess(
            self._plan(dataset, action, url or self.server.host_urls[0]),
            password=self.server.password,
            cpus=self.cpus,
            log_path=self.log_path,
            silence_limit_s=SILENCE_LIMIT_S,
        ) as generator:
            for event in generator.events(self.wants_stop):
                words[event["event"]] = event
                if event["event"] == "loading":
                    self.tell_rows(event["rows"], event["rows_total"])
        if "error" in words:
            raise RunError(f"target {self.server.name}: {words['error']['message']}")
        return words

    def _plan(self, dataset: Dataset, action: str, url: str) -> bytes:
        plan = {
            "version": PLAN_VERSION,
            "action": action,
            "url": url,
            "workload": dict(dataset.workload),
            "seed": dataset.seed,
            "connections": usual_loading_connections(),
            "bulk": self.bulk,
            "connect_s": CONNECT_LIMIT_S,
        }
        return json.dumps(plan).encode()
