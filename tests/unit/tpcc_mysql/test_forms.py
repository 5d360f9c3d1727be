"""What is printed has tpcc_start's form: the same reader reads its own output and ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.peers.tpcc_mysql import text
from dbdyno.peers.tpcc_mysql.arguments import read_arguments
from dbdyno.peers.tpcc_mysql.command import Speaker
from dbdyno.peers.tpcc_mysql.request import read_start
from tests.tpcc_output import read_start as read_output
from tests.unit.tpcc_command.events import CONNECTED, counted, interval, outcome

REAL = Path(__file__).parents[2] / "data" / "peers" / "tpcc-mysql.txt"


def said_of(*words: str, slow_ms: float = 4.0) -> str:
    """Return what a call prints of a warm-up second and of four others."""
    arguments = read_arguments("start", ["-h", "db", "-psecret", *words])
    start = read_start(arguments)
    said = [text.banner("start"), text.options(arguments), text.parameters(arguments)]
    speaker = Speaker(start, said.append)
    speaker.connected(CONNECTED)
    speaker.warming(interval(-1, "warmup"))
    seconds = [interval(second, new_order=counted(450, slow_ms)) for second in range(4)]
    for second in seconds:
        speaker.interval(second)
    speaker.ended(outcome(*seconds))
    return "".join(said)


def test_tpcc_starts_own_output_is_read() -> None:
    output = read_output(REAL.read_text())
    assert output.tpmc == 24200.0
    assert output.raw[0] == (0, 320, 4520, 0, 0)
    assert len(output.intervals) == 4
    assert output.passed[0] == ("6.61", "[NG] *")


def test_ours_is_read_by_the_same_reader_and_its_figures_are_right() -> None:
    output = read_output(said_of("-c", "4", "-r", "1", "-l", "5", "-i", "2"))
    assert output.password == "***"
    assert [row[:2] for row in output.intervals] == [("2", "900"), ("4", "900")]
    assert float(output.intervals[0][2]) == pytest.approx(4.0, rel=0.01)
    assert [row[1] for row in output.raw] == [1800, 1720, 160, 160, 160]
    assert output.mean_ms[0] == pytest.approx(4.0, rel=0.02)
    assert (output.seconds, output.tpmc) == (4, 27000.0)
    assert output.shares[0] == ("43.00", "[OK]")
    assert output.limits == [5, 5, 5, 80, 20]


def test_limits_are_seconds() -> None:
    in_time = read_output(said_of("-r", "1", "-l", "4", "-i", "1", slow_ms=4900.0))
    assert in_time.raw[0][1:3] == (1800, 0)
    late = read_output(said_of("-r", "1", "-l", "4", "-i", "1", slow_ms=5100.0))
    assert late.raw[0][1:3] == (0, 1800)
    assert late.passed[0] == ("0.00", "[NG] *")
    # Late ones count, as there.
    assert late.tpmc == 27000.0


def test_the_password_is_nowhere() -> None:
    assert "secret" not in said_of()
