"""Small experiments in directories of their own, and what their results hold."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.live.run.launch import Ended, Launched, call, read_journal

EXPERIMENT = """\
experiment: tiny
question: Does more than one client help?
workload: {{sysbench: {{script: oltp_read_write, tables: 1, table_size: {table_size}}}}}
target: {target}
factors: {{{factors}}}
procedure: {{warmup: 0.1s, duration: {duration}, interval: 0.1s, rounds: {rounds}{procedure}}}
load: {load}
"""

PACED = "{rate: 20}"
"""A load for trials that only have to last: it leaves the CPUs to others."""

LASTING = "2.5s"
"""How long a trial is that is to be caught in its midst, also by a test that waits for a CPU."""


class Stage:
    """A directory with an experiment file and, once it has run, its result."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.file = directory / "tiny.yaml"
        self.result = directory / "result"
        self.named = self.result

    def see(self, result: Path, root: Path) -> None:
        """Take another result directory: one that is here only as seen from another root."""
        self.named, self.result = result, root / result.relative_to("/")

    def write(
        self,
        *,
        target: str = "{sqlite: {}}",
        load: str = "{}",
        factors: str = "clients: [1, 2]",
        table_size: int = 1000,
        duration: str = "0.3s",
        rounds: int = 2,
        procedure: str = "",
    ) -> Stage:
        """Write the experiment; without changes it is four trials on SQLite."""
        text = EXPERIMENT.format(
            target=target,
            load=load,
            factors=factors,
            table_size=table_size,
            duration=duration,
            rounds=rounds,
            procedure=f", {procedure}" if procedure else "",
        )
        self.file.write_text(text)
        return self

    @property
    def trials(self) -> int:
        """The number of trials that the result's plan has."""
        return len(json.loads((self.result / "plan.json").read_text())["trials"])

    def launch(
        self,
        *options: str,
        environment: Mapping[str, str] | None = None,
        wrapper: Sequence[str] = (),
    ) -> Running:
        """Start ``dbdyno run`` on the experiment."""
        return Running(self, options, environment, wrapper)

    def run(self, *options: str, environment: Mapping[str, str] | None = None) -> Ended:
        """Run ``dbdyno run`` to its end, in this process."""
        lines_before = len(read_journal(self.result))
        ended = call(["run", self.file, "--out", self.named, *options], environment=environment)
        return Ended(
            ended.status, ended.output, ended.errors, read_journal(self.result)[lines_before:]
        )

    def trial(self, number: int, attempt: str = "") -> dict[str, Any]:
        """Return the ``trial.json`` of a trial that has ended."""
        path = self.result / "trials" / f"{number:04d}{attempt}" / "trial.json"
        trial: dict[str, Any] = json.loads(path.read_text())
        return trial

    def statuses(self) -> dict[int, str]:
        """Return how the trials ended that have ended."""
        folders = (self.result / "trials").glob("[0-9][0-9][0-9][0-9]")
        return {int(folder.name): self.trial(int(folder.name))["status"] for folder in folders}

    def fingerprints(self) -> dict[str, str]:
        """Return a hash of each file of the result, by its path."""
        return {
            str(path.relative_to(self.result)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.result.rglob("*"))
            if path.is_file()
        }

    def holds(self, text: str) -> list[Path]:
        """Return the files of the result that hold a text, in whatever encoding of one byte."""
        files = (path for path in self.result.rglob("*") if path.is_file())
        return [path for path in files if text.encode() in path.read_bytes()]


class Running(Launched):
    """A ``dbdyno run`` that runs, and what can be seen of it from outside."""

    def __init__(
        self,
        stage: Stage,
        options: Sequence[str],
        environment: Mapping[str, str] | None,
        wrapper: Sequence[str],
    ) -> None:
        self._stage = stage
        self._journal_lines_before = len(read_journal(stage.result))
        # What a run was at that was killed is not what this one is at.
        left = stage.result.glob("trials/.*.unfinished/events.jsonl")
        self._left = {path.stat().st_ino for path in left}
        super().__init__(
            ["run", stage.file, "--out", stage.named, *options],
            stage.directory,
            environment=environment,
            wrapper=wrapper,
        )

    def wait_for_load(self, trial: int) -> None:
        """Wait until a trial has measured something and has not ended."""
        events = self._stage.result / "trials" / f".{trial:04d}.unfinished" / "events.jsonl"
        self.wait_for(lambda: self._has_intervals(events))

    def _has_intervals(self, events: Path) -> bool:
        try:
            is_left = events.stat().st_ino in self._left
            return not is_left and events.read_bytes().count(b'"interval"') >= 2
        except FileNotFoundError:
            return False

    def wait_for_process(self, name: str) -> int:
        """Wait until a process runs with a text in its command line, and return its number."""
        process_id: int = self.wait_for(lambda: self.processes(name))[0].pid
        return process_id

    def end(self, *, leaves: bool = False) -> Ended:
        """Wait for its end; what it has added to the journal comes with it."""
        ended = super().end(leaves=leaves)
        events = read_journal(self._stage.result)[self._journal_lines_before :]
        return Ended(ended.status, ended.output, ended.errors, events)
