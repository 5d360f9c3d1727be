"""The table of the host: every fact has its place, with a unit, or is left out."""

from __future__ import annotations

from dataclasses import fields

from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.facts.processor import Cache, NumaNode
from dbdyno.facts.storage import Disk
from dbdyno.facts.system import NetworkInterface
from dbdyno.report.host_table import duration, fact_groups, other_host_tables, size
from dbdyno.report.words.host import LABELS


def rows(facts: HostFacts) -> dict[str, str]:
    found = {label: text for group in fact_groups(facts) for label, text in group.rows}
    return {label: text.replace("\N{NO-BREAK SPACE}", " ") for label, text in found.items()}


def test_every_fact_has_one_place() -> None:
    placed = [name for labels in LABELS.values() for name in labels]
    assert sorted(placed) == sorted(field.name for field in fields(HostFacts))


def test_what_is_not_known_is_left_out() -> None:
    assert fact_groups(HostFacts()) == []
    (group,) = fact_groups(HostFacts(swap_total_bytes=0))
    assert (group.title, group.rows) == ("Memory", (("swap", "0\N{NO-BREAK SPACE}B"),))


def test_facts_have_units() -> None:
    facts = HostFacts(
        memory_total_bytes=25276502016,
        cpu_frequency_max_mhz=3500.0,
        cpu_caches=(Cache("L1d", 49152, 2), Cache("L2", 2 << 20, 2)),
        numa=(NumaNode(0, "0-1", 16 << 30),),
        cpu_vulnerabilities={"mds": "Not affected", "retbleed": "Vulnerable"},
        uptime_s=93784.0,
        clock_synchronised=False,
        work_disk_rotational="1",
        probe_write_mib_per_s=1234.5,
        probe_fsync_median_ms=0.0213,
        control_group_memory_limit_bytes="none",
        network_interfaces=(NetworkInterface(name="eth0", speed_mbit_per_s=10000, mtu_bytes=1500),),
        disks=(Disk(name="vda", size_bytes=1 << 40, rotational=False, queue_depth=256),),
        kernel_settings={"net.core.somaxconn": "4096"},
    )
    assert rows(facts) == {
        "memory": "23.5 GiB",
        "highest frequency": "3,500 MHz",
        "caches": "L1d 2 × 48 KiB; L2 2 × 2 MiB",
        "CPUs and memory of each node": "node 0: CPUs 0-1, 16 GiB",
        "vulnerabilities": "retbleed: Vulnerable",
        "up for": "1 d 2 h",
        "clock synchronised": "no",
        "rotational": "yes",
        "probe: sequential write": "1,234.5 MiB/s",
        "probe: write of 4 KiB and fsync, median": "0.021 ms",
        "memory of the control group": "none",
        "interfaces": "eth0: 10,000 Mbit/s, MTU 1500 B",
        "disks": "vda: 1 TiB, not rotational, queue depth 256",
        "net.core.somaxconn": "4096",
    }


def test_of_other_hosts_is_shown_what_means_something_there() -> None:
    facts = HostFacts(
        cpu_count=8,
        work_file_system="ext4",
        process_open_files_limit=1024,
        dbdyno_version="0.1.0",
    )
    generator, watched, unknown = other_host_tables(
        {
            "load1": OtherHost(use="generator", facts=facts),
            "db1": OtherHost(use="watched", facts=facts),
            "db2": OtherHost(use="watched", reason="no way there"),
        }
    )
    assert generator.title == "Host load1 (a generator ran on it)"
    assert watched.title == "Host db1 (it was watched)"
    shown = {
        table.title: [row for group in table.groups for row in group.rows]
        for table in (generator, watched, unknown)
    }
    assert shown[watched.title] == [("CPUs", "8")]
    assert shown[generator.title] == [("CPUs", "8"), ("open files", "1,024"), ("dbdyno", "0.1.0")]
    assert (unknown.groups, unknown.unknown) == ([], "no way there")


def test_sizes_and_times_that_cannot_be_are_written_all_the_same() -> None:
    texts = (size(0), size(-1), size(1023), size(1024), size(1 << 70), duration(59), duration(3660))
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts] == [
        *("0 B", "−1 B", "1,023 B", "1 KiB", "1,048,576 PiB", "0 h 0 min", "1 h 1 min"),
    ]
