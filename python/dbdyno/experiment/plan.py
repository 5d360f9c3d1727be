"""The plan: every trial of an experiment, in the order in which it will run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, TypeAlias

from pydantic import Field
from pydantic.dataclasses import dataclass as checked_dataclass

from dbdyno.experiment.translated import Translated
from dbdyno.protocol.form import left_out
from dbdyno.protocol.trial_plan import TrialPlan

Contrast: TypeAlias = tuple[str, str]
"""A level, and the level that it is compared with."""
TrialKind = Literal["compared", "reference", "measured again"]
"""What a trial is for: its cell is compared with others, or measured again to show drift."""
SERVER_ROLE = "server"
"""The role of a server that is alone in its target."""


@dataclass(frozen=True)
class Cell:
    """One combination of levels: factor name → level as it is shown ("16M", "wal", "64")."""

    levels: tuple[tuple[str, str], ...]

    def level(self, factor: str) -> str:
        """Return the level of one factor; KeyError when the cell has no such factor."""
        return dict(self.levels)[factor]

    def without(self, factor: str) -> Cell:
        """Return the levels of all other factors."""
        return Cell(tuple(level for level in self.levels if level[0] != factor))

    def at(self, factor: str, level: str) -> Cell:
        """Return the cell that has this level of one factor, and is like this one else."""
        return Cell(tuple((name, level if name == factor else own) for name, own in self.levels))

    def contrast(self, factor: str, baseline: Cell) -> Contrast:
        """Return the level of a factor here, and that of the cell that this is compared with."""
        return self.level(factor), baseline.level(factor)

    def label(self) -> str:
        """Return the levels in words: ``buffer_pool=16M, threads=64``."""
        return ", ".join(level_in_words(*each) for each in self.levels) or "(one cell)"


def level_in_words(factor: str, level: str) -> str:
    """Return ``threads=64``; the level alone where the factor's name is in brackets."""
    return level if factor.startswith("(") else f"{factor}={level}"


@checked_dataclass(frozen=True)
class ServerLimits:
    """What a private server may take of its machine; None where nothing limits it."""

    memory_bytes: int | None = None
    cpus: float | None = None
    reads_per_s: int | None = left_out(None)
    writes_per_s: int | None = left_out(None)
    read_bytes_per_s: int | None = left_out(None)
    write_bytes_per_s: int | None = left_out(None)
    """Of the disk that holds the server's files."""

    @property
    def of_disk_per_s(self) -> dict[str, int]:
        """What is limited of reads and writes, by ``reads``, ``writes`` and the bytes of each."""
        limits = {
            "reads": self.reads_per_s,
            "writes": self.writes_per_s,
            "read_bytes": self.read_bytes_per_s,
            "write_bytes": self.write_bytes_per_s,
        }
        return {amount: limit for amount, limit in limits.items() if limit is not None}

    def __bool__(self) -> bool:
        """Tell whether anything is limited."""
        return self != NO_LIMITS


NO_LIMITS = ServerLimits()


@dataclass(frozen=True)
class ServerSetup:
    """How the servers of one role are started."""

    settings: Mapping[str, str] = field(default_factory=dict)
    limits: ServerLimits = NO_LIMITS
    online: Mapping[str, str] = field(default_factory=dict)
    """Settings that are made on the running server, without a restart."""


@dataclass(frozen=True)
class TargetSetup:
    """How the servers of a target are started, by their role."""

    roles: Mapping[str, ServerSetup]

    @property
    def server(self) -> ServerSetup:
        """The setup of a server that is alone."""
        return self.roles[SERVER_ROLE]

    def at_start(self) -> TargetSetup:
        """Return what takes a restart to change."""
        return TargetSetup({role: replace(one, online={}) for role, one in self.roles.items()})


def alone(settings: Mapping[str, str], limits: ServerLimits = NO_LIMITS) -> TargetSetup:
    """Return the setup of a target that is one server."""
    return TargetSetup({SERVER_ROLE: ServerSetup(settings, limits)})


