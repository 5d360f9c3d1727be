"""All options of sysbench 1.0.20 and of its main branch, with their defaults, as a table.

An option that dbdyno cannot honour has a ``refusal``: any value but the default is then an error
that says why. Options of dbdyno's own come last.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Kind(Enum):
    """What a value may be."""

    INTEGER = auto()
    """A whole number, also with K, M, G or T behind it (1024 each time)."""
    NUMBER = auto()
    SWITCH = auto()
    """on or off; without a value, on."""
    TEXT = auto()
    LIST = auto()
    """Texts with commas between."""


@dataclass(frozen=True)
class Option:
    """One option, by its name with hyphens."""

    name: str
    kind: Kind
    default: str
    text: str
    refusal: str | None = None
    alias_of: str | None = None


INTEGER, NUMBER, SWITCH, TEXT, LIST = Kind.INTEGER, Kind.NUMBER, Kind.SWITCH, Kind.TEXT, Kind.LIST

GENERAL = (
    Option("threads", INTEGER, "1", "clients, each with a connection of its own"),
    Option("events", INTEGER, "0", "end after so many transactions; 0: no limit"),
    Option("time", INTEGER, "10", "seconds of load; 0: no limit"),
    Option("warmup-time", INTEGER, "0", "seconds of load before that, which are not counted"),
    Option("forced-shutdown", TEXT, "off", "seconds after --time for what is under way, or off"),
    Option("rate", INTEGER, "0", "transactions a second, at random times; 0: no limit"),
    Option("report-interval", INTEGER, "0", "seconds between interval lines; 0: none"),
    Option("report-checkpoints", LIST, "", "seconds after which a summary is printed, too"),
    Option("thread-init-timeout", INTEGER, "30", "seconds to connect and prepare in"),
    Option("thread-stack-size", TEXT, "64K", "without effect: clients are no threads"),
    Option("debug", SWITCH, "off", "", refusal="dbdyno has no trace of its work"),
    Option("validate", SWITCH, "off", "without effect, as in sysbench's own OLTP scripts"),
    Option("verbosity", INTEGER, "3", "below 3: print nothing but errors"),
    Option("percentile", INTEGER, "95", "the percentile of response times, 1 to 100; 0: none"),
    Option("histogram", SWITCH, "off", "print the histogram of response times"),
    Option("config-file", TEXT, "", "a file of options, name=value a line"),
    Option("help", SWITCH, "off", "print this"),
    Option("version", SWITCH, "off", "print the version"),
    Option(
        "luajit-cmd",
        TEXT,
        "",
        "a command for LuaJIT",
        refusal="dbdyno runs its scripts without Lua",
    ),
    Option("num-threads", INTEGER, "", "an old name", alias_of="threads"),
    Option("max-requests", INTEGER, "", "an old name", alias_of="events"),
    Option("max-time", INTEGER, "", "an old name", alias_of="time"),
    Option("tx-rate", INTEGER, "", "an old name", alias_of="rate"),
    Option("test", TEXT, "", "an old way to name the script"),
)

RANDOM = (
    Option("rand-type", TEXT, "uniform", "uniform, gaussian, special, pareto or zipfian"),
    Option("rand-seed", INTEGER, "0", "the seed of all that is random; 0: a new one each time"),
    Option("rand-spec-pct", NUMBER, "1", "special: the hot share of rows, in percent"),
    Option(
        "rand-spec-res", NUMBER, "75", "special: the share of accesses that go there, in percent"
    ),
    Option("rand-pareto-h", NUMBER, "0.2", "pareto: the parameter h"),
    Option("rand-zipfian-exp", NUMBER, "0.8", "zipfian: the exponent"),
    Option(
        "rand-spec-iter",
        INTEGER,
        "12",
        "uniform draws that are averaged",
        refusal="dbdyno always averages 12 uniform draws",
    ),
)

DATABASE = (
    Option("db-driver", TEXT, "mysql", "mysql, pgsql or sqlite"),
    Option("db-ps-mode", TEXT, "auto", "auto: prepared statements; disable: text"),
    Option("db-debug", SWITCH, "off", "", refusal="dbdyno has no trace of its driver"),
)

_NO_CIPHERS = "dbdyno offers the ciphers of its own TLS library, rustls"
_NO_COMPRESSION = "dbdyno does not compress its connections"
_NO_CERTIFICATE = "dbdyno has no client certificates"

MYSQL = (
    Option("mysql-host", LIST, "localhost", "hosts; connections take turns"),
    Option("mysql-port", LIST, "3306", "ports; connections take turns"),
    Option("mysql-socket", LIST, "", "Unix sockets, for the host localhost"),
    Option("mysql-user", TEXT, "sbtest", "user"),
    Option("mysql-password", TEXT, "", "password; better in the variable DBDYNO_PASSWORD"),
    Option("mysql-db", TEXT, "sbtest", "database"),
    Option(
        "mysql-ssl",
        TEXT,
        "off",
        "off, on, DISABLED, PREFERRED, REQUIRED, VERIFY_CA, VERIFY_IDENTITY",
    ),
    Option("mysql-ssl-ca", TEXT, "", "file with the certificates of authorities"),
    Option("mysql-ssl-cipher", TEXT, "", "", refusal=_NO_CIPHERS),
    Option("mysql-ssl-key", TEXT, "", "", refusal=_NO_CERTIFICATE),
    Option("mysql-ssl-cert", TEXT, "", "", refusal=_NO_CERTIFICATE),
    Option("mysql-compression", SWITCH, "off", "", refusal=_NO_COMPRESSION),
    Option("mysql-compression-algorithms", TEXT, "", "", refusal=_NO_COMPRESSION),
    Option("mysql-debug", SWITCH, "off", "", refusal="dbdyno has no trace of its driver"),
    Option(
        "mysql-ignore-errors",
        LIST,
        "1213,1020,1205",
        "numbers of errors after which a transaction is tried again, or all",
    ),
    Option("mysql-dry-run", SWITCH, "off", "", refusal="dbdyno always asks the server"),
)

POSTGRESQL = (
    Option("pgsql-host", LIST, "localhost", "hosts; connections take turns"),
    Option("pgsql-port", LIST, "5432", "ports; connections take turns"),
    Option("pgsql-user", TEXT, "sbtest", "user"),
    Option("pgsql-password", TEXT, "", "password; better in the variable DBDYNO_PASSWORD"),
    Option("pgsql-db", TEXT, "sbtest", "database"),
    Option(
        "pgsql-sslmode",
        TEXT,
        "",
        "disable, prefer, require, verify-ca or verify-full; else PGSSLMODE or prefer",
    ),
)

SQLITE = (Option("sqlite-db", TEXT, "", "the file of the database"),)

_INTEGERS_OF_SCRIPTS = {
    "tables": ("1", "number of tables"),
    "table-size": ("10000", "rows in each table"),
    "range-size": ("100", "rows in a range"),
    "point-selects": ("10", "selects by key in a transaction"),
    "simple-ranges": ("1", "selects of a range"),
    "sum-ranges": ("1", "sums over a range"),
    "order-ranges": ("1", "sorted selects of a range"),
    "distinct-ranges": ("1", "selects of the distinct values of a range"),
    "index-updates": ("1", "updates of the indexed column"),
    "non-index-updates": ("1", "updates of a column without index"),
    "delete-inserts": ("1", "rows that are deleted and inserted again"),
    "random-points": ("10", "select_random_points: values in its statement"),
    "number-of-ranges": ("10", "select_random_ranges: ranges in its statement"),
    "delta": ("5", "select_random_ranges: length of a range"),
}
_SWITCHES_OF_SCRIPTS = {
    "range-selects": ("on", "whether ranges are selected at all"),
    "skip-trx": ("off", "no BEGIN and COMMIT"),
    "auto-inc": ("on", "ids number themselves"),
    "create-secondary": ("on", "an index on the column k"),
    "secondary": ("off", "an ordinary index on the id in place of the primary key"),
}

SCRIPT = (
    *(Option(name, INTEGER, *rest) for name, rest in _INTEGERS_OF_SCRIPTS.items()),
    *(Option(name, SWITCH, *rest) for name, rest in _SWITCHES_OF_SCRIPTS.items()),
    Option("mysql-storage-engine", TEXT, "innodb", "storage engine, on MySQL"),
    Option("create-table-options", TEXT, "", "what follows the columns in CREATE TABLE"),
    Option("reconnect", INTEGER, "0", "transactions of a connection; 0: all of them"),
    Option("pgsql-variant", TEXT, "", "", refusal="Redshift is not among the servers dbdyno knows"),
)

OWN = (
    Option("compatible", SWITCH, "off", "behave as sysbench 1.0.20 does also where that misleads"),
    Option("scrambled", SWITCH, "off", "scatter the hot rows of a skewed distribution"),
    Option("read-hash", SWITCH, "off", "a hash of all rows read, among the facts of --json"),
    Option(
        "pgsql-sslrootcert",
        TEXT,
        "",
        "file with the certificates of authorities, for verify-ca and verify-full",
    ),
    Option("workers", INTEGER, "0", "threads that send; 0: as many as are best beside the server"),
    Option("wait", TEXT, "auto", "how they wait: auto, sleep, priority, nap, spin, or 50us"),
    Option("verbose", SWITCH, "off", "say how many threads send, how they wait, and why"),
    Option("percentiles", LIST, "", "more percentiles, such as 50,99,99.9"),
    Option("json", SWITCH, "off", "print one JSON document in place of text"),
    Option("out", TEXT, "", "a result directory to write, which dbdyno report reads"),
)

GROUPS = {
    "General options": GENERAL,
    "Random numbers options": RANDOM,
    "General database options": DATABASE,
    "mysql options": MYSQL,
    "pgsql options": POSTGRESQL,
    "sqlite options": SQLITE,
    "dbdyno's own options": OWN,
}

OPTIONS = {option.name: option for group in (*GROUPS.values(), SCRIPT) for option in group}

SCRIPTS = (
    "bulk_insert",
    "oltp_delete",
    "oltp_insert",
    "oltp_point_select",
    "oltp_read_only",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_write_only",
    "select_random_points",
    "select_random_ranges",
)

TABLES_ALONE = "oltp_common"
"""What all OLTP scripts have in common: it makes their tables, and runs nothing."""

COMMANDS = ("prepare", "warmup", "prewarm", "run", "cleanup", "help")
