"""Forms of sysbench's output that its versions, options and hooks have."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.importer import log as log_module
from dbdyno.importer.read import read_logs
from dbdyno.importer.redact import redacted
from dbdyno.trial_evidence import MeasuredFrom

from .logs import DATA, notes_of, read_text

HEADER = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 4
Initializing random number generator from current time

Threads started!

"""
SUMMARY = """\
SQL statistics:
    queries performed:
        read:                            1400
        total:                           2000
    transactions:                        100    (9.99 per sec.)
    queries:                             2000   (199.80 per sec.)
    ignored errors:                      2      (0.20 per sec.)
    reconnects:                          1      (0.10 per sec.)

General statistics:
    total time:                          10.0123s
    total number of events:              100

Latency (ms):
         min:                                    1.90
         avg:                                    9.99
         max:                                   31.20
         99th percentile:                       14.21
         sum:                                  999.10
"""
MASTER = """\
sysbench 1.1.0-3ceba0b (using bundled LuaJIT 2.1.0-beta2)

Running the test with following options:
Number of threads: 16
Warmup time: 5s
Target transaction rate: 50/sec

Warming up for 5 seconds...
[ 10s ] thds: 16 tps: 9.99 qps: 19.8 (r/w/o: 13.8/3.9/1.9) lat (ms,95%): 14.21 err/s: 0.20
[ 10s ] queue length: 7, concurrency: 3
SQL statistics:
    transactions:                        100    (9.99 per sec.)
    ignored errors:                      0      (0.00 per sec.)

Throughput:
    events/s (eps):                      9.9877
    time elapsed:                        10.0123s
    total number of events:              100

Latency (ms):
         min:                                    1.90
         avg:                                    9.99
         max:                                   31.20
         95th percentile:                       14.21
"""


def test_the_main_branch(tmp_path: Path) -> None:
    (trial,) = read_text(MASTER, tmp_path)
    assert (trial.source.tool_version, trial.clients) == ("1.1.0-3ceba0b", 16)
    assert (trial.warmup_s, trial.measured_s, trial.throughput_per_s) == (5, 10.0123, 9.99)
    assert trial.times is not None
    assert trial.times.measured_from is MeasuredFrom.SCHEDULED
    assert notes_of(trial) == {"queue_left": {"queue": 7}}


def test_another_percentile_and_errors(tmp_path: Path) -> None:
    (trial,) = read_text(HEADER + SUMMARY, tmp_path)
    assert trial.times is not None
    assert trial.times.quantiles_ms == {0.99: 14.21}
    assert (trial.failed, trial.reconnects) == (2, 1)


def test_the_report_of_lua_has_no_colon_behind_errors(tmp_path: Path) -> None:
    line = (
        "[ 2s ] thds: 4 tps: 5.00 qps: 9.00 (r/w/o: 1.00/2.00/3.00) lat (ms,95%): 7.00 err/s 1.50"
    )
    (trial,) = read_text(f"{HEADER}{line} reconn/s: 0.25\n{SUMMARY}", tmp_path)
    (interval,) = trial.intervals
    assert (interval.failed_per_s, interval.reconnects_per_s) == (1.5, 0.25)


def test_intervals_as_csv(tmp_path: Path) -> None:
    lines = "1,4,100.00,2000.00,1400.00,400.00,200.00,7.00,0.00,0.00\n"
    lines += "2,4,110.00,2200.00,1540.00,440.00,220.00,6.50,1.00,0.00\n"
    (trial,) = read_text(HEADER + lines + SUMMARY, tmp_path)
    assert [each.throughput_per_s for each in trial.intervals] == [100, 110]
    assert trial.intervals[1].quantiles_ms == {0.99: 6.5}
    assert trial.intervals[1].failed_per_s == 1


def test_intervals_as_json(tmp_path: Path) -> None:
    lines = """[
  {
    "time":    1,
    "threads": 4,
    "tps": 100.00,
    "qps": {
      "total": 2000.00,
      "reads": 1400.00,
      "writes": 400.00,
      "other": 200.00
    },
    "latency": 7.00,
    "errors": 0.50,
    "reconnects": 0.00
  }
"""
    (trial,) = read_text(f"{HEADER}{lines}{SUMMARY}\n]\n", tmp_path)
    (interval,) = trial.intervals
    assert (interval.throughput_per_s, interval.failed_per_s, interval.clients) == (100, 0.5, 4)
    assert interval.quantiles_ms == {0.99: 7}


def test_a_test_without_a_database(tmp_path: Path) -> None:
    text = (
        HEADER
        + "[ 1s ] thds: 4 eps: 1000.00 lat (ms,95%): 1.01\n"
        + SUMMARY[SUMMARY.index("Gen") :]
    )
    (trial,) = read_text(text.replace("General", "CPU speed:\n    x\n\nGeneral"), tmp_path)
    assert trial.throughput_per_s == pytest.approx(100 / 10.0123)
    assert trial.intervals[0].throughput_per_s == 1000
    assert "not_a_database" in notes_of(trial)


