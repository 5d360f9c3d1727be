"""More facts of this machine, each against another way to ask; and those of other hosts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import psutil
import pytest

from dbdyno.errors import RunError
from dbdyno.facts.host import HOST, HostFacts
from dbdyno.watch.facts import probe
from dbdyno.watch.facts.host import host_facts
from dbdyno.watch.facts.memory import modules_in
from dbdyno.watch.facts.remote import over_ssh, remote_facts
from dbdyno.watch.facts.storage import disk_facts, file_system_of

COMMAND = [sys.executable, "-m", "dbdyno.watch.facts"]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> HostFacts:
    return host_facts(tmp_path_factory.mktemp("facts"), observe_s=0.0)


def ask(*command: str) -> str:
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.strip()


def lscpu() -> Mapping[str, str]:
    told = json.loads(ask("lscpu", "--json"))["lscpu"]
    return {line["field"].rstrip(":"): line["data"] for line in told if line["data"] is not None}


def test_processors_are_those_of_lscpu(facts: HostFacts) -> None:
    told = lscpu()
    assert facts.cpu_model == told["Model name"]
    assert facts.cpu_vendor == told["Vendor ID"]
    assert facts.cpu_count == int(told["CPU(s)"])
    assert facts.cpu_sockets == int(told["Socket(s)"])
    assert facts.cpu_threads_per_core == int(told["Thread(s) per core"])
    assert facts.numa_nodes == int(told["NUMA node(s)"]) == len(facts.numa)
    assert set(facts.cpu_flags) <= set(told["Flags"].split())
    assert len(facts.cpu_vulnerabilities) == sum(name.startswith("Vuln") for name in told)


def test_caches_are_those_of_lscpu(facts: HostFacts) -> None:
    columns = "NAME,ONE-SIZE,ALL-SIZE"
    told = json.loads(ask("lscpu", f"--caches={columns}", "--bytes", "--json"))["caches"]
    sizes = {line["name"]: (int(line["one-size"]), int(line["all-size"])) for line in told}
    found = {
        cache.name: (cache.size_bytes, cache.size_bytes * cache.instances)
        for cache in facts.cpu_caches
    }
    assert found == sizes


def test_memory_of_the_nodes_is_that_of_the_kernel(facts: HostFacts) -> None:
    for node in facts.numa:
        text = Path(f"/sys/devices/system/node/node{node.number}/meminfo").read_text()
        found = re.search(r"MemTotal:\s+(\d+) kB", text)
        assert found is not None
        assert node.memory_total_bytes == int(found[1]) * 1024
        assert node.cpus
        assert node.distances[node.number] == min(node.distances)


def test_the_kernel_is_asked_as_sysctl_asks_it(facts: HostFacts) -> None:
    for name in ("net.core.somaxconn", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_rmem"):
        assert facts.kernel_settings[name].split() == ask("sysctl", "-n", name).split()
    assert facts.swappiness == int(ask("sysctl", "-n", "vm.swappiness"))
    assert facts.tcp_congestion_control == ask("sysctl", "-n", "net.ipv4.tcp_congestion_control")


def test_interfaces_are_those_that_are_up(facts: HostFacts) -> None:
    up = {name: state.mtu for name, state in psutil.net_if_stats().items() if state.isup}
    assert {each.name: each.mtu_bytes for each in facts.network_interfaces} == up


def test_disks_are_those_of_lsblk(facts: HostFacts) -> None:
    told = json.loads(ask("lsblk", "-bdJo", "NAME,TYPE,SIZE,SCHED,ROTA"))["blockdevices"]
    disks = {
        line["name"]: (int(line["size"]), line["sched"], line["rota"])
        for line in told
        if line["type"] == "disk" and int(line["size"]) and not line["name"].startswith("zram")
    }
    found = {disk.name: (disk.size_bytes, disk.scheduler, disk.rotational) for disk in facts.disks}
    assert found == disks


def test_firmware_is_read_of_nvme_and_of_scsi(tmp_path: Path) -> None:
    for name, file in (("nvme0n1", "firmware_rev"), ("sda", "rev"), ("vda", "other")):
        device = tmp_path / name / "device"
        device.mkdir(parents=True)
        (device / file).write_text("GDC5302Q \n")
    found = {name: disk_facts(tmp_path / name).firmware for name in ("nvme0n1", "sda", "vda")}
    assert found == {"nvme0n1": "GDC5302Q", "sda": "GDC5302Q", "vda": None}


def test_limits_are_those_of_the_shell(facts: HostFacts) -> None:
    open_files = ask("sh", "-c", "ulimit -Hn")
    assert str(facts.process_open_files_limit).replace("none", "unlimited") == open_files
    # A generator raises its own as far as it may.
    for lower, expected in (("-Sn", facts.process_open_files_limit), ("-n", 200)):
        lowered = remote_facts(["sh", "-c", f'ulimit {lower} 200; exec "$@"', "sh", *COMMAND])
        assert lowered.process_open_files_limit == expected


def test_of_the_kernels_command_line_only_what_matters_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    line = tmp_path / "cmdline"
    line.write_text("quiet mitigations=off root=/dev/sda1 token=hunter2 isolcpus=2-3\n")
    monkeypatch.setattr("dbdyno.watch.facts.system._COMMAND_LINE", line)
    facts = host_facts(tmp_path, observe_s=0.0)
    assert facts.kernel_parameters == "mitigations=off isolcpus=2-3"


def test_the_client_tells_its_compiler_and_its_libraries(facts: HostFacts) -> None:
    assert facts.rustc_version is not None
    assert re.fullmatch(r"1\.\d+\.\d+[\w.-]*", facts.rustc_version)
    assert facts.tls_library is not None
    assert facts.tls_library.startswith("rustls ")


def test_a_file_system_is_that_of_findmnt(tmp_path: Path) -> None:
    found = file_system_of(str(tmp_path))
    assert found is not None
    mounted = json.loads(ask("findmnt", "-JT", str(tmp_path)))["filesystems"][0]
    assert found.type == mounted["fstype"]
    assert file_system_of(str(tmp_path / "absent")) is None
    assert file_system_of(None) is None


def test_a_probe_writes_what_it_says_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "STRETCH_BYTES", 4 << 20)
    synced: list[int] = []
    fsync = os.fsync

    def count(file: int) -> None:
        synced.append(file)
        fsync(file)

    monkeypatch.setattr(os, "fsync", count)
    found = probe.probe_facts(tmp_path, limit_s=60.0)
    assert found.probe_written_bytes == 4 << 20
    assert found.probe_fsync_count == len(synced) == probe.FSYNCS
    assert found.probe_write_mib_per_s is not None
    assert found.probe_fsync_median_ms is not None
    assert found.probe_fsync_p99_ms is not None
    assert 0 < found.probe_fsync_median_ms <= found.probe_fsync_p99_ms
    assert list(tmp_path.iterdir()) == []


def test_a_probe_does_not_wait_for_a_disk_that_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = Event()
    monkeypatch.setattr(os, "fdatasync", lambda _: answers.wait(30.0))
    assert probe.probe_facts(tmp_path, limit_s=0.2) == probe.NOTHING
    (waiting,) = (thread for thread in threading.enumerate() if thread.name == "disk probe")
    answers.set()
    waiting.join(30.0)
    assert not waiting.is_alive()


def test_nothing_is_written_in_memory_or_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "_Probe", None)
    assert probe.probe_facts(Path("/dev/shm")) == probe.NOTHING
    monkeypatch.setattr(probe, "FREE_MIN_BYTES", 1 << 60)
    assert probe.probe_facts(tmp_path) == probe.NOTHING


def test_modules_of_memory_are_counted() -> None:
    device = """Memory Device
