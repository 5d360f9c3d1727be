"""The section on settings that differ: one row a setting, whatever the number of cells."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.analysis.confounders.model import BY_MEANING, NONE, Aspect, LevelMeanings
from dbdyno.analysis.differences import Difference
from dbdyno.report.document.model import Details, Section, Table
from dbdyno.report.sections import differences
from dbdyno.report.words.confounders import differs_line
from tests.plain import plain
from tests.unit.report.report_examples import two_factors

ONE, OTHER = "target=new, threads=1", "target=new, threads=8"


def section(*defaults: Difference) -> Section:
    findings = replace(two_factors(), differences=(), default_differences=defaults)
    found = differences.section(findings)
    assert found is not None
    return found


def tables(found: Section) -> dict[str, list[list[str]]]:
    """Return the rows of each folded table, as texts, by the table's id."""
    folded = [block for block in found.blocks if isinstance(block, Details)]
    inner = [block for each in folded for block in each.blocks if isinstance(block, Table)]
    return {
        table.id: [[cell.text for cell in row] for row in table.bodies[0].rows] for table in inner
    }


def test_a_setting_that_differs_alike_in_all_cells_has_one_row() -> None:
    found = tables(section(("a", ONE, "1", "2"), ("a", OTHER, "1", "2"), ("b", ONE, "", "x")))
    assert [row[1:] for row in found["differing-defaults"]] == [
        ["target=new (2 cells)", "1", "2"],
        [ONE, "(empty)", "x"],
    ]


def test_of_many_cells_the_levels_are_named_that_not_all_have() -> None:
    findings = two_factors()
    assert [factor.name for factor in findings.factors] == ["journal_mode", "clients"]
    wal = [f"journal_mode=wal, clients={clients}" for clients in (1, 2, 4, 8)]
    few = [f"journal_mode={mode}, clients={n}" for mode in ("delete", "wal") for n in (2, 4)]
    every = [each.cell.label() for each in findings.cells]
    settings = [
        *(("a", label, "1", "2") for label in wal),
        *(("b", label, "1", "2") for label in few),
        *(("c", label, "1", "2") for label in every),
    ]
    found = differences.section(
        replace(findings, differences=(), default_differences=tuple(settings))
    )
    assert found is not None
    assert [row[:2] for row in tables(found)["differing-defaults"]] == [
        ["a", "journal_mode=wal (4 cells)"],
        ["b", "clients=2 or 4 (4 cells)"],
        ["c", "all levels (8 cells)"],
    ]


def test_cells_that_differ_otherwise_have_rows_of_their_own() -> None:
    found = tables(section(("a", ONE, "1", "2"), ("a", OTHER, "3", "2")))
    assert [row[1] for row in found["differing-defaults"]] == [ONE, OTHER]


def test_what_only_one_server_knows_stands_apart_and_decisive_settings_come_first() -> None:
    told = (("a", ONE, None, "1"), ("b", ONE, "1", "2"), ("innodb_io_capacity", ONE, "1", "2"))
    found = section(*told)
    assert [row[0] for row in tables(found)["settings-of-one"]] == ["a"]
    assert [row[0] for row in tables(found)["differing-defaults"]] == ["innodb_io_capacity", "b"]
    findings = replace(two_factors(), differences=(), default_differences=told)
    assert differs_line(findings, "journal_mode").endswith(
        "differ in: 2 settings that nobody set (innodb_io_capacity, b), 1 setting that only one "
        "of the servers knows."
    )


def test_unlike_products_stand_side_by_side_by_what_their_settings_mean() -> None:
    unknown: dict[Aspect, tuple[str, ...]] = dict.fromkeys(BY_MEANING, ())
    own: dict[Aspect, tuple[str, ...]] = {
        Aspect.CACHE_MEMORY: (str(128 << 20), str(1 << 30)),
        Aspect.COMPRESSION: (NONE,),
    }
    other: dict[Aspect, tuple[str, ...]] = {
        Aspect.COMPRESSION: ("tables\nlog",),
        Aspect.KEPT_LOG: ("on",),
    }
    levels = (
        LevelMeanings("product", "maria", unknown | own),
        LevelMeanings("product", "postgres", unknown | other),
    )
    findings = replace(two_factors(), differences=(), default_differences=(), meanings=levels)
    found = differences.section(findings)
    assert found is not None
    (table,) = [block for block in found.blocks if isinstance(block, Table)]
    assert [column.heading for column in table.columns] == ["", "maria", "postgres"]
    rows = {row[0].text: [plain(cell.text) for cell in row[1:]] for row in table.bodies[0].rows}
    assert len(rows) == len(BY_MEANING)
    assert rows["memory for caches"] == ["128 MiB or 1,024 MiB", "\N{EN DASH}"]
    assert rows["compression"] == ["without", "tables, log"]
    assert rows["binary log or archived WAL"] == ["\N{EN DASH}", "on"]


def test_the_settings_of_targets_have_a_table_of_their_own() -> None:
    told = (("a", ONE, "1", "2"),)
    findings = replace(
        two_factors(), differences=(), default_differences=(), target_differences=told
    )
    found = differences.section(findings)
    assert found is not None
    (table,) = [block for block in found.blocks if isinstance(block, Table)]
    assert table.id == "settings-of-targets"
    assert differs_line(findings, "journal_mode").startswith("Nothing else")
