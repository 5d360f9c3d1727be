"""Forms of sysbench before 1.0, and of its tests without a database."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .logs import notes_of, read_text

V04 = """\
sysbench 0.4.12:  multi-threaded system evaluation benchmark

No DB drivers specified, using mysql
Running the test with following options:
Number of threads: 8

Doing OLTP test.
Threads started!
Time limit exceeded, exiting...
Done.

OLTP test statistics:
    queries performed:
        read:                            14000
        total:                           20000
    transactions:                        1000   (99.87 per sec.)
    deadlocks:                           3      (0.30 per sec.)
    read/write requests:                 19000  (1897.53 per sec.)

Test execution summary:
    total time:                          10.0130s
    total number of events:              1000
    total time taken by event execution: 80.0400
    per-request statistics:
         min:                                 31.20ms
         avg:                                 80.04ms
         max:                                210.55ms
         approx.  95 percentile:             121.43ms

Threads fairness:
    events (avg/stddev):           125.0000/1.20
"""
V05 = """\
sysbench 0.5:  multi-threaded system evaluation benchmark

Running the test with following options:
Number of threads: 8
Report intermediate results every 5 second(s)

Threads started!

[   5s] threads: 8, tps: 95.20, reads: 1332.80, writes: 380.80, response time: 130.11ms (99%), \
errors: 0.40, reconnects:  0.00
[  10s] threads: 8, tps: 104.60, reads: 1464.40, writes: 418.40, response time: 128.00ms (99%), \
errors: 0.20, reconnects:  0.00
OLTP test statistics:
    transactions:                        1000   (99.87 per sec.)
    ignored errors:                      3      (0.30 per sec.)
    reconnects:                          1      (0.10 per sec.)

General statistics:
    total time:                          10.0130s
    total number of events:              1000
    total time taken by event execution: 80.0400s
    response time:
         min:                                 31.20ms
         avg:                                 80.04ms
         max:                                210.55ms
         approx.  99 percentile:             131.43ms
"""
MEMORY = """\
sysbench memory \\
  --memory-block-size=1M \\
  --threads=4 run
sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)

Running memory speed test with the following options:
  block size: 1024KiB

Total operations: 10240 (98765.43 per second)

10240.00 MiB transferred (98765.43 MiB/sec)

General statistics:
    total time:                          0.1021s
    total number of events:              10240

Latency (ms):
         min:                                    0.01
         avg:                                    0.02
         max:                                    1.50
         95th percentile:                        0.03
