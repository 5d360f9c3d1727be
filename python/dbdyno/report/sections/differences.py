"""Section: in which settings compared cells differ besides the factor."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.analysis.differences import Difference
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
from dbdyno.report.language import say
from dbdyno.report.words.settings import setting_value


def section(findings: Findings) -> Section | None:
    """Return the section; None where nothing differs."""
    own, defaults = findings.differences, findings.default_differences
    if not own and not defaults:
        return None
    meaning = say(
        "Settings in which compared cells differ although the factor compared does not set them. "
        "Each may be the true cause of a difference above."
    )
    blocks: list[Block] = [Paragraph(meaning, Role.MUTED)]
    if own:
        caption = say("Settings that differ besides the factors")
        blocks.append(_table(own, caption, "differing-settings"))
    if defaults:
        folded = say(
            "Settings that nobody set and that differ: defaults of a version, or what follows from "
            "other settings ({count})",
            count=len(defaults),
        )
        caption = say("Defaults that differ")
        blocks.append(Details(folded, [_table(defaults, caption, "differing-defaults")]))
    title = say("What differs between cells")
    return Section("differences", title, blocks, name=say("Differences"))


def _table(differences: Sequence[Difference], caption: str, name: str) -> Table:
    rows = [
        [
            cells.header(setting, is_code=True),
            Cell(cell),
            Cell(setting_value(value)),
            Cell(setting_value(other)),
        ]
        for setting, cell, value, other in differences
    ]
    columns = [
        Column(say("setting")),
        Column(say("cell")),
        Column(say("value there")),
        Column(say("value of its baseline")),
    ]
    return Table(caption, caption, columns, [Body(rows)], id=name)
