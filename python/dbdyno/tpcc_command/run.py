"""What a run of TPC-C comes to."""

from __future__ import annotations

from dbdyno.direct import run
from dbdyno.tpcc_command.request import TpccRequest

Outcome = run.Outcome[TpccRequest]
