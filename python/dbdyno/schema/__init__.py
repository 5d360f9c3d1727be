"""What a server's own catalog says of tables: columns, keys, and how they are stored.

Nothing here makes tables or knows how a server was started::

    schema = read_schema(connect, "mysql", tables)

It does not raise where a server does not tell: the schema is not known then, and a reason is given.
"""

from __future__ import annotations

from dbdyno.schema.model import Schema, TableDefinition
from dbdyno.schema.read import read_schema

__all__ = ["Schema", "TableDefinition", "read_schema"]
