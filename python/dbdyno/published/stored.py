"""The copies of published tables in a result: written as a run begins, and read by reports.

``published/sources.json`` says what they are; ``published/1`` has the files of the first source.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from dbdyno.contained_files import (
    make_folder,
    named_directory,
    refuse_links_out,
    replaced_folder,
    write_file,
)
from dbdyno.errors import InputError
from dbdyno.experiment.file.published import Published
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.translated import Translated
from dbdyno.json_documents import read_document, write_document
from dbdyno.password import without_passwords
from dbdyno.published.given import columns_of, matched_factors, paths_of
from dbdyno.published.model import MatchedFactor, PublishedTables
from dbdyno.results_table.description import description_file
from dbdyno.results_table.read import read_bounded, read_tables
from dbdyno.store.layout import PUBLISHED_DIRECTORY

SOURCES_FILE = "sources.json"
COLUMNS_FILE = "columns.yaml"


@dataclass(frozen=True)
class KeptSource:
    """One source; paths are relative to the directory of all of them."""

    source: Translated
    files: tuple[str, ...]
    columns: str | None
    match: dict[str, MatchedFactor]
    at: dict[str, str] = field(default_factory=dict)


KEPT = TypeAdapter(tuple[KeptSource, ...])


def keep_published(directory: Path, experiment: Experiment) -> None:
    """Put copies of the tables into a result, in place of those that were there.

    InputError where one cannot be read.
    """
    published = experiment.report.published
    with replaced_folder(named_directory(directory), PUBLISHED_DIRECTORY) as folder:
        if published:
            sources = tuple(
                _keep(each, number, folder, experiment.path.parent)
                for number, each in enumerate(published, start=1)
            )
            write_document(folder / SOURCES_FILE, KEPT, sources)


def read_published(directory: Path) -> tuple[PublishedTables, ...]:
    """Return the tables that a result has; InputError where a copy is missing or damaged."""
    folder = named_directory(directory) / PUBLISHED_DIRECTORY
    if not os.path.lexists(folder):
        return ()
    kept = read_document(folder / SOURCES_FILE, KEPT)
    refuse_links_out(folder)
    for each in kept:
        for file in filter(None, (*each.files, each.columns)):
            _refuse_outside(folder, file)
    return tuple(
        PublishedTables(
            each.source,
            tuple(
                read_tables(
                    [folder / file for file in each.files],
                    None if each.columns is None else folder / each.columns,
                )
            ),
            each.match,
            each.at,
        )
        for each in kept
    )


def _refuse_outside(folder: Path, file: str) -> None:
    if Path(file).is_absolute() or ".." in Path(file).parts:
        raise InputError(f"{folder / SOURCES_FILE} is damaged: {file} is no file beside it")


def _keep(published: Published, number: int, folder: Path, directory: Path) -> KeptSource:
    own = folder / str(number)
    make_folder(own)
    paths, columns = paths_of(published, directory), columns_of(published, directory)
    is_one_description = columns is not None and columns.is_file()
    for path in (*paths, *(() if is_one_description else _descriptions(paths, columns))):
        _copy(path, own / path.name)
    if columns is not None and is_one_description:
        _copy(columns, own / COLUMNS_FILE)
    return KeptSource(
        source=published.source,
        files=tuple(f"{number}/{path.name}" for path in paths),
        columns=f"{number}/{COLUMNS_FILE}" if is_one_description else None,
        match=matched_factors(published),
        at=published.at,
    )


def _descriptions(paths: list[Path], columns: Path | None) -> Iterator[Path]:
    """Yield the descriptions that stand beside tables, or in a folder that is named."""
    for path in paths:
        own = description_file(path, columns)
        if own.is_file():
            yield own


def _copy(path: Path, copy: Path) -> None:
    """Copy a file with the passwords masked that stand in it; all other bytes stay."""
    text = read_bounded(path).decode("utf-8", "surrogateescape")
    write_file(copy, without_passwords(text).encode("utf-8", "surrogateescape"))
