"""Findings such as real experiments give, made from a seed: the tests draw and read them."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from math import exp
from statistics import NormalDist, mean, stdev

import numpy as np

from dbdyno.analysis.compare.cells import compare_cells
from dbdyno.analysis.compare.metric import MetricName
from dbdyno.analysis.compare.rules import Rules
from dbdyno.analysis.cost.cells import cell_costs
from dbdyno.analysis.cost.model import CostName, TrialCosts
from dbdyno.analysis.estimates import geometric_mean
from dbdyno.analysis.evidence import said
from dbdyno.analysis.findings import (
    CellSummary,
    Estimate,
    Finding,
    Findings,
    IntervalSeries,
    Percentiles,
    Severity,
    TrialReason,
)
from dbdyno.analysis.scaling.cells import scaling_of
from dbdyno.analysis.setup import Checks, Retry, RunSetup, WorkloadSetup
from dbdyno.analysis.steadiness.cells import cell_steadiness
from dbdyno.analysis.steadiness.model import Change, Dip, ServerEvent, TrialSteadiness
from dbdyno.analysis.throughput import NOPM, TPMC
from dbdyno.analysis.tpcc.model import Conformance
from dbdyno.analysis.tpcc.requirements import (
    INPUT_RANGES,
    input_requirement,
    mix_requirement,
    per_warehouse_requirement,
    response_requirement,
    skipped_requirement,
)
from dbdyno.analysis.usage import Resource, Usage, UsageKey
from dbdyno.analysis.validity.codes import Code
from dbdyno.experiment.plan import Cell, FactorLevels
from dbdyno.facts.host import HostFacts
from dbdyno.facts.storage import Disk
from dbdyno.store.layout import ALL_TRANSACTIONS

TRANSACTION = "oltp_read_write"
RULES = Rules()


def percentiles(median_ms: float, spread: float, count: int) -> Percentiles:
    """Percentiles of a log-normal time, the largest being what that many draws would give."""

    def at(quantile: float) -> float:
        return median_ms * exp(spread * NormalDist().inv_cdf(quantile))

    quantiles = (0.5, 0.9, 0.95, 0.99, 0.999, 1 - 0.5 / count)
    p50, p90, p95, p99, p999, largest = map(at, quantiles)
    return Percentiles(p50, p90, p95, p99, p999, largest, count)


def series(
    generator: random.Random, round_number: int, rate: float, median_ms: float, intervals: int
) -> IntervalSeries:
    """A steady rate with noise and, once a window, a checkpoint's dip."""
    dip = intervals // 3 + round_number
    rates = [
        rate * generator.gauss(1, 0.03) * (0.55 if second in (dip, dip + 1) else 1)
        for second in range(intervals)
    ]
    times: list[float | None] = [
        median_ms * 2 * generator.lognormvariate(0, 0.06) * (4 if second in (dip, dip + 1) else 1)
        for second in range(intervals)
    ]
    return IntervalSeries(
        round_number, tuple(map(float, range(intervals))), tuple(rates), tuple(times)
    )


def summary(
    cell: Cell,
    rate: float,
    clients: int,
    *,
    rounds: int = 3,
    intervals: int = 30,
    noise: float = 0.015,
) -> CellSummary:
    generator = random.Random(f"{cell.label()} {rate}")
    rates = [rate * generator.gauss(1, noise) for _ in range(rounds)]
    committed = int(sum(rates) * intervals)
    median_ms = 1000 * clients / rate / 1.2
    return CellSummary(
        cell=cell,
        throughput_per_s=geometric_mean(np.array(rates)),
        throughput_by_round=tuple(enumerate(rates, start=1)),
        rounds=tuple(range(1, rounds + 1)),
        coefficient_of_variation=stdev(rates) / mean(rates) if rounds > 1 else None,
        response={TRANSACTION: percentiles(median_ms, 0.55, committed)},
        service={TRANSACTION: percentiles(median_ms * 0.93, 0.52, committed)},
        lag={TRANSACTION: percentiles(median_ms * 0.01, 0.9, committed)},
        committed=committed,
        rolled_back=0,
        failed=committed // 20_000,
        dropped=0,
        retries=committed // 900,
        first_attempt_abort_share=1 / 900,
        statements_per_transaction=20.0,
        window_s=float(rounds * intervals),
        series=tuple(
            series(generator, number, value, median_ms, intervals)
            for number, value in enumerate(rates, start=1)
        ),
        values_by_round={
            MetricName.RESPONSE_P95: tuple(
                (number, 2000 * clients / value) for number, value in enumerate(rates, start=1)
            )
        },
    )


