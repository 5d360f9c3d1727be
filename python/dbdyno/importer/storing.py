"""Writes an import into a directory of its own: the same logs give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from dbdyno.contained_files import make_folder, named_directory, remove, rename, write_file
from dbdyno.errors import InputError, RunError
from dbdyno.importer import benchmarksql_result, pgbench_aggregate, pgbench_log
from dbdyno.importer.log import Log, read_log
from dbdyno.importer.redact import redacted
from dbdyno.importer.stored import (
    IMPORT_FILE,
    IMPORT_FORMAT,
    INTERVALS_FILE,
    RESULT,
    SOURCES,
    interval_table,
    is_import,
)
from dbdyno.json_documents import FORMAT_FILE, write_document, write_json
from dbdyno.trial_evidence import ResultEvidence


def write_import(result: ResultEvidence, directory: Path) -> None:
    """Write a result with copies of its logs.

    An import that is there is replaced. InputError where something else is there, or where a log
    is below the directory and would be replaced with it; RunError where the disk refuses it.
    """
    _check_place(result, directory)
    directory = named_directory(directory)
    unfinished = directory.with_name(f".{directory.name}.unfinished")
    try:
        remove(unfinished)
        make_folder(unfinished / SOURCES)
        _write(result, unfinished)
        remove(directory)
        rename(unfinished, directory.name)
    except OSError as error:
        with suppress(OSError):
            remove(unfinished)
        raise RunError(f"{directory} cannot be written: {error.strerror}") from error


def _check_place(result: ResultEvidence, directory: Path) -> None:
    if directory.exists() and not (directory.is_dir() and _is_replaceable(directory)):
        raise InputError(f"{directory} exists and is no import: name another directory")
    place = directory.resolve()
    for trial in result.trials:
        if place in Path(trial.source.path).resolve().parents:
            raise InputError(
                f"{trial.source.path} is below {directory}, which would be replaced: "
                "name another directory"
            )


def _is_replaceable(directory: Path) -> bool:
    return is_import(directory) or not any(directory.iterdir())


def _write(result: ResultEvidence, directory: Path) -> None:
    bare = replace(result, trials=tuple(replace(each, intervals=()) for each in result.trials))
    write_document(directory / IMPORT_FILE, RESULT, bare)
    parquet = io.BytesIO()
    interval_table(result).write_parquet(parquet)
    write_file(directory / INTERVALS_FILE, parquet.getvalue())
    for path, name in _copies(result):
        target = directory / SOURCES / name
        make_folder(target.parent)
        write_file(target, _without_passwords(read_log(path)))
    write_json(directory / FORMAT_FILE, IMPORT_FORMAT.to_document())


def _copies(result: ResultEvidence) -> Iterator[tuple[Path, str]]:
    """Yield each file with the name of its copy: numbered, for two logs may be called the same."""
    sources = list(dict.fromkeys(Path(trial.source.path) for trial in result.trials))
    width = len(str(len(sources)))
    for number, source in enumerate(sources, start=1):
        name = f"{number:0{width}}-{source.resolve().name}"
        if source.is_dir():
            files = (source / each for each in benchmarksql_result.FILES)
            yield from ((f, f"{name}/{f.relative_to(source)}") for f in files if f.is_file())
        else:
            yield source, name.removesuffix(".gz")


def _without_passwords(log: Log) -> bytes:
    """Return a log's bytes; a table of numbers has no password, and may be long."""
    if pgbench_log.is_ours(log) or pgbench_aggregate.is_ours(log) or _is_transactions(log):
        return log.data
    return redacted(log.text).encode("utf-8", errors="replace")


def _is_transactions(log: Log) -> bool:
    return log.path.match(f"*/{benchmarksql_result.RESULT}")