\tTotal Width: 72 bits
\tSize: {size}
\tLocator: DIMM_A1
\tType: {kind}
\tSpeed: 3200 MT/s
\tConfigured Memory Speed: {speed}

"""
    full = device.format(size="32 GB", kind="DDR4", speed="2933 MT/s")
    empty = device.format(size="No Module Installed", kind="Unknown", speed="Unknown")
    assert modules_in(full + full + empty) == "2 × 32 GB DDR4 2933 MT/s"
    assert modules_in(empty) is None


def test_what_is_written_is_read_again(facts: HostFacts) -> None:
    assert HOST.validate_json(json.dumps(facts.to_document())) == facts


def test_facts_of_an_earlier_version_are_read() -> None:
    old: dict[str, Any] = {
        "cpu_model": "one of many",
        "swappiness": "60",
        "work_disk_size_bytes": "none",
        "control_group_cpu_limit_cores": 1.5,
        "memory_total_bytes": 1 << 30,
    }
    read = HOST.validate_python(old)
    assert (read.swappiness, read.work_disk_size_bytes) == (60, "none")
    assert (read.disks, read.probe_fsync_count) == ((), None)


def test_another_host_is_asked_by_a_command(facts: HostFacts) -> None:
    zone = ["env", "TZ=Asia/Shanghai"]
    there = remote_facts([*zone, *COMMAND])
    assert there.time_zone == "Asia/Shanghai, CST +0800"
    assert there.boot_id == facts.boot_id
    assert there.cpu_caches == facts.cpu_caches


def test_ssh_is_given_one_command_and_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text('#!/bin/sh\necho "$@" >"$0.called"\nfor last; do :; done\nexec sh -c "$last"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    place = tmp_path / "with a space"
    place.mkdir()
    there = remote_facts(over_ssh("db1", "--directory", str(place), python=sys.executable))
    assert there.work_file_system
    called = (tmp_path / "ssh.called").read_text()
    assert called.startswith("-o BatchMode=yes -o ConnectTimeout=10 -- db1 ")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["/nonexistent/ssh"], "cannot run /nonexistent/ssh: No such file or directory"),
        (["sh", "-c", "echo no route >&2; exit 255"], "ended with status 255: no route"),
        (["echo", "Welcome"], "printed no facts of a host: the whole: Invalid JSON"),
        (["echo", '{"cpu_count": "many"}'], "printed no facts of a host: cpu_count: Input should"),
        (["echo", "[]"], "printed no facts of a host"),
    ],
)
def test_what_is_no_answer_is_told_in_words(command: list[str], words: str) -> None:
    with pytest.raises(RunError, match=re.escape(words)):
        remote_facts(command)


def test_a_host_that_does_not_answer_is_given_up() -> None:
    with pytest.raises(RunError, match="sleep 60 did not tell the facts of its host"):
        remote_facts(["sleep", "60"], limit_s=0.1)
