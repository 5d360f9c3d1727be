"""TPC-C's atomicity (clause 3.2) and isolation (clause 3.4), tried on tables that are there.

The transactions are written as programs that can stop at any statement; a stage has the two
connections on which they meet. Consistency is ``dbdyno.tpcc``'s, durability ``dbdyno.crash``'s.
"""

from __future__ import annotations

from dbdyno.acid.check import Target, check_acid, effective_isolation
from dbdyno.acid.result import AcidResult, Verdict

__all__ = ["AcidResult", "Target", "Verdict", "check_acid", "effective_isolation"]
