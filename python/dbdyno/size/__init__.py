"""How large a database is: on disk, as its server tells, and logically, as its values are written.

Nothing here loads tables or knows how a server was started::

    def connect() -> AbstractContextManager[Session]:
        return open_session(url, password)

    tables = tables_of(workload)
    disk = size_on_disk(connect, "mysql", tables)
    logical = logical_size(connect, "mysql", tables)

Neither raises where a server does not tell: the size is not known then, and the reason is said.
"""

from __future__ import annotations

from dbdyno.size.compression import Compression, compression_of
from dbdyno.size.disk import size_on_disk
from dbdyno.size.logical import logical_size, read_whole
from dbdyno.size.model import DiskSize, LogicalSize, total_on_disk
from dbdyno.size.tables import tables_of

__all__ = [
    "Compression",
    "DiskSize",
    "LogicalSize",
    "compression_of",
    "logical_size",
    "read_whole",
    "size_on_disk",
    "tables_of",
    "total_on_disk",
]