def test_an_idle_interval_has_no_latency(tmp_path: Path) -> None:
    line = (
        "[ 1s ] thds: 4 tps: 0.00 qps: 0.00 (r/w/o: 0.00/0.00/0.00) lat (ms,95%): 0.00 err/s: 0.00"
    )
    (trial,) = read_text(f"{HEADER}{line} reconn/s: 0.00\n{SUMMARY}", tmp_path)
    assert trial.intervals[0].throughput_per_s == 0
    assert trial.intervals[0].quantiles_ms == {}


def test_several_runs_in_a_file(tmp_path: Path) -> None:
    run = "+ sysbench oltp_read_only --tables=8 --mysql-password=s3cret --threads={0} run\n"
    text = "".join(
        run.format(threads)
        + HEADER.replace("threads: 4", f"threads: {threads}")
        + SUMMARY.replace("100    (9.99 per", f"{threads}5    ({threads}.50 per").replace(
            "sum:", ""
        )
        for threads in (1, 2, 4)
    )
    trials = read_text(text, tmp_path)
    assert [(each.clients, each.throughput_per_s) for each in trials] == [
        (1, 1.5),
        (2, 2.5),
        (4, 4.5),
    ]
    assert {each.options["script"] for each in trials} == {"oltp_read_only"}
    assert {each.options["tables"] for each in trials} == {"8"}
    assert "s3cret" not in str(trials)


def test_runs_without_headers_are_told_apart(tmp_path: Path) -> None:
    body = HEADER.partition("\n")[2] + SUMMARY
    assert len(read_text(body + body, tmp_path)) == 2


def test_prepare_is_no_run(tmp_path: Path) -> None:
    prepare = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nCreating table 'sbtest1'...\n"
    assert len(read_text(prepare + HEADER + SUMMARY, tmp_path)) == 1
    with pytest.raises(InputError, match="no run that measured something"):
        read_text(prepare, tmp_path)


def test_a_run_that_was_cut(tmp_path: Path) -> None:
    lines = (DATA / "sysbench-1.0.20-read_write.log").read_text().splitlines()[:14]
    (trial,) = read_text("\n".join(lines), tmp_path)
    assert (trial.failure, trial.times, trial.failed) == (None, None, None)
    assert trial.measured_s == 2
    assert trial.throughput_per_s == pytest.approx((977.80 + 1587.56) / 2)
    assert notes_of(trial) == {"truncated": {"until_s": 2.0}}


def test_forced_shutdown(tmp_path: Path) -> None:
    text = HEADER + "Number of unfinished transactions on forced shutdown: 3\n" + SUMMARY
    (trial,) = read_text(text, tmp_path)
    assert notes_of(trial) == {"forced_shutdown": {"unfinished": 3}}


def test_intervals_that_run_backwards_are_left_out(tmp_path: Path) -> None:
    line = "[ {0}s ] thds: 4 tps: 5.00 qps: 9.00 (r/w/o: 1.00/2.00/3.00) lat (ms,95%): 7.00\n"
    text = HEADER + "".join(line.format(end) for end in (1, 2, 2, 1, 3)) + SUMMARY
    (trial,) = read_text(text, tmp_path)
    assert [each.start_s for each in trial.intervals] == [0, 1, 2]
    assert notes_of(trial) == {"intervals_left_out": {"intervals": 2}}


@pytest.mark.parametrize("number", ["nan", "inf", "1e999", "-5", "1e300", "9" * 400, "x"])
def test_hostile_numbers_are_absent(number: str, tmp_path: Path) -> None:
    text = HEADER + SUMMARY.replace("9.99 per sec", f"{number} per sec").replace("14.21", number)
    (trial,) = read_text(text, tmp_path)
    assert trial.throughput_per_s == pytest.approx(100 / 10.0123)
    assert trial.times is not None
    assert trial.times.quantiles_ms == {}


