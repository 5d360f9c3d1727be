"""SQLite as a source: the sizes of its files, for it has no server that could be asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dbdyno.watch.series.source import Source, Subject, Values

_FILES = {
    "": "sqlite.database_bytes",
    "-wal": "sqlite.wal_bytes",
    "-journal": "sqlite.journal_bytes",
}


class DatabaseFiles:
    """A database file, and those that SQLite keeps beside it."""

    def __init__(self, subject: Subject, database: Path) -> None:
        self.subject = subject
        self._database = database

    def sample(self) -> Values:
        """Return the sizes of now; one that is not there is left out."""
        values: Values = {}
        for ending, metric in _FILES.items():
            with suppress(FileNotFoundError):
                values[metric] = float(Path(f"{self._database}{ending}").stat().st_size)
        return values


@contextmanager
def watch_files(subject: Subject, url: str) -> Iterator[list[Source]]:
    """Watch the files of the database that a URL names."""
    path = url.removeprefix("sqlite://").partition("?")[0]
    # Three slashes, and a fourth where the path begins at the root.
    yield [DatabaseFiles(subject, Path("/" + path.lstrip("/")))]
