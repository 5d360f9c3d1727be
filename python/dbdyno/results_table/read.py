"""Files and folders → tables: what can be read, and what cannot is said with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dbdyno.contained_files import open_named, refuse_link_out
from dbdyno.errors import InputError
from dbdyno.refusal import suggest
from dbdyno.results_table.build import build_table
from dbdyno.results_table.deployments import placed_in
from dbdyno.results_table.description import Description, description_of
from dbdyno.results_table.model import ResultsTable
from dbdyno.results_table.notes import notes_of, with_notes
from dbdyno.results_table.raw import RawTable
from dbdyno.results_table.read_csv import read_csv
from dbdyno.results_table.read_html import read_html
from dbdyno.results_table.read_markdown import read_markdown
from dbdyno.results_table.sections import with_sections_joined

READERS: Mapping[str, Callable[[Path, bytes], list[RawTable]]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
}
LARGEST_BYTES = 20_000_000


def read_tables(paths: Sequence[Path], columns: Path | None) -> list[ResultsTable]:
    """Return all tables with figures or claims of files and folders.

    InputError where a named file cannot be read or has no such table; a folder's other files are
    passed over.
    """
    raws: list[RawTable] = []
    tables: list[ResultsTable] = []
    for path in paths:
        files = _files(path)
        read = [(file, _raw_tables(file)) for file in files]
        found = [table for file, own in read for table in _built(file, own, columns)]
        if not found:
            raise InputError(f"{path}: has no table with figures; {_formats()}")
        raws += [raw for _, own in read for raw in own]
        tables += found
    if columns is not None and not columns.is_dir():
        _refuse_unknown_columns(description_of(columns, columns), raws, columns)
    return tables


def _files(path: Path) -> list[Path]:
    """Return a file, or the tables of a folder by their names."""
    if not path.is_dir():
        return [path]
    files = [each for each in sorted(path.iterdir()) if each.suffix.lower() in READERS]
    for file in files:
        refuse_link_out(file, path)
    return files


def _raw_tables(path: Path) -> list[RawTable]:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path}: is no table by its name; {_formats()}")
    return reader(path, read_bounded(path))


def read_bounded(path: Path) -> bytes:
    """Return the bytes of a regular file; InputError where it cannot be read, or is too large."""
    try:
        with open_named(path) as file:
            content = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    if len(content) > LARGEST_BYTES:
        raise InputError(f"{path}: is larger than {LARGEST_BYTES / 1e6:g} MB; a table is not")
    return content


def _built(path: Path, raws: Sequence[RawTable], columns: Path | None) -> list[ResultsTable]:
    """Return the tables of a file that have figures or claims, each with its description."""
    described = description_of(path, columns)
    if columns is None or columns.is_dir():
        _refuse_unknown_columns(described, raws, path)
    facts, notes = with_notes(described.facts, notes_of(path))
    described = described.model_copy(update={"facts": facts})
    placed = placed_in(raws)
    built = [
        replace(build_table(raw, _for_table(described, raw)), notes=notes, placed=placed)
        for raw in raws
    ]
    return with_sections_joined(
        [each for each in built if each.figures or each.claims or each.stated]
    )


def _for_table(description: Description, raw: RawTable) -> Description:
    """Return a description with the columns that a table has: others have the rest."""
    own = {name: role for name, role in description.columns.items() if name in raw.headings}
    return description.model_copy(update={"columns": own})


def _refuse_unknown_columns(description: Description, raws: Sequence[RawTable], path: Path) -> None:
    """Raise InputError for a column of a description that no table has."""
    known = list(dict.fromkeys(name for raw in raws for name in raw.headings))
    for name in description.columns:
        if name not in known:
            raise InputError(
                f"{path}: the description names the column {name!r}; {suggest(name, known)}"
            )


def _formats() -> str:
    return "name a CSV, Markdown or HTML file whose columns are headed, or a folder of such files"
