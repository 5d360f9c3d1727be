"""Why a server ended, from error logs as MariaDB 10.11, MySQL 8 and PostgreSQL 15 write them."""

from __future__ import annotations

from dbdyno.target.local.error_log import MYSQL_LOG, POSTGRES_LOG

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
POSTGRES = "2026-11-21 07:00:00.000 UTC [9]"
"""What each line of its log begins with."""
POSTGRES_SETTINGS = f"""\
{POSTGRES} LOG:  unrecognized configuration parameter "nonsense" in file "x.conf" line 4
{POSTGRES} LOG:  invalid value for parameter "shared_buffers": "16M"
{POSTGRES} HINT:  Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".
{POSTGRES} FATAL:  configuration file "x.conf" contains errors
"""
POSTGRES_RANGE = f"""\
{POSTGRES} LOG:  8 8kB is outside the valid range for parameter "shared_buffers" (16 .. 1073741823)
{POSTGRES} FATAL:  configuration file "x.conf" contains errors
"""
POSTGRES_NOT_TOGETHER = f"""\
{POSTGRES} LOG:  checkpoint starting: shutdown immediate
postgres: superuser_reserved_connections (9) must be less than max_connections (9)
"""
POSTGRES_PORT_TAKEN = f"""\
{POSTGRES} LOG:  starting PostgreSQL 15.18 on x86_64-pc-linux-gnu, 64-bit
{POSTGRES} LOG:  could not bind IPv4 address "127.0.0.1": Address already in use
{POSTGRES} HINT:  Is another postmaster already running on port 5432?
{POSTGRES} WARNING:  could not create listen socket for "127.0.0.1"
{POSTGRES} FATAL:  could not create any TCP/IP sockets
{POSTGRES} LOG:  database system is shut down
"""


def test_the_cause_is_told_and_not_what_follows_from_it() -> None:
    assert MYSQL_LOG.reasons(MARIADB) == "Error while setting value 'foo' to 'innodb-x'"
    assert MYSQL_LOG.reasons(MYSQL) == "unknown variable 'nonsense=1'."


def test_consequences_are_better_than_nothing() -> None:
    assert MYSQL_LOG.reasons("2026-11-20 1:00:00 0 [ERROR] Aborting\n") == "Aborting"


def test_without_errors_the_last_lines_are_told() -> None:
    assert MYSQL_LOG.reasons("first\n\nlast words\n") == "first / last words"
    assert MYSQL_LOG.reasons("") == "it wrote nothing to its error log"


def test_a_taken_port_is_recognised() -> None:
    assert MYSQL_LOG.port_was_taken(PORT_TAKEN)
    assert not MYSQL_LOG.port_was_taken(MARIADB)


def test_warnings_are_no_errors() -> None:
    assert MYSQL_LOG.names_errors(MYSQL)
    assert not MYSQL_LOG.names_errors("\n".join(MARIADB.splitlines()[:2]))


def test_postgresql_tells_what_is_wrong_with_settings_before_its_last_word() -> None:
    assert POSTGRES_LOG.reasons(POSTGRES_SETTINGS) == (
        'unrecognized configuration parameter "nonsense" in file "x.conf" line 4; '
        'invalid value for parameter "shared_buffers": "16M"; '
        'Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".'
    )
    assert POSTGRES_LOG.reasons(POSTGRES_RANGE) == (
        '8 8kB is outside the valid range for parameter "shared_buffers" (16 .. 1073741823)'
    )
    assert POSTGRES_LOG.reasons(POSTGRES_NOT_TOGETHER) == (
        "superuser_reserved_connections (9) must be less than max_connections (9)"
    )
    assert POSTGRES_LOG.port_was_taken(POSTGRES_PORT_TAKEN)
    assert not POSTGRES_LOG.port_was_taken(POSTGRES_SETTINGS)
