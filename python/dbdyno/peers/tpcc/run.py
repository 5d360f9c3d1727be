"""What a run of TPC-C comes to."""

from __future__ import annotations

from dbdyno.peers.call import run
from dbdyno.peers.tpcc.request import TpccRequest

Outcome = run.Outcome[TpccRequest]
