"""The log is HdrHistogram's own format, to the letter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dbdyno._native import Histogram
from dbdyno.errors import InputError
from dbdyno.store.histogram_log import HistogramLog, LogLine, read_histogram_log
from tests.unit.store.result_builder import (
    RESPONSE,
    TrialScript,
    build_result,
    make_plan,
    trial_events,
)


def test_a_trial_leaves_a_log_with_the_window_at_zero(tmp_path: Path) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events([100, 100])

    build_result(tmp_path / "r", make_plan(rounds=1), change)
    lines = (tmp_path / "r/trials/0001/histograms.hlog").read_text().splitlines()
    assert lines[0] == "#[Histogram log format version 1.3]"
    assert re.fullmatch(r"#\[StartTime: \d{10}\.\d{3} \(seconds since epoch\), .* UTC\]", lines[1])
    assert lines[2] == (
        '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'
    )
    responses = [line for line in lines if line.startswith("Tag=oltp_read_write.response,")]
    starts = [line.split(",")[1] for line in responses]
    assert starts == ["-2.000", "-1.000", "0.000", "1.000", "2.000"]
    assert responses[0].split(",")[2:] == ["1.000", "20.005", RESPONSE]
    assert sum(line.startswith("Tag=generator.loop_lag,") for line in lines) == 5


def test_the_window_log_has_a_line_a_tag_over_the_window_and_one_over_the_drain(
    tmp_path: Path,
) -> None:
    def change(script: TrialScript) -> None:
        script.events = trial_events([100, 100, 100])

    build_result(tmp_path / "r", make_plan(rounds=1), change)
    lines = read_histogram_log(tmp_path / "r/trials/0001/window.hlog")
    response = [line for line in lines if line.tag == "oltp_read_write.response"]
    assert [(line.start_s, line.duration_s) for line in response] == [(0.0, 3.0), (3.0, 1.0)]
    assert [Histogram.decode(line.text).count for line in response] == [300, 8]
    assert len(lines) == 4 + 3


def test_lines_come_back(tmp_path: Path) -> None:
    written = [
        LogLine("a.b.response", -0.25, 0.25, 20_004_863, RESPONSE),
        LogLine("generator.loop_lag", 0.0, 1.0, 0, RESPONSE),
    ]
    with HistogramLog(tmp_path / "x.hlog", 1_700_000_000.0) as log:
        for line in written:
            log.write(line)
    read = read_histogram_log(tmp_path / "x.hlog")
    assert [(line.tag, line.start_s, line.text) for line in read] == [
        ("a.b.response", -0.25, RESPONSE),
        ("generator.loop_lag", 0.0, RESPONSE),
    ]


def test_a_damaged_line_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "x.hlog"
    path.write_text("#[Histogram log format version 1.3]\nTag=a.response,0.000,1.0\n")
    with pytest.raises(InputError, match=r"x\.hlog, line 2: expected Tag=…,start,length,max"):
        read_histogram_log(path)
