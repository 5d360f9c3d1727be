"""Has a server's program read its settings without a start, and say which it does not take.

What shows only in a start is not found so: memory that is not there, settings that do not go
together, files that are missing.
"""

from __future__ import annotations

import re
from pathlib import Path

from dbdyno.target.mysql.binaries import Binaries
from dbdyno.target.postgresql.binaries import PostgresBinaries

_FIRST_WITH_VALIDATION = (8, 0, 16)
"""The first version of MySQL that knows ``--validate-config``; its help names no mistakes later."""
_FIRST_WITH_DICTIONARY = (8, 0)
_ROW_OF_HELP = re.compile(r"[a-z][a-z0-9-]+ +(-?\d+(\.\d+)?|TRUE|FALSE|ON|OFF)\s*$")


def mysql_validation(binaries: Binaries, option_file: Path) -> list[str | Path]:
    """Return the command that has MariaDB or MySQL read an option file and end.

    Help that is asked for in full reads the option file first, and tells what is wrong with it.
    """
    help_in_full = mysql_help(binaries, option_file)
    if binaries.product == "MySQL" and not binaries.is_mysql_before(_FIRST_WITH_VALIDATION):
        return [*help_in_full[:-2], "--validate-config"]
    return help_in_full


def mysql_help(binaries: Binaries, option_file: Path) -> list[str | Path]:
    """Return the command that has MariaDB or MySQL read an option file and list its settings."""
    empty = option_file.parent
    return [
        binaries.server,
        f"--defaults-file={option_file}",
        f"--datadir={empty}",
        f"--secure-file-priv={empty}",
        *([] if binaries.basedir is None else [f"--basedir={binaries.basedir}"]),
        "--skip-log-error" if binaries.product == "MariaDB" else "--log-error=stderr",
        # Else it looks for plug-ins in tables that are not there.
        *(["--skip-grant-tables"] if binaries.is_mysql_before(_FIRST_WITH_DICTIONARY) else []),
        *("--verbose", "--help"),
    ]


def settings_in_help(answer: str) -> dict[str, str]:
    """Return the settings that the help lists with a number or a switch, by their variables."""
    rows = (line.split() for line in answer.splitlines() if _ROW_OF_HELP.match(line))
    return {name.replace("-", "_"): value for name, value in rows}


def postgres_validation(binaries: PostgresBinaries, configuration: Path) -> list[str | Path]:
    """Return the command that has PostgreSQL read a configuration file, show a value and end."""
    # As the first word only, -C is what root may ask for, too.
    asks: list[str | Path] = [binaries.server, "-C", "max_connections"]
    return [*asks, "-D", configuration.parent, "-c", "lc_messages=C"]


def without_place(reasons: str, file: Path) -> str:
    """Return reasons without the place in a file that dbdyno has written, and that is gone."""
    return re.sub(rf' in file "{re.escape(str(file))}" line \d+', "", reasons)
