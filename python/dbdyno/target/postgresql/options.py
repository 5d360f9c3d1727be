"""The configuration file and the command line of a private PostgreSQL server.

Later wins: what initdb has chosen, our base settings, then the user's option file, then the
settings of the experiment, and on the command line what makes the server private: its place, port
and files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from dbdyno.errors import InputError

BASE_SETTINGS = {
    # What is measured is the server as its makers ship it, so there is nothing here that tunes it:
    # initdb's own choices stand before these, without which version 13 has 8 MB of shared_buffers.
    # Room for 1,000 clients: each more costs shared memory, used or not.
    "max_connections": "1010",
}

PRIVATE_SETTINGS = frozenset(
    {
        "config_file",
        "data_directory",
        "external_pid_file",
        "hba_file",
        "ident_file",
        "lc_messages",
        "listen_addresses",
        "log_destination",
        "logging_collector",
        "password_encryption",
        "port",
        "unix_socket_directories",
        "unix_socket_group",
        "unix_socket_permissions",
    }
)
"""Set by us whatever the option file says, and refused where an experiment asks for them."""

_SOCKET_FOLDER_BYTES_MAX = 85
"""The path of a socket has at most 107 bytes, its name among them."""


def check_settings(settings: Mapping[str, str]) -> None:
    """Refuse settings of an experiment that could not be what they seem to be."""
    for name in settings:
        if name.lower() in PRIVATE_SETTINGS:
            raise InputError(f"setting {name}: dbdyno sets this for each of its servers; remove it")


_SETTING = re.compile(r"\s*(\w[\w.]*)\s*(?:=\s*|\s)('(?:[^']|'')*'|[^\s#]+)")


def configuration_text(
    user_text: str, settings: Mapping[str, str], initial: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the whole configuration file.

    ``user_text`` is the user's own, as it is, and ``initial`` what initdb has written.
    """
    # Comments stay out: people keep passwords in them, too.
    given = [line for line in user_text.splitlines() if not line.lstrip().startswith("#")]
    parts = [_lines({**initial, **BASE_SETTINGS}), "\n".join(given).strip(), _lines(settings)]
    return "\n\n".join(part for part in parts if part) + "\n"


def settings_in(text: str) -> dict[str, str]:
    """Return the settings of a configuration file, in lower case; what it includes is not read."""
    found = (_SETTING.match(line) for line in text.splitlines())
    return {each[1].lower(): _unquoted(each[2]) for each in found if each is not None}


def _unquoted(value: str) -> str:
    return value[1:-1].replace("''", "'") if value.startswith("'") else value


def _lines(settings: Mapping[str, str]) -> str:
    return "\n".join(f"{name} = {_quoted(settings[name])}" for name in settings)


def _quoted(value: str) -> str:
    """Write a value so that the server reads the same."""
    escaped = value.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def private_options(data: Path, configuration: Path, access: Path) -> list[str]:
    """Return the options that say where the server has its files, and that its log is ours."""
    return [
        # With -D alone, an option file could lead the server to somebody else's data.
        f"--data_directory={data}",
        f"--config_file={configuration}",
        f"--hba_file={access}",
        f"--ident_file={data / 'pg_ident.conf'}",
        f"--external_pid_file={data.with_name('server.pid')}",
        # The log is read for the reasons why a server did not start.
        "--lc_messages=C",
        "--log_destination=stderr",
        "--logging_collector=off",
        "--password_encryption=scram-sha-256",
    ]


def network_options(directory: Path, port: int, address: str) -> list[str]:
    """Return the options under which only programs on this machine reach the server."""
    fits = len(os.fsencode(directory)) <= _SOCKET_FOLDER_BYTES_MAX
    # A comma would separate two folders.
    quoted = str(directory).replace('"', '""')
    folder = f'"{quoted}"' if fits else ""
    return [
        f"--listen_addresses={address}",
        f"--port={port}",
        f"--unix_socket_directories={folder}",
    ]
