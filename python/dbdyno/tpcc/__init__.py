"""TPC-C's tables as somebody loaded them: which they are, and whether they are consistent.

Nothing here loads them or runs transactions on them, and it does not matter which tool did::

    schema = find_schema(session, "mysql")
    results = check_consistency(lambda: open_session(url, password), schema, [1, 2])
"""

from __future__ import annotations

from dbdyno.tpcc.check import ConditionResult, Progress, check_cardinality, check_consistency
from dbdyno.tpcc.schema import TpccSchema, find_schema, find_warehouses

__all__ = [
    "ConditionResult",
    "Progress",
    "TpccSchema",
    "check_cardinality",
    "check_consistency",
    "find_schema",
    "find_warehouses",
]
