"""The dataset plan: what a generator is asked to do with the tables of a workload."""

from __future__ import annotations

import json
from typing import Literal

from pydantic.dataclasses import dataclass
from pydantic_core import to_jsonable_python

from dbdyno.protocol.workload_plan import WorkloadField

Action = Literal["load", "verify", "verify_sample", "drop", "prepare"]


@dataclass(frozen=True, kw_only=True)
class DatasetPlan:
    """What is done with which tables; the server's URL and the password are given beside it."""

    version: int = 1
    action: Action
    workload: WorkloadField
    seed: int
    connections: int
    bulk: str = "auto"
    """How rows are sent: ``auto``, ``native`` or ``insert``."""
    connect_s: float = 30.0
    protocol: str = "prepared"
    """How a trial is going to send the statements that ``prepare`` has the server read."""

    def to_json(self, url: str) -> bytes:
        """Return just what the generator receives, for a server with this URL."""
        return json.dumps({"url": url} | to_jsonable_python(self)).encode()
