"""Kinds of faults of published tables: each a small clean page, and what is changed in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A clean page; ``right`` is replaced by ``wrong``, and ``code`` must be found.

    It may be two codes, parted by a blank.
    """

    page: str
    right: str
    wrong: str
    code: str

    @property
    def faulty(self) -> str:
        """Return the page with its fault."""
        assert self.page.count(self.right) == 1
        return self.page.replace(self.right, self.wrong)


def table(*lines: str) -> str:
    """Return a pipe table; the first line has the headings."""
    rows = [f"| {line} |" for line in lines]
    return "\n".join([rows[0], "|" + "---|" * (rows[0].count("|") - 1), *rows[1:]]) + "\n"


LITTLE = table(
    "version | tables | sysbench threads | tps | qps | latency (avg / .95)",
    "v2.0.0 | 32 | 128 * 3 | 4304.22 | 86084.4 | 87.2033 ms / 110.0 ms",
    "v2.0.0 | 32 | 256 * 3 | 4578.16 | 91563.2 | 166.673 ms / 275.6 ms",
)
A_MINUTE = table(
    "Threads | TPM | Avg latency (ms)",
    "8 | 60,000 | 8.0", "16 | 96,000 | 10.0", "32 | 150,000 | 12.8",
)  # fmt: skip
QUERIES = table(
    "Threads | QPS | Avg query latency (ms)",
    "8 | 4,000 | 2.0", "16 | 8,000 | 2.0", "32 | 10,000 | 3.2",
)  # fmt: skip
QUERIES_OF_TRANSACTIONS = table(
    "Threads | QPS | Avg latency (ms)",
    "8 | 4,000 | 40.0", "16 | 8,000 | 40.0", "32 | 10,000 | 64.0",
)  # fmt: skip
NEW_ORDERS = table(
    "Threads | TPM | NOPM | Avg latency (ms)",
    "8 | 60,000 | 27,000 | 12.0", "16 | 96,000 | 43,200 | 15.0", "32 | 150,000 | 67,500 | 19.2",
)  # fmt: skip
SCALING = table(
    "Threads | TPS | Speedup",
    "1 | 1,204 | 1.00x", "4 | 4,391 | 3.65x", "16 | 12,870 | 10.69x", "64 | 20,115 | 16.71x",
)  # fmt: skip
ENGINES = table(
    "Engine | Insert (ops/s) | vs SQLite",
    "SQLite | 21,340 | 1.0x (baseline)", "RocksDB | 148,900 | 6.98x", "LMDB | 96,120 | 4.50x",
    "BoltDB | 9,870 | 0.46x",
)  # fmt: skip
TIMES = table(
    "Query | MySQL time (s) | MariaDB time (s) | Improvement",
    "Q1 | 12.41 | 9.85 | 20.6%", "Q2 | 4.02 | 3.11 | 22.6%", "Q3 | 33.75 | 36.11 | -7.0%",
    "Q4 | 8.66 | 6.02 | 30.5%",
)  # fmt: skip
DURATIONS = table(
    "Version | Duration (s) | Speedup",
    "8.0.32 | 545.3 | 1.00", "8.0.36 | 376.1 | 1.45", "8.4.0 | 290.6 | 1.88",
)  # fmt: skip
MERGED = table(
    "tpmC | IBP = 128G | IBP = 256G",
    "GreatSQL 8.0.32-26 | 456518.08 | 451563.90", "MySQL 8.0.32 | 346493.57 | 337568.95",
    "GreatSQL 性能提升 | 31.75% | 33.77%",
)  # fmt: skip
JAPANESE = table(
    "スレッド | v6.0.0 TPS | v6.1.0 TPS | v6.0.0 95%レイテンシー (ミリ秒) | "
    "v6.1.0 95%レイテンシー (ミリ秒) | TPS の向上 (%)",
    "300 | 41778.95 | 45991.90 | 11.24 | 10.45 | 10.08",
    "600 | 52045.39 | 57099.58 | 20.74 | 20.37 | 9.71",
    "900 | 59243.35 | 64084.65 | 27.66 | 26.68 | 8.17",
)
TRADITIONAL = table(
    "類型 | MySQL TPS | TiDB TPS | 差異",
    "read_only | 1342.52 | 559.71 | **-58.3%**", "random_points | 18096.01 | 3403.69 | **-81.2%**",
    "write_only | 2625.10 | 1108.85 | **-57.8%**", "read_write | 1003.99 | 354.22 | **-64.7%**",
)  # fmt: skip
CHINESE_GAP = table(
    "并发数 | MySQL 8.0 QPS | PolarDB QPS | 性能对比 (%)",
    "64 | 31020.5 | 40120.7 | 29.34", "128 | 45110.2 | 61730.9 | 36.84",
    "256 | 50877.0 | 75031.4 | 47.48",
)  # fmt: skip
RATES = table(
    "Warehouses | Terminals | TPS | TPM | errors",
    "100 | 32 | 812.4 | 48,744 | 0", "100 | 64 | 1,377.9 | 82,674 | 0",
    "100 | 128 | 1,901.2 | 114,072 | 0",
)  # fmt: skip
LOADS = table(
    "System | Threads | TPS | avg latency (ms) | p95 (ms)",
    "MySQL | 16 | 2,310.7 | 6.91 | 9.22", "MySQL | 32 | 4,127.1 | 7.74 | 11.04",
    "MySQL | 64 | 6,377.9 | 10.02 | 15.83", "MariaDB | 16 | 2,702.1 | 5.91 | 8.13",
    "MariaDB | 32 | 4,811.9 | 6.64 | 9.91", "MariaDB | 64 | 7,203.5 | 8.87 | 13.46",
)  # fmt: skip
PERCENTILES = table(
    "Workload | Clients | TPS | p99 (ms)",
    "point_select | 64 | 31,203.1 | 4.21", "read_only | 64 | 2,127.4 | 51.02",
    "write_only | 64 | 5,377.9 | 23.83", "read_write | 64 | 1,204.6 | 88.03",
    "max | | 31,203.1 | 88.03",
)  # fmt: skip
CLIENTS = table(
    "Database | Clients | TPS | Improvement",
    "MySQL 8.0 | 64 | 6,377.9 | -", "MariaDB 11 | 64 | 8,203.5 | 28.6%",
)  # fmt: skip
SUFFIXES = table(
    "Threads | Redis (ops/s) | KeyDB (ops/s) | Gain",
    "1 | 98.2k | 112.6k | 14.7%", "4 | 310.5k | 402.7k | 29.7%", "8 | 0.51M | 0.88M | 72.5%",
)  # fmt: skip
SECONDS = table(
    "Threads | Old p99 | New p99 | Reduction",
    "8 | 0.95 s | 610 ms | 35.8%", "16 | 1.32 s | 790 ms | 40.2%", "32 | 2.40 s | 1.51 s | 37.1%",
)  # fmt: skip
KILO = table(
    "Threads | A QPS (K) | B QPS (K) | Improvement (%)",
    "8 | 112.4 | 131.9 | 17.3", "16 | 201.7 | 255.3 | 26.6", "32 | 280.2 | 398.8 | 42.3",
)  # fmt: skip
POINTS = table(
    "Build | Success rate (%) | Change (pp)",
    "1.0 | 91.4 | -", "1.1 | 95.9 | +4.5", "1.2 | 98.2 | +6.8",
)  # fmt: skip
HIT_RATES = table(
    "Pool (GiB) | MySQL hit rate (%) | Percona hit rate (%) | Difference (percentage points)",
    "8 | 81.2 | 88.9 | 7.7", "16 | 90.4 | 94.8 | 4.4", "32 | 97.1 | 98.3 | 1.2",
)  # fmt: skip
EFFICIENCY = table(
    "Nodes | TPS | Speedup | Efficiency (%)",
    "1 | 10,210 | 1.00 | 100.0", "2 | 19,380 | 1.90 | 94.9", "4 | 36,020 | 3.53 | 88.2",
    "8 | 64,950 | 6.36 | 79.5",
)  # fmt: skip
TPCC_EFFICIENCY = table(
    "Warehouses | tpmC | Efficiency",
    "1000 | 12,410.8 | 96.5%", "2000 | 24,566.1 | 95.5%", "5000 | 60,122.9 | 93.5%",
)  # fmt: skip
RELEASES = table(
    "Threads | PostgreSQL 16 TPS | PostgreSQL 17 TPS",
    "16 | 10,204.5 | 12,391.2", "64 | 21,310.7 | 27,702.1", "256 | 24,021.3 | 36,890.6",
)  # fmt: skip
BELOW = RELEASES + "\nAt 256 threads PostgreSQL 17 is 53.6 % faster than PostgreSQL 16.\n"
A_RANGE = RELEASES + "\nPostgreSQL 17 is 21.4 % to 53.6 % faster than PostgreSQL 16.\n"
BETWEEN = RELEASES + "\nPostgreSQL 17 outperforms PostgreSQL 16 by between 21 and 54 %.\n"
TWO_AMOUNTS = (
    RELEASES
    + "\nPostgreSQL 17 is 21.4 % faster than PostgreSQL 16 at 16 threads, and 53.6 % at 256.\n"
)
ABOVE = "MariaDB reaches 1.42 times the throughput of MySQL.\n\n" + table(
    "Database | TPS", "MySQL | 5,120.4", "MariaDB | 7,270.9"
)
JAPANESE_SENTENCE = JAPANESE + "\n900 スレッドで v6.1.0 は v6.0.0 より 8.17% 向上しました。\n"
CHINESE_SENTENCE = CHINESE_GAP + "\n并发数 256 时,PolarDB 比 MySQL 8.0 提升 47.48%。\n"
CHINESE_RANGE = CHINESE_GAP + "\nPolarDB 比 MySQL 8.0 提升 29.34%～47.48%。\n"
CHINESE_AMOUNTS = (
    CHINESE_GAP + "\n并发数 64 时,PolarDB 比 MySQL 8.0 提升 29.34%，并发数 256 时提升 47.48%。\n"
)
ONE_LINE = (
    "<table><tr><th>Node</th><th>TPS</th></tr><tr><td>a</td><td>1,204</td></tr><tr><td>b</td>"
    "<td>1,391</td></tr><tr><td>c</td><td>1,166</td></tr><tr><td>Total</td><td>3,761</td></tr>"
    "</table>"
)
CONFIGURATIONS = table(
    "Setting | Buffer pool | Page size | TPS | Status | Cost | 備註",
    "a | 8 GB | 4K | 1,204.5 | ok | $70 | 首輪", "b | 8 GB | 16K | 1,391.2 | ok | $71 | 重跑",
    "c | 32 GB | 4K | 2,310.7 | slow | $90 | 無", "d | 32 GB | 16K | 2,702.1 | ok | $95 | 有",
)  # fmt: skip
BASELINE = table(
    "Configuration | QPS | Relative to baseline",
    "binlog on (baseline) | 14,021 | 100%", "binlog off | 18,890 | 134.7%",
    "doublewrite off | 16,544 | 118.0%",
)  # fmt: skip
PREVIOUS = table(
    "Release | NOPM | vs previous release",
    "10.6 | 310,204 | -", "10.11 | 341,391 | +10.1%", "11.4 | 402,870 | +18.0%",
    "11.8 | 371,022 | -7.9%",
)  # fmt: skip
FACTORS = table(
    "Operation | Before | After | Speedup",
    "INSERT 100K | 850ms | 250ms | 3.4x", "UPDATE 50K | 620ms | 140ms | 4.4x",
    "DELETE 20K | 480ms | 110ms | 4.4x",
)  # fmt: skip
METRICS = table(
    "指标 | 参考 | 复测",
    "Total txns | 97,276,000 | 97,276,000", "Elapsed ms | 3,255,366 | 2,184,169",
    "TPS | 29,881.74 | 44,536.85", "TPS improvement | — | +49.04%",
)  # fmt: skip
SPEARS = table(
    "LB | lvs | < | list | <", "^ | tpm | tps | tpm | tps", "1 | 3048 | 50.8 | 4491 | 74.9",
    "8 | 23202 | 386.7 | 33506 | 558.4",
)  # fmt: skip
ABSOLUTE = table(
    "Threads | Before TPS | After TPS | Diff | Diff (%)",
    "8 | 1,204 | 1,391 | 187 | 15.5%", "16 | 2,310 | 2,702 | 392 | 17.0%",
    "32 | 4,021 | 4,890 | 869 | 21.6%",
)  # fmt: skip
AVERAGE = SCALING.replace("Speedup", "CPU (%)").replace("x |", " |")

