"""The logical size: the bytes of all values in all rows, as the server writes them as text.

Small tables are read in whole. Of a large one some stretches of its key are read, evenly spread
over it, and the sum is scaled up by the share of the key that they cover: warehouses of TPC-C,
ranges of ids. The stretches follow from the key's ends alone, so that equal tables give equal
sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dbdyno._native import Session
from dbdyno.size.asking import Connect, UnknownSizeError, ask
from dbdyno.size.dialect import DIALECTS, Dialect
from dbdyno.size.model import LogicalSize

READ_BYTES_MAX = 512 << 20
"""About so much is read in all, shared evenly by the tables: a few seconds of one CPU."""

STRETCHES = 8
"""In so many places a large table is looked at, each of them one value of the key or more."""

WITHOUT_KEY_BYTES_MAX = 4 << 30
"""A larger table without a whole number for a key is not read at all."""


def logical_size(connect: Connect, database: str, tables: Sequence[str] | None) -> LogicalSize:
    """Return the size of some tables, or of all; ``database`` is mysql, postgresql or sqlite."""
    size = ask(connect, lambda session: _measured(session, DIALECTS[database], tables))
    return LogicalSize(None, reason=size) if isinstance(size, str) else size


def read_whole(connect: Connect, database: str, tables: Sequence[str] | None) -> LogicalSize:
    """Read every row of some tables, or of all, and so fill the caches with them.

    A server may keep what is read in passing out of its own cache, and leave it to the kernel's.
    """
    size = ask(connect, lambda session: _read(session, DIALECTS[database], tables))
    return LogicalSize(None, reason=size) if isinstance(size, str) else size


def _read(session: Session, dialect: Dialect, tables: Sequence[str] | None) -> LogicalSize:
    names = _all_tables(session, dialect) if tables is None else tables
    sizes = {name: _Table(session, dialect, name).read() for name in names}
    tables_bytes = {name: size.size_bytes or 0 for name, size in sizes.items()}
    rows = sum(size.rows for size in sizes.values())
    return LogicalSize(sum(tables_bytes.values()), rows, tables_bytes=tables_bytes)


def _measured(session: Session, dialect: Dialect, tables: Sequence[str] | None) -> LogicalSize:
    names = _all_tables(session, dialect) if tables is None else tables
    read_bytes_max = READ_BYTES_MAX / max(1, len(names))
    sizes = {name: _Table(session, dialect, name).size(read_bytes_max) for name in names}
    rows = sum(size.rows for size in sizes.values())
    rows_read = sum(size.rows * size.read_share for size in sizes.values())
    tables_bytes = {name: size.size_bytes or 0 for name, size in sizes.items()}
    return LogicalSize(
        sum(tables_bytes.values()),
        rows,
        rows_read / rows if rows else 1.0,
        tables_bytes=tables_bytes,
    )


def _all_tables(session: Session, dialect: Dialect) -> list[str]:
    return [str(name) for (name,) in session.query(dialect.tables)]


@dataclass(frozen=True)
class _Table:
    """One table, and how to ask for it."""

    session: Session
    dialect: Dialect
    name: str

    def size(self, read_bytes_max: float) -> LogicalSize:
        """Return the table's size, read in whole where it has no more bytes than these."""
        sums = self._sums()
        rough_bytes = int(self._ask(self.dialect.rough_size)[0][0] or 0)
        key = self._key() if rough_bytes > read_bytes_max else None
        if key is not None:
            return self._sampled(sums, key, read_bytes_max / rough_bytes)
        if rough_bytes > max(read_bytes_max, WITHOUT_KEY_BYTES_MAX):
            raise UnknownSizeError(
                f"table {self.name} has {rough_bytes / 2**30:.1f} GiB, and no index that begins "
                "with a whole number, by which a part of it could be read"
            )
        return self.read()

    def read(self) -> LogicalSize:
        """Read all rows and all their values."""
        rows, size_bytes = self._add_up(self._sums())
        return LogicalSize(size_bytes, rows)

    def _ask(self, question: str) -> list[tuple[str | None, ...]]:
        return self.session.query(question.format(table=self.dialect.text(self.name)))

    def _sums(self) -> str:
        """Return what counts the rows and adds up the bytes of their values; NULL has none."""
        columns = self._ask(self.dialect.columns)
        if not columns:
            raise UnknownSizeError(f"there is no table {self.name}")
        lengths = [
            self.dialect.length_of_type.get(str(kind), self.dialect.length).format(
                self.dialect.quoted(str(column))
            )
            for column, kind in columns
        ]
        return "COUNT(*), SUM(" + " + ".join(f"COALESCE({length}, 0)" for length in lengths) + ")"

    def _key(self) -> str | None:
        """Return a column of whole numbers that an index begins with, the primary key's first."""
        columns = self._ask(self.dialect.keys)
        names = (str(name) for name, kind in columns if str(kind) in self.dialect.integers)
        return next((self.dialect.quoted(name) for name in names), None)

    def _add_up(self, sums: str, condition: str = "") -> tuple[int, int]:
        statement = f"SELECT {sums} FROM {self.dialect.quoted(self.name)}{condition}"
        ((rows, size_bytes),) = self.session.query(statement)
        return int(rows or 0), int(size_bytes or 0)

    def _sampled(self, sums: str, key: str, share: float) -> LogicalSize:
        """Read some stretches of a key, and scale up what they hold."""
        table = self.dialect.quoted(self.name)
        ((low, high),) = self.session.query(f"SELECT MIN({key}), MAX({key}) FROM {table}")
        first, last = int(low or 0), int(high or 0)
        rows = size_bytes = width = 0
        for begin, end in stretches(first, last, share):
            found = self._add_up(sums, f" WHERE {key} BETWEEN {begin} AND {end}")
            rows, size_bytes = rows + found[0], size_bytes + found[1]
            width += end - begin + 1
        if not rows:
            raise UnknownSizeError(f"no row of table {self.name} was in the stretches looked at")
        read_share = width / (last - first + 1)
        return LogicalSize(round(size_bytes / read_share), round(rows / read_share), read_share)


def stretches(first: int, last: int, share: float) -> Iterator[tuple[int, int]]:
    """Yield the ends of stretches that cover about this share of a key, each end included.

    Each is in the middle of its part of the key. Where there are no more values than stretches,
    all of them are yielded as one.
    """
    span = last - first + 1
    if span <= STRETCHES:
        yield first, last
        return
    width = max(1, min(round(share * span / STRETCHES), span // STRETCHES))
    for number in range(STRETCHES):
        middle = first + (2 * number + 1) * span // (2 * STRETCHES)
        yield middle - width // 2, middle - width // 2 + width - 1
