"""Logs as people keep them: with what containers and servers put in front, cut, and pasted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.importer.redact import redacted
from dbdyno.trial_evidence import TrialEvidence

from .logs import DATA, notes_of, read_text
from .test_sysbench_older import V05

PGBENCH = """\
pgbench (16.2)
starting vacuum...end.
progress: 5.0 s, 801.2 tps, lat 9.970 ms stddev 2.110, 0 failed
progress: 10.0 s, 798.8 tps, lat 10.012 ms stddev 2.200, 0 failed
transaction type: <builtin: TPC-B (sort of)>
scaling factor: 10
query mode: simple
number of clients: 8
number of threads: 2
duration: 10 s
number of transactions actually processed: 8003
number of failed transactions: 0 (0.000%)
latency average = 9.991 ms
latency stddev = 2.155 ms
tps = 800.512345 (without initial connection time)
"""
GO_TPC = """\
[Current] NEW_ORDER - Takes(s): 10.0, Count: 450, TPM: 2700.0, Avg(ms): 20.1, 95th(ms): 30.4
[Summary] NEW_ORDER - Takes(s): 10.0, Count: 450, TPM: 2700.0, Avg(ms): 20.1, 95th(ms): 30.4
tpmC: 2700.0
"""
YCSB = """\
[OVERALL], RunTime(ms), 10000
[OVERALL], Throughput(ops/sec), 1000.0
[READ], Operations, 10000
[READ], AverageLatency(us), 950.5
[READ], 95thPercentileLatency(us), 2001
[READ], Return=OK, 10000
"""
TOOLS = {"sysbench": V05, "pgbench": PGBENCH, "go-tpc": GO_TPC, "ycsb": YCSB}


def _kept(text: str, before: str) -> str:
    return "".join(f"{before}{line}\n" for line in text.splitlines())


def _figures(trial: TrialEvidence) -> TrialEvidence:
    return replace(trial, source=replace(trial.source, path="", sha256=None))


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "before",
    [
        *("    ", "\t", "> ", "sysbench-1  | ", "bench_1 | ", "[pod/bench-x7k2/sysbench] "),
        *("[2024-03-05T07:08:09.123Z] ", "2024-03-05T07:08:09.1234567Z ", "07:08:09 "),
        *("bench-1  | 2024-03-05T07:08:09.123456789Z ", "Mar 05 07:08:09 db1 bench[123]: "),
        *(
            "2024-03-05T07:08:09.1+08:00 stdout F ",
            "[db1.local] out: ",
            "job\tRun it\t2024-03-05T07:08:09.1Z ",
        ),
    ],
)
def test_what_stands_in_front_of_lines(tool: str, before: str, tmp_path: Path) -> None:
    (plain,) = read_text(TOOLS[tool], tmp_path)
    (kept,) = read_text(_kept(TOOLS[tool], before), tmp_path)
    assert _figures(kept) == _figures(plain)


@pytest.mark.parametrize("tool", TOOLS)
def test_containers_that_run_at_once_write_in_turn(tool: str, tmp_path: Path) -> None:
    (plain,) = read_text(TOOLS[tool], tmp_path)
    lines = TOOLS[tool].splitlines()
    text = "".join(f"{name}  | {line}\n" for line in lines for name in ("load-1", "load-2", "db-1"))
    both = read_text(text.replace("db-1  | ", "db-1  | LOG:  checkpoint of "), tmp_path)
    assert [_figures(each) for each in both] == [_figures(plain)] * 2


@pytest.mark.parametrize("tool", TOOLS)
def test_lines_of_jenkins_itself(tool: str, tmp_path: Path) -> None:
    (plain,) = read_text(TOOLS[tool], tmp_path)
    console = f"Started by me\n{_kept(TOOLS[tool], '[2024-03-05T07:08:09Z] ')}Finished: SUCCESS\n"
    (kept,) = read_text(console, tmp_path)
    assert _figures(kept) == _figures(plain)


@pytest.mark.parametrize("tool", TOOLS)
def test_lines_within_json_are_not_read_by_halves(tool: str, tmp_path: Path) -> None:
    lines = "".join(f'        "{line}",\n' for line in TOOLS[tool].splitlines())
    with pytest.raises(InputError, match="not recognised"):
        read_text('{\n    "stdout_lines": [\n' + lines + "    ]\n}\n", tmp_path)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_page_of_markdown_with_two_logs(tool: str, tmp_path: Path) -> None:
    page = (
        f"# Before\n\n```\n{TOOLS[tool]}```\n\nAfter:\n\n{_kept(TOOLS[tool], '    ')}\nThe end.\n"
    )
    assert len(read_text(page, tmp_path)) == 2


def test_hammerdbs_profile_is_no_quotation(tmp_path: Path) -> None:
    text = (DATA / "hammerdb.log").read_text()
    plain = read_text(text, tmp_path)
    assert plain[0].times is not None
    kept = read_text(_kept(text, "> "), tmp_path)
    assert [each.times for each in kept] == [each.times for each in plain]


@pytest.mark.parametrize("first_line", [0, 3, 4])
def test_lines_of_a_cut_log_are_no_long_intervals(first_line: int, tmp_path: Path) -> None:
    line = "  {0}, trx: 100, 95%: 2.0, 99%: 3.0, max_rt: 9.0, 99|8.0, 10|2.0, 10|9.0, 10|7.0\n"
    end = (
        "<Raw Results>\n  [0] sc:600 lt:0  rt:0  fl:0 avg_rt: 1.5 (5)\n in 60 sec.\n"
        "<TpmC>\n                 600.000 TpmC\n"
    )
    lines = [line.format(at_s) for at_s in (10, 20, 30, 40, 50, 60)]
    (trial,) = read_text("".join(lines[first_line:]) + end, tmp_path)
    assert {each.duration_s for each in trial.intervals} == {10.0}
    assert {each.throughput_per_s for each in trial.intervals} == {10.0}
    assert trial.intervals[-1].start_s == 50.0


def test_a_late_line_tells_of_a_long_interval(tmp_path: Path) -> None:
    text = PGBENCH.replace("10.0 s, 798.8", "17.3 s, 300.0")
    text = text.replace("progress: 17", "progress: 10.0 s, 1 tps, lat 1 ms stddev 1\nprogress: 17")
    (trial,) = read_text(f"$ pgbench -P 5 -c 8 bench\n{text}", tmp_path)
    assert [each.duration_s for each in trial.intervals] == [5.0, 5.0, 7.3]


def test_switches_of_pgbench_have_no_value(tmp_path: Path) -> None:
    (trial,) = read_text(f"$ pgbench -c 8 -T 10 -r bench\n{PGBENCH}", tmp_path)
    assert "r" not in trial.options
    assert trial.options["time"] == "10"


@pytest.mark.parametrize(
    "before",
    [
        *("docker exec -it postgres ", "sudo -u postgres ", "PGPASSWORD=secret ", "time ./"),
        *("$ ", "❯ ", "[me@host bin]$ ", "me@host:~$ numactl -N 0 ", "+ "),
    ],
)
def test_what_runs_the_command(before: str, tmp_path: Path) -> None:
    (trial,) = read_text(f"{before}pgbench -c 8 -R 500 -T 10 bench\n{PGBENCH}", tmp_path)
    assert trial.options["rate"] == "500"


def test_prose_is_no_command(tmp_path: Path) -> None:
    (trial,) = read_text(f"We ran pgbench -R 500 for it.\n{PGBENCH}", tmp_path)
    assert "rate" not in trial.options


def test_scripts_since_pgbench_18(tmp_path: Path) -> None:
    script = """\
