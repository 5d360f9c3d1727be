"""Tables below lines as ``buffer pool = 48G``, one for each level, that one table of claims joins.

A report may have a table for each level of a factor, and one of ratios whose columns are these
levels. Together the tables are one, with a column for the factor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from dbdyno.results_table.headings import sides, summary_of
from dbdyno.results_table.model import Claim, ClaimForm, Column, Figure, ResultsTable, Role
from dbdyno.results_table.raw import TABLE_IN_FILE, name_of_tables
from dbdyno.results_table.rows import sorted_levels

_NUMBERING = r"\d+(?:\.\d+)*[.、]?\s+"
_SECTION = re.compile(
    rf"(?:{_NUMBERING})?(?P<name>\w[^=:|,，;]{{0,60}}?)\s*=\s*(?P<level>[^=:|,，;]{{1,40}})"
)
_OTHER_SECTION = re.compile(_NUMBERING)


def section_of(line: str, before: tuple[str, str] | None) -> tuple[str, str] | None:
    """Return factor and level of the section that a line begins, or the one before it.

    A numbered line that names no level ends the section before it.
    """
    if match := _SECTION.fullmatch(line.strip()):
        return match["name"].strip(), match["level"].strip()
    return None if _OTHER_SECTION.match(line) else before


def with_sections_joined(tables: Sequence[ResultsTable]) -> list[ResultsTable]:
    """Return a file's tables, in which those of sections that claims are of are one table."""
    found = list(tables)
    for claims in (table for table in tables if table.claims and not table.figures):
        levels = [each for each in _columns(claims) if summary_of(each) is None]
        for name in dict.fromkeys(each.section[0] for each in found if each.section):
            members = [each for each in found if each.figures and _is_of(each, name, levels)]
            if len(levels) > 1 and _have_each_once(members, levels):
                first = found.index(members[0])
                found[first] = _joined(name, members)
                found = [each for each in found if each not in members[1:]]
                found[found.index(claims)] = _claims_of(name, claims)
                break
    return found


def _columns(claims: ResultsTable) -> list[str]:
    return list(dict.fromkeys(claim.place.column for claim in claims.claims))


def _is_of(table: ResultsTable, name: str, levels: Sequence[str]) -> bool:
    return table.section is not None and table.section[0] == name and table.section[1] in levels


def _have_each_once(members: Sequence[ResultsTable], levels: Sequence[str]) -> bool:
    """Tell whether each level has tables, and no metric two of them."""
    metrics: Mapping[str, list[str]] = {level: [] for level in levels}
    for table in members:
        assert table.section is not None, "they were chosen by it"
        metrics[table.section[1]] += {figure.metric.name for figure in table.figures}
    return all(own and len(own) == len(set(own)) for own in metrics.values())


def _joined(name: str, members: Sequence[ResultsTable]) -> ResultsTable:
    first = members[0]
    numbers = [int(each.name.partition(TABLE_IN_FILE)[2]) for each in members]
    return replace(
        first,
        name=name_of_tables(first.path.name, numbers),
        columns=(Column(name, Role.FACTOR), *first.columns),
        figures=tuple(_with_level(members, lambda table: table.figures)),
        absent=tuple(_with_level(members, lambda table: table.absent)),
        blank=tuple(each for table in members for each in table.blank),
        unread=tuple(each for table in members for each in table.unread),
        texts=tuple(each for table in members for each in table.texts),
        section=None,
    )


def _with_level(
    members: Sequence[ResultsTable], figures_of: Callable[[ResultsTable], tuple[Figure, ...]]
) -> Iterator[Figure]:
    for table in members:
        assert table.section is not None, "they were chosen by it"
        for each in figures_of(table):
            yield replace(each, levels=sorted_levels(dict([*each.levels, table.section])))


def _claims_of(name: str, claims: ResultsTable) -> ResultsTable:
    """Return claims with the level that their column is, or over all levels."""
    return replace(
        claims,
        columns=(Column(name, Role.FACTOR), *claims.columns),
        claims=tuple(_claim_of(name, each) for each in claims.claims),
    )


def _claim_of(name: str, claim: Claim) -> Claim:
    level = claim.place.column
    above, below = sides(claim.column, is_ratio=True)
    is_ratio = bool(below) and not claim.number.unit and claim.number.value > 0
    is_over = summary_of(level) is not None
    return replace(
        claim,
        form=ClaimForm.RATIO if is_ratio else claim.form,
        metric="",
        above=above,
        below=below,
        levels=() if is_over else ((name, level),),
        over=name if is_over else "",
        is_of_column=False,
    )
