"""Tables of several sorts in which all that is claimed follows from the figures."""

from __future__ import annotations

from tests.unit.audit.tables import Sheet

ROUND_VALUES = {
    ("MySQL 8.0", "32"): (41012.4, 40551.9, 41530.7, 40877.2, 41201.5, 40690.3),
    ("MySQL 8.0", "64"): (52110.8, 51644.1, 52480.6, 51902.3, 52333.9, 51515.7),
    ("MariaDB 11", "32"): (48990.2, 49415.6, 48622.7, 49101.8, 49330.4, 48755.1),
    ("MariaDB 11", "64"): (60122.3, 61033.8, 59871.5, 60544.9, 60780.6, 60215.2),
}


def mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)


def improvement_percent(terminals: str) -> float:
    old, new = (ROUND_VALUES[system, terminals] for system in ("MySQL 8.0", "MariaDB 11"))
    return 100 * (mean(new) / mean(old) - 1)


ROUNDS_CLAIMS = Sheet(
    name="results-claims",
    headings=("quantity", "terminals", "value"),
    rows=(
        *(
            (subject, terminals, f"{mean(values):.2f}")
            for (subject, terminals), values in ROUND_VALUES.items()
        ),
        *(
            (
                "claimed improvement percent",
                terminals,
                f"{improvement_percent(terminals):.2f}",
            )
            for terminals in ("32", "64")
        ),
    ),
)
"""Means of all rounds, and the improvement that follows."""

ROUNDS = Sheet(
    headings=("system", "terminals", "round", "nopm"),
    rows=tuple(
        (subject, terminals, str(number), f"{value:.1f}")
        for (subject, terminals), values in ROUND_VALUES.items()
        for number, value in enumerate(values, 1)
    ),
    others=(ROUNDS_CLAIMS,),
)

MEAN_ROWS = Sheet(
    headings=("DB", "Round", "TPS (K)", "p95 (ms)"),
    rows=(
        *(
            ("PostgreSQL 17", str(n), v, p)
            for n, v, p in [
                (1, "12.41", "8.1"),
                (2, "12.87", "7.9"),
                (3, "12.11", "8.4"),
                (4, "12.66", "8.0"),
            ]
        ),
        ("PostgreSQL 17", "avg", "12.51", "8.1"),
        *(
            ("PostgreSQL 18", str(n), v, p)
            for n, v, p in [
                (1, "15.02", "6.6"),
                (2, "15.37", "6.4"),
                (3, "14.81", "6.8"),
                (4, "15.24", "6.5"),
            ]
        ),
        ("PostgreSQL 18", "avg", "15.11", "6.6"),
    ),
)

WIDE = Sheet(
    headings=("Threads", "MySQL TPS", "Percona TPS", "Improvement (%)"),
    rows=(
        ("8", "1,204.50", "1,391.20", "15.50"),
        ("16", "2,310.75", "2,702.10", "16.94"),
        ("32", "4,021.30", "4,890.66", "21.62"),
        ("64", "5,544.12", "7,011.90", "26.47"),
    ),
)

SINGLE_RUNS = Sheet(
    headings=("system", "workload", "threads", "tps", "avg_ms", "p95_ms", "p99_ms"),
    rows=tuple(
        (
            system,
            workload,
            threads,
            f"{tps * scale:.1f}",
            f"{avg / scale:.2f}",
            f"{2.1 * avg / scale:.2f}",
            f"{3.3 * avg / scale:.2f}",
        )
        for system, scale in (("TiDB v7", 1.0), ("TiDB v8", 1.31))
        for workload in ("point_select", "read_write")
        for threads, tps, avg in (("16", 1510.0, 10.6), ("32", 2790.0, 11.5), ("64", 4433.0, 14.4))
    ),
)
"""Nothing is claimed of it."""

TOTALS = Sheet(
    headings=("case", "data_nodes", "generator", "tpm_total"),
    rows=(
        ("A", "4", "loader 1", "10210.5"),
        ("A", "4", "loader 2", "9980.2"),
        ("A", "4", "total", "20190.7"),
        ("B", "8", "loader 1", "17310.1"),
        ("B", "8", "loader 2", "17102.6"),
        ("B", "8", "total", "34412.7"),
        ("C", "8", "", "18911.4"),
        ("D", "4", "", "11021.9"),
    ),
)

GERMAN = Sheet(
    headings=("Datenbank", "Verbindungen", "Durchsatz (1/s)", "Antwortzeit p95 (ms)"),
    rows=(
        ("MySQL", "16", "1.204,5", "12,31"),
        ("MySQL", "32", "2.310,7", "14,02"),
        ("MySQL", "64", "3.998,1", "17,55"),
        ("MariaDB", "16", "1.391,2", "11,04"),
        ("MariaDB", "32", "2.702,1", "12,66"),
        ("MariaDB", "64", "4.411,9", "15,91"),
    ),
)

CHINESE = Sheet(
    headings=("数据库", "并发数", "轮次", "吞吐量", "平均延迟(ms)"),
    rows=(
        ("甲", "32", "1", "1.21万", "2.61"),
        ("甲", "32", "2", "1.24万", "2.57"),
        ("甲", "32", "3", "1.19万", "2.66"),
        ("甲", "32", "平均值", "1.21万", "2.61"),
        ("乙", "32", "1", "1.52万", "2.10"),
        ("乙", "32", "2", "1.49万", "2.14"),
        ("乙", "32", "3", "1.55万", "2.06"),
        ("乙", "32", "平均值", "1.52万", "2.10"),
    ),
)

NOTES = Sheet(
    headings=("System", "Clients", "TPS", "Success rate (%)"),
    rows=(
        ("A", "10", "1 001.5", "100"),
        ("A", "20", "1 910.0", "99.8"),
        ("A", "40", "N/A", "N/A"),
        ("B", "10", "1 203.1", "100"),
        ("B", "20", "2 240.7", "100"),
        ("B", "40", "3 870.2", "99.9"),
        ("Note: A was not run with 40 clients.", "", "", ""),
    ),
)

ROUND_COLUMNS = Sheet(
    headings=("system", "Round 1", "Round 2", "Round 3", "Round 4", "Mean"),
    rows=(
        ("Server A", "10021.15", "10310.40", "9944.85", "10187.30", "10115.93"),
        ("Server B", "12011.05", "12299.70", "11870.45", "12140.20", "12080.35"),
    ),
)

AGGREGATE = Sheet(
    headings=("Threads", "v1 TPS", "v2 TPS", "Improvement (%)"),
    rows=(
        ("8", "1000.0", "1100.0", "10.00"),
        ("16", "2000.0", "2600.0", "30.00"),
        ("32", "3000.0", "4500.0", "50.00"),
        ("geometric mean", "", "", "28.97"),
    ),
)
