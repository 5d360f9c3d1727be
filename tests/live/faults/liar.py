"""A proxy that acknowledges what it does not let the server keep, as a lying server would.

COMMIT becomes ROLLBACK, whether it is sent as text, prepared, or behind other statements; a
statement that commits by itself is put between a BEGIN and a ROLLBACK of the proxy's own. The
client gets the answer that it would have got. A lie may also be about some statements only: those
are taken back to a savepoint, and the rest of their transactions stays.
"""

from __future__ import annotations

import itertools
import re
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Self

from tests.live.engine.fixed_server import COMES_UP_WITHIN_S, FixedServer

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized
    from multiprocessing.synchronize import Event

COMMIT_AT_END = re.compile(r"\bCOMMIT\s*;?\s*$", re.IGNORECASE)
WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)\b", re.IGNORECASE)


class Policy:
    """What is lied about: all commits but every so many, or all statements with a text."""

    def __init__(
        self, keeps_every: int | None, statements: str | None, lies: Synchronized[int]
    ) -> None:
        self._keeps_every = keeps_every
        self._statements = statements
        self._numbers = itertools.count(1)
        self._lies = lies

    def lies_about_commit(self) -> bool:
        """Tell whether this commit, or this statement that commits by itself, is a lie."""
        if self._statements is not None:
            return False
        return self._counted(
            self._keeps_every is None or next(self._numbers) % self._keeps_every != 0
        )

    def lies_about_statement(self, sql: str) -> bool:
        """Tell whether this statement alone is a lie."""
        return self._counted(self._statements is not None and self._statements in sql)

    def _counted(self, is_lie: bool) -> bool:
        with self._lies.get_lock():
            self._lies.value += is_lie
        return is_lie


class Connection:
    """One client's connection and ours to the server behind it."""

    def __init__(self, client: socket.socket, server: socket.socket, policy: Policy) -> None:
        self.client, self.server, self.policy = client, server, policy
        self.in_transaction = False
        self.prepared: dict[bytes, str] = {}

    def from_client(self) -> Iterator[bytes]:
        """Yield what goes to the server in place of what the client says."""
        raise NotImplementedError

    def from_server(self) -> Iterator[bytes]:
        """Yield what goes to the client in place of what the server says."""
        raise NotImplementedError

    def around(self, sql: str) -> tuple[str, str] | None:
        """Return what stands before and behind a statement that is lied about."""
        if not WRITES.match(sql):
            return None
        if self.policy.lies_about_statement(sql):
            if self.in_transaction:
                return "SAVEPOINT liar", "ROLLBACK TO SAVEPOINT liar"
            return "BEGIN", "ROLLBACK"
        if not self.in_transaction and self.policy.lies_about_commit():
            return "BEGIN", "ROLLBACK"
        return None

    def commit_or_not(self, sql: str) -> tuple[str, bool]:
        """Return the statement to be sent in place of one, and whether that is a lie."""
        if COMMIT_AT_END.search(sql) and self.policy.lies_about_commit():
            return COMMIT_AT_END.sub("ROLLBACK", sql), True
        return sql, False


def read(source: socket.socket, size: int) -> bytes:
    """Return so many bytes; OSError where there are no more."""
    data = bytearray()
    while len(data) < size:
        chunk = source.recv(size - len(data))
        if not chunk:
            raise ConnectionError("closed")
        data += chunk
    return bytes(data)


QUERY, PREPARE, EXECUTE = 0x03, 0x16, 0x17
UNANSWERED = (0x01, 0x18, 0x19)


