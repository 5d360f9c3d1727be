"""Why a server ended, from error logs as MariaDB 10.11 and MySQL 8 write them."""

from __future__ import annotations

from dbdyno.server.error_log import names_errors, port_was_taken, reasons

MARIADB = """\
2026-11-20 23:19:31 0 [Note] Starting MariaDB 10.11.19-MariaDB source revision as process 99
2026-11-20 23:19:31 0 [Warning] /usr/sbin/mariadbd: ignoring option due to invalid value 'abc'
2026-11-20 23:19:31 0 [ERROR] /usr/sbin/mariadbd: Error while setting value 'foo' to 'innodb-x'
2026-11-20 23:19:31 0 [ERROR] Parsing options for plugin 'InnoDB' failed. Disabling plugin
2026-11-20 23:19:31 0 [ERROR] Unknown/unsupported storage engine: InnoDB
2026-11-20 23:19:31 0 [ERROR] Aborting
"""
MYSQL = """\
2026-01-01T00:00:00.000000Z 0 [System] [MY-010116] [Server] mysqld (mysqld 8.0.32) starting
2026-01-01T00:00:00.100000Z 0 [ERROR] [MY-000067] [Server] unknown variable 'nonsense=1'.
2026-01-01T00:00:00.200000Z 0 [ERROR] [MY-010119] [Server] Aborting
"""
PORT_TAKEN = """\
2026-11-20 1:00:00 0 [ERROR] Can't start server: Bind on TCP/IP port. Got error: 98: Address in use
2026-11-20 1:00:00 0 [ERROR] Do you already have another server running on port: 3306 ?
2026-11-20 1:00:00 0 [ERROR] Aborting
"""


def test_the_cause_is_told_and_not_what_follows_from_it() -> None:
    assert reasons(MARIADB) == "Error while setting value 'foo' to 'innodb-x'"
    assert reasons(MYSQL) == "unknown variable 'nonsense=1'."


def test_consequences_are_better_than_nothing() -> None:
    assert reasons("2026-11-20 1:00:00 0 [ERROR] Aborting\n") == "Aborting"


def test_without_errors_the_last_lines_are_told() -> None:
    assert reasons("first\n\nlast words\n") == "first / last words"
    assert reasons("") == "it wrote nothing to its error log"


def test_a_taken_port_is_recognised() -> None:
    assert port_was_taken(PORT_TAKEN)
    assert not port_was_taken(MARIADB)


def test_warnings_are_no_errors() -> None:
    assert names_errors(MYSQL)
    assert not names_errors("\n".join(MARIADB.splitlines()[:2]))
