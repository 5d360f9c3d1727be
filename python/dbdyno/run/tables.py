"""What a server's catalog says of a trial's tables, as facts that are stored with the trial.

They are facts beside the measurement: what is not known never fails a trial, its reason is stored.
"""

from __future__ import annotations

from dataclasses import asdict

from dbdyno.errors import DbdynoError
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.run.sizes import connect_to, database_kind
from dbdyno.schema import Schema, read_schema
from dbdyno.size import tables_of
from dbdyno.store import facts
from dbdyno.target import SystemUnderTest


def schema_facts(server: SystemUnderTest, workload: WorkloadPlan) -> facts.SchemaFacts:
    """Return how the tables are defined now, and which constraints a session checks."""
    try:
        schema = read_schema(connect_to(server), database_kind(server), tables_of(workload))
    except DbdynoError as error:
        schema = Schema("", reason=str(error))
    definitions = tuple(facts.DefinitionFacts(**asdict(each)) for each in schema.definitions)
    known = vars(schema) | {"definitions": definitions, "fingerprint": schema.fingerprint}
    return facts.SchemaFacts(**known)
