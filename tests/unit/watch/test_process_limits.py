"""What the system allows a process, held against what it does when more is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dbdyno.watch import process_limits as module
from dbdyno.watch.process_limits import ProcessLimit, process_limits

OPEN_ALL = """
import os
from dbdyno.watch.process_limits import process_limits
(allowed,) = (limit.count for limit in process_limits() if limit.thing == "open files")
while True:
    try:
        last = os.dup(0)
    except OSError as error:
        print(allowed, last + 1, error.strerror)
        break
"""


def test_so_many_files_can_be_opened_and_no_more() -> None:
    command = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh", sys.executable, "-c", OPEN_ALL]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=180)
    assert done.stdout.split(maxsplit=2) == ["200", "200", "Too many open files\n"]


def test_the_kernels_limits_are_those_that_sysctl_tells() -> None:
    for name in ("threads-max", "pid_max"):
        asked = subprocess.run(
            ["sysctl", "-n", f"kernel.{name}"], capture_output=True, text=True, check=True
        )
        assert ProcessLimit("threads", int(asked.stdout), f"kernel.{name}") in process_limits()


def test_a_control_group_limits_threads_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {"control_group_task_limit": 300, "control_group_memory_limit_bytes": 1 << 30}
    monkeypatch.setattr(module, "limit_facts", facts.copy)
    limits = process_limits()
    assert ProcessLimit("threads", 300, "pids.max of the control group") in limits
    assert ProcessLimit("MiB of memory", 1024, "the control group") in limits
