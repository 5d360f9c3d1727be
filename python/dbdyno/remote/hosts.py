"""The hosts of a campaign on which generators run: an agent on each, and one scheduler for all.

Agents are workers of Dask's scheduler, which runs in this process. Both sides have certificates of
an authority that was made for this campaign. Nothing is tried twice: a load that is made again
would spoil the trial.
"""

from __future__ import annotations

import logging
import os
import selectors
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from dbdyno import __version__
from dbdyno.agent.facts import tell_facts
from dbdyno.agent.invitation import VERSION_WORD, Invitation, write_invitation
from dbdyno.errors import InputError, RunError
from dbdyno.facts.host import HOST, OtherHost
from dbdyno.password import environment
from dbdyno.remote.certificates import make_certificates
from dbdyno.remote.way import Way

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

READY_WITHIN_S = 60.0
END_WITHIN_S = 5.0
READY = "ready"
"""What an agent says when it has found the scheduler."""

CONFIGURATION: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.work-stealing": False,
    "distributed.worker.profile.enabled": False,
    "distributed.scheduler.dashboard.status.task-stream-length": 0,
    # Nothing of it can be looked at in a browser: that has no certificate.
    "distributed.scheduler.http.routes": [],
    "distributed.comm.timeouts.connect": "10s",
}


class Agent:
    """The process that leads to a host, with the agent at its end."""

    def __init__(self, way: Way, invitation: Invitation) -> None:
        self.way = way
        self._said = b""
        self._complaints: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed in ``end``
        try:
            self._process = subprocess.Popen(
                way.arguments(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env=environment(),
                start_new_session=True,
            )
        except OSError as error:
            raise RunError(
                f"host {way.host}: {way.command!r} cannot be started: {error}"
            ) from error
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(write_invitation(invitation))
            self._process.stdin.flush()

    def version(self, deadline_s: float) -> str | None:
        """Wait for the version of dbdyno there; None is an early one, which does not tell it."""
        line = self._line(deadline_s)
        word, _, version = line.partition(" ")
        if word == VERSION_WORD and version:
            return version
        if line == READY:
            return None
        raise self._missing()

    def wait_until_ready(self, deadline_s: float) -> None:
        """Wait until the agent has found the scheduler; ``RunError`` in its words if not."""
        if self._line(deadline_s) != READY:
            raise self._missing()

    def _line(self, deadline_s: float) -> str:
        """Return the next line that the agent says; what there is of it where it ends."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while b"\n" not in self._said:
                if selector.select(0.2):
                    part = os.read(descriptor, 4096)
                    if not part:
                        break
                    self._said += part
                elif time.monotonic() > deadline_s:
                    raise RunError(
                        f"host {self.way.host}: no agent within {READY_WITHIN_S:.0f} s"
                        f"{self._last_words()}"
                    )
        line, _, self._said = self._said.partition(b"\n")
        return line.decode(errors="replace").strip()

    def _missing(self) -> RunError:
        return RunError(f"host {self.way.host}: there is no agent{self._last_words()}")

    def _last_words(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        return f": {lines[-1]}" if lines else ", and it does not say why"

    def is_there(self) -> bool:
        """Tell whether what leads to the agent still runs."""
        return self._process.poll() is None

    def end(self) -> None:
        """End the agent, and with it all that it has started; nothing happens the second time."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(END_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        self._complaints.close()


class GeneratorHosts:
    """Agents on some hosts; as a context manager it leaves none of them behind.

    A host whose agent is gone gets another one when the next load wants it.
    """

    def __init__(self, ways: Sequence[Way]) -> None:
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
        _require_same_version({host: agent.version(deadline_s)})
        agent.wait_until_ready(deadline_s)
        return self.address(host)

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
        stack.enter_context(dask.config.set(CONFIGURATION))
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
        _require_same_version({agent.way.host: agent.version(deadline_s) for agent in agents})
        for agent in agents:
            agent.wait_until_ready(deadline_s)

    def _start_agent(self, way: Way) -> Agent:
        agent = self._agents[way.host] = Agent(way, self._invitation(way))
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
