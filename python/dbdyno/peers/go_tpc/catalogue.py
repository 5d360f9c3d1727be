"""All flags of go-tpc that concern TPC-C, and dbdyno's own, as a table.

A flag with a ``refusal`` is refused where its value is another than the default: to write the
default is to ask for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dbdyno.peers.call.options import SENDING, Option

_NO_CLIENT_CERTIFICATE = (
    "connections have no client certificates; let the server take a user with a password"
)
_NO_FILES = "rows are loaded into the server, and no files are written; leave it out"
_LOAD_RESUMES = (
    "a statement that lost a conflict is sent again, and a load that was cut short resumes where "
    "it stopped when it is called again"
)
_NO_ENDPOINT = "nothing is served over HTTP; --out DIR keeps the figures of every second"

GENERAL = (
    Option("host", "HOST", "the server, or several with commas between", "127.0.0.1", letter="H"),
    Option("port", "PORT", "its port, or several", "4000", letter="P"),
    Option("targets", "LIST", "host:port with commas between, in place of hosts and ports"),
    Option("user", "USER", "the user", "root", letter="U"),
    Option(
        "password",
        "PASSWORD",
        "the password; better in the variable DBDYNO_PASSWORD",
        letter="p",
    ),
    Option("db", "DATABASE", "the database; prepare makes it", "test", letter="D"),
    Option("driver", "NAME", "mysql or postgres", "mysql", letter="d"),
    Option("conn-params", "A=B&C=D", "encryption, limits and isolation, as Go's drivers name them"),
    Option("ssl-ca", "FILE", "authorities' certificates, to verify the server"),
    Option("ssl-cert", "FILE", "", refusal=_NO_CLIENT_CERTIFICATE),
    Option("ssl-key", "FILE", "", refusal=_NO_CLIENT_CERTIFICATE),
    Option("threads", "N", "connections of a run, or of a load", "1", letter="T"),
    Option("time", "TIME", "how long a run lasts, as 90s or 1h30m; without it, until Ctrl-C"),
    Option("count", "N", "end after so many transactions of all threads; 0 is no end", "0"),
    Option("interval", "TIME", "whole seconds between lines of a run", "10s"),
    Option("output", "FORM", "plain, table or json", "plain"),
    Option("isolation", "N", "0 the server's, 1 RU, 2 RC, 4 RR or 6 serializable", "0"),
    Option("ignore-error", "", "a failed transaction is counted, and the run goes on"),
    Option("silence", "", "no lines about the errors of transactions"),
    Option("dropdata", "", "prepare drops the tables first"),
    Option("acThreads", "N", "", "1", letter="t", no_effect="it belongs to go-tpc ch"),
    Option(
        "statusPort", "N", "", "10080", letter="S", no_effect="no other port of the server is asked"
    ),
    Option("max-procs", "N", "", "0", no_effect="dbdyno chooses how many threads make the load"),
    Option("pprof", "ADDRESS", "", no_effect=_NO_ENDPOINT),
    Option("metrics-addr", "ADDRESS", "", no_effect=_NO_ENDPOINT),
    Option("help", "", "this help, and nothing else", letter="h"),
)

TPCC = (
    Option("warehouses", "N", "how many warehouses", "10"),
    Option("parts", "N", "partitions of each table by warehouse; 1 is none", "1"),
    Option("partition-type", "N", "1, by hash; others are refused where there are partitions", "1"),
    Option("check-all", "", "condition 3.3.2.11, too; all twelve are checked in any case"),
)

PREPARE = (
    Option("no-check", "", "do not check the conditions when the tables are loaded"),
    Option("use-fk", "", "the ten foreign keys"),
    Option(
        "use-clustered-index",
        "",
        "",
        "true",
        refusal="primary keys are as the server makes them; leave it out",
    ),
    Option("output-type", "csv", "", refusal=_NO_FILES),
    Option("output-dir", "DIR", "", refusal=_NO_FILES),
    Option("tables", "LIST", "", no_effect="it selects among the files of --output-type"),
    Option("retry-count", "N", "", "50", no_effect=_LOAD_RESUMES),
    Option("retry-interval", "TIME", "", "10s", no_effect=_LOAD_RESUMES),
)

RUN = (
    Option("wait", "", "keying and think times, as the specification has them"),
    Option("weight", "LIST", "of the five transactions, 100 in all", "45,43,4,4,4"),
    Option(
        "max-measure-latency",
        "TIME",
        "",
        "16s",
        no_effect="times are recorded up to two hours, and none is cut",
    ),
    Option(
        "conn-refresh-interval",
        "TIME",
        "",
        "0",
        refusal="a connection lasts for the whole run; leave it out",
    ),
    Option("seed", "N", "dbdyno's own: random seed; without it, a new one"),
    *(replace(each, name="wait-by") if each.name == "wait" else each for each in SENDING),
    Option("out", "DIR", "dbdyno's own: keep a result directory, which dbdyno report reads"),
)

COMMANDS: dict[str, tuple[Option, ...]] = {
    "prepare": PREPARE,
    "run": RUN,
    "cleanup": (),
    "check": (),
}
"""The commands of tpcc, each with the flags that it alone has."""

ABOUT = {
    "prepare": "make the tables, fill them, check the conditions",
    "run": "run the transactions",
    "cleanup": "drop the tables",
    "check": "check the twelve consistency conditions",
}

OTHER_WORKLOADS = ("tpch", "ch", "rawsql")

OPTIONS = {
    option.name: option for options in (GENERAL, TPCC, *COMMANDS.values()) for option in options
}
BY_LETTER = {option.letter: option for option in OPTIONS.values() if option.letter}


def options_of(command: str) -> Iterable[Option]:
    """Return the flags that a command takes."""
    return (*GENERAL, *TPCC, *COMMANDS[command])
