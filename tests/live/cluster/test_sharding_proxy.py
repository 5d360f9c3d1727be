"""A sharding proxy as it is shipped: it is measured, and another server checks its tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live.cluster.conftest import Adapt
from tests.live.run.launch import call

pytestmark = pytest.mark.live


@pytest.fixture
def file(adapted: Adapt, spider_plugins: Path, sharding_proxy: Path) -> Path:
    """Return the experiment with two storage nodes, where jars and plug-in lie here."""
    plugin = f"plugin_load_add: ha_spider, plugin_dir: {spider_plugins}"
    return adapted(
        "sharding-proxy.yaml",
        **{
            "plugin_load_add: ha_spider": plugin,
            "jars: sharding-proxy": f"jars: {sharding_proxy}",
            "levels: [1, 2]": "levels: [2]",
        },
    )


def test_it_is_loaded_driven_checked_elsewhere_and_gone(file: Path, tmp_path: Path) -> None:
    result = tmp_path / "result"
    ended = call(["run", file, "--out", result])
    assert ended.status == 0, ended.output + ended.errors
    trial = json.loads((result / "trials" / "0001" / "trial.json").read_text())
    assert trial["status"] == "completed"
    check = trial["dataset"]["check"]
    assert check["passed"]
    assert set(check["conditions"].values()) == {0}
    assert len(check["conditions"]) == 12
    # The proxy would tell the sum of one node.
    assert trial["dataset"]["logical"]["rows"] == trial["dataset"]["rows"]
    # ANALYZE ends in Spider, over which the tables were filled.
    statistics = trial["dataset"]["statistics"]
    assert (statistics["missing"], statistics["reason"]) == ([], None)
    assert statistics["analysed_unix_s"] is not None
    assert [host["product"] for host in trial["server"]["hosts"]] == ["MariaDB"] * 2
    said = {member["name"]: member["words"] for member in trial["server"]["members"]}
    assert said["compute-1"].startswith("sharding-proxy-3.1.0.jar\nopenjdk version")
    assert said["storage-2"].startswith("MariaDB 10.")
    assert not list(result.glob("work/**/files"))
