"""Finds the results below a directory, and tells of each what the list shows.

A result is only ever reached by the name under which it was found here: a path that somebody asks
for is looked up and never put together.
"""

from __future__ import annotations

import os
import re
import shlex
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.experiment.translated import Translated, all_texts
from dbdyno.importer.stored import is_import, read_imported_trials
from dbdyno.serve.follower import standing_of
from dbdyno.serve.run_state import RunState, Standing
from dbdyno.serve.tail import LineTail
from dbdyno.store import layout
from dbdyno.store.journal import read_journal_event
from dbdyno.store.model import TrialStatus
from dbdyno.store.record import check_format, read_plan

DEPTH = 3
"""So many folders deep results are looked for."""
FOLDERS_MAX = 5000
RESULTS_MAX = 1000

_WHAT = "name a result directory, or a folder of them"

_REPORT = re.compile(r"(report|summary)(\.[\w=+,-]+)*\.(html|md|pdf)")
_FIGURES = re.compile(r"(report|summary)(\.[\w=+,-]+)*\.figures")
_DRAWING = re.compile(r"[\w=+,.-]+\.svg")


@dataclass(frozen=True)
class ResultLine:
    """One result in the list. ``damage`` says why it cannot be read.

    ``tools`` are those whose logs it is an import of; an import has no run and no live page.
    """

    name: str
    path: Path
    experiment: str = ""
    question: Translated = ""
    factors: tuple[str, ...] = ()
    standing: Standing = Standing.WAITING
    started_unix_s: float | None = None
    heard_unix_s: float = 0.0
    done: int = 0
    bad: Mapping[TrialStatus, int] = field(default_factory=dict)
    planned: int = 0
    reports: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    damage: str = ""

    @property
    def quoted_path(self) -> str:
        """Return its path as a shell takes it."""
        return shlex.quote(str(self.path))

    def has_words(self, asked: str) -> bool:
        """Tell whether it has all words of a search."""
        text = " ".join(
            (self.name, self.experiment, *all_texts(self.question), *self.factors)
        ).lower()
        return all(word in text for word in asked.lower().split())


class _Known:
    """What was read of a result, kept so that only what is new is read the next time."""

    def __init__(self, directory: Path) -> None:
        check_format(directory)
        plan_file = directory / layout.PLAN_FILE
        self.plan_mark = plan_file.stat().st_mtime_ns
        self.state = RunState(read_plan(plan_file))
        self.journal = LineTail(directory / layout.JOURNAL_FILE)

    def is_same(self, directory: Path) -> bool:
        plan_file = directory / layout.PLAN_FILE
        return plan_file.stat().st_mtime_ns == self.plan_mark and self.journal.beginnings < 2

    def read(self) -> None:
        for line in self.journal.lines():
            try:
                self.state.take(read_journal_event(line))
            except ValueError:
                continue
        # Thousands of results would take as many open files.
        self.journal.rest()


