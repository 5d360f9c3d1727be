"""The settings of a target in the page: the chosen ones open, all others folded away."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from dbdyno.analysis.settings import TargetSettings
from dbdyno.report.sections.tested_settings import MOST_SETTINGS
from tests.unit.report.written import render_html

from .report_examples import one_cell
from .report_page import read_page

NOON = datetime(2025, 11, 20, 12, 0, tzinfo=UTC)
SETTINGS = TargetSettings(
    target="mariadb",
    chosen={"innodb_buffer_pool_size": ("16777216", "67108864"), "init_connect": ("",)},
    others={"sort_buffer_size": tuple("123456")},
    trial=3,
)


def words(*settings: TargetSettings) -> str:
    page = read_page(render_html(replace(one_cell(), settings=settings), NOON))
    return " ".join(page.text.split())


def test_chosen_settings_stand_open_and_all_others_are_folded() -> None:
    text = words(SETTINGS)
    assert "Settings of mariadb that somebody chose" in text
    assert "innodb_buffer_pool_size16777216 or 67108864" in text
    assert "init_connect(empty)" in text
    assert "All other settings of mariadb (1)" in text
    assert "sort_buffer_size1 or 2 or 3 or 4 or 2 more" in text
    assert "Nobody chose a setting of mariadb." in words(replace(SETTINGS, chosen={}))


def test_too_many_are_left_in_the_file_of_a_trial() -> None:
    many = replace(SETTINGS, others={f"s{n}": ("1",) for n in range(MOST_SETTINGS + 1)})
    text = words(many)
    assert "(3001) are in trials/0003/trial.json beside this report." in text
    assert "s17" not in text
