"""The hosts of a campaign on which generators run: an agent on each, and one scheduler for all.

Agents are workers of Dask's scheduler, which runs in this process. Both sides have certificates of
an authority that was made for this campaign. Nothing is tried twice: a load that is made again
would spoil the trial.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from dbdyno import __version__
from dbdyno.agent.facts import tell_facts
from dbdyno.agent.invitation import Invitation, write_invitation
from dbdyno.agent.load import read_clock
from dbdyno.errors import InputError, RunError
from dbdyno.facts.host import HOST, OtherHost
from dbdyno.locked_folder import locked_folder
from dbdyno.remote.agent import READY_WITHIN_S, Agent, nothing_else
from dbdyno.remote.certificates import make_certificates
from dbdyno.remote.way import Way

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

ANSWERS_WITHIN_S = 5.0
"""Far longer than a host takes that is there."""
READY = "ready"
"""What an agent says when it has found the scheduler."""

SCRATCH = "dbdyno-runner-"
"""How the folder begins in which Dask keeps files while there are agents."""

CONFIGURATION: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.dashboard.status.task-stream-length": 0,
    # Nothing of it can be looked at in a browser: that has no certificate.
    "distributed.scheduler.http.routes": [],
    "distributed.comm.timeouts.connect": "10s",
}


class GeneratorHosts:
    """Agents on some hosts; as a context manager it leaves none of them behind.

    A host whose agent is gone gets another one when the next load wants it.
    """

    def __init__(self, ways: Sequence[Way], check: Callable[[], None] = nothing_else) -> None:
        """Prepare; ``check`` is called while agents are waited for, and raises to end that."""
        self._check = check
        self._ways = {way.host: way for way in ways}
        self._agents: dict[str, Agent] = {}
        self._certificates = make_certificates()
        self._campaign = uuid.uuid4().hex[:12]
        self._loads = 0
        self._stack = ExitStack()
        self._client: Client | None = None
        self._cluster: LocalCluster | None = None

    def next_load(self) -> str:
        """Return a name that no other load has."""
        self._loads += 1
        return f"{self._campaign}-{self._loads:05d}"

    @property
    def client(self) -> Client:
        """The way to ask agents for something."""
        assert self._client is not None, "it is used in its context"
        return self._client

    def address(self, host: str) -> str:
        """Return where the agent of a host is reached; ``RunError`` where it is gone."""
        assert self._cluster is not None, "it is used in its context"
        for address, worker in self._cluster.scheduler.workers.items():
            if worker.name == host:
                return str(address)
        raise RunError(f"host {host}: its agent is gone")

    def is_there(self, address: str) -> bool:
        """Tell whether the agent at an address is still known to be there."""
        assert self._cluster is not None, "it is used in its context"
        return address in self._cluster.scheduler.workers

    def reach(self, host: str) -> str:
        """Return where the agent of a host is reached, of a new one where it is gone.

        ``RunError`` where the host cannot be reached now.
        """
        if self._agents[host].is_there():
            with suppress(RunError):
                return self.address(host)
        self._agents[host].end()
        self._forget(host)
        agent = self._start_agent(self._ways[host])
        deadline_s = time.monotonic() + READY_WITHIN_S
        _require_same_version({host: agent.version(deadline_s, silent=READY)})
        _wait_until_ready(agent, deadline_s)
        return self.address(host)

    def find(self, host: str) -> None:
        """See that a host has an agent that answers, a new one where need be.

        ``RunError`` where the host cannot be reached now.
        """
        if not self._answers(self.reach(host)):
            # The host has vanished, and nobody has been told.
            self._agents[host].end()
            raise RunError(f"host {host}: its agent does not answer")

    def _answers(self, address: str) -> bool:
        heard = Event()

        def ask() -> None:
            with suppress(OSError):
                self.client.run(read_clock, workers=[address])
                heard.set()

        Thread(target=ask, daemon=True).start()
        return heard.wait(ANSWERS_WITHIN_S)

    def _forget(self, host: str) -> None:
        """Make room for a new agent where the scheduler does not know that the old one is gone."""
        assert self._cluster is not None
        scheduler = self._cluster.scheduler
        for address, worker in list(scheduler.workers.items()):
            if worker.name == host:
                self._cluster.sync(scheduler.remove_worker, address, stimulus_id="agent-gone")

    def facts(self, servers: Mapping[str, Sequence[str]]) -> dict[str, OtherHost]:
        """Ask each agent for the facts of its host, all at once, and how far its servers are."""
        addresses = {self.address(host): host for host in self._ways}
        told = self.client.run(tell_facts, servers, workers=list(addresses), on_error="return")
        return {host: _known(told.get(address)) for address, host in addresses.items()}

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def _start(self, stack: ExitStack) -> None:
        import dask
        from distributed import Client, LocalCluster
        from distributed.security import Security

        certificates = self._certificates
        folder = stack.enter_context(locked_folder(SCRATCH))
        places = {"temporary-directory": str(folder)}
        stack.enter_context(dask.config.set(CONFIGURATION | places))
        security = Security(
            require_encryption=True,
            tls_ca_file=certificates.authority,
            tls_scheduler_cert=certificates.runner.certificate,
            tls_scheduler_key=certificates.runner.key,
            tls_client_cert=certificates.runner.certificate,
            tls_client_key=certificates.runner.key,
        )
        self._cluster = stack.enter_context(
            LocalCluster(
                n_workers=0,
                processes=False,
                host="0.0.0.0",
                protocol="tls://",
                dashboard_address="127.0.0.1:0",
                security=security,
                silence_logs=logging.CRITICAL,
            )
        )
        self._client = stack.enter_context(Client(self._cluster, set_as_default=False))
        stack.callback(self._end_agents)
        agents = [self._start_agent(way) for way in self._ways.values()]
        deadline_s = time.monotonic() + READY_WITHIN_S
        _require_same_version(
            {agent.way.host: agent.version(deadline_s, silent=READY) for agent in agents}
        )
        for agent in agents:
            _wait_until_ready(agent, deadline_s)

    def _start_agent(self, way: Way) -> Agent:
        invitation = write_invitation(self._invitation(way))
        agent = self._agents[way.host] = Agent(way, invitation, self._check)
        return agent

    def _end_agents(self) -> None:
        while self._agents:
            self._agents.popitem()[1].end()

    def _invitation(self, way: Way) -> Invitation:
        assert self._cluster is not None
        try:
            runner = way.runner_address()
        except OSError as error:
            raise RunError(
                f"host {way.host}: its address is unknown ({error.strerror}), and so the one at "
                "which it finds this machine; give generators: [{call_back: ADDRESS}]"
            ) from error
        return Invitation(
            version=__version__,
            scheduler=f"tls://{runner}:{self._cluster.scheduler.port}",
            name=way.host,
            authority=self._certificates.authority,
            certificate=self._certificates.agents.certificate,
            key=self._certificates.agents.key,
        )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, traceback)


def _wait_until_ready(agent: Agent, deadline_s: float) -> None:
    """Wait until an agent has found the scheduler; ``RunError`` in its words if not."""
    if agent.line(deadline_s) != READY:
        raise agent.missing()


def _require_same_version(versions: Mapping[str, str | None]) -> None:
    """Refuse hosts with another dbdyno, all of them in one message."""
    others = [
        f"{host} has {version or 'an earlier version'}"
        for host, version in versions.items()
        if version != __version__
    ]
    if others:
        raise InputError(
            f"hosts with generators must have the same dbdyno as this machine, {__version__}, and "
            f"{', '.join(others)}; install {__version__} there, or name the Python that has it, "
            "with generators: [{python: ...}]"
        )


def _known(told: object) -> OtherHost:
    """Return what an agent said of its host, or why it said nothing."""
    if isinstance(told, bytes):
        return OtherHost(use="generator", facts=HOST.validate_json(told))
    return OtherHost(use="generator", reason=f"its agent could not tell them: {told!r}")