class MySqlConnection(Connection):
    """A command is a packet of number 0; the answer to it begins with a packet of number 1."""

    def __init__(self, client: socket.socket, server: socket.socket, policy: Policy) -> None:
        super().__init__(client, server, policy)
        self.commits_by_itself = True
        # For each answer that is to come: whether it is ours, and what the client has prepared.
        self.awaited: deque[tuple[bool, str | None]] = deque()
        self.was_asked = False

    def from_client(self) -> Iterator[bytes]:
        """Commands that come after the handshake may be changed."""
        while True:
            number, payload = packet(self.client)
            yield self.command(payload) if number == 0 else framed(number, payload)

    def command(self, payload: bytes) -> bytes:
        """Return what is sent in place of a command, and expect the answers."""
        code, rest = payload[0], payload[1:]
        if code in UNANSWERED:
            return framed(0, payload)
        if code == PREPARE:
            return self.ask(payload, prepares=rest.decode())
        if code == EXECUTE:
            sql = self.prepared[rest[:4]]
            if COMMIT_AT_END.match(sql):
                # What was prepared stays; this once something else is sent.
                changed, _ = self.commit_or_not(sql)
                return self.ask(bytes([QUERY]) + changed.encode())
            return self.wrapped(sql, payload)
        if code == QUERY:
            return self.query(rest.decode(errors="surrogateescape"), payload)
        return self.ask(payload)

    def query(self, sql: str, payload: bytes) -> bytes:
        """Return what is sent in place of a statement's text."""
        words = sql.strip().upper()
        if match := re.match(r"SET AUTOCOMMIT\s*=\s*(\d)", words):
            self.commits_by_itself = match[1] == "1"
        changed, _ = self.commit_or_not(sql)
        if words.startswith(("BEGIN", "START")) and ";" not in words:
            self.in_transaction = True
        elif words in ("COMMIT", "ROLLBACK"):
            self.in_transaction = False
        if changed is sql and ";" not in sql:
            return self.wrapped(sql, payload)
        return self.ask(bytes([QUERY]) + changed.encode(errors="surrogateescape"))

    def wrapped(self, sql: str, payload: bytes) -> bytes:
        """Return a statement with what stands around it."""
        self.in_transaction |= not self.commits_by_itself
        around = self.around(sql)
        if around is None:
            return self.ask(payload)
        before, behind = (bytes([QUERY]) + words.encode() for words in around)
        return self.ask(before, is_ours=True) + self.ask(payload) + self.ask(behind, is_ours=True)

    def ask(self, payload: bytes, *, is_ours: bool = False, prepares: str | None = None) -> bytes:
        """Expect an answer."""
        self.was_asked = True
        self.awaited.append((is_ours, prepares))
        return framed(0, payload)

    def from_server(self) -> Iterator[bytes]:
        """Answers to what we have put around are swallowed."""
        is_ours, prepares = False, None
        while True:
            number, payload = packet(self.server)
            if number == 1 and self.awaited:
                is_ours, prepares = self.awaited.popleft()
                if prepares is not None and payload[0] == 0:
                    self.prepared[payload[1:5]] = prepares
            if not is_ours:
                yield framed(number, self.answer(number, payload, prepares))

    def answer(self, number: int, payload: bytes, prepares: str | None) -> bytes:
        """Return what the client gets in place of a packet of an answer."""
        return payload


class SilentMySqlConnection(MySqlConnection):
    """A layer in whose answers the session's flags are always zero. All else it passes on."""

    def answer(self, number: int, payload: bytes, prepares: str | None) -> bytes:
        """Answers without rows and the ends of rows have flags."""
        # Before the first command it is the packet that says that the client has signed on.
        is_first = number == 1 or not self.was_asked
        is_done = payload[0] == 0x00 and is_first and prepares is None
        return without_flags(payload) if is_done or payload[0] == 0xFE else payload


def without_flags(payload: bytes) -> bytes:
    """Return an OK packet with zeros for its flags; they follow two integers of variable length."""
    place = 1
    for _ in range(2):
        place += {0xFC: 3, 0xFD: 4, 0xFE: 9}.get(payload[place], 1)
    return payload[:place] + b"\0\0" + payload[place + 2 :]


def packet(source: socket.socket) -> tuple[int, bytes]:
    """Return a packet's number and payload."""
    head = read(source, 4)
    return head[3], read(source, int.from_bytes(head[:3], "little"))


def framed(number: int, payload: bytes) -> bytes:
    """Return a packet."""
    return len(payload).to_bytes(3, "little") + bytes([number]) + payload


@dataclass
class Awaited:
    """An answer that is to come, up to ReadyForQuery."""

    is_ours: bool = False
    is_lie: bool = False
    hides_transaction: bool = False


