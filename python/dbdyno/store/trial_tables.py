"""The tables of a trial: read when somebody looks at one, and kept only for a while.

A result may have thousands of trials, and all their samples do not fit into memory. Analysis looks
at each trial once, when it is read.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import polars as pl

from dbdyno.store import columns, layout
from dbdyno.store.resources_file import as_resources
from dbdyno.store.table_file import checked, read_parquet, read_together

KEPT_TABLES = 50
"""Those that were looked at last: of some ten trials. Resources take megabytes a trial."""


class TrialTables(Protocol):
    """What there is of one trial; ``StoredTrial`` says what is in each table."""

    def intervals(self) -> pl.DataFrame:
        """Return the counters by interval and transaction."""

    def generator(self) -> pl.DataFrame:
        """Return the generator's own figures by interval."""

    def interval_percentiles(self) -> pl.DataFrame:
        """Return percentiles of response time by interval."""

    def errors(self) -> pl.DataFrame:
        """Return the errors by interval."""

    def resources(self) -> pl.DataFrame | None:
        """Return what was watched; None where nothing was."""

    def hosts(self) -> pl.DataFrame | None:
        """Return the figures by interval and host; None of one host."""

    def generators(self) -> pl.DataFrame | None:
        """Return the figures by interval and generator; None of one generator."""


@dataclass(frozen=True)
class HeldTables:
    """Tables that are in memory, as whoever computes a trial has them."""

    held: Mapping[str, pl.DataFrame]
    """By the names of their files in ``store.layout``."""

    def intervals(self) -> pl.DataFrame:
        """Return the counters by interval and transaction."""
        return self.held[layout.INTERVALS_FILE]

    def generator(self) -> pl.DataFrame:
        """Return the generator's own figures by interval."""
        return self.held[layout.GENERATOR_FILE]

    def interval_percentiles(self) -> pl.DataFrame:
        """Return percentiles of response time by interval."""
        return self.held[layout.PERCENTILES_FILE]

    def errors(self) -> pl.DataFrame:
        """Return the errors by interval."""
        return self.held[layout.ERRORS_FILE]

    def resources(self) -> pl.DataFrame | None:
        """Return what was watched; None where nothing was."""
        return self.held.get(layout.RESOURCES_FILE)

    def hosts(self) -> pl.DataFrame | None:
        """Return the figures by interval and host; None of one host."""
        return self.held.get(layout.HOSTS_FILE)

    def generators(self) -> pl.DataFrame | None:
        """Return the figures by interval and generator; None of one generator."""
        return self.held.get(layout.GENERATORS_FILE)


@dataclass(frozen=True)
class StoredTables:
    """The tables in a trial's folder. InputError where one is damaged."""

    folder: Path

    def intervals(self) -> pl.DataFrame:
        """Return the counters by interval and transaction."""
        return self._read(layout.INTERVALS_FILE)

    def generator(self) -> pl.DataFrame:
        """Return the generator's own figures by interval."""
        return self._read(layout.GENERATOR_FILE)

    def interval_percentiles(self) -> pl.DataFrame:
        """Return percentiles of response time by interval."""
        return self._read(layout.PERCENTILES_FILE)

    def errors(self) -> pl.DataFrame:
        """Return the errors by interval."""
        return self._read(layout.ERRORS_FILE)

    def resources(self) -> pl.DataFrame | None:
        """Return what was watched; None where nothing was."""
        return self._read_if_there(layout.RESOURCES_FILE)

    def hosts(self) -> pl.DataFrame | None:
        """Return the figures by interval and host; None of one host."""
        return self._read_if_there(layout.HOSTS_FILE)

    def generators(self) -> pl.DataFrame | None:
        """Return the figures by interval and generator; None of one generator."""
        return self._read_if_there(layout.GENERATORS_FILE)

    def check(self) -> None:
        """See that all tables can be read; they are read together, which takes half the time."""
        versions = {name: _version(self._path(name)) for name in _READERS}
        there = {
            name: version or MISSING
            for name, version in versions.items()
            if version is not None or name in _ALWAYS_THERE
        }
        tables = read_together([Path(self._path(name)) for name in there])
        for (name, version), table in zip(there.items(), tables, strict=True):
            path = self._path(name)
            _KEPT.keep(path, version, _READERS[name](Path(path), table))

    def _read(self, name: str) -> pl.DataFrame:
        path = self._path(name)
        # Whoever reads a file that is not there says so.
        return _read(path, name, _version(path) or MISSING)

    def _read_if_there(self, name: str) -> pl.DataFrame | None:
        path = self._path(name)
        version = _version(path)
        return None if version is None else _read(path, name, version)

    def _path(self, name: str) -> str:
        """Return a path as text: it is asked for some dozen times a trial."""
        return f"{self.folder}/{name}"


Version = tuple[int, int]
"""What tells a file from one that has taken its place: its time and its size."""

MISSING: Version = (0, 0)


def _of(schema: pl.Schema) -> Callable[[Path, pl.DataFrame], pl.DataFrame]:
    return lambda path, table: checked(path, table, schema)


_READERS: dict[str, Callable[[Path, pl.DataFrame], pl.DataFrame]] = {
    layout.INTERVALS_FILE: _of(columns.INTERVAL_SCHEMA),
    layout.GENERATOR_FILE: _of(columns.GENERATOR_SCHEMA),
    layout.PERCENTILES_FILE: _of(columns.PERCENTILE_SCHEMA),
    layout.ERRORS_FILE: _of(columns.ERROR_SCHEMA),
    layout.RESOURCES_FILE: as_resources,
    layout.HOSTS_FILE: _of(columns.HOST_SCHEMA),
    layout.GENERATORS_FILE: _of(columns.GENERATORS_SCHEMA),
}
"""What makes a table of what is in a file, or refuses it."""

_ALWAYS_THERE = (
    *(layout.INTERVALS_FILE, layout.GENERATOR_FILE, layout.PERCENTILES_FILE, layout.ERRORS_FILE),
)


class _Kept:
    """The tables that were looked at last."""

    def __init__(self) -> None:
        self._tables: OrderedDict[tuple[str, Version], pl.DataFrame] = OrderedDict()

    def find(self, path: str, version: Version) -> pl.DataFrame | None:
        """Return a table, if it is kept."""
        return self._tables.get((path, version))

    def keep(self, path: str, version: Version, table: pl.DataFrame) -> None:
        """Keep a table, and let go of the one that was read first."""
        self._tables[path, version] = table
        if len(self._tables) > KEPT_TABLES:
            self._tables.popitem(last=False)


_KEPT = _Kept()


def _read(path: str, name: str, version: Version) -> pl.DataFrame:
    found = _KEPT.find(path, version)
    if found is None:
        found = _READERS[name](Path(path), read_parquet(Path(path)))
        _KEPT.keep(path, version, found)
    return found


def _version(path: str) -> Version | None:
    """Return the version of a file; None where it cannot be looked at."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
