"""The section on published figures: what their source states stands beside what they give."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.report.document.model import Bullets, Details, Paragraph, Table
from dbdyno.report.sections import published
from dbdyno.report.words.audit import evidence_lines, what_is_right
from tests.unit.report.report_examples import two_factors
from tests.unit.report.section_examples import published as source


def test_stated_means_and_differences_stand_beside_those_of_all_rounds() -> None:
    section = published.section(replace(two_factors(), published=(source(),)))
    assert section is not None
    details = [block for block in section.blocks if isinstance(block, Details)]
    (stated,) = [each for each in details if each.summary.startswith("What theirs states")]
    (table,) = [block for block in stated.blocks if isinstance(block, Table)]
    rows = [[cell.text for cell in row] for row in table.bodies[0].rows]
    assert rows == [
        ["B 2.0, mean", "threads=8", "143", "136", "no"],
        [
            "B 2.0 against A 1.0",
            "threads=8",
            "30.00\N{NO-BREAK SPACE}%",
            "30.00\N{NO-BREAK SPACE}%",
            "yes",
        ],
        ["", "threads=9", "1.07", "\N{EN DASH}", "\N{EN DASH}"],
    ]


def test_what_an_audit_finds_stands_there_with_each_place_and_what_is_right() -> None:
    section = published.section(replace(two_factors(), published=(source(),)))
    assert section is not None
    (fault,) = source().faults
    (found,) = [
        block
        for block in section.blocks
        if isinstance(block, Details) and fault.code.value in block.summary
    ]
    bullets, right = found.blocks
    assert isinstance(bullets, Bullets)
    assert bullets.items == evidence_lines(fault)
    assert isinstance(right, Paragraph)
    assert right.text == f"Right: {what_is_right(fault)}"


def test_a_table_of_which_nothing_is_stated_has_no_such_part() -> None:
    tables = [replace(each, stated=()) for each in source().tables]
    findings = replace(two_factors(), published=(replace(source(), tables=tuple(tables)),))
    section = published.section(findings)
    assert section is not None
    details = [block for block in section.blocks if isinstance(block, Details)]
    assert not [each for each in details if "states" in each.summary]