SQL script {0}: s{0}.sql
 - weight: 1 (targets 50.0% of total)
 - 4010 transactions (50.1% of total)
 - number of transactions actually processed: 4000 (tps = 400.250000)
 - number of failed transactions: 10 (0.249%)
 - latency average = 9.100 ms
"""
    (trial,) = read_text(PGBENCH + script.format(1) + script.format(2), tmp_path)
    kind = trial.kinds["s2.sql"]
    assert (kind.committed, kind.failed, kind.rate_per_s) == (4000, 10, 400.25)


def test_progress_with_instants(tmp_path: Path) -> None:
    text = PGBENCH.replace("5.0 s, 801", "1709622494.125 s, 801")
    text = text.replace("10.0 s, 798", "1709622499.126 s, 798")
    (trial,) = read_text(text, tmp_path)
    told = [(each.start_s, each.duration_s, each.throughput_per_s) for each in trial.intervals]
    assert told == [(0.0, 5.001, 801.2), (5.001, 5.001, 798.8)]
    assert "intervals_left_out" not in notes_of(trial)


def test_go_tpc_that_tiup_runs(tmp_path: Path) -> None:
    command = "$ tiup bench tpcc -H db1 -P 4000 -D tpcc --warehouses 40 --threads 16 run\n"
    (trial,) = read_text(command + GO_TPC, tmp_path)
    assert (trial.clients, trial.options["warehouses"]) == (16, "40")


@pytest.mark.parametrize(
    "command",
    [
        "tiup bench tpcc -H db1 -p {0} run",
        "a-1  | docker exec -it db mysqlslap -uroot -p{0} -h db1",
        "[me@host ~]# time mysqlslap -uroot -p'{0}' -h db1",
        "sudo env PGPASSWORD={0} pgbench -c 8 bench",
    ],
)
def test_passwords_in_commands_are_not_copied(command: str) -> None:
    assert "s3cret" not in redacted(command.format("s3cret"))


def test_rates_of_pgbench_alone(tmp_path: Path) -> None:
    lines = (
        "tps = {0}.5 (including connections establishing)\n"
        "tps = {0}.9 (excluding connections establishing)\n"
    )
    trials = read_text(f"Before:\n{lines.format(700)}\nAfter:\n{lines.format(800)}", tmp_path)
    assert [each.throughput_per_s for each in trials] == [700.9, 800.9]
    assert all(each.clients is None and each.times is None for each in trials)


def test_pgbench_before_9_6(tmp_path: Path) -> None:
    text = PGBENCH.replace("latency average =", "latency average:").replace(
        "latency stddev =", "latency stddev:"
    )
    (trial,) = read_text(text, tmp_path)
    assert trial.times is not None
    assert trial.times.mean_ms == 9.991


def test_results_of_hammerdb_alone(tmp_path: Path) -> None:
    line = "Vuser 1:TEST RESULT : System achieved {0} NOPM from 90000 MySQL TPM\n"
    trials = read_text(line.format(6000) + line.format(9000), tmp_path)
    assert [each.throughput_per_s for each in trials] == [100.0, 150.0]


@pytest.mark.parametrize(
    "line",
    [
        "Changed tpcc:mysql_count_ware from 1 to 100 for MySQL",
        "diset tpcc mysql_count_ware 100",
        "mysql_count_ware = 100",
    ],
)
def test_settings_of_hammerdb(line: str, tmp_path: Path) -> None:
    result = "Vuser 1:TEST RESULT : System achieved 6000 NOPM from 14000 MySQL TPM\n"
    (trial,) = read_text(f"{line}\n{result}", tmp_path)
    assert trial.options["warehouses"] == "100"


def test_ycsb_in_another_language(tmp_path: Path) -> None:
    status = (
        "2024-03-05 07:08:09:123 0 sec: 0 operations; est completion in 0 second\n"
        "2024-03-05 07:08:19:123 10 sec: 10000 operations; 1000,25 current ops/sec;\n"
    )
    (trial,) = read_text(status + YCSB, tmp_path)
    assert [each.throughput_per_s for each in trial.intervals] == [1000.25]
    assert "intervals_left_out" not in notes_of(trial)


def test_ycsb_operations_of_which_all_have_failed(tmp_path: Path) -> None:
    failed = "[UPDATE-FAILED], Operations, 7\n[UPDATE-FAILED], AverageLatency(us), 99.0\n"
    (trial,) = read_text(YCSB + failed, tmp_path)
    assert trial.failed == 7
    assert trial.kinds["update"].times is None
    assert trial.times is not None
    assert trial.times.mean_ms == 0.9505


def test_ycsb_without_returns_tells_no_failures(tmp_path: Path) -> None:
    (trial,) = read_text(YCSB.replace("[READ], Return=OK, 10000\n", ""), tmp_path)
    assert trial.failed is None


def test_ycsb_load_and_run_are_not_one_cell(tmp_path: Path) -> None:
    command = "$ ./bin/ycsb {0} jdbc -s -P workloads/workloada -threads 16\n"
    loaded, ran = read_text(command.format("load") + YCSB + command.format("run") + YCSB, tmp_path)
    assert (loaded.options["phase"], ran.options["phase"]) == ("load", "run")
    assert (loaded.clients, ran.options["workload"]) == (16, "workloada")


def test_benchmarksql_count_that_was_cut(tmp_path: Path) -> None:
    text = """\
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Measured tpmC (NewOrders) = 1000.0
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Measured tpmTOTAL = 2200.0
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Session Start     = 2024-03-05 09:55:30
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Session End       = 2024-03-05 10:00:30
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Transaction Count = 1099
"""
    (trial,) = read_text(text, tmp_path)
    assert trial.measured_s == 300.0
    (whole,) = read_text(text.replace("= 1099", "= 10999"), tmp_path)
    assert whole.measured_s == 300.0
    (ours,) = read_text(text.replace("= 1099", "= 11012"), tmp_path)
    assert ours.measured_s == 300.355


BENCHMARKSQL = """\
10:00:30,001 [main] INFO   jTPCC : Term-00, terminals={0}
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Measured tpmC (NewOrders) = {0}00.0
10:00:30,001 [Thread-1] INFO   jTPCC : Term-00, Measured tpmTOTAL = {0}000.0
"""
TPCC_MYSQL = """\
  10, trx: {0}, 95%: 2.0, 99%: 3.0, max_rt: 9.0, 99|8.0, 10|2.0, 10|9.0, 10|7.0
