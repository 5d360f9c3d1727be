"""The facts of all hosts, a part of what was tested: of this one, and of others folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.report.document import cells
from dbdyno.report.document.model import Block, Body, Cell, Details, Paragraph, Table, TableKind
from dbdyno.report.host_table import FactGroup, OtherHostTable, fact_groups, other_host_tables
from dbdyno.report.language import say, sentences
from dbdyno.report.words.host import KERNEL_SETTINGS


def host_blocks(facts: HostFacts, others: Mapping[str, OtherHost]) -> Iterator[Block]:
    """Yield the tables of the host that dbdyno ran on, then those of all other hosts."""
    groups = fact_groups(facts)
    if groups:
        plain = [group for group in groups if group.name != KERNEL_SETTINGS]
        yield _table(plain, say("Host"))
    for group in groups:
        if group.name == KERNEL_SETTINGS:
            folded = say("Kernel settings of the host ({count})", count=len(group.rows))
            yield Details(folded, [_table([group], group.title)])
    yield from map(_other, other_host_tables(others))


def _other(host: OtherHostTable) -> Block:
    if host.unknown:
        unknown = say("{host}: its facts are not known.", host=host.title)
        return Paragraph(sentences([unknown, host.unknown[:1].upper() + host.unknown[1:]]))
    return Details(host.title, [_table(host.groups, host.title)])


def _table(groups: Sequence[FactGroup], caption: str) -> Table:
    """Return facts as names and values; several groups have their titles above them."""
    bodies = [
        Body(
            [[cells.header(name), Cell(value)] for name, value in group.rows],
            heading=group.title if len(groups) > 1 else "",
        )
        for group in groups
    ]
    return Table(caption, caption, [], bodies, kind=TableKind.FACTS)
