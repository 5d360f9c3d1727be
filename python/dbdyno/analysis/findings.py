"""What an analysis finds, as plain values: everything that a report shows and nothing more.

Rates are per second, times in milliseconds, shares between 0 and 1, effects in percent.
``Findings.measure`` says which transactions are throughput, and how a report writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from dbdyno.analysis.bottleneck.model import CellLimit
from dbdyno.analysis.clients import ClientsInEffect
from dbdyno.analysis.compare.metric import THROUGHPUT, Metric, MetricName
from dbdyno.analysis.compare.model import Comparison, MetricComparisons
from dbdyno.analysis.confounders.model import Confounder, LevelMeanings
from dbdyno.analysis.cost.model import CellCosts
from dbdyno.analysis.deployment import Deployment, GeneratorPlace
from dbdyno.analysis.differences import Difference
from dbdyno.analysis.errors.model import FoundErrors
from dbdyno.analysis.evidence import Clauses
from dbdyno.analysis.imported.model import Imported
from dbdyno.analysis.joined.model import Unlike
from dbdyno.analysis.knee import FoundKnee
from dbdyno.analysis.published.model import PublishedSource
from dbdyno.analysis.scaling.model import Scaling
from dbdyno.analysis.settings import TargetSettings
from dbdyno.analysis.setup import RunSetup
from dbdyno.analysis.size_gap import SizeGap
from dbdyno.analysis.steadiness.model import Steadiness
from dbdyno.analysis.targets import TargetFacts
from dbdyno.analysis.throughput import TRANSACTIONS, ThroughputMeasure
from dbdyno.analysis.tpcc.model import Conformance
from dbdyno.analysis.usage import CellUsage
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.waiting import Waiting
from dbdyno.experiment.plan import Case, Cell, FactorLevels
from dbdyno.experiment.translated import Translated
from dbdyno.facts.host import HostFacts, OtherHost


@dataclass(frozen=True)
class Estimate:
    """A geometric mean with its 95 % interval.

    ``low`` and ``high`` are None with fewer than two trials, or where the mean is zero because one
    of them did nothing. Where ``count`` is 0 there is no mean, and ``mean`` is NaN.
    """

    mean: float
    low: float | None
    high: float | None
    count: int


@dataclass(frozen=True)
class Percentiles:
    """Percentiles of one merged histogram, in milliseconds; never averaged.

    One that lies beyond the histogram's range of two hours is infinite.
    """

    p50_ms: float
    p90_ms: float
    p95_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float
    count: int


@dataclass(frozen=True)
class IntervalSeries:
    """Throughput over time of one trial: seconds from the start of the window, transactions/s.

    Response times are of the same transactions.
    """

    round: int
    start_s: tuple[float, ...]
    throughput_per_s: tuple[float, ...]
    response_p95_ms: tuple[float | None, ...]


@dataclass(frozen=True)
class Sending:
    """How a cell's transactions were sent, and what each of them cost in round trips.

    ``isolation`` has the levels as they were read back, None for one that nobody told.
    ``reconnect`` is the number of transactions that a connection served, 0 where it was kept.
    """

    protocol: str
    isolation: tuple[str | None, ...]
    asked_isolation: str | None
    """None where the server's default was left."""
    autocommit: bool
    reconnect: int
    connect_mean_ms: float | None
    round_trips_per_transaction: float | None
    waiting: Waiting


@dataclass(frozen=True)
class HostSummary:
    """One of several hosts among which a cell's clients were spread, over its valid trials.

    Transactions, their share and the numbers of clients are those of the window; connections and
    attempts that failed are counted from the first connection on.
    """

    host: str
    transactions: int
    share: float
    connections: int
    failed_attempts: int
    fewest_clients: int
    most_clients: int


@dataclass(frozen=True)
class GeneratorSummary:
    """One of several generators that made a cell's load, over its valid trials.

    All figures are of the window. ``asked_share`` is of the load that it was asked for, ``share``
    of the transactions that ended. ``cpu_cores`` is CPU time a second; ``late`` and ``lost`` are
    trials in which it was.
    """

    number: int
    """From 1 on."""
    asked_share: float
    transactions: int
    share: float
    cpu_cores: float
    busiest_worker_share: float
    longest_pause_s: float
    late: int
    lost: int
    headroom: float | None = None
    """How many times its load it could have made; None where that is not known."""
    largest_lag_p99_ms: float | None = None
    """The largest p99 of an interval of how late its workers came to what was due."""
    clock_bound_s: float | None = None
    """Of one on another host: how far its clock may have been off at the most."""
    new_orders: int | None = None
    """Of TPC-C, committed or rolled back on purpose; None where that was not stored."""
    place: GeneratorPlace = field(default_factory=GeneratorPlace)


