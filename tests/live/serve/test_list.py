"""What the list says of imports, and of runs in which all trials failed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.live.run.launch import call
from tests.live.run.stage import Stage
from tests.live.serve.served import Served

pytestmark = pytest.mark.live

LOGS = Path(__file__).parents[2] / "data" / "imports"
FAILING = """\
experiment: failing
question: {en: Is anything committed?, zh: 有提交吗？}
workload:
  sql:
    setup: [CREATE TABLE t (id INTEGER PRIMARY KEY)]
    transactions: {one: SELECT id FROM t}
target: {sqlite: {}}
factors: {clients: [1, 2]}
procedure: {warmup: 0.1s, duration: 0.3s, interval: 0.1s, rounds: 1, limits: {trial: 0.41s}}
"""


def imported(folder: Path) -> Path:
    log = LOGS / "sysbench-1.0.20-read_write.log"
    ended = call(["import", log, "--out", folder])
    assert ended.status == 0, ended
    return folder


def item(page: str, name: str) -> str:
    """Return the list's item of a result, as its readers see it."""
    found = re.search(rf'<li class="result" data-name="{name}">.*?</li>', page, re.DOTALL)
    assert found is not None, page
    return " ".join(re.sub(r"<[^>]*>", " ", found[0]).split())


def test_an_import_is_shown_as_one(tmp_path: Path) -> None:
    results = tmp_path / "results"
    imported(results / "old-logs")
    for place, language in ((results, "en"), (results / "old-logs", "zh")):
        with Served(place, tmp_path / "log", "--lang", language) as served:
            page = served.ask("/").body
            live = served.ask("/live/old-logs")
        assert "callout invalid" not in page
        words = item(page, "old-logs")
        assert ("import: 1 trial of sysbench" if language == "en" else "导入：sysbench") in words
        assert (live.status, live.headers["location"]) == (303, "/")


def test_a_run_whose_trials_all_failed_has_failed(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stage.file.write_text(FAILING)
    stage.result = stage.named = tmp_path / "results" / "failing"
    ended = stage.run()
    assert ended.status == 1, ended
    assert set(stage.statuses().values()) == {"failed"}
    assert "0 of 2 trials used (2 failed)" in ended.output
    with Served(stage.result.parent, tmp_path / "log") as served:
        words = item(served.ask("/").body, "failing")
        live = served.ask("/live/failing").body
    assert "State failed" in words
    assert "2 of 2 done, 2 failed" in words
    assert "Is anything committed?" in words
    assert '<p class="question">Is anything committed?</p>' in live
    with Served(stage.result.parent, tmp_path / "log", "--lang", "zh") as served:
        words = item(served.ask("/?q=%E6%8F%90%E4%BA%A4").body, "failing")
        live = served.ask("/live/failing").body
    assert "有提交吗？" in words
    assert '<p class="question">有提交吗？</p>' in live