HOST = HostFacts(
    cpu_model="AMD EPYC 7B13",
    cpu_cores=2,
    cpu_governor="performance",
    memory_total_bytes=24 << 30,
    kernel="6.1.0-28-amd64",
    work_file_system="ext4",
    work_mount_options="rw,relatime",
    disks=(Disk(name="nvme0n1", model="NVMe", size_bytes=512 << 30),),
    kernel_settings={"vm.dirty_ratio": "20"},
    dbdyno_version="0.1.0",
    python_version="3.11.7",
)

SQLITE_TARGET = {
    "target": "sqlite",
    "product": "SQLite",
    "version": "3.46.1",
    "durability class": "durable at checkpoint (synchronous=normal)",
    "settings": "cache_size=-64000, mmap_size=0, synchronous=normal",
}

SETUP = RunSetup(
    workloads=(
        WorkloadSetup(
            "sysbench",
            {
                "script": ("oltp_read_write",),
                "tables": (1,),
                "table_size": (1000, 10000),
                "distribution": ("zipfian",),
                "zipfian_exponent": (0.8,),
            },
        ),
    ),
    clients=(1, 2, 4, 8),
    rates_per_s=(None,),
    arrivals=("closed",),
    warmups_s=((None, 0.3),),
    durations_s=(30.0,),
    intervals_s=(1.0,),
    seed=17,
    starts=("snapshot",),
    caches=("workload",),
    retries=(Retry(errors=("deadlock",)),),
    error_budgets=(0.01,),
    checks=Checks(24, 24),
    rounds=3,
    order="interleaved",
    experiment_text="experiment: sqlite-journal-modes\n",
    dbdyno_version="0.1.0",
    experiment_sha256="5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
)

USAGE = {
    UsageKey("local", "", "", Resource.CPU_CORES): Usage(1.62, 1.9),
    UsageKey("local", "", "", Resource.CPU_COUNT): Usage(2.0, 2.0),
    UsageKey("local", "", "nvme0n1", Resource.DISK_WRITE_BYTES_PER_S): Usage(41e6, 77e6),
    UsageKey("local", "generator", "", Resource.PROCESS_CPU_CORES): Usage(1.5, 1.8),
}

WARNINGS = (
    Finding(
        Code.SHARED_HOST,
        Severity.NOTE,
        said("Both have boot id 6e0f…; the generator used 0.31 of 2 cores."),
        comparisons=2,
    ),
    Finding(
        Code.IN_MEMORY,
        Severity.WARNING,
        said("Dataset 96 MiB; page cache and buffer 20.1 GiB; 0 blocks read in the window."),
    ),
)


def two_factors() -> Findings:
    """journal_mode × clients, three rounds: SQLite's one writer makes more clients slower."""
    factors = (
        FactorLevels("journal_mode", ("delete", "wal"), "server.journal_mode"),
        FactorLevels("clients", ("1", "2", "4", "8"), "load.clients"),
    )
    rates = {
        ("delete", "1"): 212.0, ("delete", "2"): 190.0, ("delete", "4"): 171.0,
        ("delete", "8"): 148.0,
        ("wal", "1"): 842.0, ("wal", "2"): 861.0, ("wal", "4"): 828.0, ("wal", "8"): 771.0,
    }  # fmt: skip
    cells = tuple(
        summary(Cell((("journal_mode", mode), ("clients", clients))), rate, int(clients))
        for (mode, clients), rate in rates.items()
    )
    return Findings(
        experiment="sqlite-journal-modes",
        question="How much does write-ahead logging gain, and does it hold with more clients?",
        factors=factors,
        rounds=3,
        cells=cells,
        compared=compare_cells(factors, cells, RULES),
        warnings=WARNINGS,
        host=HOST,
        targets=(SQLITE_TARGET,),
        differences=(("wal_autocheckpoint", "journal_mode=wal", "1000", "(has no effect)"),),
        default_differences=(("cache_size", "journal_mode=wal", "-2000", "-4000"),),
        trials_planned=24,
        trials_used=24,
        setup=SETUP,
        usage={cell.cell: USAGE for cell in cells},
    )


