"""Which tool has written a log: told by its content, never by its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dbdyno.errors import InputError
from dbdyno.importer import (
    benchbase,
    benchmarksql,
    cockroach,
    go_tpc,
    hammerdb,
    mysqlslap,
    pgbench,
    pgbench_aggregate,
    pgbench_log,
    sysbench,
    tpcc_mysql,
    ycsb,
    yugabyte_tpcc,
)
from dbdyno.importer.log import Log
from dbdyno.trial_evidence import Counted, TrialEvidence


class Module(Protocol):
    """What a module offers that reads the logs of one tool."""

    TOOL: str
    LOOKED_FOR: str
    """What its logs have, in the words of an error message."""

    def is_ours(self, log: Log) -> bool:
        """Tell whether the tool has written lines of the log."""

    def read(self, log: Log) -> list[TrialEvidence]:
        """Return a trial for each run in the log."""


@dataclass(frozen=True)
class Reader:
    """What reads the logs of one tool."""

    module: Module
    marks: tuple[str, ...] = ()
    """Texts of which one is in each of its logs: they are looked for before lines are read."""
    counted: Counted = Counted.TRANSACTIONS

    def recognises(self, log: Log) -> bool:
        """Tell whether the tool has written lines of the log."""
        return any(mark in log.text for mark in self.marks) and self.module.is_ours(log)


READERS = (
    Reader(
        sysbench,
        (
            "sysbench ",
            "Running the test with",
            "] thds: ",
            "] threads: ",
            "total number of events:",
        ),
    ),
    Reader(pgbench, ("pgbench", "progress: ", "transactions actually processed", "tps = ")),
    Reader(
        tpcc_mysql,
        ("###easy###", "<Raw Results>", ", trx: ", "<TpmC>", "| sc: "),
        Counted.NEW_ORDERS,
    ),
    Reader(
        benchmarksql,
        ("BenchmarkSQL", "tpmTOTAL", "Measured tpmC", "Overall NOPM"),
        Counted.NEW_ORDERS,
    ),
    Reader(go_tpc, ("[Current]", "[Summary]"), Counted.NEW_ORDERS),
    Reader(hammerdb, ("NOPM", "Beginning rampup time"), Counted.NEW_ORDERS),
    Reader(mysqlslap, ("seconds to run all queries", ",")),
    Reader(ycsb, ("[OVERALL]", "current ops/sec")),
    Reader(benchbase, ("Latency Distribution",)),
    Reader(cockroach, ("_elapsed__",), Counted.NEW_ORDERS),
    Reader(yugabyte_tpcc, ("TPM-C",), Counted.NEW_ORDERS),
)

TABLES: tuple[Module, ...] = (pgbench_log, pgbench_aggregate)
"""Of files that hold one table and nothing else; they are told by their first lines."""


def is_marked(text: str) -> bool:
    """Tell whether the beginning of a file has what is in logs of some tool."""
    marks = (mark for reader in READERS for mark in reader.marks if len(mark) > 1)
    return any(mark in text for mark in marks)


def recognised(log: Log) -> list[Module]:
    """Return who reads the log: several where it has the output of several tools."""
    table = next((each for each in TABLES if each.is_ours(log)), None)
    if table is not None:
        return [table]
    return [reader.module for reader in READERS if reader.recognises(log)]


def read_by_content(log: Log) -> list[TrialEvidence]:
    """Return all runs in a log; InputError where it is nobody's, or has no run in it."""
    modules = recognised(log)
    if not modules:
        known = (reader.module for reader in READERS)
        wanted = "".join(f"\n  {each.TOOL}: {each.LOOKED_FOR}" for each in known)
        raise InputError(f"{log.path} is not recognised. Looked for:{wanted}")
    found = [trial for module in modules for trial in module.read(log)]
    if not found:
        tools = " and ".join(module.TOOL for module in modules)
        raise InputError(f"{log.path} has output of {tools}, but no run that measured something")
    return found
