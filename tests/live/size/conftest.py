"""Servers of which each kind is started once for all tests of what they say of their tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.engine.fixed_server import MariaDb, PostgreSql


@pytest.fixture(scope="package")
def mariadb() -> Iterator[MariaDb]:
    """Return a private MariaDB."""
    with MariaDb() as server:
        yield server


@pytest.fixture(scope="package")
def postgresql() -> Iterator[PostgreSql]:
    """Return a private PostgreSQL."""
    with PostgreSql() as server:
        yield server
