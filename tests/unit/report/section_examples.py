"""A result of which everything is known that the sections behind the figures can show."""

from __future__ import annotations

from dataclasses import replace

from dbdyno.analysis.audit.model import AuditFinding
from dbdyno.analysis.audit.model import Code as AuditCode
from dbdyno.analysis.compare.metric import THROUGHPUT
from dbdyno.analysis.evidence import said
from dbdyno.analysis.findings import (
    CellSummary,
    Finding,
    Findings,
    GeneratorSummary,
    HostSummary,
    Sending,
    Severity,
    SizeSummary,
    Standing,
    TrialLine,
    TrialReason,
)
from dbdyno.analysis.imported.analyse import analyse_evidence
from dbdyno.analysis.published.model import (
    MatchedLevel,
    NoRatios,
    PublishedSource,
    PublishedTable,
    Ratio,
    RatioPair,
)
from dbdyno.analysis.published.stated import Stated
from dbdyno.analysis.settings import TargetSettings
from dbdyno.analysis.size_gap import SizeGap, SizeName
from dbdyno.analysis.usage import Resource, Usage, UsageKey
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.waiting import Waiting
from dbdyno.facts.host import HostFacts, OtherHost
from dbdyno.facts.processor import Cache, NumaNode
from dbdyno.facts.storage import Disk
from dbdyno.facts.system import NetworkInterface
from tests.unit.analysis.imported.evidence import evidence, trial

from .report_examples import tpcc

HOSTS = (
    HostSummary("db1:3306", 700, 0.7, 12, 0, 3, 5),
    HostSummary("db2:3306", 300, 0.3, 9, 1, 2, 4),
)
GENERATORS = (
    GeneratorSummary(1, 0.5, 700, 0.7, 1.234, 0.9, 0.0123, 0, 0, 2.34, 1.5, 0.0003, new_orders=315),
    GeneratorSummary(2, 0.5, 300, 0.3, 0.5, 0.2, 0.001, 1, 2, new_orders=135),
)
SENDINGS = (
    Sending("text", ("READ-COMMITTED", None), "SERIALIZABLE", True, 0, None, 2.5, Waiting("spin")),
    Sending(
        "binary", ("X",), None, False, 500, 0.75, None, Waiting("50us", 1234, 40.4, "same_cpus")
    ),
)
GAP = SizeGap(SizeName.DISK, text="denied")
SIZE = SizeSummary(1e8, 8e7, True, 3e6, 2e8, ("tablespaces",), (GAP,), ("in memory",))
REASONS = (TrialReason(None, said("slow")), TrialReason(Code.SHORT_WINDOW))
USED = {
    UsageKey(host, member, device, resource): Usage(1.5, 2.5)
    for resource in Resource
    for host in ("local", "db1")
    for member in (("server" if resource is Resource.PROCESS_CPU_CORES else ""),)
    for device in (("vda" if resource.value.startswith(("disk", "network")) else ""),)
}
HOST = HostFacts(
    cpu_model="EPYC 7763",
    cpu_caches=(Cache("L2", 2 << 20, 2),),
    numa=(NumaNode(0, "0-1", 16 << 30), NumaNode(1, "2-3")),
    cpu_vulnerabilities={"mds": "Not affected", "retbleed": "Vulnerable"},
    uptime_s=93784.0,
    clock_synchronised=False,
    control_group_memory_limit_bytes="none",
    disks=(
        Disk(name="vda", model="VIRTIO", size_bytes=1 << 40, rotational=False, queue_depth=256),
        Disk(
            name="vdb",
            scheduler="mq",
            write_cache="wb",
            block_size_bytes=512,
            read_ahead_bytes=4096,
        ),
    ),
    network_interfaces=(NetworkInterface(name="eth0", duplex="full", receive_queues=4),),
    kernel_settings={"net.core.somaxconn": "4096"},
)


def everything() -> Findings:
    """TPC-C in two cells, with two hosts, two generators, sizes, settings and all standings."""
    findings = tpcc()
    cells = tuple(map(_known, findings.cells, SENDINGS))
    return replace(
        findings,
        cells=cells,
        host=HOST,
        other_hosts={
            "load1": OtherHost(use="generator", facts=HOST),
            "db1": OtherHost(use="watched", reason="no way there."),
        },
        targets=({"target": "mariadb", "product": "MariaDB", "cpu_limit_cores": 1.5},),
        settings=(
            TargetSettings("mariadb", {"init_connect": ("",)}, {"x": tuple("123456")}, 1),
            TargetSettings("mysql", {}, {}, 2),
        ),
        differences=(("log_bin", "terminals=10", "ON", None),),
        default_differences=(("binlog_format", "terminals=10", "ROW", "MIXED"),),
        trials=tuple(
            TrialLine(
                number,
                1,
                cells[0].cell,
                standing,
                REASONS,
                45.0,
                100.5,
                1.25,
            )
            for number, standing in enumerate(Standing, start=1)
        ),
        warnings=(
            *findings.warnings,
            Finding(Code.ERROR_BUDGET, Severity.INVALID, said("31 of 40."), trials=(4, 5, 7)),
        ),
        usage={cell.cell: USED for cell in cells},
        looks=2,
        published=(published(),),
    )


def _known(cell: CellSummary, sending: Sending) -> CellSummary:
    return replace(
        cell,
        sending=sending,
        hosts=HOSTS,
        generators=GENERATORS,
        size=SIZE,
        excluded=((4, TrialReason(Code.ERROR_BUDGET, said("31 %"))),),
    )


STATED = (
    Stated("B 2.0", "", (("threads", "8"),), "143", True, 136.5, "", False),
    Stated("B 2.0", "A 1.0", (("threads", "8"),), "30.00", False, 30.0, "%", True),
    Stated("", "", (("threads", "9"),), "1.07", False, None, "", False),
)


def published() -> PublishedSource:
    """Tables of others: one with ratios of every form, and one for each reason to have none."""
    # Without figures nothing is drawn: words of drawings are looked at elsewhere.
    told = analyse_evidence(evidence(trial(None, system="A"), trial(None, system="B")))
    level, baseline = MatchedLevel("20", "64"), MatchedLevel("10", "32")
    ratio = Ratio(1.3, 1.2, 1.4, 2, 3, 1.1, 1.5)
    pair = RatioPair(
        THROUGHPUT,
        "terminals",
        level,
        baseline,
        (("pool", level),),
        ratio,
        replace(ratio, low=None),
    )
    return PublishedSource(
        "their report",
        (
            PublishedTable(
                "theirs", told, (pair, replace(pair, at=(), own=None)), None, ("x",), ("y",), STATED
            ),
            *(PublishedTable(why.value, told, why_not=why) for why in NoRatios),
        ),
        (AuditFinding(AuditCode.NO_REPETITION, "theirs"),),
    )
