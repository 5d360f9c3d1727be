"""lvs.sh of the HotDB test, between network namespaces that stand for its machines.

The kernel here may lack IPVS, so that ``ipvsadm`` keeps its rules in a file; addresses, and what is
said of them to the network, are real.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces take root"),
]

SCRIPT = Path(__file__).parents[2] / "experiments" / "published" / "hotdb" / "lvs.sh"
VIP = "10.77.9.100"
BALANCER, NODES = "10.77.9.1", ("10.77.9.2", "10.77.9.3")

IPVSADM = """#!/bin/sh
case $1 in
--restore) cat >"{rules}" ;;
--save) cat "{rules}" ;;
--delete-service) rm "{rules}" ;;
esac
"""
WAY = """#!/bin/sh
name=$1
shift
PATH={tools}:$PATH exec ip netns exec "lvs-$name" sh -c "$*"
"""


def run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=20)
    return done.stdout


def inside(address: str, *words: str) -> str:
    return run("ip", "netns", "exec", f"lvs-{address}", *words)


def has_address(address: str, wanted: str, device: str) -> bool:
    shown = json.loads(inside(address, "ip", "-json", "address", "show", "dev", device))
    return any(each["local"] == wanted for each in shown[0]["addr_info"])


ASK = "import socket, sys; socket.socket(type=socket.SOCK_DGRAM).sendto(b'?', (sys.argv[1], 9))"


def heard_of(wanted: str, address: str) -> str:
    """Return the hardware address that a machine hears of when it sends to an address."""
    inside(address, sys.executable, "-c", ASK, wanted)
    for _ in range(50):
        shown = inside(address, "ip", "-json", "neighbour", "show", "to", wanted)
        if hardware := next((each.get("lladdr") for each in json.loads(shown)), None):
            return str(hardware)
        time.sleep(0.1)
    return "nobody"


@pytest.fixture
def machines() -> Iterator[None]:
    """Make a network of three machines: each is a namespace with a cable to one bridge."""
    with ExitStack() as made:
        run("ip", "netns", "add", "lvs-switch")
        made.callback(run, "ip", "netns", "delete", "lvs-switch")
        switch = ("ip", "-netns", "lvs-switch")
        run(*switch, "link", "add", "bridge", "type", "bridge")
        run(*switch, "link", "set", "bridge", "up")
        for number, address in enumerate((BALANCER, *NODES)):
            name = f"lvs-{address}"
            run("ip", "netns", "add", name)
            made.callback(run, "ip", "netns", "delete", name)
            cable = ("type", "veth", "peer", "name", "eth0", "netns", name)
            run(*switch, "link", "add", f"port{number}", *cable)
            run(*switch, "link", "set", f"port{number}", "master", "bridge", "up")
            run("ip", "-netns", name, "address", "add", f"{address}/24", "dev", "eth0")
            run("ip", "-netns", name, "link", "set", "eth0", "up")
            run("ip", "-netns", name, "link", "set", "lo", "up")
        yield


def test_nodes_have_the_address_and_say_nothing_of_it(machines: None, tmp_path: Path) -> None:
    del machines
    rules = tmp_path / "rules"
    for name, text in (
        ("ipvsadm", IPVSADM.format(rules=rules)),
        ("way", WAY.format(tools=tmp_path)),
    ):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    environment = os.environ | {"WAY": str(tmp_path / "way")}
    nodes = ",".join(f"{node}:3323" for node in NODES)

    def script(*words: str) -> None:
        subprocess.run(["sh", SCRIPT, *words], env=environment, check=True, timeout=60)

    script("start", BALANCER, VIP, nodes)
    assert rules.read_text().split("\n") == [
        f"-A -t {VIP}:3323 -s rr",
        *(f"-a -t {VIP}:3323 -r {node}:3323 -g" for node in NODES),
        "",
    ]
    assert has_address(BALANCER, VIP, "eth0")
    assert all(has_address(node, VIP, "lo") for node in NODES)
    # Who asks for the address on the network hears of the balancer alone.
    inside(NODES[0], "ip", "address", "del", f"{VIP}/32", "dev", "lo")
    (own,) = json.loads(inside(BALANCER, "ip", "-json", "link", "show", "dev", "eth0"))
    assert heard_of(VIP, NODES[0]) == own["address"]
    inside(NODES[0], "ip", "address", "add", f"{VIP}/32", "dev", "lo")

    script("stop", BALANCER, VIP)
    assert not rules.exists()
    assert not has_address(BALANCER, VIP, "eth0")
    assert not any(has_address(node, VIP, "lo") for node in NODES)