class PostgreSqlConnection(Connection):
    """Messages come in groups, which end in Sync or are one Query; each has a ReadyForQuery."""

    def __init__(self, client: socket.socket, server: socket.socket, policy: Policy) -> None:
        super().__init__(client, server, policy)
        self.awaited: deque[Awaited] = deque()

    def from_client(self) -> Iterator[bytes]:
        """Groups may be changed, or have something around them."""
        length = read(self.client, 4)
        yield length + read(self.client, int.from_bytes(length, "big") - 4)
        group: list[tuple[bytes, bytes]] = []
        while True:
            kind, payload = message(self.client)
            if kind == b"p":
                yield typed(kind, payload)
                continue
            group.append((kind, payload))
            if kind in b"SQX":
                yield self.changed(group)
                group = []

    def changed(self, group: list[tuple[bytes, bytes]]) -> bytes:
        """Return what is sent in place of a group, and expect the answers."""
        is_lie, messages = False, b""
        executed: list[str] = []
        for kind, payload in group:
            new = payload
            if kind == b"Q":
                sql, lied = self.commit_or_not(payload[:-1].decode())
                executed.append(sql)
                is_lie |= lied
                new = sql.encode() + b"\0"
            elif kind == b"P":
                name, sql_bytes, rest = payload.split(b"\0", 2)
                sql, lied = self.commit_or_not(sql_bytes.decode())
                self.prepared[name] = sql
                is_lie |= lied
                new = b"\0".join((name, sql.encode(), rest))
            elif kind == b"B":
                executed.append(self.prepared[payload.split(b"\0", 2)[1]])
            messages += typed(kind, new)
        around = None
        if not any(sql.startswith("BEGIN") for sql in executed):
            around = next(filter(None, map(self.around, executed)), None)
        if around is None:
            self.awaited.append(Awaited(is_lie=is_lie))
            return messages
        before, behind = (typed(b"Q", words.encode() + b"\0") for words in around)
        hidden = Awaited(is_lie=is_lie, hides_transaction=not self.in_transaction)
        self.awaited += (Awaited(is_ours=True), hidden, Awaited(is_ours=True))
        return before + messages + behind

    def from_server(self) -> Iterator[bytes]:
        """Answers to what we have put around are swallowed; the tag of a lie is COMMIT."""
        while len(kind := self.server.recv(1)) == 1:
            payload = read(self.server, int.from_bytes(read(self.server, 4), "big") - 4)
            awaited = self.awaited[0] if self.awaited else Awaited()
            if kind == b"C" and payload == b"ROLLBACK\0" and awaited.is_lie:
                payload = b"COMMIT\0"
            if kind == b"Z":
                self.in_transaction = payload != b"I"
                if awaited.hides_transaction:
                    payload = b"I"
                if self.awaited:
                    self.awaited.popleft()
            if not awaited.is_ours:
                yield typed(kind, payload)


def message(source: socket.socket) -> tuple[bytes, bytes]:
    """Return a message's type and payload."""
    kind = read(source, 1)
    return kind, read(source, int.from_bytes(read(source, 4), "big") - 4)


def typed(kind: bytes, payload: bytes) -> bytes:
    """Return a message."""
    return kind + struct.pack(">I", len(payload) + 4) + payload


CONNECTIONS: dict[str, type[Connection]] = {
    "mysql": MySqlConnection,
    "mysql without flags": SilentMySqlConnection,
    "postgresql": PostgreSqlConnection,
}


class LyingProxy:
    """Stands between clients and a server of ours, and lies by a policy.

    It is a process of its own, for its threads would wait for those of the test.
    """

    def __init__(
        self,
        server: FixedServer,
        *,
        keeps_every: int | None = None,
        statements: str | None = None,
        speaks: str | None = None,
    ) -> None:
        spawn = get_context("spawn")
        self._lies = spawn.Value("q", 0)
        port = spawn.Value("i", 0)
        self._is_up = spawn.Event()
        where = (speaks or server.scheme, server.port, port, self._is_up)
        self._port = port
        self._process = spawn.Process(
            target=_serve, args=(where, keeps_every, statements, self._lies), daemon=True
        )
        self._scheme = server.scheme

    @property
    def url(self) -> str:
        """Return where it is reached."""
        return f"{self._scheme}://127.0.0.1:{self._port.value}/test?ssl_mode=disabled"

    @property
    def lies(self) -> int:
        """How many there were so far."""
        return int(self._lies.value)

    def __enter__(self) -> Self:
        self._process.start()
        assert self._is_up.wait(COMES_UP_WITHIN_S), "the proxy does not come up"
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and its connections with it."""
        self._process.terminate()
        self._process.join()


def _serve(
    where: tuple[str, int, Synchronized[int], Event],
    keeps_every: int | None,
    statements: str | None,
    lies: Synchronized[int],
) -> None:
    speaks, server_port, port, is_up = where
    policy = Policy(keeps_every, statements, lies)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port.value = listener.getsockname()[1]
        is_up.set()
        while True:
            client, _ = listener.accept()
            server = socket.create_connection(("127.0.0.1", server_port))
            for side in (client, server):
                side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection = CONNECTIONS[speaks](client, server, policy)
            for source, to, other in (
                (connection.from_client, server, client),
                (connection.from_server, client, server),
            ):
                threading.Thread(target=_pass_on, args=(source, to, other), daemon=True).start()


def _pass_on(
    source: Callable[[], Iterator[bytes]], to: socket.socket, other: socket.socket
) -> None:
    with suppress(OSError):
        for data in source():
            to.sendall(data)
    for side in (to, other):
        with suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)
