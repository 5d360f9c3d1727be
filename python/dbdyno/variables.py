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

_OF_PARAMETERS = {
    "host": ("PGHOST", "The server, or the folder of its socket."),
    "hostaddr": ("PGHOSTADDR", "Its address, in place of the name."),
    "port": ("PGPORT", "Its port."),
    "user": ("PGUSER", "The user."),
    "dbname": ("PGDATABASE", "The database."),
    "password": ("PGPASSWORD", "The password, where DBDYNO_PASSWORD is not set."),
    "passfile": ("PGPASSFILE", "The file of passwords, in place of ~/.pgpass."),
    "service": ("PGSERVICE", "The section of pg_service.conf that has the parameters."),
    "options": ("PGOPTIONS", "Settings of each session."),
    "application_name": ("PGAPPNAME", "What the server calls the sessions; without it, dbdyno."),
    "connect_timeout": ("PGCONNECT_TIMEOUT", "Seconds to connect in."),
    "sslmode": ("PGSSLMODE", "How connections are encrypted."),
    "sslrootcert": (
        "PGSSLROOTCERT",
        "The file of the authorities that certificates of servers are verified against.",
    ),
    "load_balance_hosts": ("PGLOADBALANCEHOSTS", "Whether one of several hosts is drawn."),
    **{
        name: (f"PG{variable}", f"{name}: only some values are honoured, and others refused.")
        for name, variable in {
            "target_session_attrs": "TARGETSESSIONATTRS",
            "client_encoding": "CLIENTENCODING",
            "channel_binding": "CHANNELBINDING",
            "gssencmode": "GSSENCMODE",
            "sslcert": "SSLCERT",
            "sslkey": "SSLKEY",
            "sslcertmode": "SSLCERTMODE",
            "sslcrl": "SSLCRL",
            "sslcrldir": "SSLCRLDIR",
            "requirepeer": "REQUIREPEER",
            "require_auth": "REQUIREAUTH",
            "ssl_min_protocol_version": "SSLMINPROTOCOLVERSION",
            "ssl_max_protocol_version": "SSLMAXPROTOCOLVERSION",
            "sslnegotiation": "SSLNEGOTIATION",
        }.items()
    },
}

_LIBPQ = "dbdyno pgbench; dbdyno sysbench on PostgreSQL"
_GO = {"sslmode", "sslrootcert"}
POSTGRESQL = {
    parameter: Variable(name, _LIBPQ + ("; dbdyno go-tpc" if parameter in _GO else ""), meaning)
    for parameter, (name, meaning) in _OF_PARAMETERS.items()
}
"""What libpq reads, by the names that its parameters have in a connection string."""

POSTGRESQL_SERVICE_FILE = Variable(
    "PGSERVICEFILE", _LIBPQ, "The file of services, in place of ~/.pg_service.conf."
)
POSTGRESQL_SYSTEM_FOLDER = Variable(
    "PGSYSCONFDIR", _LIBPQ, "The folder of the machine's pg_service.conf."
)
POSTGRESQL_REQUIRES_SSL = Variable(
    "PGREQUIRESSL", _LIBPQ, "1 is PGSSLMODE=require, where that is not set."
)
POSTGRESQL_SESSION = {
    setting: Variable(name, _LIBPQ, f"The setting {setting} of each session.")
    for name, setting in {"PGTZ": "TimeZone", "PGDATESTYLE": "DateStyle", "PGGEQO": "geqo"}.items()
}
"""What libpq sets in each session, by the names of the settings."""

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
    *POSTGRESQL.values(),
    *(POSTGRESQL_SERVICE_FILE, POSTGRESQL_SYSTEM_FOLDER, POSTGRESQL_REQUIRES_SSL),
    *POSTGRESQL_SESSION.values(),
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
