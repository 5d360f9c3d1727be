"""All options of tpcc_load and tpcc_start, and dbdyno's own, as a table."""

from __future__ import annotations

from dbdyno.peers.call.options import SENDING, Option

_NO_SINGLE = "single transactions are not kept; --out DIR keeps the histograms of every second"
_ONE_SCHEMA = "terminals of one call share one database; start one call for each database"

SERVER = (
    Option("h", "HOST", "the server; l or localhost with a socket where there is one", "127.0.0.1"),
    Option("P", "PORT", "its port", "3306"),
    Option("S", "SOCKET", "its Unix socket, in place of host and port"),
    Option("d", "DATABASE", "the database", "tpcc"),
    Option("u", "USER", "the user", "root"),
    Option("p", "PASSWORD", "the password; better in the variable DBDYNO_PASSWORD"),
    Option("w", "N", "warehouses", "1"),
)

START = (
    *SERVER,
    Option("c", "N", "connections", "10"),
    Option("r", "SECONDS", "ramp-up, which is not measured", "10"),
    Option("l", "SECONDS", "the measured time, cut to whole intervals", "20"),
    Option("i", "SECONDS", "the interval between lines", "10"),
    Option("0", "SECONDS", "the limit for response times of New-Order", "5"),
    Option("1", "SECONDS", "of Payment", "5"),
    Option("2", "SECONDS", "of Order-Status", "5"),
    Option("3", "SECONDS", "of Delivery", "80"),
    Option("4", "SECONDS", "of Stock-Level", "20"),
    Option("f", "FILE", "", no_effect=_NO_SINGLE),
    Option("t", "FILE", "", no_effect=_NO_SINGLE),
    Option("m", "N", "", refusal=_ONE_SCHEMA),
    Option("o", "N", "", refusal=_ONE_SCHEMA),
    Option("isolation", "LEVEL", "of all transactions; without it, the server's"),
    Option("seed", "N", "random seed; without it, a new one"),
    *SENDING,
    Option("out", "DIR", "a result directory to write, which dbdyno report reads"),
    Option("wide-texts", "", "the tables have the wide texts of Terark's tpcc_load"),
)

LOAD = (
    *SERVER,
    Option("l", "PART", "1 loads all tables; 2, 3 and 4 have nothing left to do"),
    Option("m", "FIRST", "1, for a call loads all warehouses; another one is refused"),
    Option("n", "LAST", "as -w; another one is refused"),
    Option("connections", "N", "how many load at a time; without it, one a CPU"),
    Option("no-foreign-keys", "", "indexes alone, as add_idx.sql of Terark's has them"),
    Option("text", "FILE", "a file whose words fill the texts of the tables"),
    Option("wide-texts", "", "texts as wide as in Terark's tpcc_load"),
    Option("seed", "N", "what the rows grow from", "1"),
)

COMMANDS = {"load": LOAD, "start": START}

LOAD_FORMS = {
    5: ("h", "d", "u", "p", "w"),
    6: ("h", "d", "u", "p", "w", "text"),
    8: ("h", "d", "u", "p", "w", "l", "m", "n"),
}
"""What stands where in the forms without letters, by the number of words; the one with a text is
Terark's."""

START_FORM = ("h", "d", "u", "p", "w", "c", "r", "l")
RATIO_WORDS = 5
"""Older versions of tpcc_start take the ratio of the five transactions behind these."""
