"""Section: in which settings compared cells differ besides the factor."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.differences import Difference, setting_names, shared_and_own
from dbdyno.analysis.findings import Findings
from dbdyno.report.document import cells
from dbdyno.report.document.model import (
    Block,
    Body,
    Cell,
    Column,
    Details,
    Paragraph,
    Role,
    Section,
    Table,
)
from dbdyno.report.language import listed, say, say_count
from dbdyno.report.words.settings import setting_value


def section(findings: Findings) -> Section | None:
    """Return the section; None where nothing differs."""
    own, defaults = findings.differences, findings.default_differences
    if not own and not defaults:
        return None
    meaning = say(
        "Settings in which compared cells differ, besides the one that the factor compared sets. "
        "Each may be the true cause of a difference above, unless it is what a target, a file of "
        "options or commands set to make the very difference that is compared."
    )
    blocks: list[Block] = [Paragraph(meaning, Role.MUTED)]
    if own:
        caption = say("Settings that differ besides the factors")
        blocks.append(_table(own, caption, "differing-settings"))
    blocks += _defaults(defaults)
    title = say("What differs between cells")
    return Section("differences", title, blocks, name=say("Differences"))


def _defaults(defaults: Sequence[Difference]) -> list[Block]:
    """Return what nobody set, folded: other values, and settings that only one server knows."""
    shared, of_one = shared_and_own(defaults)
    blocks: list[Block] = []
    if shared:
        folded = say(
            "Settings that nobody set and that differ: defaults of a version, or what follows from "
            "other settings ({count})",
            count=len(setting_names(shared)),
        )
        caption = say("Defaults that differ")
        blocks.append(Details(folded, [_table(shared, caption, "differing-defaults")]))
    if of_one:
        folded = say(
            "Settings that nobody set and that only one of the compared servers knows ({count})",
            count=len(setting_names(of_one)),
        )
        caption = say("Settings of one server alone")
        blocks.append(Details(folded, [_table(of_one, caption, "settings-of-one")]))
    return blocks


def _table(differences: Sequence[Difference], caption: str, name: str) -> Table:
    """Return a row for each setting and pair of values, whatever the number of cells."""
    cells_of: dict[tuple[str, str | None, str | None], list[str]] = {}
    for setting, cell, value, other in differences:
        cells_of.setdefault((setting, value, other), []).append(cell)
    place = {setting: at for at, setting in enumerate(setting_names(differences))}
    rows = [
        [
            cells.header(setting, is_code=True),
            Cell(_cells_in_words(labels)),
            Cell(setting_value(value)),
            Cell(setting_value(other)),
        ]
        for (setting, value, other), labels in sorted(
            cells_of.items(), key=lambda item: place[item[0][0]]
        )
    ]
    columns = [
        Column(say("setting")),
        Column(say("cell")),
        Column(say("value there")),
        Column(say("value of its baseline")),
    ]
    return Table(caption, caption, columns, [Body(rows)], id=name)


def _cells_in_words(labels: Sequence[str]) -> str:
    """Return a cell's label; of several cells the levels that they share, and how many they are."""
    distinct = list(dict.fromkeys(labels))
    if len(distinct) == 1:
        return distinct[0]
    first, *others = (label.split(", ") for label in distinct)
    shared = [level for level in first if all(level in other for other in others)]
    if not shared:
        return listed(distinct)
    return say_count(
        "{levels} ({count} cell)",
        "{levels} ({count} cells)",
        len(distinct),
        levels=listed(shared),
    )
