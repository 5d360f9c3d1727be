"""Where a server runs, seen from the generator: by the CPUs of the process that listens."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dbdyno.experiment.design.placement import placement_of_cpus, placement_of_url
from tests.live.remote.namespaces import Namespace

ADDRESS = "127.0.0.3"
LISTENER = """
import os, socket, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
open("/proc/self/comm", "w").write(sys.argv[4])
over_tcp, over_path = socket.create_server((sys.argv[2], 0)), socket.socket(socket.AF_UNIX)
over_path.bind(sys.argv[3])
over_path.listen()
print(over_tcp.getsockname()[1], flush=True)
sys.stdin.read()
"""
CPUS = sorted(os.sched_getaffinity(0))


@contextmanager
def listening(
    cpu: int, path: Path, address: str = ADDRESS, name: str = "mariadbd"
) -> Iterator[int]:
    """Have a process on one CPU listen at a port, which is returned, and at a path."""
    command = [sys.executable, "-c", LISTENER, f"{cpu}", address, f"{path}", name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.stdin.close()


@pytest.mark.skipif(len(CPUS) < 2, reason="NOT TESTED: CPUs of a server, which takes two CPUs")
@pytest.mark.parametrize("address", [ADDRESS, "0.0.0.0"])
def test_the_cpus_of_the_process_that_listens_decide(address: str, tmp_path: Path) -> None:
    first, second, *_ = CPUS
    path = tmp_path / "socket"
    with listening(first, path, address) as port:
        urls = [f"mysql://root@{ADDRESS}:{port}/test", f"mysql://root@localhost/test?socket={path}"]
        for url in urls:
            assert placement_of_url(url, (first,)) == "same_cpus"
            assert placement_of_url(url, (second,)) == "other_cpus"
            assert placement_of_url(url) == "same_cpus"
        elsewhere = f"postgresql://192.0.2.1,{ADDRESS}:{port}/test"
        assert placement_of_url(elsewhere, (first,)) == "same_cpus"
        assert placement_of_url(f"mysql://root@127.0.0.4:{port}/test", (second,)) != "same_cpus"


@pytest.mark.skipif(len(CPUS) < 2, reason="NOT TESTED: CPUs of a server, which takes two CPUs")
@pytest.mark.parametrize(
    ("name", "placement"),
    [("docker-proxy", "same_cpus"), ("ssh", "unknown"), ("mariadbd", "other_cpus")],
)
def test_a_program_that_passes_on_says_nothing_of_the_servers_cpus(
    name: str, placement: str, tmp_path: Path
) -> None:
    with listening(CPUS[0], tmp_path / "socket", name=name) as port:
        url = f"mysql://root@{ADDRESS}:{port}/test"
        assert placement_of_url(url, (CPUS[1],)) == placement


@pytest.mark.parametrize(
    ("url", "placement"),
    [
        ("mysql://root@192.0.2.1/test", "elsewhere"),
        ("postgresql://nobody.invalid/test", "elsewhere"),
        (f"mysql://root@{'h' * 100}/test", "elsewhere"),
        ("mysql://root@127.0.0.1:1/test", "unknown"),
        ("sqlite:///file", "same_cpus"),
    ],
)
def test_where_nothing_listens(url: str, placement: str) -> None:
    assert placement_of_url(url) == placement


def test_masks_that_meet_are_shared() -> None:
    cpu = CPUS[0]
    assert placement_of_cpus(None, None) == "same_cpus"
    assert placement_of_cpus((cpu,), None) == "same_cpus"
    assert placement_of_cpus((cpu,), (cpu + 1,)) == "other_cpus"


@pytest.mark.live
def test_a_neighbour_on_a_virtual_cable_may_be_on_this_machine() -> None:
    url = "mysql://root@{}/test"
    with Namespace() as there:
        assert placement_of_url(url.format(there.address)) == "unknown"
        # Of this machine, and of no network that it is in.
        assert placement_of_url(url.format(there.near)) == "unknown"
        assert placement_of_url(url.format("198.51.100.1")) == "elsewhere"
    assert placement_of_url(url.format(f"{there.address}:3307")) == "elsewhere"
