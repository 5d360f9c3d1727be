"""Hosts that cannot have the clients that are asked of them are refused before any load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.engine.fixed_server import MariaDb
from tests.live.remote.namespaces import Namespace
from tests.live.run.launch import Launched
from tests.live.run.stage import Stage
from tests.live.run.test_hosts_run import load

pytestmark = pytest.mark.live

FEW_PORTS = "net.ipv4.ip_local_port_range=40000 40009"


def in_words(text: str) -> str:
    return " ".join(text.split())


def test_a_host_with_too_few_ports_is_refused(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with Namespace() as there, MariaDb() as server:
        load(server)
        command = f"{there.command} prlimit --nofile=200:200"
        subprocess.run(
            [*there.command.split(), "sysctl", "-w", FEW_PORTS], check=True, capture_output=True
        )
        stage.write(target=f"{{url: '{server.url()}'}}", factors="clients: [8, 150]")
        entry = f"{{host: {there.address}, command: {command}, python: {sys.executable}}}"
        stage.file.write_text(f"{stage.file.read_text()}generators: [{entry}]\n")
        ended = stage.run()
        assert there.processes("") == []
    assert ended.status == 2, ended
    said = in_words(ended.output + ended.errors)
    assert "2 things are in the way, and nothing was started:" in said
    assert (
        f"host {there.address}: a generator has 150 clients, which takes about 250 open files, and "
        "200 are allowed; raise the limit (ulimit -n 250)"
    ) in said
    assert (
        f"host {there.address}: generators have 150 clients at one server, and "
        "net.ipv4.ip_local_port_range has 10 ports for them; widen it"
    ) in said
    assert not (stage.result / "trials").exists()


def test_a_plan_tells_what_this_machine_has_too_few_of(tmp_path: Path) -> None:
    stage = Stage(tmp_path).write(
        target="{url: 'mysql://root@127.0.0.1:9/test'}", factors="clients: [101]"
    )
    limited = ["prlimit", "--nofile=200:200"]
    ended = Launched(["plan", stage.file], tmp_path, wrapper=limited).end()
    assert "Problem: a generator has 101 clients, which takes about 201 open files" in in_words(
        ended.output
    )
