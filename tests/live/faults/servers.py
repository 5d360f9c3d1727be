"""What is done to a server to see what its clients make of it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import psutil

from tests.live.engine.fixed_server import COMES_UP_WITHIN_S, FixedServer, MariaDb

USER = "guarded"
"""Has no rights but those that the load needs, and a password."""
PASSWORD = "right:one"

MAX_CONNECTIONS = 30
"""So many each server takes; what all clients of a test need, and little more."""

WORKLOAD = {
    "sysbench": {
        "script": "oltp_read_write",
        "tables": 1,
        "table_size": 1000,
        "delete_inserts": 0,
    }
}
"""What is loaded, and what runs unless a test says otherwise.

Nothing is deleted and inserted again: two clients with the same row would meet a duplicate key."""


def user_url(server: FixedServer, options: str = "") -> str:
    """Return the URL by which the user signs on that needs a password."""
    return f"{server.scheme}://{USER}@{server.host}/test{options}"


def make_user(server: FixedServer) -> None:
    """Make the user who may use the table."""
    if isinstance(server, MariaDb):
        server.query(f"CREATE USER {USER}@'%' IDENTIFIED BY '{PASSWORD}'")
        server.query(f"GRANT SELECT, INSERT, UPDATE, DELETE ON test.* TO {USER}@'%'")
        return
    rules = server.directory / "data" / "pg_hba.conf"
    rules.write_text(f"host all {USER} 127.0.0.1/32 scram-sha-256\n{rules.read_text()}")
    server.query("SELECT pg_reload_conf()")
    server.query(f"CREATE USER {USER} PASSWORD '{PASSWORD}'")
    server.query(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {USER}")


def processes(server: FixedServer) -> list[psutil.Process]:
    """Return the server's processes, the one first that has started the others."""
    assert server.process is not None
    first = psutil.Process(server.process.pid)
    return [first, *first.children(recursive=True)]


def crash(server: FixedServer) -> None:
    """End all of the server's processes at once, as the loss of its machine does."""
    ended = processes(server)
    server.kill()
    for process in ended[1:]:
        # Some end by themselves once the first is gone.
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(ended[1:], COMES_UP_WITHIN_S)


def crash_and_start(server: FixedServer, down_s: float = 0.0) -> float:
    """Let a server crash, stay down for so long and come back; return how long that took."""
    began_s = time.monotonic()
    crash(server)
    time.sleep(down_s)
    server.start()
    return time.monotonic() - began_s


def hold(server: FixedServer, how_long_s: float) -> float:
    """Stop all of the server's processes for a while; return for how long all stood still."""
    held = processes(server)
    try:
        for process in held:
            process.send_signal(signal.SIGSTOP)
        began_s = time.monotonic()
        time.sleep(how_long_s)
        held_s = time.monotonic() - began_s
    finally:
        for process in held:
            process.send_signal(signal.SIGCONT)
    return held_s


@contextmanager
def told(server: FixedServer, change: Sequence[str], back: Sequence[str]) -> Iterator[None]:
    """Change something by statements, and change it back by others."""
    for statement in change:
        server.query(statement)
    try:
        yield
    finally:
        for statement in back:
            server.query(statement)


def read_only(server: FixedServer) -> tuple[list[str], list[str]]:
    """Return the statements that have a server take no writes, of this user at least, and back."""
    if server.scheme == "mysql":
        return ["SET GLOBAL read_only = 1"], ["SET GLOBAL read_only = 0"]
    setting, reload = "default_transaction_read_only", "SELECT pg_reload_conf()"
    change, back = f"ALTER SYSTEM SET {setting} = on", f"ALTER SYSTEM RESET {setting}"
    return [change, reload], [back, reload]


def on_each(servers: Sequence[FixedServer], check: Callable[[FixedServer], None]) -> None:
    """Carry a check out on all servers at once: most of its time is waiting."""
    with ThreadPoolExecutor(len(servers)) as threads:
        checks = [threads.submit(check, server) for server in servers]
    for server, done in zip(servers, checks, strict=True):
        if error := done.exception():
            raise AssertionError(f"{server.scheme}: {error}") from error
