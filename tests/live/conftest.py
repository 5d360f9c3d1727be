"""What tests of several folders need of this machine."""

from __future__ import annotations

import subprocess
from fcntl import LOCK_EX, flock
from pathlib import Path

import pytest

from dbdyno.ledger import book

SCRIPTS = Path(__file__).parents[1] / "servers"
TARGET = Path(__file__).parents[2] / "target"
PLUGINS = TARGET / "test-servers"
# Where the tests of the driver install it, too.
MYSQL = TARGET / "tmp" / "mysql-sid"
PREPARE_LIMIT_S = 300.0

SETTLES_WITHIN_S = 1.4
"""PostgreSQL tells what its connections have written a little after their end."""


@pytest.fixture
def settles_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait little for what was acknowledged and is not stored: here it never comes."""
    monkeypatch.setattr(book, "SETTLES_WITHIN_S", SETTLES_WITHIN_S)


def _prepare(what: str, script: str, directory: Path, *words: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "lock").open("w") as lock:
        # Several processes test at a time, and apt lets one in only.
        flock(lock, LOCK_EX)
        prepared = subprocess.run(
            ["sh", SCRIPTS / script, directory, *words],
            capture_output=True,
            text=True,
            timeout=PREPARE_LIMIT_S,
            check=False,
        )
    if prepared.returncode != 0:
        complaint = " ".join(prepared.stderr.split())
        pytest.skip(f"NOT TESTED: {what}, which can't be had here: {complaint}")
    return directory


@pytest.fixture(scope="session")
def rocksdb_plugins() -> Path:
    """Return the directory of MyRocks' plug-in. Where it can't be had, the last lines say so."""
    return _prepare("MyRocks", "plugin.sh", PLUGINS / "rocksdb", "rocksdb", "libsnappy1v5")


@pytest.fixture(scope="session")
def spider_plugins() -> Path:
    """Return the directory of Spider's plug-in. Where it can't be had, the last lines say so."""
    return _prepare("Spider", "plugin.sh", PLUGINS / "spider", "spider")


@pytest.fixture(scope="session")
def pgbouncer() -> Path:
    """Return the directory of PgBouncer. Where it can't be had, the last lines say so."""
    return _prepare("PgBouncer", "pgbouncer.sh", PLUGINS / "pgbouncer")


@pytest.fixture(scope="session")
def galera() -> Path:
    """Return the directory of Galera and HAProxy. Where they can't be had, the last lines say."""
    return _prepare("Galera and HAProxy", "galera.sh", PLUGINS / "galera")


@pytest.fixture(scope="session")
def sharding_proxy() -> Path:
    """Return the directory of Sharding-Proxy's jars. Without Java and Maven, the end says so."""
    return _prepare("Sharding-Proxy", "sharding-proxy.sh", PLUGINS / "sharding-proxy") / "jars"


@pytest.fixture(scope="session")
def postgresql_versions() -> None:
    """Unpack two versions of PostgreSQL. Where they can't be had, the last lines say so."""
    for version in ("13.23.0", "17.5.0"):
        name = f"postgresql-{version.partition('.')[0]}"
        _prepare(f"PostgreSQL {version}", "postgresql-jar.sh", PLUGINS / name, version)


@pytest.fixture(scope="session")
def exporters() -> Path:
    """Return the directory of Prometheus' exporters. Where there are none, the end says so."""
    return _prepare("Prometheus' exporters", "exporters.sh", PLUGINS / "exporters")


@pytest.fixture(scope="session", params=["5.6", "5.7"])
def old_mysql_basedir(request: pytest.FixtureRequest) -> Path:
    """Return where each old MySQL is. Where one can't be had, the last lines say so."""
    version = str(request.param)
    return _prepare(f"MySQL {version}", "mysql-old.sh", PLUGINS / f"mysql-{version}", version)


@pytest.fixture(scope="session")
def mysqld() -> Path:
    """Return MySQL's server program. Where it can't be had, the last lines say so."""
    return _prepare("MySQL", "mysql-sid.sh", MYSQL) / "mysqld"


@pytest.fixture(scope="session")
def mysql_basedir() -> Path:
    """Return where MySQL is installed. Where it can't be had, the last lines say so."""
    return _prepare("MySQL", "mysql-sid.sh", MYSQL) / "root" / "usr"
