"""The option file and the command line of a private MySQL or MariaDB server.

Later wins: our base settings, then the user's option file, then the settings of the experiment, and
on the command line what makes the server private: its place, port and files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.target.mysql.binaries import Product
from dbdyno.target.mysql.readback import LOG_BIN, switch_of

BASE_SETTINGS = {
    # What is measured is the server as its makers ship it, so there is nothing here that tunes it.
    "skip_name_resolve": "ON",
    "local_infile": "ON",
    # 5,000 clients, and room for connections that are on their way out while new ones come in.
    "max_connections": "6000",
    # 5,000 clients with 60 statements each make 300,000; this is the most that every server of the
    # family takes. It is a limit only and costs nothing.
    "max_prepared_stmt_count": "1048576",
}
BASE_SETTINGS_BY_PRODUCT: dict[Product, dict[str, str]] = {
    "MariaDB": {},
    # The X plugin listens on the same port in every server, and a machine has it only once.
    "MySQL": {"loose_mysqlx": "OFF"},
}

PRIVATE_SETTINGS = frozenset(
    {
        "basedir",
        "bind_address",
        "datadir",
        "init_file",
        "innodb_data_home_dir",
        "innodb_log_group_home_dir",
        "innodb_undo_directory",
        "aria_log_dir_path",
        "log_error",
        "pid_file",
        "port",
        "secure_file_priv",
        "skip_grant_tables",
        "socket",
        "tmpdir",
        "user",
    }
)
"""Set by us whatever the option file says, and refused where an experiment asks for them."""

_GROUP = re.compile(r"\[\s*([^\]]*?)\s*\]")
_SERVER_GROUP = re.compile(
    r"(mysqld|mariadbd|server|galera|embedded|mysql_install_db|mariadb(-install-db|-server|-\d.*)?$)",
    re.I,
)
"""The groups that a server, or the program that makes its data, reads."""

BINARY_LOG_FILES = "binlog"
"""What the files of a binary log that is only switched on are called."""
_SILENT_PREFIX = "loose_"
_SOCKET_PATH_BYTES_MAX = 107


_PLUGIN_FOLDER = re.compile(r'^plugin[-_]dir\s*=\s*"?([^"\n]*[^"\s])"?\s*$', re.MULTILINE)


def check_settings(settings: Mapping[str, str]) -> None:
    """Refuse settings of an experiment that could not be what they seem to be."""
    for name in settings:
        plain = name.lower().replace("-", "_")
        if plain in PRIVATE_SETTINGS:
            raise InputError(f"setting {name}: dbdyno sets this for each of its servers; remove it")
        if plain.startswith(_SILENT_PREFIX):
            raise InputError(
                f"setting {name}: with {_SILENT_PREFIX} a server ignores in silence what it does "
                f"not know; write {name[len(_SILENT_PREFIX) :]}"
            )


def option_file_text(product: Product, user_text: str, settings: Mapping[str, str]) -> str:
    """Return the whole option file; ``user_text`` is the user's own, as it is."""
    base = BASE_SETTINGS | BASE_SETTINGS_BY_PRODUCT[product]
    if os.geteuid() == 0:
        # The first user that a server reads is the one that it takes. The prefix keeps
        # mariadb-install-db from seeing it, which would change the owner of installed files.
        base = {"loose_user": "root"} | base
    parts = [_section(base), _for_servers(user_text), _section(settings)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _for_servers(user_text: str) -> str:
    """Return what servers read of a user's option file.

    Comments and the groups of client programs stay out: that is where people keep passwords.
    """
    lines, is_for_server = [], True
    for line in map(str.strip, user_text.splitlines()):
        if group := _GROUP.match(line):
            is_for_server = _SERVER_GROUP.match(group[1]) is not None
        if is_for_server and line and not line.startswith(("#", ";")):
            lines.append(line)
    return "\n".join(lines)


def settings_in(user_text: str) -> set[str]:
    """Return the names of the settings that servers read in an option file, with ``_``."""
    lines = _for_servers(user_text).splitlines()
    names = (line.partition("=")[0].split() for line in lines if not line.startswith("["))
    return {words[0].lower().replace("-", "_") for words in names if words}


def refuses_tcp(user_text: str, settings: Mapping[str, str]) -> bool:
    """Tell whether a server with this option file and these settings listens on no port."""
    refuses = False
    for line in [*_for_servers(user_text).splitlines(), *map("=".join, settings.items())]:
        name, _, value = line.partition("=")
        if name.strip().lower().replace("-", "_") == "skip_networking":
            refuses = switch_of(value.strip(" '\"")) is not False
    return refuses


def plugin_folder_in(text: str) -> str | None:
    """Return the folder that an option file has for plug-ins; the last one counts."""
    folders = _PLUGIN_FOLDER.findall(text)
    return folders[-1] if folders else None


def own_settings(product: Product) -> frozenset[str]:
    """Return the names of what we set on each server, whatever the user sets."""
    base = BASE_SETTINGS | BASE_SETTINGS_BY_PRODUCT[product]
    return PRIVATE_SETTINGS | {name.removeprefix(_SILENT_PREFIX) for name in base}


def _section(settings: Mapping[str, str]) -> str:
    return "\n".join(["[mysqld]", *(_line(name, value) for name, value in settings.items())])


def _line(name: str, value: str) -> str:
    """Return a setting as an option file has it.

    ``log_bin=off`` would switch the binary log on, and name its files ``off``.
    """
    switch = switch_of(value) if name.lower() == LOG_BIN else None
    if switch is False:
        return f"skip_{LOG_BIN}"
    return f"{name}={_quoted(BINARY_LOG_FILES if switch else value)}"


def _quoted(value: str) -> str:
    """Write a value so that an option file gives back the same, ``#`` and all."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def private_options(basedir: Path | None) -> list[str]:
    """Return the command-line options that keep all files in the data directory (``./``)."""
    options = [
        "--innodb-data-home-dir=./",
        "--innodb-log-group-home-dir=./",
        "--innodb-undo-directory=./",
        "--loose-aria-log-dir-path=./",
    ]
    return options if basedir is None else [f"--basedir={basedir}", *options]


def socket_path(directory: Path) -> Path:
    """Return where a server has its Unix socket."""
    return directory / "server.sock"


def network_options(directory: Path, port: int, address: str) -> list[str]:
    """Return the options under which only programs on this machine reach the server."""
    socket = socket_path(directory)
    fits = len(os.fsencode(socket)) <= _SOCKET_PATH_BYTES_MAX
    return [
        f"--bind-address={address}",
        f"--port={port}",
        f"--socket={socket if fits else ''}",
        f"--pid-file={directory / 'server.pid'}",
    ]
