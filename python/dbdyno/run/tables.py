"""What a server's catalog says of a trial's tables, as facts that are stored with the trial.

They are facts beside the measurement: what is not known never fails a trial, its reason is stored.
"""

from __future__ import annotations

from dataclasses import asdict

from dbdyno.errors import DbdynoError
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.run.sizes import connect_to, connect_to_nodes, database_kind
from dbdyno.schema import (
    ScannedRows,
    Schema,
    Statistics,
    analyse,
    read_scanned_rows,
    read_schema,
    read_statistics,
    read_statistics_of_nodes,
)
from dbdyno.size import tables_of
from dbdyno.store import facts
from dbdyno.target.base import SystemUnderTest


def schema_facts(server: SystemUnderTest, workload: WorkloadPlan) -> facts.SchemaFacts:
    """Return how the tables are defined now, and which constraints a session checks."""
    try:
        schema = read_schema(connect_to(server), database_kind(server), tables_of(workload))
    except DbdynoError as error:
        schema = Schema("", reason=str(error))
    definitions = tuple(facts.DefinitionFacts(**asdict(each)) for each in schema.definitions)
    known = vars(schema) | {"definitions": definitions, "fingerprint": schema.fingerprint}
    return facts.SchemaFacts(**known)


def statistics_facts(server: SystemUnderTest, workload: WorkloadPlan) -> facts.StatisticsFacts:
    """Return what the optimizer knows of the tables now: that of the nodes, where there are any."""
    tables = tables_of(workload)
    try:
        if server.nodes:
            found = read_statistics_of_nodes(connect_to_nodes(server), tables)
        else:
            found = read_statistics(connect_to(server), database_kind(server), tables)
    except DbdynoError as error:
        found = Statistics(reason=str(error))
    return facts.StatisticsFacts(**vars(found))


def analyse_nodes(server: SystemUnderTest, workload: WorkloadPlan) -> list[str]:
    """Have each node behind a layer analyse its part of the tables; return why some could not."""
    tables = tables_of(workload)
    reasons = [analyse(connect, database, tables) for connect, database in connect_to_nodes(server)]
    return [reason for reason in reasons if reason is not None]


def scanned_rows(server: SystemUnderTest) -> ScannedRows:
    """Return what the server has read by full scans so far; several do not count together."""
    if len(server.members) > 1 or len(server.host_urls) > 1 or server.nodes:
        return ScannedRows(reason="it was not asked for, for there are several servers")
    try:
        return read_scanned_rows(connect_to(server), database_kind(server))
    except DbdynoError as error:
        return ScannedRows(reason=str(error))


def scan_facts(before: ScannedRows, after: ScannedRows) -> facts.ScanFacts:
    """Return what was read between two readings."""
    scanned = after.since(before)
    return facts.ScanFacts(by_table=scanned.by_table, reason=scanned.reason)
