"""What a server's own catalog says of tables: columns, keys, storage, statistics, scans.

Nothing here makes tables or knows how a server was started::

    schema = read_schema(connect, "mysql", tables)

It does not raise where a server does not tell: the schema is not known then, and a reason is given.
"""

from __future__ import annotations

from dbdyno.schema.model import Schema, TableDefinition
from dbdyno.schema.nodes import analyse, read_statistics_of_nodes
from dbdyno.schema.read import read_schema
from dbdyno.schema.statistics import (
    ScannedRows,
    Statistics,
    read_scanned_rows,
    read_statistics,
)

__all__ = [
    "ScannedRows",
    "Schema",
    "Statistics",
    "TableDefinition",
    "analyse",
    "read_scanned_rows",
    "read_schema",
    "read_statistics",
    "read_statistics_of_nodes",
]
