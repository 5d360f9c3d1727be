"""Files and folders → tables: what can be read, and what cannot is said with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.results_table.build import build_table
from dbdyno.results_table.description import description_of
from dbdyno.results_table.model import ResultsTable
from dbdyno.results_table.raw import RawTable
from dbdyno.results_table.read_csv import read_csv
from dbdyno.results_table.read_html import read_html
from dbdyno.results_table.read_markdown import read_markdown

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
    tables: list[ResultsTable] = []
    for path in paths:
        if path.is_dir():
            inside = [each for each in sorted(path.iterdir()) if each.suffix.lower() in READERS]
            found = [table for each in inside for table in _tables(each, columns)]
        else:
            found = _tables(path, columns)
        if not found:
            raise InputError(f"{path}: has no table with figures; {_formats()}")
        tables += found
    return tables


def _tables(path: Path, columns: Path | None) -> list[ResultsTable]:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(f"{path}: is no table by its name; {_formats()}")
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    if len(content) > LARGEST_BYTES:
        raise InputError(f"{path}: is larger than {LARGEST_BYTES / 1e6:g} MB; a table is not")
    raws = reader(path, content)
    description = description_of(path, columns)
    # A description is of the first table of a file that has all the columns it names.
    own = [raw for raw in raws if set(description.columns) <= set(raw.headings)] or raws
    built = [
        build_table(
            raw, description if raw in own else description.model_copy(update={"columns": {}})
        )
        for raw in raws
    ]
    return [table for table in built if table.figures or table.claims or table.stated]


def _formats() -> str:
    return "name a CSV, Markdown or HTML file whose columns are headed, or a folder of such files"
