"""Which tool has written a log: told by its content, never by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dbdyno.errors import InputError
from dbdyno.importer import (
    benchbase,
    benchmarksql,
    go_tpc,
    hammerdb,
    mysqlslap,
    pgbench,
    pgbench_aggregate,
    pgbench_log,
    sysbench,
    tpcc_mysql,
    ycsb,
)
from dbdyno.importer.log import Log
from dbdyno.trial_evidence import Counted, TrialEvidence


@dataclass(frozen=True)
class Reader:
    """What reads the logs of one tool."""

    tool: str
    looked_for: str
    """What its logs have, in the words of an error message."""
    is_ours: Callable[[Log], bool]
    read: Callable[[Log], list[TrialEvidence]]
    counted: Counted = Counted.TRANSACTIONS


READERS = (
    Reader(sysbench.TOOL, sysbench.LOOKED_FOR, sysbench.is_ours, sysbench.read),
    Reader(pgbench.TOOL, pgbench.LOOKED_FOR, pgbench.is_ours, pgbench.read),
    Reader(
        tpcc_mysql.TOOL,
        tpcc_mysql.LOOKED_FOR,
        tpcc_mysql.is_ours,
        tpcc_mysql.read,
        Counted.NEW_ORDERS,
    ),
    Reader(
        benchmarksql.TOOL,
        benchmarksql.LOOKED_FOR,
        benchmarksql.is_ours,
        benchmarksql.read,
        Counted.NEW_ORDERS,
    ),
    Reader(go_tpc.TOOL, go_tpc.LOOKED_FOR, go_tpc.is_ours, go_tpc.read, Counted.NEW_ORDERS),
    Reader(hammerdb.TOOL, hammerdb.LOOKED_FOR, hammerdb.is_ours, hammerdb.read, Counted.NEW_ORDERS),
    Reader(mysqlslap.TOOL, mysqlslap.LOOKED_FOR, mysqlslap.is_ours, mysqlslap.read),
    Reader(ycsb.TOOL, ycsb.LOOKED_FOR, ycsb.is_ours, ycsb.read),
    Reader(benchbase.TOOL, benchbase.LOOKED_FOR, benchbase.is_ours, benchbase.read),
)


TABLES = (
    Reader(pgbench.TOOL, pgbench.LOOKED_FOR, pgbench_log.is_ours, pgbench_log.read),
    Reader(pgbench.TOOL, pgbench.LOOKED_FOR, pgbench_aggregate.is_ours, pgbench_aggregate.read),
)
"""Of files that hold one table and nothing else; they are told by their first lines."""


def recognised(log: Log) -> list[Reader]:
    """Return who reads the log: several where it has the output of several tools."""
    for reader in TABLES:
        if reader.is_ours(log):
            return [reader]
    return [reader for reader in READERS if reader.is_ours(log)]


def read_by_content(log: Log) -> list[TrialEvidence]:
    """Return all runs in a log; InputError where it is nobody's, or has no run in it."""
    readers = recognised(log)
    if not readers:
        wanted = "".join(f"\n  {each.tool}: {each.looked_for}" for each in READERS)
        raise InputError(f"{log.path} is not recognised. Looked for:{wanted}")
    found = [trial for reader in readers for trial in reader.read(log)]
    if not found:
        tools = " and ".join(reader.tool for reader in readers)
        raise InputError(f"{log.path} has output of {tools}, but no run that measured something")
    return found
