"""``dbdyno compare`` with logs of other tools, with imports, and with a result of our own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.live.run.launch import Ended, call
from tests.unit.analysis.joined.results import CLIENTS, RATES, result
from tests.unit.importer.logs import DATA, PEERS

RULE = ("--fail-if", "throughput worse by 5 %")
SCATTER = (1.0, 1.01, 0.99, 1.005)


def compare(folder: Path, *arguments: str) -> Ended:
    return call(["compare", *arguments], directory=folder)


def write_logs(folder: Path, share: float, threads: int = 8) -> None:
    """Write logs of sysbench that did so much of what the real one did, a little scattered."""
    real = (DATA / "sysbench-1.0.20-read_write.log").read_text()
    real = real.replace("Number of threads: 8", f"Number of threads: {threads}")
    folder.mkdir()
    for number, scatter in enumerate(SCATTER):
        (folder / f"run{number}.log").write_text(slowed(real, share * scatter))


def slowed(text: str, share: float) -> str:
    """Return a log with so much of its transactions."""

    def count(match: re.Match[str]) -> str:
        return f"{match[1]}{round(int(match[2]) * share)}"

    def rate(match: re.Match[str]) -> str:
        return f"{match[1]}{float(match[2]) * share:.2f}"

    counted = re.sub(r"((?:transactions|total number of events): +)(\d+)", count, text)
    return re.sub(r"(transactions: +\d+ +\()([\d.]+)", rate, counted)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with logs of two runs, a result of our own and logs that fit none of them."""
    folder = tmp_path_factory.mktemp("logs")
    write_logs(folder / "old", 1.0)
    write_logs(folder / "new", 0.8)
    write_logs(folder / "more threads", 1.0, threads=64)
    result(folder / "ours", [CLIENTS], rates=[round(15 * rate) for rate in RATES])
    return folder


def test_logs_of_two_runs_are_compared_by_the_same_rules(folder: Path) -> None:
    done = compare(folder, "old", "new", *RULE)
    assert done.status == 3, done.errors
    assert "REGRESSION: throughput worse by 5 % at (one cell): 20.0 % worse" in done.output
    assert compare(folder, "new", "old", *RULE).status == 0


def test_a_percentile_that_logs_do_not_tell_is_not_judged(folder: Path) -> None:
    done = compare(folder, "old", "new", "--fail-if", "p99 worse")
    assert done.status == 1
    assert "not judged: p99 worse" in done.output


def test_another_number_of_clients_is_refused(folder: Path) -> None:
    done = compare(folder, "old", "more threads", *RULE)
    assert done.status == 2
    assert "threads: 8 in old, 64 in more threads" in done.errors


def test_our_result_is_compared_at_the_clients_that_the_log_has(folder: Path) -> None:
    done = compare(folder, "old", "ours", "--json")
    assert done.status == 0, done.errors
    assert '"only_in_other": [\n    {\n      "clients": "1"' in done.output
    assert '"cell": {\n        "clients": "8"' in done.output


def test_an_import_keeps_its_given_levels(folder: Path) -> None:
    given = ["target=a:old", "target=b:new"]
    assert call(["import", *given, "--out", "both"], directory=folder).status == 0
    done = compare(folder, "both@target=a", "both@target=b", *RULE)
    assert done.status == 3, done.errors
    missing = compare(folder, "both@target=c", "both@target=b")
    assert missing.status == 2
    assert "no trial is at this level; there are target=a, target=b" in missing.errors


def test_unlike_counts_and_the_same_log_are_refused(folder: Path) -> None:
    tpcc = str(PEERS / "tpcc-mysql.txt")
    assert "counts New-Orders" in compare(folder, "old", tpcc).errors
    ycsb = compare(folder, "old", str(DATA / "ycsb.log"))
    assert "old counts all transactions, and ycsb.log counts operations" in ycsb.errors
    assert "are the same log" in compare(folder, "old", "old").errors


def test_an_import_is_reported(folder: Path) -> None:
    assert call(["import", "old", "--out", "imported"], directory=folder).status == 0
    done = call(["report", "imported", "--lang", "en,zh", "--format", "html,md"], directory=folder)
    assert done.status == 0, done.errors
    page = (folder / "imported" / "report.html").read_text()
    assert "What the sources tell" in page
    assert "run0.log" in page
    # None of our checks has been made, and nobody knows a response time.
    assert "it could not check the server" in page
    for false in ("Every validity check passed", "response time p95", "merged histograms"):
        assert false not in page
    for absent in ("first attempt aborted", "statements/s (QPS)", "all transactions/min"):
        assert absent not in page
    assert "来源" in (folder / "imported" / "report.zh.html").read_text()


def test_another_baseline_of_an_import(folder: Path) -> None:
    given = ["target=a:old", "target=b:new"]
    call(["import", *given, "--out", "turned"], directory=folder)
    done = call(["report", "turned", "--baseline", "target=b"], directory=folder)
    assert done.status == 0
    assert (folder / "turned" / "report.target=b.html").exists()
    wrong = call(["report", "turned", "--baseline", "target=x"], directory=folder)
    assert wrong.status == 2
    assert "no such level; there are a, b" in wrong.errors