KINDS: dict[str, Kind] = {
    "clients that cannot have been that many": Kind(
        LITTLE, "4304.22 | 86084.4", "5404.22 | 108084.4", "impossible"
    ),
    "a rate a minute of clients that cannot have been that many": Kind(
        A_MINUTE, "10.0", "20.0", "impossible"
    ),
    "queries of clients that cannot have been that many": Kind(
        QUERIES, "| 3.2", "| 9.2", "impossible"
    ),
    "transactions of more queries than any has": Kind(
        QUERIES_OF_TRANSACTIONS, "64.0", "640.0", "impossible"
    ),
    "New-Orders above all, with times that may be of these alone": Kind(
        NEW_ORDERS, "| 43,200", "| 143,200", "impossible"
    ),
    "a speed-up against the first row": Kind(SCALING, "10.69x", "12.69x", "change-wrong"),
    "the speed-up of the last row": Kind(SCALING, "16.71x", "18.71x", "change-wrong"),
    "a ratio to a named baseline": Kind(ENGINES, "6.98x", "9.68x", "change-wrong"),
    "a ratio below one": Kind(ENGINES, "0.46x", "0.64x", "change-wrong"),
    "an improvement of times": Kind(TIMES, "22.6%", "32.6%", "change-wrong"),
    "a time that became longer": Kind(TIMES, "-7.0%", "7.0%", "change-wrong"),
    "a speed-up of durations": Kind(DURATIONS, "1.88", "2.18", "change-wrong"),
    "an improvement in a row": Kind(MERGED, "31.75%", "51.75%", "change-wrong"),
    "an improvement under a Japanese heading": Kind(JAPANESE, "8.17", "9.17", "change-wrong"),
    "a Japanese throughput from nowhere": Kind(JAPANESE, "57099.58", "47099.58", "change-wrong"),
    "a negative time in Japanese": Kind(JAPANESE, "| 26.68 |", "| -26.68 |", "impossible"),
    "a difference under a traditional heading": Kind(
        TRADITIONAL, "-64.7%", "-59%", "change-wrong"
    ),
    "a comparison under a Chinese heading": Kind(CHINESE_GAP, "36.84", "26.84", "change-wrong"),
    "the base of a Chinese comparison": Kind(CHINESE_GAP, "47.48", "32.19", "change-wrong"),
    "a rate a minute that is not of its rate a second": Kind(
        RATES, "82,674", "28,674", "impossible"
    ),
    "a rate a second that is not of its rate a minute": Kind(
        RATES, "1,901.2", "1,091.2", "impossible"
    ),
    "a cell that is copied to the next load": Kind(
        LOADS, "6,377.9 | 10.02 | 15.83", "4,127.1 | 7.74 | 11.04", "copied"
    ),
    "a throughput alone that is copied": Kind(LOADS, "7,203.5", "4,811.9", "copied"),
    "latency that the load cannot have": Kind(LOADS, "| 8.87 |", "| 18.87 |", "impossible"),
    "a mean of percentiles": Kind(
        PERCENTILES, "max | | 31,203.1 | 88.03", "average | | 9,978.2 | 41.77",
        "mean-of-percentiles",
    ),
    "unlike client counts": Kind(CLIENTS, "MariaDB 11 | 64", "MariaDB 11 | 128", "confounded"),
    "a gain across suffixes": Kind(SUFFIXES, "72.5%", "7.25%", "change-wrong"),
    "a reduction across seconds": Kind(SECONDS, "40.2%", "59.8%", "change-wrong"),
    "a figure that is short of its kilo": Kind(KILO, "255.3", "155.3", "change-wrong"),
    "percentage points": Kind(POINTS, "+6.8", "+7.4", "change-wrong"),
    "percentage points of a hit rate": Kind(HIT_RATES, "4.4", "4.9", "change-wrong"),
    "an efficiency from nowhere": Kind(EFFICIENCY, "88.2", "98.2", "change-wrong"),
    "an efficiency over all": Kind(
        EFFICIENCY, "19,380 | 1.90 | 94.9", "21,420 | 2.10 | 104.9", "impossible"
    ),
    "an efficiency that no TPC-C has": Kind(
        TPCC_EFFICIENCY, "60,122.9 | 93.5%", "66,122.9 | 102.8%", "impossible unpaced"
    ),
    "an efficiency that is not of its rate": Kind(
        TPCC_EFFICIENCY, "95.5%", "85.5%", "change-wrong"
    ),
    "a sentence below the table": Kind(BELOW, "53.6 %", "63.6 %", "sentence-wrong"),
    "a range in a sentence": Kind(A_RANGE, "53.6 %", "63.6 %", "sentence-wrong"),
    "a range between two amounts": Kind(BETWEEN, "54 %", "64 %", "sentence-wrong"),
    "the first amount of two": Kind(TWO_AMOUNTS, "21.4 %", "31.4 %", "sentence-wrong"),
    "the second amount of two": Kind(TWO_AMOUNTS, "53.6 %", "43.6 %", "sentence-wrong"),
    "a sentence above the table": Kind(ABOVE, "1.42 times", "1.82 times", "sentence-wrong"),
    "a Japanese sentence": Kind(
        JAPANESE_SENTENCE, "より 8.17%", "より 18.17%", "sentence-wrong"
    ),
    "a Chinese sentence": Kind(CHINESE_SENTENCE, "提升 47.48%", "提升 67.48%", "sentence-wrong"),
    "a Chinese range": Kind(CHINESE_RANGE, "～47.48%", "～67.48%", "sentence-wrong"),
    "the second amount of two in Chinese": Kind(
        CHINESE_AMOUNTS, "时提升 47.48%", "时提升 37.48%", "sentence-wrong"
    ),
    "a sum in one line": Kind(ONE_LINE, "3,761", "3,961", "sum-wrong"),
    "settings that change together": Kind(
        CONFIGURATIONS,
        "b | 8 GB | 16K | 1,391.2 | ok | $71 | 重跑 |\n| c | 32 GB | 4K",
        "b | 8 GB | 4K | 1,391.2 | ok | $71 | 重跑 |\n| c | 32 GB | 16K",
        "confounded",
    ),
    "a share of the baseline": Kind(BASELINE, "134.7%", "143.7%", "change-wrong"),
    "a change against the row above": Kind(PREVIOUS, "+18.0%", "+28.0%", "change-wrong"),
    "a speed-up of times in cells": Kind(FACTORS, "140ms | 4.4x", "140ms | 5.4x", "change-wrong"),
    "a metric a row": Kind(METRICS, "+49.04%", "+59.04%", "change-wrong"),
    "a small difference of single runs, a metric a row": Kind(
        METRICS, "44,536.85 |\n| TPS improvement | — | +49.04%",
        "30,549.89 |\n| TPS improvement | — | +2.24%", "no-repetition",
    ),
    "rates below merged headings": Kind(SPEARS, "33506", "53506", "impossible"),
    "a difference in the unit of the figures": Kind(ABSOLUTE, "392", "492", "change-wrong"),
    "a change beside a difference": Kind(ABSOLUTE, "17.0%", "27.0%", "change-wrong"),
}  # fmt: skip
