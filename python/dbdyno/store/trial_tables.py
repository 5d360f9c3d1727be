"""The tables of a trial: read when somebody looks at one, and kept only for a while.

A result may have thousands of trials, and all their samples do not fit into memory. Analysis looks
at each trial once, when it is read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

import polars as pl

from dbdyno.store import layout
from dbdyno.store.resources_file import read_resources
from dbdyno.store.table_file import read_table

KEPT_TABLES = 200
"""Those that were looked at last: of some forty trials, which are then read once."""

KEPT_RESOURCES = 10
"""These are larger: many metrics by interval."""


class TrialTables(Protocol):
    """What there is of one trial; ``StoredTrial`` says what is in each table."""

    def intervals(self) -> pl.DataFrame:
        """Return the counters by interval and transaction."""

    def generator(self) -> pl.DataFrame:
        """Return the generator's own figures by interval."""

    def interval_percentiles(self) -> pl.DataFrame:
        """Return percentiles of response time by interval."""

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
        """See that all tables can be read."""
        for read in (self.intervals, self.generator, self.interval_percentiles):
            read()
        self.resources()
        self.hosts()
        self.generators()

    def _read(self, name: str) -> pl.DataFrame:
        path = self._path(name)
        # Whoever reads a file that is not there says so.
        return _read_table(path, name, _version(path) or (0, 0))

    def _read_if_there(self, name: str) -> pl.DataFrame | None:
        path = self._path(name)
        version = _version(path)
        if version is None:
            return None
        is_large = name == layout.RESOURCES_FILE
        return _read_resources(path, version) if is_large else _read_table(path, name, version)

    def _path(self, name: str) -> str:
        """Return a path as text: it is asked for some dozen times a trial."""
        return f"{self.folder}/{name}"


_SCHEMAS = {
    layout.INTERVALS_FILE: layout.INTERVAL_SCHEMA,
    layout.GENERATOR_FILE: layout.GENERATOR_SCHEMA,
    layout.PERCENTILES_FILE: layout.PERCENTILE_SCHEMA,
    layout.HOSTS_FILE: layout.HOST_SCHEMA,
    layout.GENERATORS_FILE: layout.GENERATORS_SCHEMA,
}

Version = tuple[int, int]
"""What tells a file from one that has taken its place: its time and its size."""


@lru_cache(KEPT_TABLES)
def _read_table(path: str, name: str, _: Version) -> pl.DataFrame:
    return read_table(Path(path), _SCHEMAS[name])


@lru_cache(KEPT_RESOURCES)
def _read_resources(path: str, _: Version) -> pl.DataFrame:
    return read_resources(Path(path))


def _version(path: str) -> Version | None:
    """Return the version of a file; None where it cannot be looked at."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
