"""Container runtimes hide the kernel's folder of devices from users: what lies there is unknown."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbdyno import control_group_disks
from dbdyno.watch.facts.storage import storage_facts

NOBODY = 65534


@pytest.fixture
def hidden_devices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hide them as runtimes do, by an empty folder without permissions; root would see it."""
    folder = tmp_path / "block"
    folder.mkdir(mode=0)
    monkeypatch.setattr(control_group_disks, "_DEVICES_BY_NUMBER", folder)
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    yield
    os.seteuid(user)


@pytest.mark.usefixtures("hidden_devices")
def test_disks_are_not_known_and_all_else_is() -> None:
    facts = storage_facts(Path("/"))
    assert facts.work_disks is None
    assert facts.work_file_system_total_bytes
    assert control_group_disks.disk_number(Path("/")) is None
    assert control_group_disks.disk_name("254:0") == "254:0"
