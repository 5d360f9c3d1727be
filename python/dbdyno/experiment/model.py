"""An experiment: as a file says it (``ExperimentFile``), and ready to be planned (``Experiment``).

The first knows what may be written; the second has every default filled in, every factor resolved
and every contradiction refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, PlainValidator, Tag, WithJsonSchema

from dbdyno.experiment.file.base import FileModel, Scalar
from dbdyno.experiment.file.cells import WrittenCells
from dbdyno.experiment.file.generator import Generator, GeneratorSets, WrittenGenerators
from dbdyno.experiment.file.hooks import Hooks
from dbdyno.experiment.file.level_labels import LevelBaselines
from dbdyno.experiment.file.procedure import Load, Procedure
from dbdyno.experiment.file.quantity import describe
from dbdyno.experiment.file.report import Report
from dbdyno.experiment.file.search import Search
from dbdyno.experiment.file.session import Session
from dbdyno.experiment.file.target import Target, TargetChoice
from dbdyno.experiment.file.watch import Watch
from dbdyno.experiment.plan import FactorLevels, FollowingSetting
from dbdyno.experiment.translated import Translated, WrittenText
from dbdyno.experiment.workload.registry import AnyWorkload, Workload
from dbdyno.refusal import refusal

Subject = Literal["server", "limits", "load", "session", "workload", "generators", "target"]
Apply = Literal["restart", "online"]
Combination = tuple[int, ...]
"""The place of a level of each factor."""
NamedCells = tuple[str, tuple[tuple[int, ...], ...]]
"""A name with the places of each factor's levels, of which each combination has it."""


LEFT_OUT = "default"
"""What a level is called that leaves a setting out, where it has no name of its own."""


def _parse_level(value: object) -> Scalar | None:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise refusal(f"a level must be text or a number, not {describe(value)}")


_WrittenLevel = Annotated[
    Any,
    PlainValidator(_parse_level),
    WithJsonSchema({"type": ["string", "number", "boolean", "null"]}),
]
WrittenLevels = Annotated[list[_WrittenLevel], Field(min_length=1)]
NamedLevels = Annotated[dict[str, _WrittenLevel], Field(min_length=1)]
"""Levels by names, which stand for them in every table: of URLs, for instance."""


def _form_of_levels(value: object) -> str:
    return "<mapping>" if isinstance(value, dict) else "<list>"


class FactorMapping(FileModel):
    """A factor with a name of one's own."""

    sets: str = Field(
        description="What is varied: server.<setting>, limits.<field>, load.<field>, "
        "session.<field>, workload.<field>, generators, generators.count, generators.cpus, target "
        "or target.<field>; of a cluster server.<role>.<setting>, members.<role>.<field> and "
        "target.variables.<name>."
    )
    levels: Annotated[
        Annotated[WrittenLevels, Tag("<list>")] | Annotated[NamedLevels, Tag("<mapping>")],
        Discriminator(_form_of_levels),
    ] = Field(
        description="The first level is the baseline, unless baseline names another. Those of "
        "target.<field> and server.<setting> may have names, as in {off: null, on: mysql-bin}. "
        "null leaves a setting out, so that the server has what it has by itself; without a name "
        "of its own that level is called default."
    )
    baseline: Scalar | None = Field(
        default=None, description="The level that the others are compared with.", examples=["128M"]
    )
    against: LevelBaselines = Field(
        default={},
        description="Levels that are compared with others than the baseline, as in "
        "{two-pinned: two}; one that is compared with several has a list of them. Tables that have "
        "room for one show the first.",
        examples=[{"two-pinned": "two"}, {"two-pinned": ["one", "two"]}],
    )
    apply: Apply = Field(
        default="restart",
        description="How a server setting is made. restart: it is there when the server starts. "
        "online: on the running server (SET GLOBAL, a reload), and read back.",
    )


WrittenFactor = Annotated[
    Annotated[WrittenLevels, Tag("<list>")] | Annotated[FactorMapping, Tag("<mapping>")],
    Discriminator(_form_of_levels),
]