TEXT = HEADER + SUMMARY
STAMPED = "".join(f"[2026-01-01 10:00:00] {line}\n" for line in TEXT.splitlines())
ENCODINGS = {
    "utf-16": TEXT.encode("utf-16"),
    "utf-8 with a mark": TEXT.encode("utf-8-sig"),
    "latin-1": ("Durée\n" + TEXT).encode("latin-1"),
    "carriage returns": TEXT.replace("\n", "\r\n").encode(),
    "colours": TEXT.replace("SQL statistics:", "\x1b[1;32mSQL statistics:\x1b[0m").encode(),
    "zero bytes": TEXT.replace("\n", "\0\n").encode(),
    "gzip": gzip.compress(TEXT.encode()),
    "ts": STAMPED.encode(),
    "ts of its own accord": STAMPED.replace("[2026-01-01 10:00:00]", "Jan  1 10:00:00").encode(),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_how_logs_come(name: str, tmp_path: Path) -> None:
    (trial,) = read_text(ENCODINGS[name], tmp_path)
    assert (trial.throughput_per_s, trial.clients) == (9.99, 4)
    assert trial.times is not None
    assert trial.times.quantiles_ms == {0.99: 14.21}


def test_files_beyond_the_limits_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_module, "LINES_MAX", 10)
    with pytest.raises(InputError, match="a log may have 10"):
        read_text(TEXT, tmp_path)
    monkeypatch.setattr(log_module, "TEXT_MAX_BYTES", 100)
    with pytest.raises(InputError, match="a log may have 100"):
        read_text(TEXT, tmp_path)
    monkeypatch.setattr(log_module, "FILE_MAX_BYTES", 50)
    with pytest.raises(InputError, match="larger than 50 bytes"):
        read_text(TEXT, tmp_path)
    with pytest.raises(InputError, match="larger than 50 bytes"):
        read_text(gzip.compress(TEXT.encode()), tmp_path)


def test_a_sparse_file_of_two_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.log"
    with path.open("wb") as file:
        file.truncate(2 << 30)
    with pytest.raises(InputError, match="which is the limit"):
        read_logs([path])


def test_a_large_log_in_a_directory_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "large.log").write_text(TEXT)
    (tmp_path / "other.bin").write_bytes(b"x" * 2000)
    (tmp_path / "small.csv").write_text("innodb,mixed,0.100,0.098,0.103,50,4\n")
    monkeypatch.setattr(log_module, "FILE_MAX_BYTES", 100)
    with pytest.raises(InputError, match=r"large.log is larger than 100 bytes"):
        read_logs([tmp_path])
    (tmp_path / "large.log").unlink()
    assert len(read_logs([tmp_path])) == 1


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is no regular file"):
        read_logs([tmp_path / "pipe"])


HOSTILE_LINES = (
    "jTPCC main, " * 1300,
    "Vuser 1: System achieved " * 700,
    "Beginning rampup time of " * 700,
    "mysql_" * 2700,
    "a_" * 8000 + "pass",
    "password" * 2000,
    "a:" * 8000 + "@",
    "mysql -u " * 1800,
    "| a " * 4000,
    "9" * 16_000,
    " " * 16_000,
    "[ 1s ] thds: " * 1200,
    "\x1b[" + "0;" * 8000,
    '[{"a":' * 2700,
    "sysbench 'x " * 1300,
)


@pytest.mark.parametrize("line", HOSTILE_LINES, ids=lambda line: line[:10])
def test_no_line_takes_long(line: str, tmp_path: Path) -> None:
    began = time.process_time()
    (trial,) = read_text(HEADER + (line + "\n") * 20 + SUMMARY, tmp_path)
    redacted((line + "\n") * 20)
    assert trial.throughput_per_s == 9.99
    assert time.process_time() - began < 2


def test_a_line_beyond_the_limit_is_cut(tmp_path: Path) -> None:
    (trial,) = read_text(HEADER + "x" * 100_000 + "\n" + SUMMARY, tmp_path)
    assert notes_of(trial) == {"cut_lines": {"lines": 1, "limit_bytes": 16384}}
    assert trial.throughput_per_s == 9.99


def test_what_nobody_has_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not recognised. Looked for:\n  sysbench:"):
        read_text("hello\n", tmp_path)
    with pytest.raises(InputError, match="is not recognised"):
        read_text("", tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        read_logs([tmp_path / "nothing"])
    with pytest.raises(InputError, match="packed by gzip and damaged"):
        read_text(gzip.compress(b"x" * 1000)[:20], tmp_path)


def test_an_interval_behind_a_message_that_has_not_ended_its_line(tmp_path: Path) -> None:
    line = "[ {0}s ] thds: 4 tps: {1}.00 qps: 9.00 (r/w/o: 1.00/2.00/3.00) lat (ms,95%): 7.00"
    text = HEADER + "FATAL: `thread_run' function failed: ./x.lua:721: expected, got nil"
    (trial,) = read_text(text + line.format(1, 60) + "\n" + line.format(2, 40) + "\n", tmp_path)
    assert trial.failure == "`thread_run' function failed: ./x.lua:721: expected, got nil"
    (behind,) = read_text(HEADER + line.format(1, 60) + "FATAL: lost connection\n", tmp_path)
    assert behind.failure == "lost connection"
    assert [each.throughput_per_s for each in behind.intervals] == [60]
    assert [each.throughput_per_s for each in trial.intervals] == [60, 40]