@checked_dataclass(frozen=True, kw_only=True)
class PlannedTrial:
    """One cell in one round, with everything needed to carry it out.

    ``server_settings`` and ``server_limits`` are for the server of a target that has one alone,
    ``role_settings`` and ``role_limits`` for the servers of each role of a cluster.
    """

    number: int
    round: int
    """0 where the trial stands outside the rounds."""
    cell: Cell
    target: str
    server_settings: dict[str, str] = Field(default_factory=dict)
    server_limits: ServerLimits = NO_LIMITS
    role_settings: dict[str, dict[str, str]] = left_out({})
    role_limits: dict[str, ServerLimits] = left_out({})
    online: tuple[str, ...] = left_out(())
    """The settings, by name, that are made on the running server."""
    target_changes: dict[str, str | int | float | bool] = left_out({})
    """What the cell changes of the target as the file describes it, by its path."""
    generator_cpus: tuple[int, ...] | None = left_out(None)
    """The CPUs that the generator may use, where a factor says."""
    generator_plan: TrialPlan
    kind: TrialKind = "compared"

    def label(self) -> str:
        """Return the trial's cell in words, and what it is for where that is not to be compared."""
        label = self.cell.label()
        return label if self.kind == "compared" else f"{label} ({self.kind})"

    @property
    def setup(self) -> TargetSetup:
        """How the trial's servers are started."""
        if not self.role_settings:
            return TargetSetup({SERVER_ROLE: self._setup(self.server_settings, self.server_limits)})
        return TargetSetup(
            {
                role: self._setup(settings, self.role_limits.get(role, NO_LIMITS))
                for role, settings in self.role_settings.items()
            }
        )

    def _setup(self, settings: Mapping[str, str], limits: ServerLimits) -> ServerSetup:
        return ServerSetup(
            {name: value for name, value in settings.items() if name not in self.online},
            limits,
            {name: value for name, value in settings.items() if name in self.online},
        )


RESULT_PATH = "result"
"""What a factor sets that tells results from each other, measured at different times."""
APART = "apart"
"""The order of a plan whose levels of such a factor ran at different times."""


TRANSACTION_FIELDS = frozenset(
    {"workload.mix", "workload.script", "workload.scripts", "workload.transactions"}
)
"""The fields of an experiment file that say what a transaction is, of each kind of workload."""


@dataclass(frozen=True)
class FollowingSetting:
    """A setting of a target's servers that follows a factor, with its value at each level."""

    target: str
    setting: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class FactorLevels:
    """A factor as the report needs it."""

    name: str
    levels: tuple[str, ...]
    sets: str
    """What the factor sets: ``load.clients``, ``server.innodb_buffer_pool_size``, ``target`` …"""
    baseline: int = 0
    """The place of the level that the others are compared with."""
    against: Annotated[tuple[tuple[str, str], ...], Field(exclude_if=lambda value: not value)] = ()
    """Levels that are compared with others than the baseline, each with one of those."""
    follows: Annotated[tuple[FollowingSetting, ...], Field(exclude_if=lambda value: not value)] = ()
    """Settings that follow the factor, and so belong to its levels."""

    @property
    def baseline_level(self) -> str:
        """The level that the others are compared with, but for those in ``against``."""
        return self.levels[self.baseline]

    def baselines_of(self, level: str) -> tuple[str, ...]:
        """Return what a level is compared with; of the baseline itself that is nothing."""
        named = tuple(baseline for each, baseline in self.against if each == level)
        return named or (self.baseline_level,) * (level != self.baseline_level)

    @property
    def contrasts(self) -> tuple[Contrast, ...]:
        """Each level with each that it is compared with, in the order of the levels."""
        return tuple((each, other) for each in self.levels for other in self.baselines_of(each))

    @property
    def sets_transactions(self) -> bool:
        """Whether its levels carry out other transactions, whose rates are of different things."""
        return self.sets in TRANSACTION_FIELDS

    @property
    def is_load(self) -> bool:
        """Whether its levels change how much is asked for, and nothing else."""
        return self.sets in ("load.clients", "load.rate")

    @property
    def places_servers(self) -> bool:
        """Whether its levels say which servers and generators there are, or who connects where."""
        return self.sets in ("target", "target.url") or self.sets.startswith(
            ("members.", "generators")
        )

    @property
    def is_paired(self) -> bool:
        """Whether its levels ran in the same rounds; those of two results did not."""
        return self.sets != RESULT_PATH


