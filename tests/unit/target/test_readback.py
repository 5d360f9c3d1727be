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


def test_what_was_changed_is_kept_as_it_was_asked() -> None:
    asked = {"max_connections": "5", "sql_mode": "ANSI", "tmp_table_size": "16M"}
    shown = {"max_connections": "10", "sql_mode": "ANSI_QUOTES,ANSI", "tmp_table_size": "16777216"}
    assert adjusted_settings(asked, shown) == {"max_connections": "5", "sql_mode": "ANSI"}


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("log_bin", "mysql-bin", {"log_bin": "ON"}),
        ("Log_Bin", "off", {"log_bin": "OFF"}),
        ("skip_log_bin", "1", {"log_bin": "OFF"}),
        ("skip_log_bin", "OFF", {"log_bin": "OFF"}),
        ("skip_log_bin", "0", {"log_bin": "ON"}),
        ("disable_innodb_doublewrite", "", {"innodb_doublewrite": "OFF"}),
        ("skip_networking", "ON", {"skip_networking": "ON"}),
        ("transaction_isolation", "READ-COMMITTED", {"tx_isolation": "READ-COMMITTED"}),
        ("plugin_load_add", "auth_socket", {}),
    ],
)
def test_an_option_that_took_is_not_adjusted(name: str, value: str, shown: dict[str, str]) -> None:
    assert adjusted_settings({name: value}, shown) == {}


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("log_bin", "off", {"log_bin": "ON"}),
        ("log_bin", "mysql-bin", {"log_bin": "OFF"}),
        ("skip_log_bin", "1", {"log_bin": "ON"}),
    ],
)
def test_an_option_that_did_not_take(name: str, value: str, shown: dict[str, str]) -> None:
    assert adjusted_settings({name: value}, shown) == {name: value}


def test_what_the_server_ignores_did_not_take() -> None:
    asked = {"innodb_buffer_pool_instances": "8"}
    assert adjusted_settings(asked, {}, ignored=asked) == asked


def test_a_switch_that_did_not_take_is_refused() -> None:
    with pytest.raises(
        RunError, match="setting log_queries=yes did not take: the server shows OFF"
    ):
        adjusted_settings({"log_queries": "yes"}, {"log_queries": "OFF"})