def names_only() -> Findings:
    """One factor whose levels are names; one of them differs by less than can be shown."""
    factors = (FactorLevels("target", ("mariadb-10.11", "mysql-8.4", "mysql-9.1"), "target"),)
    rates = {"mariadb-10.11": 4120.0, "mysql-8.4": 4165.0, "mysql-9.1": 3710.0}
    cells = tuple(
        summary(Cell((("target", name),)), rate, 32, rounds=5, noise=0.02)
        for name, rate in rates.items()
    )
    targets = tuple(
        {
            "target": name,
            "product": "MySQL" if "mysql" in name else "MariaDB",
            "version": name.split("-")[1],
            "durability class": "every commit reaches the disk",
            "settings": "innodb_buffer_pool_size=8G",
        }
        for name in rates
    )
    return replace(
        two_factors(),
        experiment="mysql-family",
        question="Which of three servers is the fastest on one machine with the same settings?",
        factors=factors,
        rounds=5,
        cells=cells,
        compared=compare_cells(factors, cells, RULES),
        targets=targets,
        differences=(
            ("innodb_adaptive_hash_index", "target=mysql-8.4", "OFF", "ON"),
            ("binlog_format", "target=mysql-8.4", "ROW", "MIXED"),
        ),
        default_differences=(("innodb_io_capacity", "target=mysql-8.4", "10000", "200"),),
        trials_planned=15,
        trials_used=15,
    )


def one_cell() -> Findings:
    """No factor at all: one cell, one round, nothing to compare."""
    cells = (summary(Cell(()), 1234.5, 16, rounds=1),)
    return replace(
        two_factors(),
        experiment="smoke",
        question="",
        factors=(),
        rounds=1,
        cells=cells,
        compared=(),
        warnings=(),
        differences=(),
        targets=(),
        host=HostFacts(),
        trials_planned=1,
        trials_used=1,
    )


def overloaded() -> Findings:
    """An open loop at two rates, of which the server served the second in part."""
    factors = (FactorLevels("rate", ("100", "2000"), "load.rate"),)
    kept_up = replace(
        summary(Cell((("rate", "100"),)), 100.0, 4), offered_per_s=100.0, always_asks=False
    )
    fell_behind = replace(
        summary(Cell((("rate", "2000"),)), 760.0, 4),
        offered_per_s=2000.0,
        always_asks=False,
        kept_up=False,
        dropped=111_600,
        dropped_share=0.62,
    )
    cells = (kept_up, fell_behind)
    return replace(
        two_factors(),
        experiment="overloaded",
        question="Does it keep up with 2,000 transactions a second?",
        factors=factors,
        cells=cells,
        compared=compare_cells(factors, cells, RULES),
        trials_planned=6,
        trials_used=6,
    )


def nothing_valid() -> Findings:
    """One cell lost all its trials and the other one all but one; nothing can be compared."""
    factors = (FactorLevels("threads", ("16", "64"), "load.clients"),)
    lost = replace(
        summary(Cell((("threads", "64"),)), 1.0, 1),
        throughput_per_s=Estimate(float("nan"), None, None, 0),
        throughput_by_round=(),
        rounds=(),
        coefficient_of_variation=None,
        response={},
        service={},
        lag={},
        committed=0,
        failed=0,
        retries=0,
        first_attempt_abort_share=0.0,
        statements_per_transaction=0.0,
        window_s=0.0,
        series=(),
        excluded=(
            (2, TrialReason(None, said("failed: server closed the connection"))),
            (4, TrialReason(None, said("error share 31 %"))),
        ),
    )
    kept = replace(
        summary(Cell((("threads", "16"),)), 310.0, 16, rounds=1),
        excluded=((3, TrialReason(None, said("interrupted"))),),
    )
    return replace(
        two_factors(),
        experiment="broken",
        question="Does it scale to 64 threads?",
        factors=factors,
        rounds=2,
        cells=(kept, lost),
        compared=compare_cells(factors, (kept, lost), RULES),
        warnings=(
            *WARNINGS,
            Finding(
                Code.ERROR_BUDGET,
                Severity.INVALID,
                said("31.2 % of 18,204 failed; lock wait timeout (1205) 5,680 times."),
                trials=(4,),
            ),
            Finding(
                Code.NOT_COMPLETED,
                Severity.INVALID,
                said("Server closed the connection after 7.2 s."),
                trials=(2,),
            ),
        ),
        trials_planned=4,
        trials_used=1,
    )