@dataclass(frozen=True)
class SizeSummary:
    """How large a cell's tables were, on average over its valid trials; None is not known.

    ``disk_bytes`` and ``logical_bytes`` are of the tables as they were loaded or found, where any
    trial began with those. ``growth_bytes`` is what the tables grew by on disk in a trial.
    ``directory_bytes`` is all that a server of ours keeps. ``sources`` names what servers were
    asked, ``gaps`` say what is not known and why, ``notes`` what a figure leaves out. ``nodes`` is
    of how many servers the size on disk is the sum.
    """

    disk_bytes: float | None
    logical_bytes: float | None
    is_estimate: bool
    growth_bytes: float | None
    directory_bytes: float | None
    sources: tuple[str, ...] = ()
    gaps: tuple[SizeGap, ...] = ()
    notes: tuple[str, ...] = ()
    nodes: int = 1

    @property
    def ratio(self) -> float | None:
        """How many logical bytes one byte on disk holds.

        None of several servers: nobody knows which rows each of them has a copy of.
        """
        if not self.disk_bytes or self.logical_bytes is None or self.nodes > 1:
            return None
        return self.logical_bytes / self.disk_bytes

    @property
    def disk_share(self) -> float | None:
        """The size on disk as a share of the logical one."""
        return 1 / self.ratio if self.ratio else None


@dataclass(frozen=True)
class CellSummary:
    """One cell over its valid trials. ``excluded`` names the trials that were not used, and why.

    Throughput, and the series of it, are of the transactions that ``Findings.measure`` counts.
    ``rounds`` are those with a valid trial. Means are over all of them; a comparison is over those
    that both cells have.
    """

    cell: Cell
    throughput_per_s: Estimate
    throughput_by_round: tuple[tuple[int, float], ...]
    rounds: tuple[int, ...]
    coefficient_of_variation: float | None
    response: dict[str, Percentiles]
    service: dict[str, Percentiles]
    lag: dict[str, Percentiles]
    committed: int
    rolled_back: int
    failed: int
    dropped: int
    retries: int
    first_attempt_abort_share: float
    statements_per_transaction: float
    window_s: float
    """The windows of all valid trials together."""
    series: tuple[IntervalSeries, ...]
    series_of_all: tuple[IntervalSeries, ...] = ()
    """Of all transactions, where throughput counts one kind of them; else empty."""
    excluded: tuple[tuple[int, TrialReason], ...] = ()
    offered_per_s: float | None = None
    """What arrived in an open loop; None in a closed one."""
    kept_up: bool = True
    """Whether all valid trials did what was offered to them."""
    dropped_share: float = 0.0
    """Of all that was scheduled from the warm-up on."""
    sending: Sending | None = None
    """None where no trial is valid."""
    hosts: tuple[HostSummary, ...] = ()
    """Empty where all clients went to one host."""
    generators: tuple[GeneratorSummary, ...] = ()
    """Empty where one generator made the load."""
    failed_response: dict[str, Percentiles] = field(default_factory=dict)
    """By kind of transaction, of those that failed; empty where none did, or none is known."""
    asked_response: dict[str, Percentiles] = field(default_factory=dict)
    """Of all that were asked for, whether they were done or failed; where some failed."""
    transactions_per_s: Estimate | None = None
    """Of all kinds together, where throughput is that of one of them."""
    conformance: Conformance | None = None
    """None where the workload is not TPC-C."""
    size: SizeSummary | None = None
    """None where nobody asked for it, or no trial is valid."""
    values_by_round: Mapping[MetricName, tuple[tuple[int, float], ...]] = field(
        default_factory=dict
    )
    """What cells are compared by beside throughput, by round; of those trials that have it."""
    resolution: Mapping[MetricName, float] = field(default_factory=dict)
    """How finely these figures are told, and throughput: their step as a share of them."""
    clients: ClientsInEffect | None = None
    """None where the generator could not tell, or no trial is valid."""
    always_asks: bool = True
    """Whether each client asks for the next transaction as soon as one has ended."""

    @property
    def idle_rounds(self) -> tuple[int, ...]:
        """The rounds of the mean in which nothing was done, so that the mean is zero."""
        done = dict(self.throughput_by_round)
        return tuple(number for number in self.rounds if done[number] <= 0)


class Severity(StrEnum):
    """What a warning does to a figure."""

    INVALID = "invalid"
    """The trial is not used."""
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """One validity check that spoke up: which, and the evidence in figures.

    ``evidence`` is of the whole experiment, ``by_trial`` that of each trial by its number.
    ``comparisons`` is the number of verdicts that it touches; None is not counted yet.
    """

    code: Code
    severity: Severity
    evidence: Clauses = ()
    by_trial: tuple[tuple[int, Clauses], ...] = ()
    trials: tuple[int, ...] = ()
    comparisons: int | None = None


@dataclass(frozen=True)
class TrialReason:
    """What stands against a trial: what a check says, or evidence alone where ``code`` is None."""

    code: Code | None
    evidence: Clauses = ()


