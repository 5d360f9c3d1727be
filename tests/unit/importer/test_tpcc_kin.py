"""TPC-C by CockroachDB's and YugabyteDB's tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno.importer.arrange import arrange
from dbdyno.trial_evidence import Counted, Times

from .logs import notes_of, read_text

TICKS = """\
_elapsed___errors__ops/sec(inst)___ops/sec(cum)__p50(ms)__p95(ms)__p99(ms)_pMax(ms)
    1.0s        0            1.0            1.0     31.5     39.8     44.0     71.3 newOrder
    1.0s        0            0.0            0.0      0.0      0.0      0.0      0.0 payment
    2.0s        0            3.0            2.0     30.4     39.8     44.0     44.0 newOrder
    2.0s        0            1.0            0.5     30.4     39.8     44.0     44.0 payment
"""
TOTAL = (
    "_elapsed___errors_____ops(total)___ops/sec(cum)__avg(ms)__p50(ms)__p95(ms)__p99(ms)_pMax(ms)__"
)
COCKROACH = f"""\
{TOTAL}total
  300.0s        2          630          2.1     31.4     31.5     39.8     44.0     71.3  newOrder

{TOTAL}total
  300.0s        2          610          2.0     15.4     12.5     19.8     24.0     51.3  payment

{TOTAL}result
  300.0s        2           1240            4.1     25.4     31.5     39.8     44.0     71.3

_elapsed_______tpmC____efc__avg(ms)__p50(ms)__p90(ms)__p95(ms)__p99(ms)_pMax(ms)
  300.0s      126.0  98.0%     31.4     31.5     39.8     39.8     44.0     71.3
"""
COMMAND = (
    "$ cockroach workload run tpcc --warehouses=10 --workers={0} --duration=5m 'postgresql://x'\n"
)


def test_cockroach(tmp_path: Path) -> None:
    (trial,) = read_text(TICKS + COCKROACH, tmp_path)
    assert (trial.throughput_per_s, trial.measured_s, trial.failed) == (2.1, 300, 2)
    assert trial.times == Times(
        quantiles_ms={0.5: 31.5, 0.95: 39.8, 0.99: 44.0}, mean_ms=31.4, max_ms=71.3, count=630
    )
    assert trial.kinds["payment"].committed == 610
    assert [each.throughput_per_s for each in trial.intervals] == [1, 3]
    assert notes_of(trial)["warehouses_from_efficiency"] == {"warehouses": 10}
    assert "terminals_think" in notes_of(trial)
    assert arrange([trial]).counted is Counted.NEW_ORDERS


def test_runs_of_cockroach_with_their_commands(tmp_path: Path) -> None:
    run = COMMAND + TICKS + COCKROACH
    one, two = read_text(run.format(100) + run.format(200), tmp_path)
    assert [(each.clients, each.options["warehouses"]) for each in (one, two)] == [
        (100, "10"),
        (200, "10"),
    ]
    assert "warehouses_from_efficiency" not in notes_of(one)


def test_cockroach_that_was_cut(tmp_path: Path) -> None:
    (trial,) = read_text(TICKS, tmp_path)
    assert (trial.throughput_per_s, trial.measured_s) == (2, 2)
    assert notes_of(trial)["truncated"] == {"until_s": 2}


@pytest.mark.parametrize("end", ["10200.5", "103079.2"])
def test_the_end_of_cockroachs_histogram(end: str, tmp_path: Path) -> None:
    text = COCKROACH.replace("44.0     71.3  newOrder", f"{end}   {end}  newOrder")
    (trial,) = read_text(text, tmp_path)
    assert trial.times == Times(quantiles_ms={0.5: 31.5, 0.95: 39.8}, count=630)
    assert notes_of(trial)["end_of_histogram"]["percentiles"] == "p99"
    (inside,) = read_text(COCKROACH.replace("71.3  newOrder", "9999.9  newOrder"), tmp_path)
    assert inside.times is not None
    assert (inside.times.max_ms, inside.times.mean_ms) == (9999.9, 31.4)


def test_cockroach_that_refutes_itself(tmp_path: Path) -> None:
    (trial,) = read_text(COCKROACH.replace("126.0", "226.0"), tmp_path)
    assert trial.throughput_per_s is None
    assert "rate_refuted" in notes_of(trial)


LINES = """\
23:52:44,383 (DBWorkload.java:880) INFO  - Rate limited reqs/s: Results(nanoSeconds=500000707198, measuredRequests=23616) = 47.23193319534262 requests/sec
23:52:44,383 (DBWorkload.java:885) INFO  - Num New Order transactions : {0}, time seconds: 500
23:52:44,383 (DBWorkload.java:886) INFO  - TPM-C: {1}
23:52:44,383 (DBWorkload.java:887) INFO  - Efficiency : 96.82%
"""  # noqa: E501 - as the tool writes it
TABLES = """\
12:01:02,003 (DBWorkload.java:1002) INFO  -
================RESULTS================
             TPM-C |            1283.11
        Efficiency |             99.78%
Throughput (req/s) |              47.53

======================LATENCIES (INCLUDE RETRY ATTEMPTS)=====================
 Transaction |  Count   | Avg. Latency | P99 Latency | Connection Acq Latency
    NewOrder |    38493 |        35.95 |       62.42 |                   0.20
     Payment |    36800 |        15.05 |       42.02 |                   0.20
        All  |    85554 |        25.00 |       60.00 |                   0.20

=========================FAILURE LATENCIES=========================
 Transaction |  Count   | Avg. Latency | P99 Latency | Connection Acq Latency
    NewOrder |       12 |       935.95 |      962.42 |                   0.20
"""


def test_lines_of_yugabytes_tool(tmp_path: Path) -> None:
    one, two = read_text(LINES.format(10376, 1245) + LINES.format(5188, 622), tmp_path)
    assert [each.throughput_per_s for each in (one, two)] == [1245 / 60, 622 / 60]
    assert one.measured_s == pytest.approx(500, abs=1e-3)
    assert one.kinds["new_order"].committed == 10376
    assert one.options == {"warehouses": "100"}
    assert {"terminals_think", "no_percentile"} <= notes_of(one).keys()
    (refuted,) = read_text(LINES.format(10376, 2245), tmp_path)
    assert refuted.throughput_per_s is None


def test_tables_of_yugabytes_tool(tmp_path: Path) -> None:
    (trial,) = read_text(TABLES, tmp_path)
    assert trial.throughput_per_s == pytest.approx(1283.11 / 60)
    assert trial.times == Times(mean_ms=35.95, quantiles_ms={0.99: 62.42}, count=38493)
    assert set(trial.kinds) == {"new_order", "payment"}
    assert trial.options == {"warehouses": "100"}
