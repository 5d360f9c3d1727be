"""What libpq knows without being given it: services by their names, and environment variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.peers.call.libpq.keywords import check_name
from dbdyno.variables import (
    POSTGRESQL,
    POSTGRESQL_REQUIRES_SSL,
    POSTGRESQL_SERVICE_FILE,
    POSTGRESQL_SYSTEM_FOLDER,
)

SYSTEM_FOLDERS = ("/etc/postgresql-common", "/etc/sysconfig/pgsql", "/usr/local/pgsql/etc")
"""Where pg_service.conf is in packages of Debian and Red Hat, and in one's own build."""


def with_defaults(given: Mapping[str, str]) -> dict[str, str]:
    """Add the parameters of the service, and those of the environment, where none is given.

    An empty value is a given one: it has the variable passed over, as libpq has it.
    """
    service = given.get("service", POSTGRESQL["service"].value())
    named = {} if service is None else _service(service)
    environment = {
        name: value
        for name, variable in POSTGRESQL.items()
        if name not in {"service", "password"} and (value := variable.value()) is not None
    }
    if POSTGRESQL_REQUIRES_SSL.value() == "1":
        environment = {"sslmode": "require"} | environment
    return environment | named | dict(given)


def _service(name: str) -> dict[str, str]:
    """Return the parameters of a service; ``InputError`` where no file has it."""
    for path in _service_files():
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"service file {path} cannot be read: {error}") from error
        found = _section(lines, name, path)
        if found is not None:
            return found
    raise InputError(
        f"definition of service {name!r} not found; services are in ~/.pg_service.conf"
    )


def _service_files() -> Iterable[Path]:
    named = POSTGRESQL_SERVICE_FILE.value()
    yield Path(named) if named else Path("~/.pg_service.conf").expanduser()
    folder = POSTGRESQL_SYSTEM_FOLDER.value()
    yield from (Path(each, "pg_service.conf") for each in ([folder] if folder else SYSTEM_FOLDERS))


def _section(lines: Iterable[str], service: str, path: Path) -> dict[str, str] | None:
    found: dict[str, str] | None = None
    for number, written in enumerate(lines, 1):
        line = written.strip()
        if line.startswith("["):
            if found is not None:
                return found
            found = {} if line.startswith(f"[{service}]") else None
        elif line and not line.startswith("#") and found is not None:
            name, equals, value = line.partition("=")
            if not equals or name == "service" or line.startswith("ldap"):
                raise InputError(
                    f"{path}:{number}: write NAME=VALUE; ldap:// and other services are not read"
                )
            check_name(name, f"{path}:{number}", may_be_shown=True)
            found.setdefault(name, value)
    return found
