"""Files and directories → the trials in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dbdyno.contained_files import refuse_link_out, refuse_links_out
from dbdyno.errors import InputError
from dbdyno.importer import pgbench_aggregate, pgbench_log
from dbdyno.importer.benchmarksql_result import is_result, read_result
from dbdyno.importer.contradictions import without_contradictions
from dbdyno.importer.log import HEAD_BYTES, read_log
from dbdyno.importer.registry import is_marked, read_by_content, recognised
from dbdyno.trial_evidence import TrialEvidence

FILES_MAX = 10_000
"""In a directory that is searched."""

_DIGITS = re.compile(r"(\d+)")
_THREAD_LOG = re.compile(r"(.+\.\d+)\.\d+$")
"""pgbench's threads beside the first add their number: ``pgbench_log.123.1``."""


def read_logs(paths: Sequence[Path]) -> tuple[TrialEvidence, ...]:
    """Return all runs in files and directories, in the order that is given.

    A directory is a result of BenchmarkSQL, or is searched for logs, in which files that are none
    are passed over. A file may hold several runs. What a log itself refutes is left out. InputError
    for a file that is named and not recognised, and where nothing is found.
    """
    files = list(dict.fromkeys(found for path in paths for found in _found(path)))
    trials: list[TrialEvidence] = []
    for group in _runs_of_threads(files):
        trials += _read(group)
    if not trials:
        raise InputError("no log was found in " + ", ".join(map(str, paths)))
    return tuple(map(without_contradictions, trials))


def natural(path: str) -> tuple[tuple[bool, int, str], ...]:
    """Return what sorts names as people do: ``t8.log`` before ``t16.log``."""
    parts = _DIGITS.split(path)
    return tuple(
        (part.isdecimal(), int(part[:18]) if part.isdecimal() else 0, part) for part in parts
    )


def _found(path: Path) -> Iterator[Path]:
    if not path.exists():
        raise InputError(f"{path} does not exist")
    if not path.is_dir() or is_result(path):
        yield path
        return
    inside = sorted(path.rglob("*"), key=lambda each: natural(str(each)))
    results = [each for each in inside if each.is_dir() and is_result(each)]
    files = [each for each in inside if each.is_file() and not _is_below(each, results)]
    if len(files) > FILES_MAX:
        raise InputError(f"{path} has {len(files):,} files; name its logs, or a smaller directory")
    for result in results:
        refuse_links_out(result)
        yield result
    for file in filter(_is_log, files):
        refuse_link_out(file, path)
        yield file


def _is_below(file: Path, results: Sequence[Path]) -> bool:
    return any(result in file.parents for result in results)


def _is_log(file: Path) -> bool:
    """Tell whether a file in a directory is a log with a run in it.

    InputError of one that is, and that cannot be read whole: to pass over it would hide a run.
    """
    try:
        log = read_log(file)
        return any(module.read(log) for module in recognised(log))
    except InputError:
        with file.open("rb") as opened:
            if is_marked(opened.read(HEAD_BYTES).decode("latin-1")):
                raise
        return False


def _runs_of_threads(files: Sequence[Path]) -> list[list[Path]]:
    """Put logs of pgbench's threads with that of the first thread, where that is given, too."""
    groups: dict[Path, list[Path]] = {}
    for file in sorted(files, key=lambda each: _THREAD_LOG.match(str(each)) is not None):
        found = _THREAD_LOG.match(str(file))
        first = Path(found[1]) if found else file
        groups.setdefault(first if first in groups else file, []).append(file)
    return sorted(groups.values(), key=lambda group: files.index(group[0]))


def _read(group: Sequence[Path]) -> list[TrialEvidence]:
    if group[0].is_dir():
        return [read_result(group[0])]
    if len(group) == 1:
        return read_by_content(read_log(group[0]))
    logs = [read_log(path) for path in group]
    if all(map(pgbench_log.is_ours, logs)):
        return pgbench_log.read_parts(logs)
    if all(map(pgbench_aggregate.is_ours, logs)):
        return pgbench_aggregate.read_parts(logs)
    return [trial for log in logs for trial in read_by_content(log)]