CLIENTS_FACTOR = "clients"
RATE_FACTOR = "rate"
"""The factors that a search brings with it."""
CLOSED_LOOP = "closed"
"""The level of the rate of those trials that look for the highest throughput."""


@dataclass(frozen=True)
class PlannedSearch:
    """The search for the knee; the plan grows by what its trials measure."""

    low: int
    high: int
    rounds: int
    quantile: float | None = None
    limit_s: float | None = None
    """The response time to be kept, by what share of transactions; None where nothing is asked."""
    rate: float | None = None
    """The share of the highest throughput that is measured in the end."""
    most_trials: int = 0
    """So many trials all of it takes at the most."""


@dataclass(frozen=True)
class Case:
    """Cells that a report has under one name: ``levels`` has each factor with those it takes."""

    name: str
    levels: tuple[tuple[str, tuple[str, ...]], ...]

    def has(self, cell: Cell) -> bool:
        """Tell whether a cell is one of its cells."""
        return all(cell.level(factor) in levels for factor, levels in self.levels)


@dataclass(frozen=True)
class PlannedReport:
    """What is written when all trials are done."""

    languages: tuple[str, ...] = ("en",)
    formats: tuple[str, ...] = ("html",)


@dataclass(frozen=True)
class Plan:
    """All trials in order, and what they are for."""

    experiment: str
    question: Translated
    factors: tuple[FactorLevels, ...]
    rounds: int
    order: str
    trials: tuple[PlannedTrial, ...]
    estimated_s: float
    notes: tuple[str, ...] = ()
    """What a reader should know of the workload before it runs, a sentence each."""
    order_in_words: str = ""
    """What the order does, and what it costs."""
    reference_in_words: str = ""
    """What is measured again and when; "" where nothing is."""

    search: PlannedSearch | None = None
    margin: float | None = None
    """As a share: a smaller difference does not matter."""
    pause_s: Annotated[float, Field(exclude_if=lambda value: not value)] = 0.0
    """The rest between two trials; plans without one have no such field."""
    cases: Annotated[tuple[Case, ...], Field(exclude_if=lambda value: not value)] = ()
    """Cells under the names that the file gives them; plans without any have no such field."""
    report: Annotated[PlannedReport, Field(exclude_if=lambda value: value == PlannedReport())] = (
        PlannedReport()
    )
    """Plans that ask for the usual report have no such field."""
    is_smoke: Annotated[bool, Field(exclude_if=lambda value: not value)] = False
    """Whether it has the smoke size, so that no figure means anything. Plans of any other size have
    no such field, like those from before there was one."""
    is_stand_in: Annotated[bool, Field(exclude_if=lambda value: not value)] = False
    """Whether it has the servers and sizes of the file's section ``smoke``: its figures are true of
    these alone."""

    @property
    def given_factors(self) -> tuple[FactorLevels, ...]:
        """The factors of the experiment's file: those of a search are its answer."""
        if self.search is None:
            return self.factors
        searched = (CLIENTS_FACTOR, RATE_FACTOR)
        return tuple(factor for factor in self.factors if factor.name not in searched)

    @property
    def compared_factors(self) -> tuple[FactorLevels, ...]:
        """The factors whose levels are held against each other.

        Those that say what a transaction is are so only where there is no other: that one script
        does more transactions a second than another says nothing of a server.
        """
        others = tuple(each for each in self.given_factors if not each.sets_transactions)
        return others if any(len(each.levels) > 1 for each in others) else self.given_factors

    @property
    def compared(self) -> tuple[PlannedTrial, ...]:
        """The trials whose cells are compared with each other."""
        return tuple(trial for trial in self.trials if trial.kind == "compared")

    @property
    def compared_cells(self) -> tuple[Cell, ...]:
        """The cells of these trials, in the order in which they first ran."""
        return tuple(dict.fromkeys(trial.cell for trial in self.compared))

    @property
    def combinations_without_cell(self) -> int:
        """How many combinations of levels are left out; 0 of a search, which chooses its cells."""
        if self.search is not None:
            return 0
        return math.prod(len(each.levels) for each in self.factors) - len(self.compared_cells)
