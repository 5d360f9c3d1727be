"""Faults of many kinds, each planted in a clean page: the fault is found, in the page nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.analysis.audit.audit import audit
from dbdyno.results_table.read import read_tables
from tests.unit.audit.kinds import KINDS
from tests.unit.audit.readmes import README_TABLES


def found_in(page: str, folder: Path) -> list[str]:
    path = folder / ("page.html" if page.startswith("<") else "page.md")
    path.write_text(page, encoding="utf-8")
    return sorted({each.code.value for each in audit(read_tables([path], None))})


@pytest.mark.parametrize("name", KINDS)
def test_a_planted_fault_is_found_alone(name: str, tmp_path: Path) -> None:
    assert found_in(KINDS[name].faulty, tmp_path) == KINDS[name].code.split()


@pytest.mark.parametrize("name", KINDS)
def test_nothing_is_found_in_its_clean_page(name: str, tmp_path: Path) -> None:
    assert found_in(KINDS[name].page, tmp_path) == []


@pytest.mark.parametrize("name", README_TABLES)
def test_nothing_is_found_in_tables_as_others_publish_them(name: str, tmp_path: Path) -> None:
    assert found_in(README_TABLES[name], tmp_path) == []
