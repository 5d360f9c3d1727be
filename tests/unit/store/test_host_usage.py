"""What hosts do while a trial runs: kept for those who look on, and no matter of the trial."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno.facts.host import HostFacts
from dbdyno.host_usage import HostUsage, usage_of
from dbdyno.protocol.events import read_event
from dbdyno.store.model import TrialStatus
from dbdyno.store.trial_writer import TrialWriter
from dbdyno.store.writer import ResultWriter
from tests.unit.serve.test_precision import plan
from tests.unit.store.result_builder import trial_events

VALUES = {
    "cpu[0].busy_s": 1.5,
    "cpu[1].busy_s": 0.7,
    "cpu.user_s": 9.0,
    "disk[sda].read_bytes": 4e6,
    "disk[sda].write_bytes": 2e6,
    "disk[sda].busy_s": 1.0,
    "network[eth0].receive_bytes": 100.0,
    "network[eth0].send_bytes": 300.0,
    "network[eth0].send_packets": 3.0,
}


def usage() -> HostUsage:
    found = usage_of("db1", 2.0, VALUES)
    assert found is not None
    return found


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[TrialWriter]:
    planned = plan()
    result = ResultWriter.create(
        tmp_path / "result", experiment_text="", plan=planned, host=HostFacts()
    )
    yield result.begin(planned.trials[0], b"{}", server={}, dataset={})
    result.close()


def test_rates_are_made_of_what_was_added() -> None:
    found = usage()
    assert (found.busy_cpus, found.cpus) == (1.1, 2)
    disk, network = found.disks["sda"], found.networks["eth0"]
    assert (disk.read_bytes_per_s, disk.write_bytes_per_s, disk.busy_share) == (2e6, 1e6, 0.5)
    assert (network.receive_bytes_per_s, network.send_bytes_per_s) == (50.0, 150.0)
    assert usage_of("db1", 1.0, {"memory.available_bytes": 1.0}) is None


def test_it_is_kept_as_long_as_the_trial_runs(writer: TrialWriter, tmp_path: Path) -> None:
    folder = tmp_path / "result" / "trials"
    writer.usage([usage()])
    (line,) = (folder / ".0001.unfinished" / "usage.jsonl").read_text().splitlines()
    assert json.loads(line)["usage"]["busy_cpus"] == 1.1
    for event in trial_events():
        writer.event(read_event(event))  # type: ignore[arg-type]
    assert writer.finish() is TrialStatus.COMPLETED
    writer.usage([usage()])
    assert not list(folder.rglob("usage.jsonl"))
    assert (folder / "0001" / "intervals.parquet").exists()


def test_a_full_disk_is_no_matter_of_the_trial(writer: TrialWriter) -> None:
    # What cannot be written any more, as on a full disk.
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, writer._usage._file.fileno())
    os.close(full)
    writer.usage([usage()])
    for event in trial_events():
        writer.event(read_event(event))  # type: ignore[arg-type]
    assert writer.finish() is TrialStatus.COMPLETED
