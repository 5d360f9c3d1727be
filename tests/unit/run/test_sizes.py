"""Sizes that no server tells are facts with a reason, and no errors."""

from __future__ import annotations

import pytest

from dbdyno.errors import RunError
from dbdyno.protocol.workload_plan import WorkloadPlan
from dbdyno.run.sizes import disk_facts, logical_facts
from dbdyno.target.url.server import ExternalServer

SYSBENCH: WorkloadPlan = {"sysbench": {"tables": 1}}


class EndedServer(ExternalServer):
    """A server that has ended by itself, and so has no address any more."""

    @property
    def host_urls(self) -> tuple[str, ...]:
        """Refuse, as a private server does."""
        raise RunError("server mysql ended by itself (exit status 1)")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (ExternalServer, "cannot connect to mysql://nobody@127.0.0.1:1/test"),
        (EndedServer, "server mysql ended by itself (exit status 1)"),
    ],
)
def test_a_server_that_is_not_there_is_a_reason(kind: type[ExternalServer], reason: str) -> None:
    server = kind("mysql", "mysql://nobody@127.0.0.1:1/test")
    for facts in (disk_facts(server, SYSBENCH), logical_facts(server, SYSBENCH)):
        assert facts.size_bytes is None
        assert reason in (facts.reason or "")
    assert disk_facts(server, SYSBENCH).directory_bytes is None
