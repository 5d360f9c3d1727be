"""What is printed has sysbench's form: the same reader reads sysbench's own output and ours.

The files in ``tests/data/sysbench`` are what sysbench 1.0.20 printed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno._native import Histogram
from dbdyno.peers.sysbench import text
from dbdyno.peers.sysbench.arguments import read_arguments
from dbdyno.peers.sysbench.request import Request, read_request
from dbdyno.peers.sysbench.totals import Totals
from tests.sysbench_output import Output, read_output

FILES = sorted((Path(__file__).parents[2] / "data" / "sysbench").glob("*.txt"))


def request(*options: str) -> Request:
    words = ["oltp_read_write", "run", "--mysql-host=db", "--threads=4", *options]
    return read_request(read_arguments(words))


def as_totals(output: Output) -> Totals:
    """Return what sysbench's last report says, as far as it says it."""
    fields = output.reports[-1]
    counts = output.statistics()
    return Totals(
        elapsed_s=counts["transactions"] / float(fields["transactions"][1]),
        transactions=counts["transactions"],
        read=counts["read"],
        write=counts["write"],
        other=counts["other"],
        ignored_errors=counts["ignored errors"],
        client_transactions=[counts["transactions"]],
        client_busy_s=[float(fields["sum"][0]) / 1e3],
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_statistics_are_sysbenchs_byte_for_byte(file: Path) -> None:
    theirs = file.read_text()
    output = read_output(theirs)
    total_time_s = float(output.reports[-1]["total time"][0])
    ours = text.summary(as_totals(output), total_time_s, request().shown)
    end = "Latency (ms):"
    begin = theirs.rindex("SQL statistics:")
    wanted = theirs[begin : theirs.index(end, begin)]
    # A rate that sysbench made of a time which it does not print may round another way.
    assert len(ours[: ours.index(end)]) == len(wanted)
    for one, other in zip(ours.splitlines(), wanted.splitlines(), strict=False):
        assert one.partition("(")[0] == other.partition("(")[0]


def test_a_whole_output_is_read_by_the_reader_of_sysbenchs() -> None:
    totals = Totals(
        elapsed_s=2.0,
        transactions=9,
        read=126,
        write=36,
        other=18,
        client_transactions=[2, 2, 2, 3],
        client_busy_s=[0.5, 0.5, 0.5, 0.75],
        live_clients=4,
        waiting=2,
        running=1,
    )
    for value_ns in (1_000_000, 2_000_000, 123_456_789_000):
        totals.times.done.record(value_ns, 3)
    asked = request("--rate=5", "--report-interval=1", "--report-checkpoints=1,2", "--rand-seed=7")
    ours = (
        text.header(asked)
        + "Threads started!\n\n"
        + text.interval(1.0, totals, asked)
        + "\n[ 1s ] Checkpoint report:\n"
        + text.histogram(totals.times.done)
        + text.summary(totals, 2.0, asked.shown)
    )
    output = read_output(ours)
    assert output.intervals == [
        ("1", "4", "4.50", "90.00", "63.00", "18.00", "9.00", "95", "123480.31", "0.00", "0.00")
    ]
    assert output.queues == [("1", "2", "1")]
    assert output.checkpoints == ["1"]
    fields = output.reports[0]
    assert fields["transactions"] == ("9", "4.50")
    assert (fields["min"], fields["avg"], fields["sum"]) == (("1.00",), ("250.00",), ("2250.00",))
    assert fields["events"] == ("2.2500", "0.43")
    assert fields["execution time"] == ("0.5625", "0.11")


def test_the_reader_refuses_what_sysbench_would_not_print() -> None:
    good = FILES[0].read_text()
    for right, wrong in (
        ("        read: ", "        read:"),
        (" per sec.)", " per second)"),
        ("Latency (ms)", "Response times (ms)"),
        ("min:  ", "min: "),
    ):
        with pytest.raises((ValueError, StopIteration)):
            read_output(good.replace(right, wrong))


def test_a_histogram_has_sysbenchs_buckets() -> None:
    (file,) = (file for file in FILES if file.stem == "histogram")
    buckets = read_output(file.read_text()).buckets
    response = Histogram()
    for value_ms, _, count in buckets:
        response.record(round(float(value_ms) * 1e6), int(count))
    theirs = file.read_text()
    begin = theirs.index("Latency histogram")
    assert text.histogram(response) == theirs[begin : theirs.index("SQL statistics")]


def test_percentiles_on_request_stand_beside_sysbenchs() -> None:
    totals = Totals(transactions=1)
    totals.times.done.record(5_000_000)
    shown = request("--percentile=0", "--percentiles=50,99.9").shown
    lines = text.summary(totals, 1.0, shown).splitlines()
    assert "         percentile stats:               disabled" in lines
    found = [line for line in lines if "th percentile" in line]
    assert [line.split() for line in found] == [
        ["50th", "percentile:", "5.00"],
        ["99.9th", "percentile:", "5.00"],
    ]
    assert {len(line) for line in found} == {53}
