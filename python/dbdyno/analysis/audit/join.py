"""Claims with the table of figures that they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dbdyno.analysis.audit.model import Joined
from dbdyno.analysis.audit.printed_means import with_printed_means
from dbdyno.errors import InputError
from dbdyno.results_table.description import Conclusion
from dbdyno.results_table.model import ResultsTable, Role

SHARED = (Role.FACTOR, Role.LOAD, Role.CASE)
"""Columns by which claims are joined with their figures."""

Conclusions = tuple[Conclusion, ...]


def join_tables(tables: Sequence[ResultsTable]) -> tuple[Joined, ...]:
    """Return each table of figures with its claims.

    InputError where a description names a file of figures that is not among the tables.
    """
    joined = [
        Joined(table, table.claims, table.stated, table.description.claims)
        for table in tables
        if table.figures
    ]
    left: list[ResultsTable] = []
    for claims in (table for table in tables if not table.figures):
        place = _data_of(claims, joined)
        if place is None:
            left.append(claims)
        else:
            known = joined[place]
            joined[place] = replace(
                known,
                claims=known.claims + claims.claims,
                stated=known.stated + claims.stated,
                conclusions=_once(known.conclusions, claims.description.claims),
            )
    return with_printed_means(joined, left)


def _once(own: Conclusions, more: Conclusions) -> Conclusions:
    """Return conclusions, those of a description that both tables share once."""
    return (*own, *(each for each in more if each not in own))


def unjoined(tables: Sequence[ResultsTable]) -> list[ResultsTable]:
    """Return tables that are called claims, or have claimed means, and belong to no figures."""
    joined = join_tables(tables)
    taken = {id(claim) for each in joined for claim in (*each.claims, *each.stated)}
    return [
        table
        for table in tables
        if not table.figures
        and (table.stated or "claim" in table.path.stem.lower())
        and not any(id(c) in taken for c in (*table.claims, *table.stated))
    ]


def _data_of(claims: ResultsTable, joined: Sequence[Joined]) -> int | None:
    """Return the place of the table that claims are about: as told, by its name, by its columns."""
    if told := claims.description.data:
        by_name = [n for n, each in enumerate(joined) if each.data.path.name == told]
        if not by_name:
            raise InputError(
                f"{claims.path}: the description names {told!r} as its data, which is not among "
                "the files of this call; name it too"
            )
        return by_name[0]
    stem = claims.path.stem.lower().replace("_", "-").removesuffix("claims").rstrip("-")
    same = [n for n, each in enumerate(joined) if each.data.path == claims.path]
    beside = [
        n
        for n, each in enumerate(joined)
        if each.data.path.stem.lower().replace("_", "-").startswith(stem)
        and each.data.path.parent == claims.path.parent
    ]
    sharing = [n for n, each in enumerate(joined) if _shares(claims, each.data)]
    for fits in (same, [n for n in beside if n in sharing], beside, sharing):
        if len(fits) == 1:
            return fits[0]
    return None


def _shares(claims: ResultsTable, data: ResultsTable) -> bool:
    """Tell whether the factors of claims are columns of the data."""
    factors, known = (
        {name.lower() for role in SHARED for name in table.named(role)} for table in (claims, data)
    )
    return bool(factors) and factors <= known
