"""Everything that is known of the machine, as it is when an experiment begins."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from dbdyno.control_groups import machine_memory_bytes, read
from dbdyno.facts.host import Facts, HostFacts
from dbdyno.facts.storage import ProbeFacts
from dbdyno.facts.system import LoadFacts
from dbdyno.watch.facts.client import client_facts
from dbdyno.watch.facts.limits import own_limit_facts
from dbdyno.watch.facts.memory import memory_facts
from dbdyno.watch.facts.neighbours import neighbour_facts
from dbdyno.watch.facts.network import network_facts
from dbdyno.watch.facts.probe import probe_facts
from dbdyno.watch.facts.processor import cpu_facts
from dbdyno.watch.facts.storage import storage_facts
from dbdyno.watch.facts.system import BOOT_ID, system_facts


def host_facts(work_directory: Path, observe_s: float = 1.0, *, probes: bool = False) -> HostFacts:
    """Return all facts; ``work_directory`` must exist. Takes ``observe_s`` to watch neighbours.

    With ``probes``, up to three seconds more are taken to write into the directory.
    """
    # Before the probe, which would be seen as load.
    load = LoadFacts(**_load_averages(), **neighbour_facts(observe_s))  # type: ignore[arg-type]
    return HostFacts.from_groups(
        cpu_facts(),
        memory_facts(),
        system_facts(),
        storage_facts(work_directory),
        probe_facts(work_directory) if probes else ProbeFacts(),
        network_facts(),
        own_limit_facts(),
        load,
        client_facts(),
    )


def host_identity() -> Facts:
    """Return what tells this host, as it runs now, from another one or from another start of it."""
    cpu = cpu_facts()
    return {
        "boot_id": read(BOOT_ID),
        "kernel": platform.release(),
        "cpu_model": cpu.cpu_model,
        "cpu_count": cpu.cpu_count,
        "cpu_usable_count": cpu.cpu_usable_count,
        "cpu_governor": cpu.cpu_governor,
        "memory_total_bytes": machine_memory_bytes(),
    }


def _load_averages() -> Facts:
    one, five, fifteen = os.getloadavg()
    return {
        "load_average_1_minute": round(one, 2),
        "load_average_5_minutes": round(five, 2),
        "load_average_15_minutes": round(fifteen, 2),
    }
