"""Every environment variable that dbdyno reads, or gives to programs, with its meaning.

The environment is read here, and in ``password.py``, which hands it on to programs. The variables
of passwords that a file names by ``password_env`` are the user's own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """A variable: its name, who reads it, and what it means."""

    name: str
    reader: str
    meaning: str

    def named(self, name: str) -> str:
        """Return the name of a variable that is one of many: ``<NAME>`` stands for what differs."""
        return self.name.replace("<NAME>", name.upper())

    def value(self) -> str | None:
        """Return what it is set to; None where it is not set."""
        return os.environ.get(self.name)

    def set_default(self, value: str) -> None:
        """Set it where it is not set."""
        os.environ.setdefault(self.name, value)

    def take(self) -> str | None:
        """Return what it is set to, and remove it: nobody who is started now inherits it."""
        return os.environ.pop(self.name, None)


_EVERYBODY = "every command"
_PGBENCH = "dbdyno pgbench"

PASSWORD = Variable(
    "DBDYNO_PASSWORD",
    _EVERYBODY,
    "The password of the user in a URL that has none. An experiment file may name other variables "
    "(password_env, nodes_password_env). No program that dbdyno starts inherits any of them.",
)
SERVE_TOKEN = Variable(
    "DBDYNO_SERVE_TOKEN",
    "dbdyno serve",
    "The token that a browser must know where others than this machine can connect: at least 16 "
    "letters, digits, - or _. Without it, a new one is made at each start.",
)

POSTGRESQL_HOST = Variable("PGHOST", _PGBENCH, "The server, where no option names one.")
POSTGRESQL_PORT = Variable("PGPORT", _PGBENCH, "Its port, where no option names one.")
POSTGRESQL_USER = Variable("PGUSER", _PGBENCH, "The user, where no option names one.")
POSTGRESQL_DATABASE = Variable("PGDATABASE", _PGBENCH, "The database, where none is named.")
POSTGRESQL_PASSWORD = Variable(
    "PGPASSWORD", _PGBENCH, "The password, where DBDYNO_PASSWORD is not set."
)
POSTGRESQL_PASSWORD_FILE = Variable(
    "PGPASSFILE", _PGBENCH, "The file of passwords, in place of ~/.pgpass."
)
POSTGRESQL_SSL_MODE = Variable("PGSSLMODE", _PGBENCH, "How connections are encrypted.")
POSTGRESQL_SSL_ROOT = Variable(
    "PGSSLROOTCERT",
    "dbdyno pgbench, dbdyno sysbench",
    "The file of the authorities that certificates of servers are verified against.",
)
POSTGRESQL_OPTIONS = Variable("PGOPTIONS", _PGBENCH, "Refused where it is set: it is not read.")
POSTGRESQL_SERVICE = Variable("PGSERVICE", _PGBENCH, "Refused where it is set: it is not read.")
POSTGRESQL_ADDRESS = Variable("PGHOSTADDR", _PGBENCH, "Refused where it is set: it is not read.")

PROGRAM_PATH = Variable(
    "PATH",
    _EVERYBODY,
    "Where programs are looked for: servers, HAProxy, ssh, and those that tell facts of the host.",
)
LIBRARY_PATH = Variable(
    "LD_LIBRARY_PATH",
    _EVERYBODY,
    "Folders that a private server looks for libraries in, behind those of library_path.",
)
TEMPORARY_FOLDER = Variable(
    "TMPDIR", _EVERYBODY, "Where temporary folders are made, in place of /tmp."
)
TIME_ZONE = Variable("TZ", _EVERYBODY, "The time zone of a host, as its facts name it.")
NO_COLOUR = Variable("NO_COLOR", _EVERYBODY, "Where it is set, the terminal shows no colours.")
MATRIX_THREADS = Variable(
    "OPENBLAS_NUM_THREADS",
    _EVERYBODY,
    "Threads of the library that multiplies matrices; without it, 1: matrices are small here.",
)

READ = (
    *(PASSWORD, SERVE_TOKEN),
    *(POSTGRESQL_HOST, POSTGRESQL_PORT, POSTGRESQL_USER, POSTGRESQL_DATABASE),
    *(POSTGRESQL_PASSWORD, POSTGRESQL_PASSWORD_FILE, POSTGRESQL_SSL_MODE, POSTGRESQL_SSL_ROOT),
    *(POSTGRESQL_OPTIONS, POSTGRESQL_SERVICE, POSTGRESQL_ADDRESS),
    *(PROGRAM_PATH, LIBRARY_PATH, TEMPORARY_FOLDER, TIME_ZONE, NO_COLOUR, MATRIX_THREADS),
)
"""All that dbdyno reads, or a library for it."""

_HOOKS = "commands of hooks"
_TRIAL_HOOKS = "commands of hooks of a cell or a trial"

HOOK_EXPERIMENT = Variable("DBDYNO_EXPERIMENT", _HOOKS, "The name of the experiment.")
HOOK_RESULT = Variable("DBDYNO_RESULT", _HOOKS, "The path of the result directory.")
HOOK_MOMENT = Variable("DBDYNO_HOOK", _HOOKS, "Which hook it is: before_trial and so on.")
HOOK_CELL = Variable("DBDYNO_CELL", _TRIAL_HOOKS, "The cell: its factors with their levels.")
HOOK_TRIAL = Variable("DBDYNO_TRIAL", _TRIAL_HOOKS, "The number of the trial in the plan.")
HOOK_ROUND = Variable("DBDYNO_ROUND", _TRIAL_HOOKS, "The round of the trial.")
HOOK_TARGET = Variable("DBDYNO_TARGET", _TRIAL_HOOKS, "The name of the target.")
HOOK_FACTOR = Variable(
    "DBDYNO_FACTOR_<NAME>",
    _TRIAL_HOOKS,
    "The level of the factor of that name, in capitals; what is no letter or digit is _.",
)
COMMAND_SETTINGS = Variable(
    "DBDYNO_SETTINGS",
    "commands of a target by URL",
    "The settings of the cell, a line name=value for each.",
)
COMMAND_VALUE = Variable(
    "DBDYNO_<NAME>",
    "commands of a target by URL",
    "The value of the variable or setting of that name, in capitals.",
)

GIVEN = (
    *(HOOK_EXPERIMENT, HOOK_RESULT, HOOK_MOMENT),
    *(HOOK_CELL, HOOK_TRIAL, HOOK_ROUND, HOOK_TARGET, HOOK_FACTOR),
    *(COMMAND_SETTINGS, COMMAND_VALUE),
)
"""All that dbdyno sets for the commands that an experiment file names."""
