"""What the command line names: ``[FACTOR=LEVEL[,FACTOR=LEVEL]:]PATH``, where a path may be a glob.

Levels with ``/`` between them are those of the runs in one file, in their order. A shell expands no
glob behind a prefix, so that is done here.
"""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.importer.arrange import Levels
from dbdyno.importer.read import natural, read_logs
from dbdyno.trial_evidence import TrialEvidence

_PAIR = r"[A-Za-z_][\w.-]*=[^,:=]+"
_PREFIXED = re.compile(rf"({_PAIR}(?:,{_PAIR})*):(.+)", re.S)


@dataclass(frozen=True)
class GivenLogs:
    """Logs, and the levels that the user gives all of them."""

    levels: Levels
    paths: tuple[Path, ...]


def read_argument(text: str) -> GivenLogs:
    """Return what one argument names; InputError where there is nothing of that name."""
    found = None if Path(text).exists() else _PREFIXED.fullmatch(text)
    levels = _levels(found[1]) if found else ()
    return GivenLogs(levels, _paths(found[2] if found else text))


def _levels(text: str) -> Levels:
    pairs = [pair.partition("=") for pair in text.split(",")]
    names = [name for name, _, _ in pairs]
    if len(set(names)) < len(names):
        raise InputError(f"{text} gives a factor twice")
    return tuple((name, level.strip()) for name, _, level in pairs)


def _paths(text: str) -> tuple[Path, ...]:
    path = Path(text).expanduser()
    if path.exists():
        return (path,)
    matches = glob.glob(str(path), recursive=True)  # noqa: PTH207 - it knows absolute globs
    if not matches:
        hint = " A level is given as FACTOR=LEVEL:PATH." if "=" in text else ""
        raise InputError(f"{text} does not exist.{hint}")
    return tuple(Path(each) for each in sorted(matches, key=natural))


def read_given(arguments: Iterable[str]) -> tuple[list[TrialEvidence], list[Levels]]:
    """Return the trials of all arguments, and what is given of each."""
    groups: Sequence[GivenLogs] = [read_argument(text) for text in arguments]
    trials: list[TrialEvidence] = []
    levels: list[Levels] = []
    for given, paths in _joined(groups).items():
        found = read_logs(paths)
        trials += found
        levels += _of_runs(given, found)
    return trials, levels


def _of_runs(given: Levels, trials: Sequence[TrialEvidence]) -> list[Levels]:
    """Return the levels of each run; InputError where a file has more or fewer runs than levels."""
    runs = Counter(trial.source.path for trial in trials)
    place: Counter[str] = Counter()
    found = []
    for trial in trials:
        path = trial.source.path
        own = {name: [level.strip() for level in text.split("/")] for name, text in given}
        for name, levels in own.items():
            if len(levels) not in (1, runs[path]) or not all(levels):
                raise InputError(
                    f"{name}={'/'.join(levels)} has {len(levels)} levels, and {path} has "
                    f"{runs[path]} runs: name one level for all of them, or one for each with / "
                    "between, in the order of the file"
                )
        found.append(
            tuple((name, levels[place[path] % len(levels)]) for name, levels in own.items())
        )
        place[path] += 1
    return found


def _joined(groups: Sequence[GivenLogs]) -> dict[Levels, list[Path]]:
    """Put together what is given the same levels: logs of threads belong together."""
    joined: dict[Levels, list[Path]] = {}
    for group in groups:
        joined.setdefault(group.levels, []).extend(group.paths)
    return joined
