"""Caches that are cold or warm when clients connect, and snapshots that belong to one server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live.run.stage import Stage

MARIADB = pytest.param("mysql", marks=pytest.mark.live)


def events_of(stage: Stage) -> list[str]:
    lines = (stage.result / "journal.jsonl").read_text().splitlines()
    return [line.get("phase", line["event"]) for line in map(json.loads, lines)]


@pytest.mark.parametrize("target", ["sqlite", MARIADB])
def test_cold_caches_are_told_with_what_was_dropped(target: str, tmp_path: Path) -> None:
    stage = Stage(tmp_path).write(
        target=f"{{{target}: {{}}}}", factors="clients: [1]", procedure="caches: cold"
    )
    ended = stage.run()
    assert ended.status == 0, ended
    for number in (1, 2):
        caches = stage.trial(number)["dataset"]["caches"]
        assert caches["condition"] == "cold"
        assert caches["page_cache_bytes"] > 0
        assert caches["page_cache_left_bytes"] == 0
        assert caches["reason"] is None
        if target == "mysql":
            assert caches["dumps_removed"] == ["ib_buffer_pool"]
    events = events_of(stage)
    assert events.count("dropping_caches") == 2
    if target == "mysql":
        at = events.index("dropping_caches")
        assert events[at + 1 : at + 4] == ["server_stopped", "starting", "server_started"]


@pytest.mark.parametrize("target", ["sqlite", MARIADB])
def test_warm_caches_are_told_with_what_was_read(target: str, tmp_path: Path) -> None:
    stage = Stage(tmp_path).write(
        target=f"{{{target}: {{}}}}",
        factors="clients: [1]",
        rounds=1,
        procedure="caches: warm, start: continue",
    )
    ended = stage.run()
    assert ended.status == 0, ended
    caches = stage.trial(1)["dataset"]["caches"]
    assert caches["condition"] == "warm"
    assert caches["rows"] == 1000
    assert caches["read_bytes"] > 100 * 1000
    assert caches["reason"] is None


def test_a_snapshot_belongs_to_the_options_that_its_files_were_made_with(tmp_path: Path) -> None:
    keys = []
    for cache in (100, 200):
        folder = tmp_path / str(cache)
        folder.mkdir()
        target = f"{{sqlite: {{set: {{cache_size: {cache}}}}}}}"
        stage = Stage(folder).write(target=target, factors="clients: [1]", rounds=1)
        assert stage.run().status == 0
        lines = map(json.loads, (stage.result / "journal.jsonl").read_text().splitlines())
        keys += [line["key"] for line in lines if line["event"] == "snapshot_taken"]
    first, second = (key.split("-") for key in keys)
    assert first[0] == second[0] == "sqlite"
    assert first[1] != second[1]
    assert first[2] == second[2]