def large() -> Findings:
    """100 trials of 60 intervals: two targets × ten client counts, five rounds."""
    factors = (
        FactorLevels("target", ("mysql", "greatsql"), "target"),
        FactorLevels("terminals", tuple(str(2**n) for n in range(10)), "load.clients"),
    )
    cells = tuple(
        summary(
            Cell((("target", target), ("terminals", str(clients)))),
            gain * 9000 * clients / (clients + 24),
            clients,
            rounds=5,
            intervals=60,
        )
        for (target, gain), clients in itertools.product(
            (("mysql", 1.0), ("greatsql", 1.07)), (2**n for n in range(10))
        )
    )
    return replace(
        two_factors(),
        experiment="greatsql-vs-mysql",
        question="Is GreatSQL faster than MySQL, and up to how many terminals?",
        factors=factors,
        rounds=5,
        cells=cells,
        compared=compare_cells(factors, cells, RULES),
        trials_planned=100,
        trials_used=100,
    )


def scaling_laws() -> Findings:
    """Three engines over clients: one has a peak, one grows on, one has another shape."""
    clients = (1, 2, 4, 8, 16, 32, 64)
    factors = (
        FactorLevels("engine", ("innodb", "rocksdb", "memory"), "server.default_storage_engine"),
        FactorLevels("clients", tuple(map(str, clients)), "load.clients"),
    )

    def rate(engine: str, count: int) -> float:
        if engine == "memory":
            return 900.0 * min(count, 6)
        return (
            1000
            * count
            / (1 + 0.04 * (count - 1) + (5e-4 * count * (count - 1) * (engine == "innodb")))
        )

    cells = tuple(
        summary(
            Cell((("engine", engine), ("clients", str(count)))),
            rate(engine, count),
            count,
            rounds=4,
        )
        for engine in factors[0].levels
        for count in clients
    )
    return replace(
        two_factors(),
        experiment="scaling-laws",
        question="How many clients does each engine bear?",
        factors=factors,
        rounds=4,
        cells=cells,
        compared=compare_cells(factors, cells, RULES),
        scaling=scaling_of(factors, cells, ()),
        trials_planned=84,
        trials_used=84,
    )


def watched() -> Findings:
    """Costs of which some are apart, unknown or zero, and more dips than are listed."""
    findings = two_factors()
    generator = random.Random("watched")
    known = {
        summary.cell: {
            number: _costs_of_round(summary.cell, number, generator) for number in summary.rounds
        }
        for summary in findings.cells
    }
    trials = {summary.cell: _steadiness_of_rounds(summary) for summary in findings.cells}
    return replace(
        findings,
        experiment="watched",
        costs=cell_costs(findings.factors, findings.cells, known),
        steadiness=cell_steadiness(findings.cells, trials),
    )


def _costs_of_round(cell: Cell, number: int, generator: random.Random) -> TrialCosts:
    is_wal = cell.level("journal_mode") == "wal"
    costs = {
        CostName.CLIENT_CPU: 0.0002 * generator.gauss(1, 0.02),
        CostName.SERVER_CPU: (0.0004 if is_wal else 0.0009) * generator.gauss(1, 0.02) * number,
        CostName.READ: 0.0,
        CostName.WRITTEN: 9000 * generator.gauss(1, 0.3),
        CostName.MEMORY: 3e7 * generator.gauss(1, 0.01),
    }
    return costs if is_wal else costs | {CostName.DISK_FLUSHES: 2.1}


