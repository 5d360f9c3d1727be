"""Servers with a network each: what it carries is known, and nothing of it stays."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from ipaddress import ip_interface
from pathlib import Path

import polars as pl
import psutil
import pytest

from dbdyno.errors import InputError
from dbdyno.experiment.design.resolved_cell import own_setup
from dbdyno.experiment.file.read import read_experiment
from dbdyno.resources import SERVER
from dbdyno.target.base import SystemUnderTest
from dbdyno.target.capabilities import lost_member
from dbdyno.target.cluster import network
from dbdyno.target.cluster.network import ClusterNetwork
from dbdyno.target.opening import open_target
from dbdyno.watch.local.watcher import LocalMember, watch_local
from tests.live.run.launch import LIMIT_S, call
from tests.live.run.stage import Stage
from tests.unit.watch.burner import wait_for_intervals

pytestmark = pytest.mark.live

EXPERIMENT = """\
experiment: own-networks
question: What does each server carry?
workload: {sysbench: {tables: 1, table_size: 100}}
target:
  cluster:
    network: own
    members:
      store: {command: {start: PYTHON sends.py 3306, ready: tcp 3306}, count: 2}
      layer: {command: {start: "PYTHON sends.py 3306 {store}", ready: tcp 3306}, after: store}
    url: mysql://{user}@{layer}/{database}
    load_url: mysql://{user}@{store}/{database}
"""

SENDS = """\
import socket, sys
server = socket.create_server(("", int(sys.argv[1])))
stores = [place.split(":") for place in sys.argv[2].split(",")] if sys.argv[2:] else []
while True:
    client, _ = server.accept()
    with client:
        asked = client.recv(64)
        # As a layer does: what it is asked for it has from the store behind it.
        if stores and asked:
            with socket.create_connection(tuple(stores[0])) as store:
                store.sendall(asked)
                while content := store.recv(1 << 16):
                    client.sendall(content)
        elif asked:
            client.sendall(bytes(int(asked)))
"""

SENT_BYTES = 20_000_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "experiment.yaml"
    file.write_text(EXPERIMENT.replace("PYTHON", sys.executable))
    (tmp_path / "sends.py").write_text(SENDS)
    return file


@pytest.fixture
def cluster(file: Path) -> Iterator[SystemUnderTest]:
    """Return a cluster of two programs that send, and one before them, started."""
    target = read_experiment(file).targets["cluster"]
    with open_target(target, "cluster", file.parent / "servers") as cluster:
        cluster.begin(own_setup(target))
        yield cluster


def interface_to(address: str) -> str | None:
    """Return this machine's interface in the network of a server; None where there is none."""
    here = str(ip_interface(f"{address.rpartition(':')[0]}/20").network[1])
    return next(
        (
            name
            for name, addresses in psutil.net_if_addrs().items()
            if any(one.address == here for one in addresses)
        ),
        None,
    )


def fetch(address: str, size_bytes: int) -> int:
    """Ask a program that sends for so many bytes; return how many came."""
    host, _, port = address.rpartition(":")
    received = 0
    with socket.create_connection((host, int(port)), timeout=LIMIT_S) as client:
        client.sendall(str(size_bytes).encode())
        while content := client.recv(1 << 20):
            received += len(content)
    return received


def test_bytes_are_those_of_the_server_that_moved_them(cluster: SystemUnderTest) -> None:
    members = [LocalMember(SERVER, one.name, one.process_ids) for one in cluster.members]
    with watch_local(members, 0.05) as watcher:
        wait_for_intervals(watcher, 2)
        assert fetch(cluster.addresses["layer-1"], SENT_BYTES) == SENT_BYTES
        wait_for_intervals(watcher, 2)
    sums = watcher.table().group_by("member", "metric").agg(pl.col("value").sum())
    carried = {
        (member, metric): value
        for member, metric, value in sums.iter_rows()
        if metric.startswith("network[eth0]") and metric.endswith("_bytes")
    }
    received, sent = "network[eth0].receive_bytes", "network[eth0].send_bytes"
    # The store sends them, and the layer receives and sends them: headers are a few in a thousand.
    for of_whom in (("store-1", sent), ("layer-1", received), ("layer-1", sent)):
        assert carried[of_whom] == pytest.approx(SENT_BYTES, rel=0.03), of_whom
        assert carried[of_whom] >= SENT_BYTES
    for idle in (("store-2", sent), ("store-2", received), ("store-1", received)):
        assert carried.get(idle, 0.0) < 0.03 * SENT_BYTES, idle


def test_each_server_has_an_address_and_all_of_it_ends(cluster: SystemUnderTest) -> None:
    addresses = cluster.addresses
    hosts = {address.rpartition(":")[0] for address in addresses.values()}
    assert len(hosts) == len(addresses) == 3
    assert not any(host.startswith("127.") for host in hosts)
    here = interface_to(addresses["layer-1"])
    assert here is not None
    assert here.startswith("dbdyno")
    # Two servers have one port; from a store the other one is reached.
    assert addresses["store-1"].endswith(":3306")
    assert addresses["store-2"].endswith(":3306")
    assert cluster.url == f"mysql://dbdyno@{addresses['layer-1']}/dbdyno"
    assert cluster.load_url == f"mysql://dbdyno@{addresses['store-1']}/dbdyno"
    assert lost_member(cluster) is None
    cluster.stop()
    assert interface_to(addresses["layer-1"]) is None
    cluster.stop()


