"""Several runs in one file: what keeps them apart, and what the user is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.importer.arrange import arrange
from dbdyno.importer.given import read_given
from dbdyno.importer.read import read_logs
from dbdyno.trial_evidence import NOT_TOLD, ResultEvidence

from .test_contradictions import GO_TPC, HAMMERDB, PGBENCH, TPCC_MYSQL, YCSB

SUMMARY = """\
SQL statistics:
    queries performed:
        read:                            {read}
        write:                           {write}
        other:                           {other}
        total:                           0
    transactions:                        1000   ({rate} per sec.)
General statistics:
    total time:                          {seconds}s
    total number of events:              1000
Threads fairness:
    events (avg/stddev):           12.5000/0.50
    execution time (avg/stddev):   10.0010/0.00
"""


def summary(rate: float = 100.0, read: int = 14000, write: int = 4000, other: int = 2000) -> str:
    return SUMMARY.format(rate=rate, seconds=1000 / rate, read=read, write=write, other=other)


def arranged(text: str, folder: Path) -> ResultEvidence:
    path = folder / "runs.log"
    path.write_text(text)
    return arrange(read_logs([path]))


def levels(result: ResultEvidence) -> list[dict[str, str]]:
    return [dict(trial.levels) for trial in result.trials]


def codes(result: ResultEvidence) -> set[str]:
    return {str(note.code) for note in result.notes}


HEADINGS = {
    "Markdown": ("## Point select\n\n```yaml\n{0}```\n", "Point select", "Update index"),
    "bold": ("**Point select**\n{0}", "Point select", "Update index"),
    "signs": ("=== Point select ===\n{0}", "Point select", "Update index"),
    "stars": ("*** Point select ***\n$ sysbench x --a=b run\n{0}", "Point select", "Update index"),
    "colon": ("Point select output:\n\n{0}", "Point select output", "Update index output"),
    "a command": ("# Point select\n$ ./sysbench --a=8 run\n{0}", "Point select", "Update index"),
    "the number of a round": ("## Point select, round 1\n{0}", "Point select", "Update index"),
    "Chinese": ("Point select：\n{0}", "Point select", "Update index"),
}  # fmt: skip


@pytest.mark.parametrize("form", HEADINGS)
def test_headings_keep_runs_apart(form: str, tmp_path: Path) -> None:
    page, first, second = HEADINGS[form]
    one = page.format(summary())
    result = arranged(one + one.replace("Point select", "Update index"), tmp_path)
    assert levels(result) == [{"heading": first}, {"heading": second}]


@pytest.mark.parametrize("page", ["Instance: {0}\n", "# instance = {0}\n", "** Instance: {0} **\n"])
def test_a_heading_with_a_name_is_a_factor_and_holds_until_the_next(
    page: str, tmp_path: Path
) -> None:
    ten, fifty = PGBENCH, PGBENCH.replace("clients: 8", "clients: 50")
    text = "".join(
        page.format(machine) + ten + "\n" + fifty for machine in ("m5.large", "m5.xlarge")
    )
    assert levels(arranged(text, tmp_path)) == [
        {"clients": clients, "instance": machine}
        for machine in ("m5.large", "m5.xlarge")
        for clients in ("8", "50")
    ]


TOOLS = {
    "pgbench": PGBENCH,
    "go-tpc": GO_TPC,
    "hammerdb": HAMMERDB,
    "tpcc-mysql": TPCC_MYSQL,
    "ycsb": YCSB.partition("\n")[2],
    "mysqlslap": "Benchmark\n\tAverage number of seconds to run all queries: 5.5 seconds\n"
    "\tNumber of clients running queries: 300\n\tAverage number of queries per client: 100\n",
    "sysbench": summary(),
}


@pytest.mark.parametrize("tool", TOOLS)
def test_headings_of_all_tools(tool: str, tmp_path: Path) -> None:
    text = f"## m5.large\n\n{TOOLS[tool]}\n\n## m5.xlarge\n\n{TOOLS[tool]}"
    assert [each["heading"] for each in levels(arranged(text, tmp_path))] == [
        "m5.large",
        "m5.xlarge",
    ]
    rounds = f"## Run 1\n\n{TOOLS[tool]}\n\n## Run 2\n\n{TOOLS[tool]}"
    assert [trial.round for trial in arranged(rounds, tmp_path).trials] == [1, 2]


NO_HEADINGS = {
    "rounds": ("### Run 1", "### Run 2"),
    "rounds of three": ("=== round 1/3 ===", "=== round 2/3 ==="),
    "rounds in Chinese": ("## 第1次", "## 第2次"),
    "instants": ("== 2024-03-05 10:00:00 ==", "== 2024-03-05 10:05:00 =="),
    "clocks": ("Date: Tue Mar 5 10:00", "Date: Tue Mar 5 10:05"),
    "how long it took": ("Elapsed: 31 s", "Elapsed: 33 s"),
    "warnings": ("WARNING: no limit", "Creating table sbtest1..."),
    "commands": ("$ sysbench oltp.lua --a=1 run", "+ ./sysbench oltp.lua --a=1 run"),
    "prose": ("Then it was done again", "And once more"),
    "the same": ("## MySQL 8", "## MySQL 8"),
}


@pytest.mark.parametrize("name", NO_HEADINGS)
def test_rounds_stay_rounds(name: str, tmp_path: Path) -> None:
    first, second = NO_HEADINGS[name]
    result = arranged(f"{first}\n{summary()}\n{second}\n{summary(104)}", tmp_path)
    assert [trial.round for trial in result.trials] == [1, 2]
    assert levels(result) == [{}, {}]


def test_a_heading_that_says_what_options_say_is_no_factor(tmp_path: Path) -> None:
    text = "".join(
        f"## oltp_read_only, {clients} clients\n"
        + PGBENCH.replace("clients: 8", f"clients: {clients}")
        for clients in (8, 16)
    )
    result = arranged(text, tmp_path)
    assert levels(result) == [{"clients": "8"}, {"clients": "16"}]
    machines = text.replace("oltp_read_only, 16", "on the large machine, 16")
    result = arranged(machines, tmp_path)
    assert [len(each) for each in levels(result)] == [2, 2]
    assert "change_together" in codes(result)


@pytest.mark.parametrize(
    "heading", ["{0} threads", "Threads: {0}", "VU = {0}", "{0}并发", "8-{0} x"]
)
def test_a_heading_tells_clients_that_a_log_does_not(heading: str, tmp_path: Path) -> None:
    text = "".join(f"## {heading.format(clients)}\n{summary()}\n" for clients in (16, 32))
    (name,) = {name for level in levels(arranged(text, tmp_path)) for name in level}
    assert name == ("heading" if heading == "8-{0} x" else "threads")


def test_results_of_hammerdb_without_their_users_are_no_rounds_of_one_that_has(
    tmp_path: Path,
) -> None:
    result = "TEST RESULT : System achieved {0} NOPM from 9000 MySQL TPM\n"
    text = result.format(868) + "vuset vu 2\n" + result.format(1571)
    assert levels(arranged(text, tmp_path)) == [{"virtual_users": NOT_TOLD}, {"virtual_users": "2"}]
    assert levels(arranged(result.format(868) + result.format(871), tmp_path)) == [{}, {}]


def test_runs_with_other_statements_are_no_rounds(tmp_path: Path) -> None:
    reads = summary(27500, read=1000, write=0, other=0)
    result = arranged(reads + "\n" + summary(6.7, read=0, write=1000, other=0), tmp_path)
    assert levels(result) == [{"statements": "1 read"}, {"statements": "1 write"}]
    more = arranged(summary(read=1000, write=0, other=0) + summary(50, 14000, 0, 0), tmp_path)
    assert levels(more) == [{"statements": "1 read"}, {"statements": "14 read"}]


def test_repeated_statements_and_unknown_ones_make_no_factor(tmp_path: Path) -> None:
    repeated = summary(96, read=18900, write=5100, other=2750)
    assert levels(arranged(summary() + "\n" + repeated, tmp_path)) == [{}, {}]
    unknown = "\n".join(line for line in summary().splitlines() if "read:" not in line)
    assert len(arranged(summary() + "\n" + unknown, tmp_path).trials) == 2


def test_load_and_run_of_ycsb_without_commands_are_no_rounds(tmp_path: Path) -> None:
    bare = TOOLS["ycsb"]
    result = arranged(bare.replace("[READ]", "[INSERT]") + bare, tmp_path)
    assert levels(result) == [{"statements": "1 insert"}, {"statements": "1 read"}]


def test_runs_of_one_file_that_are_far_apart_need_levels(tmp_path: Path) -> None:
    text = summary(27500) + "\n" + summary(6.7)
    with pytest.raises(InputError, match=r"2 runs that nothing tells apart.*6\.7 to 2\.75e\+04"):
        arranged(text, tmp_path)
    path = tmp_path / "runs.log"
    apart = arrange(*read_given([f"test=select/update:{path}"]))
    assert levels(apart) == [{"test": "select"}, {"test": "update"}]
    assert "rounds_far_apart" not in codes(apart)
    rounds = arrange(*read_given([f"test=both:{path}"]))
    assert [trial.round for trial in rounds.trials] == [1, 2]
    assert "rounds_far_apart" in codes(rounds)


def test_rounds_that_are_far_apart_are_said(tmp_path: Path) -> None:
    result = arranged(summary(100) + "\n" + summary(250), tmp_path)
    (note,) = (note for note in result.notes if note.code == "rounds_far_apart")
    assert dict(note.figures) == {"ratio": 2.5, "low_per_s": 100, "high_per_s": 250}
    assert "rounds_far_apart" not in codes(arranged(summary(100) + "\n" + summary(150), tmp_path))


def test_levels_of_the_runs_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.log"
    path.write_text("\n".join(f"## {name}\n{summary()}" for name in ("a", "a", "b", "b")))
    trials, given = read_given([f"disk=ssd,machine=small/small/large/large:{path}"])
    assert given == [
        (("disk", "ssd"), ("machine", size)) for size in ("small",) * 2 + ("large",) * 2
    ]
    assert [trial.round for trial in arrange(trials, given).trials] == [1, 2, 1, 2]
    named = arrange(*read_given([f"heading=x:{path}"]))
    assert levels(named) == [{"heading": "x"}] * 4
    for wrong in ("small/large", "small//large/large"):
        with pytest.raises(InputError, match=r"levels, and .*runs\.log has 4 runs"):
            read_given([f"machine={wrong}:{path}"])


def test_files_without_a_heading_have_none_beside_those_with_several(tmp_path: Path) -> None:
    for name, text in (
        ("two.log", f"## small\n{summary()}\n## large\n{summary()}"),
        ("one.log", f"## anything\n{summary(104)}"),
    ):
        (tmp_path / name).write_text(text)
    result = arrange(read_logs([tmp_path / "two.log", tmp_path / "one.log"]))
    assert [each["heading"] for each in levels(result)] == ["small", "large", NOT_TOLD]
