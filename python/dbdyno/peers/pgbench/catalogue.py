"""All options of pgbench 15, and dbdyno's own, as a table."""

from __future__ import annotations

from dbdyno.peers.call.options import SENDING, Option

INITIALIZATION = (
    Option(
        "initialize", "", "make pgbench's tables; those of the same names are dropped", letter="i"
    ),
    Option(
        "init-steps",
        "STEPS",
        "d: drop, t: create, g or G: fill, v: vacuum, p: primary keys, f: foreign keys",
        "dtgvp",
        letter="I",
    ),
    Option("fillfactor", "NUM", "how full pages are filled, in percent", "100", letter="F"),
    Option("foreign-keys", "", "foreign keys between the tables"),
    Option("quiet", "", "say less while rows are made", letter="q"),
    Option("index-tablespace", "TABLESPACE", "the tablespace of the keys"),
    Option("tablespace", "TABLESPACE", "the tablespace of the tables"),
    Option("partitions", "NUM", "how many partitions pgbench_accounts has", "0"),
    Option("partition-method", "NAME", "range or hash", "range"),
    Option("unlogged-tables", "", "tables without a write-ahead log"),
)

SCRIPTS = (
    Option(
        "builtin", "NAME[@W]", "a built-in script and its weight; -b list lists them", letter="b"
    ),
    Option("file", "FILE[@W]", "a script and its weight", letter="f"),
    Option("skip-some-updates", "", "the same as -b simple-update", letter="N"),
    Option("select-only", "", "the same as -b select-only", letter="S"),
)

BENCHMARK = (
    Option("client", "NUM", "clients", "1", letter="c"),
    Option("connect", "", "a new connection for each transaction", letter="C"),
    Option("define", "NAME=VALUE", "a variable of the scripts", letter="D"),
    Option("jobs", "NUM", "threads; dbdyno chooses where none is given", letter="j"),
    Option("log", "", "write each transaction to a file", letter="l"),
    Option("latency-limit", "MS", "count slower transactions as late", letter="L"),
    Option("protocol", "MODE", "simple, extended or prepared", "simple", letter="M"),
    Option("no-vacuum", "", "no VACUUM before the run, nor behind -i", letter="n"),
    Option("progress", "SECONDS", "a line about progress every so many seconds", letter="P"),
    Option(
        "report-per-command",
        "",
        "",
        no_effect="whole transactions are timed, not their statements",
        letter="r",
    ),
    Option("rate", "NUM", "transactions a second, at random moments, in an open loop", letter="R"),
    Option(
        "scale", "NUM", "branches, each with 100,000 accounts; :scale of scripts", "1", letter="s"
    ),
    Option(
        "transactions",
        "NUM",
        "transactions for each client; all clients share the sum",
        "10",
        letter="t",
    ),
    Option("time", "SECONDS", "seconds, in place of a number of transactions", letter="T"),
    Option("vacuum-all", "", "VACUUM all four tables before the run", letter="v"),
    Option("aggregate-interval", "SECONDS", "sums over so many seconds in the log"),
    Option("failures-detailed", "", "failures by their kind"),
    Option("log-prefix", "PREFIX", "how the log's name begins", "pgbench_log"),
    Option("max-tries", "NUM", "tries of a transaction that lost a conflict", "1"),
    Option("progress-timestamp", "", "seconds since 1970 in lines about progress"),
    Option("random-seed", "SEED", "time, rand or a whole number", "time"),
    Option("sampling-rate", "NUM", "the share of transactions that is logged"),
    Option("show-script", "NAME", "", refusal="pgbench --show-script shows the same scripts"),
    Option(
        "verbose-errors",
        "",
        "",
        no_effect="one message of each kind of error is printed in any case",
    ),
    *(option for option in SENDING if option.name != "workers"),
    Option("out", "DIR", "dbdyno's own: keep a result directory, which dbdyno report reads"),
)

COMMON = (
    Option("debug", "", "", no_effect="there is nothing to debug in scripts' commands", letter="d"),
    Option("host", "HOST", "host or folder of the socket; or the variable PGHOST", letter="h"),
    Option("port", "PORT", "port; or PGPORT", "5432", letter="p"),
    Option("username", "NAME", "user; or PGUSER", letter="U"),
    Option("version", "", "the version, and nothing else", letter="V"),
    Option("help", "", "this help, and nothing else", letter="?"),
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
    option.name for option in INITIALIZATION if option.name != "initialize"
)

OF_A_RUN = {option.name for option in (*SCRIPTS, *BENCHMARK)} - {"scale", "no-vacuum"}
"""Refused beside ``-i``."""

NEEDS = {
    "sampling-rate": "log",
    "aggregate-interval": "log",
    "log-prefix": "log",
    "progress-timestamp": "progress",
}
"""Options that say something of another one."""