def test_a_cluster_starts_again_with_its_addresses(file: Path) -> None:
    target = read_experiment(file).targets["cluster"]
    with open_target(target, "cluster", file.parent / "servers") as cluster:
        started = []
        for _ in range(2):
            cluster.begin(own_setup(target))
            started.append(dict(cluster.addresses))
            assert fetch(cluster.addresses["layer-1"], 10) == 10
    assert started[0] == started[1]
    assert interface_to(started[0]["layer-1"]) is None


HOLDS = """\
import sys, time
from pathlib import Path
from dbdyno.experiment.design.resolved_cell import own_setup
from dbdyno.experiment.file.read import read_experiment
from dbdyno.target.opening import open_target
file = Path(sys.argv[1])
target = read_experiment(file).targets["cluster"]
with open_target(target, "cluster", file.parent / "servers") as cluster:
    cluster.begin(own_setup(target))
    print(cluster.addresses["layer-1"], flush=True)
    time.sleep(600)
"""


def test_the_kernel_removes_what_a_killed_run_has_left(file: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, file], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        address = holder.stdout.readline().strip()
        assert interface_to(address) is not None
        holder.kill()
    deadline_s = time.monotonic() + LIMIT_S
    while interface_to(address) is not None:
        assert time.monotonic() < deadline_s, "its interface is still there"
        time.sleep(0.05)


WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-net_admin", "--inh-caps=-net_admin")
"""Has root's programs run as in a container that may not change its network."""


def test_who_may_make_no_network_is_told_before_anything_starts(file: Path) -> None:
    result = file.parent / "result"
    done = subprocess.run(
        [*WITHOUT_RIGHTS, sys.executable, "-m", "dbdyno", "run", file, "--out", result],
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    said = " ".join(done.stderr.split())
    assert "network: own cannot make a network here (ip link add bridge" in said
    assert "Operation not permitted" in said
    assert "run dbdyno so, or remove network" in said
    assert "Traceback" not in said
    assert not (result / "work").exists()


def test_the_program_that_it_takes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(InputError, match="needs the program ip, which is not there; install it"):
        ClusterNetwork().check()


def test_a_network_that_fails_half_way_leaves_nothing() -> None:
    made = ClusterNetwork()
    address = f"{made.server(2).address}:0"
    made.server(3).address = "not an address"
    with pytest.raises(InputError, match=r"cannot make a network here \(ip address add not an"):
        made.make()
    assert interface_to(address) is None


SERVERS = {"storage-1", "storage-2", "standby-1", "generator"}

HEADING = "Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n"
DEFAULT = "eth0 00000000 010011AC 0003 0 0 0 00000000 0 0 0\n"


def test_addresses_are_those_that_this_machine_has_no_route_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    routes = tmp_path / "route"
    monkeypatch.setattr(network, "_ROUTES", routes)
    routes.write_text(HEADING + DEFAULT)
    assert ClusterNetwork().server(2).address.startswith("10.")
    # A network of a company is often all of 10.0.0.0/8.
    whole_10 = "eth0 0000000A 010011AC 0003 0 0 0 000000FF 0 0 0\n"
    routes.write_text(HEADING + DEFAULT + whole_10)
    assert ClusterNetwork().server(2).address.startswith("172.")
    halves = "eth0 00000000 0 1 0 0 0 00000080 0 0 0\neth0 00000080 0 1 0 0 0 00000080 0 0 0\n"
    routes.write_text(HEADING + halves)
    with pytest.raises(InputError, match="this machine has routes to all of these; remove network"):
        ClusterNetwork()


DATABASES = (
    "{cluster: {network: own, members: {storage: {mysql: {}, count: 2}, "
    "standby: {postgresql: {}}}, url: 'mysql://{user}@{storage}/{database}'}}"
)


def test_databases_have_networks_and_the_report_names_the_busy_one(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.write(target=DATABASES, factors="clients: [4]", duration="3s", rounds=1)
    done = call(["run", stage.file, "--out", stage.result])
    assert done.status == 0, done.output + done.errors
    done = call(["report", stage.result, "--format", "md"])
    assert done.status == 0, done.errors
    lines = (stage.result / "report.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")[2:-1]] for line in lines if "| " in line]
    figures = {row[0]: row[1:] for row in rows if row and row[0] in SERVERS and len(row) == 5}
    assert set(figures) == SERVERS
    sent = {name: float(row[3].replace(",", "")) for name, row in figures.items() if row[3] != "–"}
    assert sent["storage-1"] > 100 > sent["storage-2"]
    assert sent["storage-1"] > 100 > sent["standby-1"]
    assert figures["generator"][2:] == ["–", "–"]
    text = "\n".join(lines)
    assert "server and clients were on one machine" in text
