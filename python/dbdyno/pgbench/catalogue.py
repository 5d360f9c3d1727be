"""All options of pgbench 15, and dbdyno's own, as a table.

An option that cannot be honoured has a ``refusal``: to give it is an error that says why. One that
does nothing here has ``no_effect``: to give it is a warning.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Option:
    """One option, by its long name; most have a letter, too."""

    name: str
    letter: str
    value: str
    """What its value is called in the help; a switch has none."""
    text: str
    default: str = ""
    refusal: str = ""
    no_effect: str = ""

    @property
    def written(self) -> str:
        """As it is written in a call."""
        long = f"--{self.name}={self.value}" if self.value else f"--{self.name}"
        return f"-{self.letter}, {long}" if self.letter else long


_PLACES = "tables go where the server puts them by itself; set default_tablespace there"

INITIALIZATION = (
    Option("initialize", "i", "", "make pgbench's tables; those of the same names are dropped"),
    Option("init-steps", "I", "STEPS", "dtgvp, or dtgvpf for foreign keys", "dtgvp"),
    Option("fillfactor", "F", "NUM", "how full pages are filled, in percent", "100"),
    Option("foreign-keys", "", "", "foreign keys between the tables"),
    Option("quiet", "q", "", "say less while rows are made"),
    Option("index-tablespace", "", "TABLESPACE", "", refusal=_PLACES),
    Option("tablespace", "", "TABLESPACE", "", refusal=_PLACES),
    Option("partitions", "", "NUM", "", "0", refusal="tables are made in one part"),
    Option("partition-method", "", "NAME", "", refusal="tables are made in one part"),
    Option("unlogged-tables", "", "", "", refusal="tables are made with a log, as pgbench's are"),
)

SCRIPTS = (
    Option("builtin", "b", "NAME[@W]", "a built-in script and its weight; -b list lists them"),
    Option("file", "f", "FILE[@W]", "a script and its weight"),
    Option("skip-some-updates", "N", "", "the same as -b simple-update"),
    Option("select-only", "S", "", "the same as -b select-only"),
)

BENCHMARK = (
    Option("client", "c", "NUM", "clients", "1"),
    Option("connect", "C", "", "a new connection for each transaction"),
    Option("define", "D", "NAME=VALUE", "a variable of the scripts"),
    Option("jobs", "j", "NUM", "threads; dbdyno chooses where none is given"),
    Option("log", "l", "", "write each transaction to a file"),
    Option("latency-limit", "L", "MS", "count slower transactions as late"),
    Option("protocol", "M", "MODE", "simple, extended or prepared", "simple"),
    Option("no-vacuum", "n", "", "no VACUUM before the run, nor behind -i"),
    Option("progress", "P", "SECONDS", "a line about progress every so many seconds"),
    Option(
        *("report-per-command", "r", "", ""),
        no_effect="whole transactions are timed, not their statements",
    ),
    Option("rate", "R", "NUM", "transactions a second, at random moments, in an open loop"),
    Option("scale", "s", "NUM", "branches, each with 100,000 accounts; :scale of scripts", "1"),
    Option("transactions", "t", "NUM", "transactions of each client, taken together", "10"),
    Option("time", "T", "SECONDS", "seconds, in place of a number of transactions"),
    Option("vacuum-all", "v", "", "VACUUM all four tables before the run"),
    Option("aggregate-interval", "", "SECONDS", "sums over so many seconds in the log"),
    Option("failures-detailed", "", "", "failures by their kind"),
    Option("log-prefix", "", "PREFIX", "how the log's name begins", "pgbench_log"),
    Option("max-tries", "", "NUM", "tries of a transaction that lost a conflict", "1"),
    Option("progress-timestamp", "", "", "seconds since 1970 in lines about progress"),
    Option("random-seed", "", "SEED", "time, rand or a whole number", "time"),
    Option("sampling-rate", "", "NUM", "the share of transactions that is logged"),
    Option("show-script", "", "NAME", "", refusal="pgbench --show-script shows the same scripts"),
    Option(
        *("verbose-errors", "", "", ""),
        no_effect="one message of each kind of error is printed in any case",
    ),
    Option("out", "", "DIR", "dbdyno's own: keep a result directory, which dbdyno report reads"),
)

COMMON = (
    Option("debug", "d", "", "", no_effect="there is nothing to debug in scripts' commands"),
    Option("host", "h", "HOST", "host or folder of the socket; or the variable PGHOST"),
    Option("port", "p", "PORT", "port; or PGPORT", "5432"),
    Option("username", "U", "NAME", "user; or PGUSER"),
    Option("version", "V", "", "the version, and nothing else"),
    Option("help", "?", "", "this help, and nothing else"),
)

GROUPS = (
    ("Initialization options", INITIALIZATION),
    ("Options to select what to run", SCRIPTS),
    ("Benchmarking options", BENCHMARK),
    ("Common options", COMMON),
)

OPTIONS = {option.name: option for _, options in GROUPS for option in options}
BY_LETTER = {option.letter: option for option in OPTIONS.values() if option.letter}

ONLY_WITH_INITIALIZE = tuple(
    option.name for option in INITIALIZATION if option.name not in {"initialize", "quiet"}
)
