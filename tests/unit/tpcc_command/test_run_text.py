"""What ``dbdyno tpcc run`` prints of what was measured."""

from __future__ import annotations

import json
import re

import pytest

from dbdyno.peers.tpcc import text
from dbdyno.peers.tpcc.command import Speaker
from dbdyno.peers.tpcc.document import document
from dbdyno.peers.tpcc.kinds import count_finished
from tests.unit.tpcc_command.events import counted, interval, outcome, request


def test_counts_rates_and_percentiles_stand_in_the_table() -> None:
    rolled_back = counted(450, 12.0, rolled_back=5)
    said = text.closing(outcome(interval(0), interval(1, new_order=rolled_back)))
    row = next(line for line in said.splitlines() if line.startswith("New-Order"))
    words = row.split()
    assert words[1:5] == ["900", "45.00", "%", "27,000"]
    # Half of them took 4 ms, and half 12.
    assert [float(word) for word in words[5:9]] == pytest.approx([4, 12, 12, 12], rel=0.01)
    assert "27,000.0 NOPM (the unpaced figure that BenchmarkSQL and tpcc-mysql call tpmC)" in said
    assert "26,850.0 were committed" in said
    assert "Not a TPC result." in said


def test_what_the_specification_requires_stands_beside_what_was_seen() -> None:
    said = text.closing(outcome())
    assert re.search(r"New-Orders rolled back +1\.00 % +0\.9 to 1\.1 % +too few to tell", said)
    assert re.search(r"Payment in the mix +43\.00 % +at least 43 % +inside", said)
    assert re.search(r"C_LAST, from load to run +90 +65 to 119 +inside", said)
    # A response time within its limit is no news.
    assert "p90" not in said.partition("requirements")[2]
    slow = text.closing(outcome(interval(0, payment=counted(430, 6000.0))))
    assert re.search(r"p90 of Payment +6\.\d+ s +at most 5 s +outside", slow)


def test_the_cost_of_a_new_order_is_told() -> None:
    said = text.closing(outcome())
    assert "31.1 statements in 14.0 round trips, and 400 µs of CPU of the generator" in said


def test_errors_are_told_with_a_sample() -> None:
    deadlock = {"class": "deadlock", "code": 1213, "count": 3, "sample": "Deadlock found"}
    said = text.closing(outcome(interval(0, errors=[deadlock]), interval(1, errors=[deadlock])))
    assert "  6 × deadlock (1213): Deadlock found\n" in said
    assert "Errors" not in text.closing(outcome())


def test_only_with_waits_it_is_tpmc() -> None:
    asked = request(written={"pacing": "spec"})
    said = text.closing(outcome(asked=asked))
    assert "27,000.0 tpmC (with keying and think times), 13500.00 a warehouse" in said
    assert "tpmC per warehouse" in said


def test_what_ends_in_the_drain_counts_only_where_transactions_are_counted() -> None:
    events = (interval(0), interval(1, "drain"))
    assert count_finished(outcome(*events).totals) == 1000
    limited = outcome(*events, asked=request(transactions=2000))
    assert count_finished(limited.totals) == 2000
    assert limited.totals.elapsed_s == 2.0


def test_lines_come_at_the_interval_and_never_over_the_end_of_the_warmup() -> None:
    said: list[str] = []
    speaker = Speaker(request(warmup_s=3.0), said.append, 2.0)
    for second in (-3, -2, -1):
        speaker.warming(interval(second, "warmup"))
    for second in range(4):
        speaker.interval(interval(second))
    whens = [re.match(r"\[ *(\S+)", line)[1] for line in said]  # type: ignore[index]
    assert whens == ["warm-up]", "warm-up]", "2", "4"]
    assert all("1,000 transactions/s" in line for line in said)


def test_the_document_has_the_same_figures_and_no_password() -> None:
    found = document(outcome())
    assert found["new_orders_per_minute"] == 27000.0
    assert found["kinds"]["payment"]["committed"] == 860
    assert found["kinds"]["payment"]["response_ms"]["percentiles"]["99.9"] == pytest.approx(
        4.0, rel=0.01
    )
    assert "secret" not in json.dumps(found)
