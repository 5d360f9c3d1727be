"""Facts of watched hosts, asked over a command that leads to this machine's own shell."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dbdyno.experiment.file.watch import Watch
from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.run.other_hosts import other_hosts
from dbdyno.watch.facts.host import host_facts

HERE = """sh -c 'exec sh -c "$1"'"""
"""The name of a host comes behind it, and then what is to run there."""


def test_a_host_tells_what_it_is(tmp_path: Path) -> None:
    watch = Watch(hosts=("db1", "db2"), ssh=HERE, python=sys.executable)
    warnings: list[str] = []
    known = other_hosts(watch, {}, {}, warnings.append)
    here = host_facts(tmp_path, observe_s=0.0)
    assert list(known) == ["db1", "db2"]
    for host in known.values():
        assert (host.use, host.reason) == ("watched", None)
        assert host.facts is not None
        assert (host.facts.boot_id, host.facts.cpu_model) == (here.boot_id, here.cpu_model)
        assert host.facts.dbdyno_version == here.dbdyno_version
    assert warnings == []


@pytest.mark.parametrize(
    ("ssh", "python", "words"),
    [
        ("sh -c 'echo no entry for you >&2; exit 255'", "python3", "no entry for you"),
        ("/no/such/command", "python3", "No such file or directory"),
        (HERE, "/no/such/python", "/no/such/python"),
        ("sh -c 'echo hello'", "python3", "printed no facts of a host"),
    ],
)
def test_a_host_that_cannot_be_asked_is_a_warning(ssh: str, python: str, words: str) -> None:
    warnings: list[str] = []
    known = other_hosts(Watch(hosts=("db1",), ssh=ssh, python=python), {}, {}, warnings.append)
    assert known["db1"].facts is None
    assert known["db1"].reason is not None
    assert words in known["db1"].reason
    assert warnings == [f"the facts of host db1 are not known: {known['db1'].reason}"]


def test_each_host_is_asked_once() -> None:
    """Also where a campaign goes on, and where a host's agent has told them."""
    watch = Watch(hosts=("db1", "db2", "load1"), ssh="sh -c 'exit 3'")
    of_generators = {"load1": OtherHost(use="generator", facts=HostFacts(cpu_count=8))}
    stored = {
        "db1": OtherHost(use="watched", facts=HostFacts(cpu_count=4)),
        "db2": OtherHost(use="watched", reason="no way there"),
    }
    warnings: list[str] = []
    known = other_hosts(watch, of_generators, stored, warnings.append)
    assert known["load1"] == of_generators["load1"]
    assert known["db1"] == stored["db1"]
    assert "status 3" in (known["db2"].reason or "")
    assert len(warnings) == 1


def test_nobody_is_asked_where_nothing_is_watched() -> None:
    watch = Watch(host="none", hosts=("db1",), ssh="sh -c 'exit 3'")
    assert other_hosts(watch, {}, {}, pytest.fail) == {}
