"""What is printed has go-tpc's form: the same reader reads its own output and ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.peers.go_tpc import form
from dbdyno.peers.go_tpc.address import read_connection
from dbdyno.peers.go_tpc.arguments import read_arguments
from dbdyno.peers.go_tpc.check import violation
from dbdyno.peers.go_tpc.request import RunRequest, read_run
from dbdyno.peers.go_tpc.run import Speaker
from dbdyno.peers.go_tpc.tables import LoadLines
from dbdyno.peers.tpcc.load import Loading
from dbdyno.tpcc.check import ConditionResult
from tests.go_tpc_output import read_run as read_output
from tests.unit.tpcc_command.events import CONNECTED, counted, histogram, interval, outcome

PEERS = Path(__file__).parents[2] / "data" / "peers"
FORMS = ("plain", "table", "json")
FAILED = counted(450) | {"failed": 9, "failed_response": histogram(9, 30.0)}


def asked(*words: str) -> RunRequest:
    arguments = read_arguments(["tpcc", "run", "--time=4s", *words])
    return read_run(arguments, read_connection(arguments))


def said_of(output: str, *words: str) -> str:
    """Return what a run prints of four seconds, in the third of which New-Orders fail."""
    said: list[str] = []
    run = asked("--interval", "2s", "--output", output, *words)
    speaker = Speaker(run, said.append)
    speaker.connected(CONNECTED)
    seconds = [interval(at, new_order=FAILED if at == 2 else counted(450)) for at in range(4)]
    for second in seconds:
        speaker.interval(second)
    speaker.ended(outcome(*seconds, asked=run.request))
    return "".join(said)


@pytest.mark.parametrize("output", FORMS)
def test_go_tpcs_own_output_is_read(output: str) -> None:
    found = read_output((PEERS / f"go-tpc-{output}.txt").read_text(), output)
    assert len(found.intervals) in {3, 4}
    assert set(found.intervals[0]) == set(ROWS) - {"NEW_ORDER_ERR"}
    assert float(found.summary["NEW_ORDER"]["TPM"]) == pytest.approx(
        found.throughput["tpmC"], abs=10
    )


ROWS = ("DELIVERY", "NEW_ORDER", "NEW_ORDER_ERR", "ORDER_STATUS", "PAYMENT", "STOCK_LEVEL")


@pytest.mark.parametrize("output", FORMS)
def test_ours_is_read_by_the_same_reader_and_its_figures_are_right(output: str) -> None:
    found = read_output(said_of(output), output)
    without_errors = tuple(row for row in ROWS if "_ERR" not in row)
    assert [tuple(rows) for rows in found.intervals] == [without_errors, ROWS]
    row = found.intervals[0]["NEW_ORDER"]
    assert (row["Takes(s)"], row["Count"], row["TPM"]) == ("2.0", "900", "27000.0")
    for column in ("Avg(ms)", "50th(ms)", "99.9th(ms)", "Max(ms)"):
        assert float(row[column]) == pytest.approx(4.0, abs=0.1)
    assert float(row["Sum(ms)"]) == pytest.approx(3600, rel=0.01)
    error = found.intervals[1]["NEW_ORDER_ERR"]
    assert (error["Count"], error["TPM"]) == ("9", "270.0")
    assert float(error["Avg(ms)"]) == pytest.approx(30.0, rel=0.01)
    # What failed is in no other row.
    assert found.summary["NEW_ORDER"]["Count"] == "1800"
    assert found.summary["NEW_ORDER_ERR"]["Takes(s)"] == "4.0"
    assert found.throughput == {
        "tpmC": 27000.0,
        "tpmTotal": 60000.0,
        "efficiency": pytest.approx(100 * 27000 / 12.86, abs=0.1),
    }
    assert found.waits == []


@pytest.mark.parametrize("output", FORMS)
def test_keying_times_are_told_with_waits(output: str) -> None:
    found = read_output(said_of(output, "--wait"), output)
    assert found.waits[:2] == [
        ("[Current] ", "KEYINGTIME-DELIVERY", 2.0),
        ("[Current] ", "KEYINGTIME-NEW_ORDER", 18.0),
    ]
    assert len(found.waits) == 15
    assert "[Summary] KEYINGTIME-PAYMENT - 3.0s\n" in said_of("plain", "--wait")


def test_kinds_that_there_were_none_of_have_no_row() -> None:
    said: list[str] = []
    speaker = Speaker(asked("--interval=1s"), said.append)
    nothing = counted(0)
    second = interval(0, new_order=nothing, order_status=nothing, delivery=nothing)
    speaker.interval(second)
    speaker.ended(outcome(second, asked=asked().request))
    assert {line.split(" - ")[0].split()[-1] for line in "".join(said).splitlines()} == {
        "PAYMENT",
        "STOCK_LEVEL",
        "Finished",
    }


def test_what_ends_in_the_drain_is_in_no_line() -> None:
    said: list[str] = []
    speaker = Speaker(asked("--interval=1s"), said.append)
    speaker.interval(interval(4, "drain"))
    assert said == []


def test_a_table_without_rows_is_not_there() -> None:
    for output in FORMS:
        assert form.render(output, ("Prefix",), [], "") == ""


def test_lines_of_a_load_come_with_its_rows() -> None:
    said: list[str] = []
    lines = LoadLines(2, said.append)
    lines.tell(Loading(rows=10, rows_total=1000, elapsed_s=0.3))
    begun = "".join(said)
    assert begun.startswith("creating table warehouse\ncreating table district\n")
    assert "creating table item\nload to item\nload to warehouse in warehouse 1\n" in begun
    assert begun.endswith("load to order_line in warehouse 1 district 10\n")
    lines.tell(Loading(rows=700, rows_total=1000, elapsed_s=0.6))
    lines.finish()
    whole = "".join(said)
    assert whole.count("creating table ") == 9
    assert whole.count("load to stock in warehouse 2\n") == 1
    assert whole.count("\n") == 9 + 1 + 2 * (3 + 50)


def test_a_load_that_is_gone_on_with_makes_no_tables() -> None:
    said: list[str] = []
    lines = LoadLines(4, said.append)
    lines.tell(Loading(rows=500, rows_total=1000, elapsed_s=0.0))
    lines.finish()
    whole = "".join(said)
    assert "creating table" not in whole
    assert whole.startswith("load to warehouse in warehouse 3\n")
    assert "load to warehouse in warehouse 4\n" in whole


def test_violated_conditions_are_named() -> None:
    results = [ConditionResult(number, "title", 1, ("w_id",), (("1",),), 0.1) for number in (5, 12)]
    assert str(violation(results)).startswith("violated: 3.3.2.5, 3.3.2.12; ")
