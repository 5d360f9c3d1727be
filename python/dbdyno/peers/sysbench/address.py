"""Where the server is: sysbench's options as a URL."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from urllib.parse import quote

from dbdyno.database.address import Address as Place
from dbdyno.errors import InputError
from dbdyno.password import password_in
from dbdyno.peers.call.address import place, server_url, usual_socket
from dbdyno.peers.sysbench.arguments import Arguments
from dbdyno.refusal import suggest
from dbdyno.variables import POSTGRESQL_SSL_ROOT

MYSQL_SSL_MODES = {"off": "disabled", "on": "required"} | {
    mode: mode for mode in ("disabled", "preferred", "required", "verify_ca", "verify_identity")
}


@dataclass(frozen=True)
class Address(Place):
    """Where to go, and what sysbench goes there with."""

    driver: str
    """As sysbench calls it: mysql, pgsql, sqlite."""


def read_address(arguments: Arguments) -> Address:
    """Return where the options lead to; InputError where they lead nowhere."""
    driver = arguments.text("db-driver")
    if driver not in _READERS:
        raise InputError(f"invalid database driver: {driver!r}; {suggest(driver, _READERS)}")
    return _READERS[driver](arguments)


def _mysql(arguments: Arguments) -> Address:
    mode = arguments.text("mysql-ssl").lower()
    if mode not in MYSQL_SSL_MODES:
        raise InputError(
            f"invalid value of --mysql-ssl: {mode!r}; known: {', '.join(MYSQL_SSL_MODES)}"
        )
    hosts, sockets = arguments.texts("mysql-host"), arguments.texts("mysql-socket")
    parameters = {"ssl_mode": MYSQL_SSL_MODES[mode], "ssl_ca": arguments.text("mysql-ssl-ca")}
    if hosts == ["localhost"] and not sockets and "mysql-port" not in arguments.given:
        sockets = [socket] if (socket := usual_socket()) else []
    if hosts == ["localhost"] and sockets:
        parameters["socket"] = ",".join(sockets)
    return _address(arguments, "mysql", "mysql", hosts, parameters)


def _postgresql(arguments: Arguments) -> Address:
    mode = arguments.text("pgsql-sslmode").lower()
    parameters = {"ssl_mode": mode}
    if mode.startswith("verify"):
        parameters["ssl_ca"] = _authorities(arguments)
    hosts = arguments.texts("pgsql-host")
    if len(hosts) == 1 and hosts[0].startswith("/"):
        parameters["socket"], hosts = hosts[0], ["localhost"]
    return _address(arguments, "pgsql", "postgresql", hosts, parameters)


def _authorities(arguments: Arguments) -> str:
    """Return the file of authorities' certificates, looked for where libpq looks for it."""
    named = arguments.text("pgsql-sslrootcert") or POSTGRESQL_SSL_ROOT.value() or ""
    usual = Path.home() / ".postgresql" / "root.crt"
    if not named and not usual.is_file():
        raise InputError(
            f"--pgsql-sslmode={arguments.text('pgsql-sslmode')} needs certificates of authorities; "
            "name their file with --pgsql-sslrootcert=FILE or in the variable PGSSLROOTCERT"
        )
    return named or str(usual)


def _address(
    arguments: Arguments, driver: str, scheme: str, hosts: list[str], parameters: dict[str, str]
) -> Address:
    """Put a URL together; each host is combined with each port, in sysbench's order."""
    ports = arguments.integers(f"{driver}-port")
    user, database = (arguments.text(f"{driver}-{part}") for part in ("user", "db"))
    if not (hosts and ports and database):
        raise InputError(f"--{driver}-host, --{driver}-port and --{driver}-db must not be empty")
    places = [place(host, port) for host, port in product(hosts, ports)]
    url = server_url(scheme, user, places, database, parameters)
    password = arguments.text(f"{driver}-password") or password_in()
    return Address(url, password, driver)


def _sqlite(arguments: Arguments) -> Address:
    file = arguments.text("sqlite-db")
    if not file:
        raise InputError("--db-driver=sqlite needs --sqlite-db=FILE")
    return Address(f"sqlite:///{quote(str(Path(file).absolute()))}", None, "sqlite")


_READERS = {"mysql": _mysql, "pgsql": _postgresql, "sqlite": _sqlite}