def _steadiness_of_rounds(summary: CellSummary) -> list[TrialSteadiness]:
    clients = int(summary.cell.level("clients"))
    beside = (ServerEvent.CHECKPOINT_REQUESTED, ServerEvent.AUTOVACUUM)
    return [
        TrialSteadiness(
            variation=0.1 * clients,
            p5_share=0.8,
            p95_share=1.1,
            change_share=-0.02 * clients + 0.001 * number,
            dips=(Dip(number, 7.0 + number, 2.0, 0.25, 1.4 + number / 10, beside[: number - 1]),),
            dip_count=1,
            dipped_s=2.0,
            observed_s=30.0,
            changes=(Change(number, 12.0, 240.0, 180.0),) if number == 2 else (),
        )
        for number in summary.rounds
    ]


def three_factors() -> Findings:
    """A third factor makes a panel of each of its levels; two transactions have times each."""
    factors = (
        FactorLevels(
            "isolation", ("read-committed", "repeatable-read", "serializable"), "isolation"
        ),
        FactorLevels("buffer_pool", ("128M", "1G"), "server.innodb_buffer_pool_size"),
        FactorLevels("clients", ("4", "16", "20"), "load.clients"),
    )
    cells = []
    for (i, level), (p, pool), clients in itertools.product(
        enumerate(factors[0].levels), enumerate(factors[1].levels), factors[2].levels
    ):
        names = (("isolation", level), ("buffer_pool", pool), ("clients", clients))
        rate = 60.0 * int(clients) ** 0.7 * (1 + 0.8 * p) * (1 - 0.12 * i)
        cell = summary(Cell(names), rate, int(clients))
        more = percentiles(900 * int(clients) / rate, 0.8, 2000)
        cells.append(
            replace(
                cell,
                response={**cell.response, "payment": more, ALL_TRANSACTIONS: more},
                service={**cell.service, "payment": more, ALL_TRANSACTIONS: more},
            )
        )
    return replace(
        two_factors(),
        experiment="three-factors",
        factors=factors,
        cells=tuple(cells),
        compared=compare_cells(factors, cells, RULES),
        trials_planned=54,
        trials_used=54,
    )


def two_scripts() -> Findings:
    """The third factor is what the clients carry out."""
    findings = three_factors()
    isolation, pool, clients = findings.factors
    return replace(findings, factors=(isolation, replace(pool, sets="workload.script"), clients))


TPCC_KINDS = {"new_order": 45, "payment": 43, "order_status": 4, "delivery": 4, "stock_level": 4}


def tpcc_conformance(
    new_orders_per_s: Estimate, *, is_paced: bool, rollbacks: float
) -> Conformance:
    """A cell of TPC-C of which one share has too few transactions, and one is as it is told."""
    rollback, _, remote_line, *_ = INPUT_RANGES
    requirements = [
        input_requirement(rollback, rollbacks, 60_000),
        input_requirement(remote_line, 0.0102, 30_000),
        *(mix_requirement(kind, percent, 100) for kind, percent in TPCC_KINDS.items()),
        *(response_requirement(kind, 8.25, 900, is_partly_served=False) for kind in TPCC_KINDS),
        skipped_requirement(0.0, 900),
    ]
    throughput = NOPM.estimate(new_orders_per_s)
    if is_paced:
        requirements.append(per_warehouse_requirement(throughput.mean / 1000, 60_000))
    return Conformance(
        is_paced=is_paced,
        warehouses=1000,
        new_orders_per_minute=throughput,
        committed_per_minute=NOPM.estimate(replace(new_orders_per_s, low=None, high=None)),
        requirements=tuple(requirements),
        trials=(1, 2, 3),
    )


def twice(series: IntervalSeries) -> IntervalSeries:
    """Return a trial with twice as many transactions in each interval."""
    return replace(series, throughput_per_s=tuple(2 * each for each in series.throughput_per_s))


