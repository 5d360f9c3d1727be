"""data/result.csv is in order, however large the log and however small the sorted pieces."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from dbdyno.peers.benchmarksql.single import HEADER, write_single
from dbdyno.peers.call.merging import merge_lines

LOG_HEADER = "client,transaction,scheduled_s,start_s,end_s,handled_s,ending,phase,retries,note\n"


def write_log(path: Path, ends_us: list[int]) -> None:
    lines = (
        f"{number},payment,0.0,0.0,0.0,{end / 1e6:.6f},committed,drain,0,\n"
        for number, end in enumerate(ends_us)
    )
    path.write_text(LOG_HEADER + "".join(lines))


@pytest.mark.parametrize("chunk_bytes", [1, 500, 1 << 20])
def test_rows_are_in_order_whatever_the_size_of_a_chunk(tmp_path: Path, chunk_bytes: int) -> None:
    ends_us = [random.Random(1).randrange(10**9) for _ in range(150)] + [-7_000_000, 0]
    write_log(tmp_path / "log", ends_us)
    result = tmp_path / "result.csv"
    write_single(tmp_path / "log", result, 4, ["drain"], chunk_bytes)
    head, *rows = result.read_text().splitlines()
    assert f"{head}\n".encode() == HEADER
    assert [int(row.split(",")[1]) for row in rows] == [
        round(end / 1000) for end in sorted(ends_us)
    ]
    assert {row.split(",")[0] for row in rows} == {"4"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "result.csv"]


def test_an_empty_log_leaves_the_header(tmp_path: Path) -> None:
    write_log(tmp_path / "log", [])
    write_single(tmp_path / "log", tmp_path / "result.csv", 1, ["window"])
    assert (tmp_path / "result.csv").read_bytes() == HEADER


@pytest.mark.parametrize("open_files_max", [2, 3, 100])
def test_more_files_than_may_be_open_are_merged_in_passes(
    tmp_path: Path, open_files_max: int
) -> None:
    numbers = random.Random(2).sample(range(10_000, 100_000), 500)
    files = []
    for first in range(0, 500, 25):
        files.append(tmp_path / f"{first}")
        part = sorted(numbers[first : first + 25])
        files[-1].write_text("".join(f"{number}\n" for number in part))
    merged = [int(line) for line in merge_lines(files, tmp_path, open_files_max)]
    assert merged == sorted(numbers)
