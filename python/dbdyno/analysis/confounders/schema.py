"""How the tables of a trial are defined, as values that can be held against another trial's.

A value is a list with a part for each key, column or storage, and all tables that have it. A list
can be compared with another one; what is told of it is only what the other one lacks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from dbdyno.analysis.confounders.model import LISTS_SEPARATOR
from dbdyno.store.facts import DefinitionFacts
from dbdyno.store.model import StoredTrial

TABLES_NAMED = 3


def keys_of(trial: StoredTrial) -> str | None:
    """Return the indexes and foreign keys of all tables."""
    return _listed(trial, lambda each: (*each.keys, *each.foreign_keys))


def columns_of(trial: StoredTrial) -> str | None:
    """Return the columns of all tables; servers of another kind have other types for them."""
    return _listed(trial, lambda each: each.columns)


def storage_of(trial: StoredTrial) -> str | None:
    """Return the storage engines of all tables."""
    return _listed(trial, lambda each: (each.storage,))


def told_parts(value: str, other: str) -> str:
    """Return the parts of a value that another value lacks, with the first of their tables."""
    others = set(other.split(LISTS_SEPARATOR))
    parts = [part for part in value.split(LISTS_SEPARATOR) if part not in others]
    return LISTS_SEPARATOR.join(map(_shortened, parts))


def _listed(trial: StoredTrial, parts_of: Callable[[DefinitionFacts], Sequence[str]]) -> str | None:
    definitions = trial.dataset.table_schema.definitions
    if not definitions:
        return None
    tables: dict[str, list[str]] = defaultdict(list)
    for definition in definitions:
        for part in parts_of(definition):
            tables[part].extend(definition.tables)
    return LISTS_SEPARATOR.join(
        f"{', '.join(sorted(names))}: {part}" for part, names in sorted(tables.items())
    )


def _shortened(part: str) -> str:
    tables, _, rest = part.partition(": ")
    names = tables.split(", ")
    more = [] if len(names) <= TABLES_NAMED else ["\N{HORIZONTAL ELLIPSIS}"]
    return f"{', '.join([*names[:TABLES_NAMED], *more])}: {rest}"