def tpcc(*, is_paced: bool = False, rollbacks: tuple[float, ...] = (0.0101, 0.021)) -> Findings:
    """TPC-C at as many terminals as there are shares of rollbacks; all others are as required."""
    factors = (
        FactorLevels(
            "terminals", tuple(str(10 * n) for n in range(1, len(rollbacks) + 1)), "load.clients"
        ),
    )
    cells = []
    for place, share in enumerate(rollbacks, start=1):
        cell = summary(Cell((("terminals", str(10 * place)),)), 200.0 - place, 10 * place)
        times = percentiles(8.0, 0.5, 9000)
        conformance = tpcc_conformance(cell.throughput_per_s, is_paced=is_paced, rollbacks=share)
        cells.append(
            replace(
                cell,
                response=dict.fromkeys((*TPCC_KINDS, ALL_TRANSACTIONS), times),
                service={},
                lag={},
                series_of_all=tuple(map(twice, cell.series)),
                transactions_per_s=Estimate(444.0, None, None, 3),
                conformance=conformance,
            )
        )
    return replace(
        two_factors(),
        experiment="tpcc",
        factors=factors,
        cells=tuple(cells),
        compared=compare_cells(factors, cells, RULES),
        trials_planned=3 * len(cells),
        trials_used=3 * len(cells),
        measure=TPMC if is_paced else NOPM,
    )


def tpcc_of_many_cells() -> Findings:
    """More cells than stand beside each other, with keying and think times."""
    return tpcc(is_paced=True, rollbacks=(0.0101, 0.021, 0.0099, 0.031, 0.041, 0.051, 0.061))


EXAMPLES = {
    make.__name__: make
    for make in (
        two_factors,
        names_only,
        one_cell,
        overloaded,
        nothing_valid,
        large,
        three_factors,
        scaling_laws,
        watched,
        tpcc,
        tpcc_of_many_cells,
    )
}


def systems_of_two_factors() -> Findings:
    """Four factors: MySQL without a pool of threads, another system with and without, two sizes."""
    factors = (
        FactorLevels("target", ("mysql", "greatsql"), "target"),
        FactorLevels("thread_pool", ("off", "on"), "server.thread_handling"),
        FactorLevels("buffer_pool", ("48G", "96G"), "server.innodb_buffer_pool_size"),
        FactorLevels("threads", ("8", "64", "128"), "load.clients"),
    )
    systems = (("mysql", "off", 1.0), ("greatsql", "off", 1.1), ("greatsql", "on", 1.3))
    cells = [
        summary(
            Cell(
                (
                    ("target", target),
                    ("thread_pool", pool),
                    ("buffer_pool", size),
                    ("threads", threads),
                )
            ),
            60.0 * gain * int(threads) ** 0.6 * (1 + 0.3 * place),
            int(threads),
        )
        for (target, pool, gain), (place, size), threads in itertools.product(
            systems, enumerate(factors[2].levels), factors[3].levels
        )
    ]
    return replace(
        two_factors(),
        experiment="systems-of-two-factors",
        factors=factors,
        cells=tuple(cells),
        compared=compare_cells(factors, cells, RULES),
    )


def one_at_a_time() -> Findings:
    """Four factors of which each is varied alone, from one common combination on."""
    factors = (
        FactorLevels("balancing", ("list", "lvs"), "target.url"),
        FactorLevels("nodes", ("3", "9", "18"), "members.storage.count"),
        FactorLevels("collector", ("Z", "G1"), "target.variables.collector"),
        FactorLevels("terminals", ("1", "16", "128", "1024"), "load.clients"),
    )
    common = {"balancing": "list", "nodes": "9", "collector": "Z"}
    variants = [
        common | {factor.name: level}
        for factor in factors[:3]
        for level in factor.levels
        if level != common[factor.name]
    ]
    cells = [
        summary(
            Cell((*variant.items(), ("terminals", terminals))),
            40.0 * int(variant["nodes"]) ** 0.4 * int(terminals) ** 0.5,
            int(terminals),
        )
        for variant in (common, *variants)
        for terminals in factors[3].levels
    ]
    return replace(
        two_factors(),
        experiment="one-at-a-time",
        factors=factors,
        cells=tuple(cells),
        compared=compare_cells(factors, cells, RULES),
    )
