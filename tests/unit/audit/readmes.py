"""Clean tables in the forms of public READMEs and reports: nothing is wrong in any of them."""

from __future__ import annotations

from tests.unit.audit.kinds import table

README_TABLES: dict[str, str] = {
    "times and sizes of two stores": table(
        " | merging load | iterating load | disk usage",
        "RocksDB | 100s | 0.85s | 34MB", "Sled | 207s | 1.85s | 226MB",
    ),
    "before and after with a target": table(
        "Operation | Before | After | Speedup | Target | Status",
        "INSERT 100K | 850ms | 250ms | **3.4x** ⚡ | 3-5x ✅ | done",
        "UPDATE 50K | 620ms | 140ms | **4.4x** 🚀 | 3-5x ✅ | done",
        "SELECT (cache) | 180ms | 4ms | **45x** 🏆 | 5-10x ✅ | done",
    ),
    "microseconds an operation": table(
        "Benchmark | CalicoDB (0.0.1) | SQLite3 (3.37.2) | LevelDB (1.23)",
        "`read_seq` | 0.291 | 0.781 | 0.124", "`write_rand` | 12.88 | 24.1 | 2.71",
    ),
    "an axis of time": table(
        "time (s) | tps | p95 (ms)",
        "10 | 4,120.4 | 9.1", "20 | 4,181.9 | 9.0", "30 | 4,093.2 | 9.3",
    ),
    "pgbench": table(
        "Clients | TPS | latency average (ms) | latency stddev (ms) | failed",
        "1 | 812.4 | 1.231 | 0.301 | 0", "8 | 5,904.1 | 1.355 | 0.512 | 0",
        "32 | 14,210.7 | 2.250 | 1.107 | 0",
    ),
    "queries of TPC-H": table(
        "Query | Rows | PostgreSQL (ms) | DuckDB (ms)",
        "Q1 | 4 | 8,120 | 410", "Q6 | 1 | 2,204 | 91", "Q18 | 100 | 15,903 | 1,220",
    ),
    "batches": table(
        "Batch size | rows/s | MB/s",
        "1 | 1,204 | 0.2", "100 | 88,120 | 14.1", "1000 | 301,554 | 48.2",
    ),
    "names of modes": table(
        "database | nobatch | batch | batchrewrite",
        "cockroachdb | 339 | 495 | 3859", "mariadb | 998 | 563 | 4154",
        "postgres | 2137 | 8140 | 9254",
    ),
    "durations and disks": table(
        "DB | Duration | TPS | Average Latency | Min Latency | Max Latency | Disk Usage",
        "PostgreSQL | 545 s | 13800 | 542 ms | 26 ms | 3581 ms | 3.7 GB",
        "MySQL | 3228 s | 3143 | 3143 ms | 53 ms | 180705 ms | 7.6 GB",
        "MongoDB | 376 s | 26524 | 370 ms | 201 ms | 1288 ms | 3.1 GB",
    ),
    "rounds under merged headings": table(
        "LB | lvs | < | list | <",
        "1 | 3048 | 4358 | 4491 | 4372", "8 | 23202 | 33510 | 33506 | 33896",
    ),
    "ycsb": table(
        "Workload | ops/sec | p50 (us) | p95 (us) | p99 (us)",
        "A | 52,103 | 590 | 1,203 | 4,410", "B | 88,410 | 350 | 811 | 1,907",
        "C | 101,220 | 307 | 702 | 1,512",
    ),
    "the best of each": table(
        "Database | Peak TPS | Best threads", "MySQL | 12,204 | 64", "MariaDB | 14,391 | 128",
    ),
    "options of a server": table(
        "Parameter | Value", "innodb_buffer_pool_size | 8G", "max_connections | 1000",
        "sync_binlog | 1",
    ),
    "machines": table(
        "Host | vCPU | RAM | Disk | Price", "db1 | 16 | 64 GB | NVMe 1 TB | $0.77",
        "db2 | 32 | 128 GB | NVMe 2 TB | $1.54",
    ),
    "winners": table(
        "Test | MySQL (QPS) | PostgreSQL (QPS) | Winner",
        "insert | 4,383 | 21,338 | PostgreSQL", "select by id | 33,469 | 55,200 | PostgreSQL",
        "sorted select | 4,559 | 4,745 | draw",
    ),
    "HammerDB": table(
        "VUs | NOPM | TPM", "16 | 210,334 | 489,120", "32 | 341,087 | 793,001",
        "64 | 402,551 | 936,004",
    ),
    "load of a web service": table(
        "vus | http_reqs/s | avg | p(95) | errors", "10 | 812 | 12.1ms | 20.3ms | 0.00%",
        "100 | 4,120 | 24.0ms | 51.8ms | 0.02%",
    ),
    "redis": table(
        "Command | requests per second | p50 (msec)", "SET | 180,180.17 | 0.143",
        "GET | 191,204.59 | 0.135", "LRANGE_100 | 62,034.74 | 0.399",
    ),
    "use of resources": table(
        "System | TPS | CPU (%) | Memory (MB) | Notes", "A | 5,120.4 | 81.2 | 2,104 | defaults",
        "B | 6,903.1 | 92.7 | 3,870 | huge pages", "C | 4,410.8 | 60.1 | 1,066 | swap off",
    ),
    "prices": table(
        "Instance | TPS | Cost ($/h) | TPS per dollar", "large | 2,104.1 | 0.17 | 12,377",
        "xlarge | 4,391.7 | 0.34 | 12,917",
    ),
    "cold and warm": table(
        "Query | Cold (s) | Warm (s)", "Q1 | 14.2 | 3.1", "Q2 | 9.8 | 2.2", "Q3 | 30.9 | 12.7",
    ),
    "bytes a key": table(
        "Structure | bytes/key | lookup (ns)", "hash | 784 B | 41", "tree | 512 B | 130",
    ),
    "Japanese": table(
        "データベース | スレッド数 | スループット (件/秒) | 平均レイテンシー (ミリ秒) | 備考",
        "MySQL | 16 | 2,310.7 | 6.91 | 初回", "MySQL | 64 | 6,377.9 | 10.02 | 再実行",
        "TiDB | 16 | 1,910.2 | 8.36 | 初回", "TiDB | 64 | 5,811.4 | 10.99 | 再実行",
    ),
    "traditional Chinese": table(
        "資料庫 | 執行緒數 | 吞吐量 | 平均延遲(毫秒) | 備註",
        "甲 | 32 | 1.21萬 | 2.61 | 無", "乙 | 32 | 1.52萬 | 2.10 | 有",
    ),
    "a speed-up of systems by load": table(
        "Threads | SQLite (ops/s) | LMDB (ops/s) | Speedup",
        "1 | 21,340 | 96,120 | 4.5x", "4 | 20,881 | 301,907 | 14.5x",
        "8 | 19,402 | 480,111 | 24.7x",
    ),
    "sentences that say nothing of the table": table(
        "Threads | MySQL TPS | MariaDB TPS", "16 | 2,310.7 | 2,702.1", "64 | 6,377.9 | 7,203.5",
    ) + "\nThe server had 64 GB, and CPU was 80 % busy. MySQL was 3 times slower before.\n",
    "a sentence over all loads": table(
        "Threads | MySQL TPS | MariaDB TPS", "16 | 2,310.7 | 2,702.1", "64 | 6,377.9 | 7,703.5",
    ) + "\nMariaDB is up to 21 % faster than MySQL. On average it is 19 % ahead.\n",
}  # fmt: skip