class ExperimentFile(FileModel):
    """One experiment file, one question."""

    refused: ClassVar[dict[str, str]] = {
        field: f"belongs under {owner}; write {owner}: {{{field}: ...}}"
        for owner, model in (("load", Load), ("session", Session), ("procedure", Procedure))
        for field in model.field_names()
    }

    experiment: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        description="Its name: letters, digits, '.', '_' and '-'.",
    )
    question: WrittenText = Field(
        description="What the experiment is to answer: a text, or one for each language, as in "
        "{en: Is it faster?, zh: 是否更快？}."
    )
    workload: Workload = Field(description="What the clients do.")
    target: TargetChoice | None = Field(default=None, description="The system under test.")
    targets: dict[str, TargetChoice] | None = Field(
        default=None, min_length=1, description="Several systems under test, by name."
    )
    factors: dict[str, WrittenFactor] = Field(
        default={},
        description="What is varied. A list alone needs a known name: clients (also threads, "
        "terminals), rate, isolation, target, generators.",
    )
    cells: WrittenCells | None = Field(
        default=None,
        description="Which combinations of levels run, where not all do: entries of factors with "
        "one level or several, as in {script: oltp_read_write, threads: [32, 64]}. A combination "
        "runs if it fits at least one of them; factors that an entry does not name are free. case: "
        "names an entry; a report has its cells under that name.",
        examples=[[{"case": "T1-1", "script": "oltp_read_write", "threads": [32, 64]}]],
    )
    search: Search | None = Field(default=None, description=Search.__doc__)
    load: Load = Load()
    session: Session = Session()
    procedure: Procedure = Procedure()
    generators: WrittenGenerators = Field(
        default=[Generator()],
        description="The processes that make the load, as a list; or several such lists by name, "
        "as in {one: [{cpus: 0-3}], two: [{cpus: 0-1}, {cpus: 2-3}]}, among which the factor "
        "generators chooses.",
    )
    watch: Watch = Watch()
    hooks: Hooks = Field(default=Hooks(), description=Hooks.__doc__)
    report: Report = Report()
    smoke: dict[str, Any] | None = Field(
        default=None,
        description="What --smoke runs in place of the file's own fields: servers and sizes that "
        "are at hand, as in {workload: {tpcc: {warehouses: 1}}, procedure: {duration: 5s}}. "
        "Mappings are merged, null removes a field, all else is replaced. Without it, --smoke "
        "makes everything small by itself.",
    )


@dataclass(frozen=True)
class Level:
    """One value of a factor, as it is applied; a server setting is text, None where left out."""

    value: Scalar | None
    name: str = ""
    """What it is called in place of its value, where it has a name."""

    @property
    def label(self) -> str:
        """Return the level as it is shown."""
        if self.name:
            return self.name
        if self.value is None:
            return LEFT_OUT
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        is_whole = isinstance(self.value, float) and self.value.is_integer()
        return str(int(self.value) if is_whole else self.value)


@dataclass(frozen=True)
class Factor:
    """What is varied; ``baseline`` is the place of the level that others are compared with.

    ``against`` has those levels that are compared with others, each with one of those.
    ``field`` is empty where levels are names, of targets or of sets of generators.
    """

    name: str
    subject: Subject
    field: str
    levels: tuple[Level, ...]
    apply: Apply = "restart"
    baseline: int = 0
    against: tuple[tuple[str, str], ...] = ()
    follows: tuple[FollowingSetting, ...] = ()

    @property
    def chooses_target(self) -> bool:
        """Whether the levels are the names of targets."""
        return self.subject == "target" and not self.field

    @property
    def chooses_generators(self) -> bool:
        """Whether the levels are the names of sets of generators."""
        return self.subject == "generators" and not self.field

    def planned(self) -> FactorLevels:
        """Return the factor as a plan has it."""
        labels = tuple(level.label for level in self.levels)
        return FactorLevels(self.name, labels, self.sets, self.baseline, self.against, self.follows)

    @property
    def sets(self) -> str:
        """Return the path as it is written in a file: ``load.clients``, ``target``."""
        if self.field.startswith("members."):
            return self.field
        return f"{self.subject}.{self.field}" if self.field else self.subject


@dataclass(frozen=True)
class Experiment:
    """An experiment without contradictions. ``text`` is the file as it was read."""

    path: Path
    text: str
    name: str
    question: Translated
    workload: AnyWorkload
    """What clients do where a target has none of its own."""
    targets: Mapping[str, Target]
    factors: tuple[Factor, ...]
    load: Load
    session: Session
    procedure: Procedure
    generator_sets: GeneratorSets
    watch: Watch
    hooks: Hooks
    report: Report
    search: Search | None = None
    is_smoke: bool = False
    """Whether it was shrunk to its smoke size, so that its figures mean nothing."""
    is_stand_in: bool = False
    """Whether the file's section ``smoke`` was put in place of the file's own fields."""
    written: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)
    """The file's fields as they were read, with that section put in place, or without it."""
    reference: Combination | None = None
    """The place of the reference's level in each factor; None where nothing is measured again."""
    combinations: tuple[Combination, ...] | None = None
    """The combinations of levels that run, in the order of the matrix; None where all do."""
    cases: tuple[NamedCells, ...] = ()
    """The entries of ``cells`` that have a name."""
    own_workloads: Mapping[str, AnyWorkload] = field(default_factory=dict)
    """The workloads of the targets that change some of its fields."""

    def workload_of(self, target: str) -> AnyWorkload:
        """Return what clients do on a target, before factors change it."""
        return self.own_workloads.get(target, self.workload)

    varied_targets: dict[tuple[str, str], Target] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What ``target_of`` has made so far, by the target's name and what a cell changes of it."""

    @property
    def generators(self) -> tuple[Generator, ...]:
        """The entries of all sets that a cell has."""
        chosen = [
            str(level.value)
            for factor in self.factors
            if factor.chooses_generators
            for level in factor.levels
        ]
        return tuple(
            entry for name in chosen or self.generator_sets for entry in self.generator_sets[name]
        )

    @property
    def generator_cpus(self) -> tuple[int, ...]:
        """The CPUs of this machine that the generators may use together; none where any."""
        here = [generator for generator in self.generators if generator.host is None]
        given = [generator.cpus for generator in here if generator.cpus]
        if len(given) < len(here):
            return ()
        return tuple(sorted({cpu for cpus in given for cpu in cpus}))
