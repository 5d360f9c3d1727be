"""The settings that servers had, a part of what was tested: the chosen ones, and all others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dbdyno.analysis.settings import TargetSettings, Values
from dbdyno.report.document import cells
from dbdyno.report.document.marks import marked
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Code,
    Column,
    Details,
    Paragraph,
    Table,
    TableKind,
)
from dbdyno.report.language import message, say
from dbdyno.report.words.settings import values_in_words

MOST_SETTINGS = 3000
"""More rows of settings that nobody chose would be most of the page."""


def settings_blocks(targets: Sequence[TargetSettings]) -> Iterator[Block]:
    """Yield the chosen settings of each target, and all others folded, or where they are."""
    is_shown = sum(len(each.others) for each in targets) <= MOST_SETTINGS
    for each in targets:
        yield _chosen(each)
        if each.others:
            yield _others(each) if is_shown else _where_others_are(each)


def _chosen(settings: TargetSettings) -> Block:
    if not settings.chosen:
        return Paragraph(say("Nobody chose a setting of {target}.", target=settings.target))
    caption = say("Settings of {target} that somebody chose", target=settings.target)
    return _table(settings.chosen, caption)


def _others(settings: TargetSettings) -> Block:
    folded = say(
        "All other settings of {target} ({count})",
        target=settings.target,
        count=len(settings.others),
    )
    caption = say("Settings of {target} that nobody chose", target=settings.target)
    return Details(folded, [_table(settings.others, caption)])


def _where_others_are(settings: TargetSettings) -> Block:
    return Paragraph(
        marked(
            message("All other settings of {target} ({count}) are in {file} beside this report."),
            target=settings.target,
            count=str(len(settings.others)),
            file=Code(f"trials/{settings.trial:04d}/trial.json"),
        )
    )


def _table(settings: Values, caption: str) -> Table:
    rows = [
        [cells.header(name, is_code=True), Cell(values_in_words(values))]
        for name, values in settings.items()
    ]
    columns = [Column(say("setting")), Column(say("value on the server"))]
    return Table(caption, caption, columns, [Body(rows)], kind=TableKind.FACTS)