class Results:
    """The results of a directory: itself, or what lies below it."""

    def __init__(self, root: Path) -> None:
        """Take a directory. InputError where there is none."""
        if not root.exists():
            raise InputError(f"{root} does not exist; {_WHAT}")
        if not root.is_dir():
            raise InputError(f"{root} is no directory; {_WHAT}")
        self.root = root.resolve()
        if self.is_one and not is_import(self.root):
            check_format(self.root)
        self._known: dict[str, _Known] = {}
        self._reading = threading.Lock()

    @property
    def is_one(self) -> bool:
        """Whether the directory itself is a result, which it may become."""
        return (self.root / layout.FORMAT_FILE).is_file()

    def find(self) -> dict[str, Path]:
        """Return the results that are there now, by their names in addresses."""
        if self.is_one:
            return {self.root.name: self.root}
        found = {}
        for path in _result_folders(self.root):
            name = path.relative_to(self.root).as_posix()
            if not _is_text(name):
                # Bytes that are no text have no place in an address.
                continue
            found[name] = path
            if len(found) == RESULTS_MAX:
                break
        return found

    def directory(self, name: str) -> Path | None:
        """Return the directory of a result that is there; None where there is no such name."""
        return self.find().get(name)

    def lines(self) -> list[ResultLine]:
        """Return a line for each result, those that began last first."""
        found = self.find()
        # Several lists may be asked for at a time, and what was read is kept for all of them.
        with self._reading:
            for gone in self._known.keys() - found.keys():
                del self._known[gone]
            lines = [self._line(name, path) for name, path in found.items()]
        return sorted(lines, key=lambda line: (-(line.started_unix_s or 0.0), line.name))

    def _line(self, name: str, path: Path) -> ResultLine:
        try:
            if is_import(path):
                return _line_of_import(name, path)
            known = self._read(name, path)
        except (InputError, OSError) as error:
            return ResultLine(name, path, damage=str(error))
        state = known.state
        heard_unix_s = max(state.last_unix_s, _heard_unix_s(state, path))
        return ResultLine(
            name,
            path,
            experiment=state.plan.experiment,
            question=state.plan.question,
            factors=tuple(factor.name for factor in state.plan.given_factors),
            standing=standing_of(state, path, heard_unix_s),
            started_unix_s=state.started_unix_s,
            heard_unix_s=heard_unix_s,
            done=len(state.outcomes),
            bad=state.bad,
            planned=len(state.plan.trials),
            reports=tuple(sorted(_reports(path))),
        )

    def _read(self, name: str, path: Path) -> _Known:
        known = self._known.get(name)
        if known is None or not known.is_same(path):
            known = self._known[name] = _Known(path)
        known.read()
        if not known.is_same(path):
            known = self._known[name] = _Known(path)
            known.read()
        return known


def servable(directory: Path, name: str) -> Path | None:
    """Return a file of a result that may be handed out: reports, summaries and their drawings.

    None for all others, and for what only leads to a file that lies elsewhere.
    """
    folder, _, file = name.rpartition("/")
    is_report = not folder and _REPORT.fullmatch(file)
    is_drawing = _FIGURES.fullmatch(folder) and _DRAWING.fullmatch(file)
    if not (is_report or is_drawing):
        return None
    path = directory / name
    is_itself = path.resolve() == directory.resolve() / name
    return path if is_itself and path.is_file() else None


def _line_of_import(name: str, path: Path) -> ResultLine:
    imported = read_imported_trials(path)
    began = [trial.began_unix_s for trial in imported.trials if trial.began_unix_s is not None]
    return ResultLine(
        name,
        path,
        experiment=imported.name,
        question=imported.question,
        factors=tuple(factor for factor, _ in imported.trials[0].levels),
        started_unix_s=min(began, default=None),
        planned=len(imported.trials),
        reports=tuple(sorted(_reports(path))),
        tools=tuple(dict.fromkeys(trial.source.tool for trial in imported.trials)),
    )


def _reports(directory: Path) -> Iterator[str]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(".html") and servable(directory, entry.name):
                yield entry.name


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _heard_unix_s(state: RunState, directory: Path) -> float:
    """Return when the trial at hand was written to last; 0 where there is none."""
    if state.trial is None or not state.is_at_trial:
        return 0.0
    folder = layout.unfinished_directory(directory, state.trial)
    try:
        return max(entry.stat().st_mtime for entry in os.scandir(folder))
    except (OSError, ValueError):
        return 0.0


def _result_folders(root: Path) -> Iterator[Path]:
    """Yield the results below a folder; links are not followed, nor is anything inside a result."""
    waiting, seen = [(root, 0)], 0
    while waiting and seen < FOLDERS_MAX:
        folder, depth = waiting.pop()
        seen += 1
        try:
            with os.scandir(folder) as entries:
                below = sorted(
                    entry.path
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
                )
        except OSError:
            continue
        for path in map(Path, reversed(below)):
            if (path / layout.FORMAT_FILE).is_file():
                yield path
            elif depth + 1 < DEPTH:
                waiting.append((path, depth + 1))