<Raw Results>
  [0] sc:{0}00 lt:0  rt:0  fl:0 avg_rt: 1.5 (5)
 in 60 sec.
<Raw Results2(sum ver.)>
  [0] sc:{0}00  lt:0  rt:0  fl:0
<TpmC>
                 {0}00.0 TpmC
"""


@pytest.mark.parametrize("log", [BENCHMARKSQL, TPCC_MYSQL])
def test_results_one_after_the_other_are_runs(log: str, tmp_path: Path) -> None:
    first, second = read_text(log.format(6) + log.format(9), tmp_path)
    assert (first.throughput_per_s, second.throughput_per_s) == (10.0, 15.0)
    if log is BENCHMARKSQL:
        assert (first.clients, second.clients) == (6, 9)
    else:
        assert len(first.intervals) == len(second.intervals) == 1


def test_summaries_of_go_tpc_one_after_the_other_are_runs(tmp_path: Path) -> None:
    summary = GO_TPC.partition("\n")[2]
    other = summary.replace("2700.0", "3000.0").replace("450", "500")
    assert [each.throughput_per_s for each in read_text(summary + other, tmp_path)] == [45.0, 50.0]
    bare = summary.partition("\n")[0] + "\n" + other
    assert [each.throughput_per_s for each in read_text(bare, tmp_path)] == [45.0, 50.0]
