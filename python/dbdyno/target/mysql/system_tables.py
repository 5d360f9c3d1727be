"""The system tables of MySQL before 5.7.6, whose server cannot make them by itself.

Its installer, ``mysql_install_db``, is a script that has the server carry out statements from files
beside it. It takes Perl, and asks for the name of the machine; the statements take neither.
"""

from __future__ import annotations

from dbdyno.errors import InputError
from dbdyno.target.mysql.binaries import Binaries

FIRST_WITH_INITIALIZE = (5, 7, 6)

_FOLDERS = ("share", "share/mysql")
_FILES = ("mysql_system_tables.sql", "mysql_system_tables_data.sql", "fill_help_tables.sql")


def system_tables(binaries: Binaries) -> bytes:
    """Return the statements; ``InputError`` where the installation lacks a file of them."""
    basedir = binaries.basedir or binaries.server.parent.parent
    folders = [basedir / folder for folder in _FOLDERS]
    folder = next((each for each in folders if (each / _FILES[0]).is_file()), None)
    if folder is None:
        raise InputError(
            f"{binaries.server} is MySQL {binaries.version}, whose system tables are made from "
            f"{_FILES[0]}, and that is in none of {', '.join(map(str, folders))}; install all of "
            "the server, and set basedir to where it is"
        )
    return b"\n".join([b"USE mysql;", *((folder / name).read_bytes() for name in _FILES), b""])
