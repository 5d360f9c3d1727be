"""The books of all hosts that one URL names: none is accused unless all of them hold the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dbdyno.ledger.book import Book, Connect, open_book
from dbdyno.ledger.evidence import Evidence
from dbdyno.protocol.events import End
from dbdyno.protocol.workload_plan import WorkloadPlan

UNLIKE = (
    "the hosts do not hold the same data, so nobody can tell which of them should have stored what"
)


@dataclass(frozen=True)
class HostBooks:
    """A book for each host, in the order of the URL."""

    books: tuple[Book, ...]

    def moved(self, connects: Sequence[Connect]) -> HostBooks:
        """Return the same books of servers that have other addresses now, in the same order."""
        return HostBooks(
            tuple(
                replace(book, connect=connect)
                for book, connect in zip(self.books, connects, strict=True)
            )
        )

    def close(self, end: End | None) -> Evidence:
        """Hold the amounts at each host against what a generator has said in the end."""
        found = [book.close(end) for book in self.books]
        is_alike = all(_stored(evidence) == _stored(found[0]) for evidence in found)
        return found[0] if is_alike else Evidence(left_out=(UNLIKE,))


def _stored(evidence: Evidence) -> tuple[Any, ...]:
    amounts = tuple((entry.before, entry.after) for entry in evidence.entries)
    return evidence.standing, amounts, evidence.rows


def open_books(connects: Sequence[Connect], database: str, workload: WorkloadPlan) -> HostBooks:
    """Note what is stored at each host before the load; see ``open_book``."""
    return HostBooks(tuple(open_book(connect, database, workload) for connect in connects))
