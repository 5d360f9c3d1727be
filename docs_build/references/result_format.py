"""The format of a result directory: its files, the events of its journal, its tables' columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

import polars as pl

from dbdyno.described_table import DescribedTable
from dbdyno.store import layout
from dbdyno.store.columns import TABLES
from dbdyno.store.journal import JournalEvent
from dbdyno.store.model import FORMAT_NAME, FORMAT_VERSION, READABLE_VERSIONS
from docs_build.markdown import code, page, plain, table

KINDS = {
    pl.String: "text",
    pl.Categorical: "text",
    pl.Int64: "whole number",
    pl.Float64: "number",
}
"""Types of columns, as a reader calls them."""


def result_format() -> str:
    """Return the page."""
    versions = " and ".join(map(str, READABLE_VERSIONS))
    return page(
        "Result format",
        f"`format.json` says format {code(FORMAT_NAME)}, version {FORMAT_VERSION}; versions "
        f"{versions} can be read. Tables are Parquet: Polars, pandas, DuckDB and Spark read them. "
        "A null is what is not known.",
        "## Files of a result directory",
        _files(layout.TOP_LEVEL),
        "## Files of a trial",
        "They are in `trials/0007/`. `trials/0007.superseded-1/` is an earlier attempt.",
        _files(layout.TRIAL_FILES),
        *(_table(file, described) for file, described in TABLES.items()),
        "## Events of journal.jsonl",
        "Each event has its name in `event`, and in `unix_s` when it happened, in seconds since "
        "1970.",
        table(("Event", "Its fields", "What happened"), _events()),
        "The fields of the JSON documents are in [Result documents](result-documents.md). The "
        "metrics of `resources.parquet` are in [Metrics](../metrics.md).",
    )


def _files(files: Mapping[str, str]) -> str:
    rows = ((code(name), plain(meaning)) for name, meaning in files.items())
    return table(("File", "What it is"), rows)


def _table(file: str, described: DescribedTable) -> str:
    rows = (
        (code(name), KINDS[column.kind.base_type()], column.unit, plain(column.meaning))
        for name, column in described.columns.items()
    )
    head = ("Column", "Type", "Unit", "Meaning")
    return (
        f"## Columns of {file}\n\nOne row for each {plain(described.row)}.\n\n{table(head, rows)}"
    )


def _events() -> Iterator[tuple[str, str, str]]:
    for event in get_args(JournalEvent):
        names = [name for name in event.__dataclass_fields__ if name not in ("event", "unix_s")]
        yield code(event.event), ", ".join(map(code, names)), plain(event.__doc__)
