"""What an agent and its runner leave open and lying about, and how hosts are found."""

from __future__ import annotations

import http.client
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from dbdyno.remote.hosts import GeneratorHosts
from dbdyno.remote.way import Way

pytestmark = pytest.mark.live

LIMIT_S = 60.0


def listening(process: psutil.Process) -> Iterator[tuple[str, int]]:
    """Yield where a process and its children listen."""
    for each in (process, *process.children(recursive=True)):
        for connection in each.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN:
                yield connection.laddr.ip, connection.laddr.port


def answers_in_plain_text(address: str, port: int, path: str) -> bool:
    """Tell whether something without encryption is shown to who asks."""
    host = "127.0.0.1" if address in ("0.0.0.0", "::") else address
    asked = http.client.HTTPConnection(host, port, timeout=LIMIT_S)
    with suppress(OSError, http.client.HTTPException):
        asked.request("GET", path)
        return asked.getresponse().status < 400
    return False


def test_nothing_is_shown_without_a_certificate_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dbdyno.remote.hosts.READY_WITHIN_S", 400.0)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    way = Way("127.0.0.1", command="env", python=sys.executable)
    with GeneratorHosts([way]) as hosts:
        assert hosts.address("127.0.0.1").startswith("tls://")
        ports = list(listening(psutil.Process(os.getpid())))
        assert ports
        for address, port in ports:
            for path in ("/health", "/metrics", "/info/main/workers.html", "/statics/"):
                assert not answers_in_plain_text(address, port, path), (address, port, path)
    # The agents' own directory stays, for what loads have said.
    left = [path.name for path in tmp_path.iterdir() if not path.name.startswith("dbdyno-agents")]
    assert left == []


@pytest.mark.parametrize("options", ["", "-o BatchMode=yes "])
def test_a_host_that_only_the_configuration_of_ssh_knows_is_found(
    tmp_path: Path, options: str
) -> None:
    (tmp_path / "config").write_text("Host generator-1\n    HostName 127.0.0.1\n    Port 2222\n")
    way = Way("bench@generator-1", command=f"ssh -F {tmp_path / 'config'} {options}{{host}}")
    assert way.address_name == "127.0.0.1"
    assert way.runner_address() == "127.0.0.1"
