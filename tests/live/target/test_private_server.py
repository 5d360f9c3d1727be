"""Private servers, really started: what holds for all kinds of their life and their privacy."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import psutil
import pytest

from dbdyno.errors import RunError
from dbdyno.target.local import launching
from dbdyno.target.local.ports import free_port
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.local.process import ServerProcess
from tests.live.target.kinds import Kind
from tests.live.target.queries import MakeServer, query

pytestmark = pytest.mark.live

LATE_SOCKET = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>
int bind(int file, const struct sockaddr *address, socklen_t size) {
    int (*bind_now)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
    if (address->sa_family == AF_UNIX) sleep(1);
    return bind_now(file, address, size);
}
"""
"""A library with which a program listens on its Unix socket a second after its port."""


def test_started_it_answers_and_stopped_it_is_gone(server: PrivateServer, kind: Kind) -> None:
    server.start({})
    (process_id,) = server.process_ids()
    assert query(server, kind.who_and_where) == [(kind.user, "dbdyno")]
    assert psutil.Process(process_id).name() in kind.processes
    server.stop()
    assert not psutil.pid_exists(process_id)
    assert server.process_ids() == ()
    with pytest.raises(RunError, match=f"server {kind.name} is not running"):
        _ = server.url


def test_stopped_it_leaves_files_in_its_directory_only(
    server: PrivateServer, kind: Kind, tmp_path: Path
) -> None:
    server.start({})
    (process_id,) = server.process_ids()
    processes = [psutil.Process(process_id), *psutil.Process(process_id).children(recursive=True)]
    assert list((tmp_path / kind.name).glob("*.sock")) + list((tmp_path / kind.name).glob(".s.*"))
    server.stop()
    assert not any(process.is_running() for process in processes)
    assert [path.name for path in tmp_path.iterdir()] == [kind.name]
    assert not any(path.is_socket() for path in tmp_path.rglob("*"))


def test_two_servers_side_by_side_know_nothing_of_each_other(
    make_server: MakeServer, kind: Kind
) -> None:
    one, other = make_server("one"), make_server("other")
    one.start({})
    other.start({})
    assert one.url != other.url
    query(one, "CREATE TABLE mine (id INT)")
    assert query(one, kind.tables) == [("mine",)]
    assert query(other, kind.tables) == []
    assert one.describe().settings == other.describe().settings


def test_it_looks_for_libraries_where_it_is_told_and_nothing_else_does(
    make_server: MakeServer, tmp_path: Path
) -> None:
    server = make_server(library_path=(tmp_path,))
    server.start({})
    (process_id,) = server.process_ids()
    assert psutil.Process(process_id).environ()["LD_LIBRARY_PATH"] == str(tmp_path)
    assert "LD_LIBRARY_PATH" not in os.environ


def test_it_runs_on_the_cpus_that_it_was_given(make_server: MakeServer) -> None:
    last = max(os.sched_getaffinity(0))
    server = make_server(cpus=str(last))
    server.start({})
    (process_id,) = server.process_ids()
    assert os.sched_getaffinity(process_id) == {last}
    assert server.describe().cpus == (last,)


def test_the_password_is_nowhere_but_in_memory(server: PrivateServer, tmp_path: Path) -> None:
    server.start({})
    first = server.password
    assert first not in server.url
    (process_id,) = server.process_ids()
    assert first not in " ".join(psutil.Process(process_id).cmdline())
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or first.encode() not in path.read_bytes(), path
    server.start({})
    assert server.password != first


def test_ctrl_c_in_the_terminal_does_not_reach_it(shared_server: PrivateServer) -> None:
    shared_server.start({})
    (process_id,) = shared_server.process_ids()
    assert os.getsid(process_id) == process_id != os.getsid(0)


def test_a_port_that_is_taken_meanwhile_is_not_insisted_on(
    shared_server: PrivateServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        ports = iter([other.getsockname()[1]])
        monkeypatch.setattr(
            launching, "free_port", lambda *place: next(ports, None) or free_port(*place)
        )
        shared_server.start({})
        assert query(shared_server, "SELECT 1") == [("1",)]
        assert next(ports, None) is None


def test_a_client_of_the_socket_waits_until_the_server_listens_there(
    make_server: MakeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = make_server(transport="socket")
    source, library = tmp_path / "late.c", tmp_path / "late.so"
    source.write_text(LATE_SOCKET)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    server.start({})
    assert query(server, "SELECT 1") == [("1",)]


def test_a_server_that_dies_says_so(server: PrivateServer, kind: Kind) -> None:
    server.start({})
    (process_id,) = server.process_ids()
    os.kill(process_id, signal.SIGKILL)
    os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOWAIT)
    with pytest.raises(RunError, match=f"server {kind.name} was killed; if nobody did"):
        server.describe()
    server.start({})
    assert query(server, "SELECT 1") == [("1",)]


def test_a_dying_server_that_no_longer_listens_is_waited_for(
    server: PrivateServer, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.start({})
    (process_id,) = server.process_ids()
    os.kill(process_id, signal.SIGKILL)
    os.waitid(os.P_PID, process_id, os.WEXITED | os.WNOWAIT)
    # The kernel closes a process's sockets first; with much memory to free, its end comes later.
    exit_code, looks = ServerProcess.exit_code, iter(range(5))
    monkeypatch.setattr(
        ServerProcess,
        "exit_code",
        lambda process: exit_code(process) if next(looks, None) is None else None,
    )
    with pytest.raises(RunError, match=f"^server {kind.name} was killed; if nobody did that"):
        server.describe()


def test_a_directory_too_deep_for_a_socket_does_without(
    make_server: MakeServer, kind: Kind
) -> None:
    server = make_server("deep " + "x" * 100)
    server.start({})
    assert query(server, kind.socket) == [("",)]


@pytest.mark.parametrize("name", ['"quotes", commas', "it's here"])
def test_a_directory_with_an_odd_name(make_server: MakeServer, name: str) -> None:
    server = make_server(name)
    server.start({})
    assert query(server, "SELECT 1") == [("1",)]