"""


def test_0_4(tmp_path: Path) -> None:
    (trial,) = read_text(V04, tmp_path)
    assert (trial.source.tool_version, trial.clients) == ("0.4.12", 8)
    assert (trial.throughput_per_s, trial.measured_s, trial.failed) == (99.87, 10.013, 3)
    assert trial.times is not None
    assert trial.times.quantiles_ms == {0.95: 121.43}
    assert (trial.times.min_ms, trial.times.mean_ms, trial.times.max_ms) == (31.2, 80.04, 210.55)
    assert notes_of(trial) == {}


def test_the_oldest_prints_seconds(tmp_path: Path) -> None:
    text = V04.replace("31.20ms", "0.0312s").replace("121.43ms", "0.1214s")
    (trial,) = read_text(text, tmp_path)
    assert trial.times is not None
    assert (trial.times.min_ms, trial.times.quantiles_ms[0.95]) == (31.2, 121.4)


def test_0_5(tmp_path: Path) -> None:
    (trial,) = read_text(V05, tmp_path)
    assert (trial.throughput_per_s, trial.failed, trial.reconnects) == (99.87, 3, 1)
    assert trial.times is not None
    assert trial.times.quantiles_ms == {0.99: 131.43}
    assert [each.throughput_per_s for each in trial.intervals] == [95.2, 104.6]
    assert [each.quantiles_ms for each in trial.intervals] == [{0.99: 130.11}, {0.99: 128.0}]
    assert [each.failed_per_s for each in trial.intervals] == [0.4, 0.2]
    assert notes_of(trial) == {}


def test_names_of_options_before_1_0(tmp_path: Path) -> None:
    command = "$ sysbench --test=tests/db/oltp.lua --num-threads=8 --max-time=10 run\n"
    (trial,) = read_text(command + V05, tmp_path)
    assert trial.options["script"] == "oltp"
    assert "num-threads" not in trial.options
    assert (trial.options["threads"], trial.options["time"]) == ("8", "10")


def test_memory(tmp_path: Path) -> None:
    (trial,) = read_text(MEMORY, tmp_path)
    assert (trial.throughput_per_s, trial.measured_s, trial.clients) == (98765.43, 0.1021, 4)
    assert "not_a_database" in notes_of(trial)


def test_cpu(tmp_path: Path) -> None:
    cpu = "CPU speed:\n    events per second:  8765.43\n\n"
    begin, general, end = MEMORY.partition("General statistics:")
    end = end.replace("10240", "895")
    (trial,) = read_text(begin.partition("Total")[0] + cpu + general + end, tmp_path)
    assert (trial.throughput_per_s, trial.measured_s) == (8765.43, 0.1021)


@pytest.mark.parametrize("test", ["cpu", "memory", "threads", "mutex", "fileio"])
def test_a_test_without_a_database_is_one_run(test: str, tmp_path: Path) -> None:
    """Of sysbench itself, as it is installed here, with all that it prints of each test."""
    files = ["--file-num=2", "--file-total-size=64K"] if test == "fileio" else []
    modes = [*files, "--file-test-mode=rndrw"] if files else []

    def sysbench(command: str, *options: str) -> str:
        call = ["sysbench", test, *options, "--threads=2", "--time=1", "--events=500", command]
        return subprocess.run(call, cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    text = sysbench("prepare", *files) if files else ""
    text += sysbench("run", "--report-interval=1", *modes)
    (trial,) = read_text(text, tmp_path)
    assert trial.throughput_per_s
    assert "not_a_database" in notes_of(trial)
    known = {"cpu": "cpu", "memory": "memory", "fileio": "fileio"}
    assert trial.options.get("script") == known.get(test)
    again = read_text(text + text.replace("sysbench 1.0", "sysbench 1.0"), tmp_path, "two.log")
    assert len(again) == 2


def test_operations_of_memory_and_none_at_all(tmp_path: Path) -> None:
    text = MEMORY.replace("\\\n", "").replace(
        "Running memory",
        "Running the test with following options:\nNumber of threads: 4\n\nRunning memory",
    )
    (trial,) = read_text(text, tmp_path)
    assert (trial.throughput_per_s, trial.clients) == (98765.43, 4)
    assert (trial.options["script"], trial.options["memory-block-size"]) == ("memory", "1024KiB")
    none = text.replace("10240 (98765.43", "0 ( 0.00").replace(
        "events:              10240", "events: 0"
    )
    (empty,) = read_text(none, tmp_path)
    assert (empty.throughput_per_s, empty.times) == (0, None)


@pytest.mark.parametrize("log", [V04, V05])
def test_only_the_summary(log: str, tmp_path: Path) -> None:
    """People paste the end of a log, and one end after the other."""
    end = log[log.index("OLTP test statistics") :]
    both = read_text(end + "\n" + end.replace("99.87", "88.76"), tmp_path)
    assert [each.throughput_per_s for each in both] == [99.87, 88.76]
    assert all(each.times and each.times.mean_ms == 80.04 for each in both)


def test_what_figures_mean_is_written_behind_them(tmp_path: Path) -> None:
    text = "\n".join(
        f"{line}    -- this is a figure" if ":  " in line else line for line in V05.splitlines()
    )
    (trial,) = read_text(text, tmp_path)
    (plain,) = read_text(V05, tmp_path)
    assert (trial.times, trial.measured_s) == (plain.times, plain.measured_s)
    assert trial.throughput_per_s == plain.throughput_per_s
    assert "truncated" not in notes_of(trial)
