"""The definitions of tables as values; names of indexes and constraints are left out.

Each server and each tool chooses such names for itself, and they change no plan.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class TableDefinition:
    """A definition, and the names of all tables that have it.

    ``storage`` is what the server calls the table's storage: its engine, row format and options.
    The others have one text each: ``k integer not null``, ``unique index (a, b desc)``,
    ``(d_w_id) references warehouse (w_id)``.
    """

    tables: tuple[str, ...]
    storage: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]
    foreign_keys: tuple[str, ...]


@dataclass(frozen=True)
class Schema:
    """The definitions of some tables, and whether sessions check their constraints.

    ``kind`` is mysql, postgresql or sqlite: types of columns and storage compare within one kind.
    ``checks_foreign_keys`` and ``checks_unique_keys`` are what a session like the load's does; None
    where the server has no such switch. ``reason`` says why nothing is known.
    """

    kind: str
    definitions: tuple[TableDefinition, ...] = ()
    checks_foreign_keys: bool | None = None
    checks_unique_keys: bool | None = None
    reason: str | None = None

    @property
    def fingerprint(self) -> str | None:
        """Return a short hash of all definitions; None where they are not known."""
        return fingerprint_of(self.definitions) if self.reason is None else None


def fingerprint_of(definitions: Sequence[TableDefinition]) -> str:
    """Return a short hash that is equal for equal definitions."""
    text = json.dumps([asdict(each) for each in definitions], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]