class Standing(StrEnum):
    """How a planned trial stands; each is in exactly one of these."""

    VALID = "valid"
    WITH_WARNINGS = "valid with warnings"
    INVALID = "invalid"
    """It came to its end, and a check says that its figures must not be used."""
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    MISSING = "not run"


@dataclass(frozen=True)
class TrialLine:
    """One planned trial; ``reasons`` are what stands against it.

    ``throughput_per_s`` (what ``Findings.measure`` counts), ``transactions_per_s`` and ``p95_ms``
    (both of all kinds) are what it measured, also where that is not used; None where nothing was.
    """

    number: int
    round: int
    cell: Cell
    standing: Standing
    reasons: tuple[TrialReason, ...] = ()
    throughput_per_s: float | None = None
    transactions_per_s: float | None = None
    p95_ms: float | None = None


@dataclass(frozen=True)
class Findings:
    """All that was found in one result directory."""

    experiment: str
    question: Translated
    factors: tuple[FactorLevels, ...]
    rounds: int
    cells: tuple[CellSummary, ...]
    compared: tuple[MetricComparisons, ...]
    """By metric, the primary one first."""
    warnings: tuple[Finding, ...]
    host: HostFacts = field(default_factory=HostFacts)
    other_hosts: Mapping[str, OtherHost] = field(default_factory=dict)
    targets: tuple[TargetFacts, ...] = ()
    """Per target: product, version, durability class, build, limits."""
    deployments: tuple[Deployment, ...] = ()
    differences: tuple[Difference, ...] = ()
    """Settings that differ between cells besides the factor: setting, cell, value, other value."""
    default_differences: tuple[Difference, ...] = ()
    """The same for settings that nobody has set: versions have other defaults."""
    target_differences: tuple[Difference, ...] = ()
    """The same for settings that belong to the targets that are compared."""
    confounders: tuple[Confounder, ...] = ()
    """What else differs between compared cells."""
    meanings: tuple[LevelMeanings, ...] = ()
    """What settings mean, of levels that are compared with those of another product."""
    trials_planned: int = 0
    trials_used: int = 0
    measure: ThroughputMeasure = TRANSACTIONS
    knees: tuple[FoundKnee, ...] = ()
    """What a search has found, for each combination of the other factors' levels."""
    trials: tuple[TrialLine, ...] = ()
    """All trials of the plan, in order."""
    scaling: tuple[Scaling, ...] = ()
    """How throughput grows with clients, for each combination of the other factors' levels."""
    costs: tuple[CellCosts, ...] = ()
    """What a transaction took, of those cells of which anything was watched."""
    steadiness: Steadiness = field(default_factory=Steadiness)
    looks: int = 1
    """How often the result could be looked at before rounds were added, this time included."""
    limits: tuple[CellLimit, ...] = ()
    """What throughput was limited by, one for each cell."""
    setup: RunSetup | None = None
    """What was asked of the trials."""
    is_smoke: bool = False
    is_stand_in: bool = False
    """Whether the servers and sizes are those of the file's section ``smoke``."""
    """Whether it was a smoke run: it has figures, and nothing is compared."""
    usage: Mapping[Cell, CellUsage] = field(default_factory=dict)
    """What hosts, servers and generators used in the cells of which anything is known."""
    planned_baselines: Mapping[str, str] = field(default_factory=dict)
    """The experiment's own baseline of each factor that has another one here."""
    settings: tuple[TargetSettings, ...] = ()
    """The effective settings of each target."""
    errors: FoundErrors = field(default_factory=FoundErrors)
    """Of all compared trials, also of those that are not used."""
    cases: tuple[Case, ...] = ()
    """Cells under the names that the experiment gives them."""
    combinations_without_cell: int = 0
    """How many combinations of levels have no cell, because none was planned."""
    imported: Imported | None = None
    """What logs or tables of others tell; None where the trials are our own."""
    unlike: tuple[Unlike, ...] = ()
    """What should have kept two results from being compared, where somebody forced it."""
    published: tuple[PublishedSource, ...] = ()
    """Tables of others that the experiment names, of other machines: no verdict rests on them."""

    @property
    def ran_with_smoke(self) -> bool:
        """Whether it was run with --smoke, whatever that took the place of."""
        return self.is_smoke or self.is_stand_in

    @cached_property
    def by_cell(self) -> Mapping[Cell, CellSummary]:
        """The cells by their levels."""
        return {summary.cell: summary for summary in self.cells}

    @property
    def is_of_two_results(self) -> bool:
        """Whether two results are compared, each with a file and a report of its own."""
        return any(not factor.is_paired for factor in self.factors)

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons of cells by the primary metric."""
        return self.compared[0].comparisons if self.compared else ()

    @property
    def metric(self) -> Metric:
        """The primary metric: what the question is answered by."""
        return self.compared[0].metric if self.compared else THROUGHPUT
