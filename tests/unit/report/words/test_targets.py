"""What is known of a target, in words."""

from __future__ import annotations

from pathlib import Path

from dbdyno.analysis.analyse import analyse
from dbdyno.report.words.targets import target_rows
from tests.unit.store.result_builder import TrialScript, build_result, make_plan


def test_every_fact_has_a_label_and_its_unit(tmp_path: Path) -> None:
    def tell(script: TrialScript) -> None:
        script.server |= {
            "version_comment": "Debian 12",
            "components": [{"name": "pgaudit", "kind": "library", "version": "16", "library": "x"}],
            "character_set": "utf8mb4",
            "members": [{"name": "balancer-1", "role": "balancer", "words": "HAProxy 2.6"}],
            "command_output": "Cluster version: v6.0.0\n",
            "data_file_system": {"type": "ext4", "disks": "vda", "mount_options": "rw,relatime"},
            "control_group": {
                "control_group_memory_limit_bytes": 1 << 30,
                "control_group_cpu_limit_cores": 0.25,
            },
        }

    (target,) = analyse(build_result(tmp_path / "r", make_plan(rounds=1), tell)).targets
    rows = {label: text.replace("\N{NO-BREAK SPACE}", " ") for label, text in target_rows(target)}
    assert rows == {
        "product": "MariaDB",
        "version": "10.11.14",
        "durability": "every commit",
        "version comment": "Debian 12",
        "loaded besides": "pgaudit 16",
        "character set": "utf8mb4",
        "data on": "ext4, vda, rw,relatime",
        "clients connect by": "TCP",
        "memory limit": "1.00 GiB",
        "CPU limit": "0.25 CPUs",
        "role balancer": "HAProxy 2.6",
        "its own command says": "Cluster version: v6.0.0",
    }
