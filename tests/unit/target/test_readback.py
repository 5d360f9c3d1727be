"""Settings as asked and as shown: the same in other words, changed, or not taken."""

from __future__ import annotations

import pytest

from dbdyno.errors import RunError
from dbdyno.target.mysql.readback import adjusted_settings, same_value


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("16M", "16777216"),
        ("1g", "1073741824"),
        ("0.50", "0.500000"),
        ("true", "ON"),
        ("0", "OFF"),
        ("READ-COMMITTED", "read-committed"),
    ],
)
def test_the_same_in_other_words(asked: str, shown: str) -> None:
    assert same_value(asked, shown)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [("16M", "16"), ("1", "2"), ("on", "OFF"), ("O_DIRECT", "fsync"), ("2", "ON"), ("", "0")],
)
def test_not_the_same(asked: str, shown: str) -> None:
    assert not same_value(asked, shown)


def test_what_was_changed_or_is_not_shown_is_kept_as_it_was_asked() -> None:
    asked = {"max_connections": "5", "sql_mode": "ANSI", "skip_log_bin": "1", "Log_Bin": "file"}
    shown = {"max_connections": "10", "sql_mode": "ANSI_QUOTES,ANSI", "log_bin": "ON"}
    assert adjusted_settings(asked, shown) == asked


def test_a_switch_that_did_not_take_is_refused() -> None:
    with pytest.raises(
        RunError, match="setting log_queries=yes did not take: the server shows OFF"
    ):
        adjusted_settings({"log_queries": "yes"}, {"log_queries": "OFF"})
