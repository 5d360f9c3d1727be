"""The cells of an experiment with their levels applied: what is started, loaded and asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from dbdyno.experiment.design.cells import all_combinations
from dbdyno.experiment.design.following import at_levels, without_following
from dbdyno.experiment.design.varied_target import data_name, with_changes
from dbdyno.experiment.file.base import Scalar
from dbdyno.experiment.file.error import FieldError
from dbdyno.experiment.file.generator import UNNAMED, Generator
from dbdyno.experiment.file.procedure import Load
from dbdyno.experiment.file.session import Session
from dbdyno.experiment.file.target import (
    ClusterTarget,
    PrivateTarget,
    Target,
    UrlTarget,
    database_of,
)
from dbdyno.experiment.model import Experiment, Level
from dbdyno.experiment.plan import (
    NO_LIMITS,
    Cell,
    ServerLimits,
    ServerSetup,
    TargetSetup,
    alone,
)
from dbdyno.experiment.workload.registry import AnyWorkload, dataset_key, plan_of
from dbdyno.experiment.workload.sysbench import Sysbench


@dataclass(frozen=True)
class ResolvedCell:
    """A cell with its levels applied; ``database`` is what its target speaks."""

    cell: Cell
    target: str
    database: str
    server_settings: dict[str, str]
    load: Load
    session: Session
    workload: AnyWorkload
    generators: tuple[Generator, ...]
    server_limits: ServerLimits = NO_LIMITS
    online: tuple[str, ...] = ()
    role_setups: Mapping[str, ServerSetup] = field(default_factory=dict)
    """Of a cluster: settings and limits by role."""
    target_changes: Mapping[str, Scalar] = field(default_factory=dict)
    generator_set: str = UNNAMED
    generator_cpus: tuple[int, ...] | None = None
    """Those of the only entry, where a factor or a set's name stands for them."""

    @property
    def sysbench(self) -> Sysbench:
        """The workload, for those who know that it is sysbench's."""
        assert isinstance(self.workload, Sysbench)
        return self.workload

    def data_key(self) -> tuple[object, ...]:
        """Return what two resolved_cells have in common that can take over each other's tables."""
        return self.target, data_name(self.target_changes), dataset_key(plan_of(self.workload))


def resolve_cells(experiment: Experiment) -> list[ResolvedCell]:
    """Return the resolved of each cell, in the order of the matrix."""
    factors, combinations = experiment.factors, experiment.combinations
    return [
        _apply(
            experiment,
            tuple(factor.levels[at] for factor, at in zip(factors, places, strict=True)),
        )
        for places in (all_combinations(factors) if combinations is None else combinations)
    ]


def _apply(experiment: Experiment, levels: tuple[Level, ...]) -> ResolvedCell:
    """Return the resolved of one combination of levels, one level for each factor in order."""
    subjects = ("server", "limits", "load", "session", "workload", "generators", "target")
    changes: dict[str, dict[str, Scalar]] = {subject: {} for subject in subjects}
    for factor, level in zip(experiment.factors, levels, strict=True):
        # null leaves a setting out, and no target has a setting of its own that a factor varies.
        if level.value is not None:
            changes[factor.subject][factor.field] = level.value
    target_name = str(changes["target"].pop("", next(iter(experiment.targets))))
    target = _as_in(experiment, target_name, changes["target"])
    set_name = str(changes["generators"].pop("", next(iter(experiment.generator_sets))))
    generators = _varied(experiment.generator_sets[set_name], changes["generators"])
    says_cpus = set_name != UNNAMED or "cpus" in changes["generators"]
    changed_settings = {name: str(value) for name, value in changes["server"].items()}
    is_cluster = isinstance(target, ClusterTarget)

    def own(settings: Mapping[str, str], database: str) -> dict[str, str]:
        return at_levels(settings, experiment.factors, levels, database)

    settings = own(own_settings(target), database_of(target)) | changed_settings
    return ResolvedCell(
        cell=Cell(
            tuple(
                (factor.name, level.label)
                for factor, level in zip(experiment.factors, levels, strict=True)
            )
        ),
        target=target_name,
        database=database_of(target),
        server_settings={} if is_cluster else settings,
        role_setups=_of_roles(target, own, changed_settings) if is_cluster else {},
        server_limits=_limits(target, changes["limits"]),
        online=tuple(
            factor.field.partition(".")[2] if is_cluster else factor.field
            for factor in experiment.factors
            if factor.apply == "online"
        ),
        target_changes=changes["target"],
        generator_set=set_name,
        generator_cpus=_cpus_of_only(generators) if says_cpus else None,
        load=experiment.load.with_fields(changes["load"]),
        session=experiment.session.with_fields(changes["session"]),
        workload=experiment.workload_of(target_name).with_fields(changes["workload"]),
        generators=generators,
    )


def _as_in(experiment: Experiment, name: str, changes: Mapping[str, Scalar]) -> Target:
    """Return a target as a cell has it; FieldError where it is one of several that cannot be so."""
    try:
        return with_changes(experiment.targets[name], changes, experiment.path.parent)
    except ValueError as error:
        raise FieldError(
            ("factors",),
            f"the target {name} cannot be as a cell has it: {error}; name the cells that there "
            f"are, as in cells: [{{target: {name}, ...}}]",
        ) from None


def _varied(chosen: tuple[Generator, ...], changes: Mapping[str, Scalar]) -> tuple[Generator, ...]:
    """Return the generators of a set; there is one entry where a factor changes its fields."""
    return (chosen[0].with_fields(changes),) if changes else chosen


def _cpus_of_only(generators: Sequence[Generator]) -> tuple[int, ...] | None:
    """Return the CPUs of a generator that is alone, where it is given any."""
    return generators[0].cpus if len(generators) == 1 else None


def own_settings(target: Target) -> dict[str, str]:
    """Return what a target that is one server is set to by itself."""
    return {} if isinstance(target, UrlTarget | ClusterTarget) else target.settings


def own_setup(target: Target) -> TargetSetup:
    """Return how a target is started where no factor changes anything, and nothing follows one."""
    if isinstance(target, ClusterTarget):
        return TargetSetup(_of_roles(target, lambda settings, _: without_following(settings)))
    return alone(without_following(own_settings(target)), _limits(target, {}))


def _of_roles(
    target: Target,
    own: Callable[[Mapping[str, str], str], dict[str, str]],
    changes: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, ServerSetup]:
    """Return settings and limits of each role; ``changes`` are by role and setting.

    ``own`` makes the settings that servers have by the file ready, given what the servers speak.
    """
    assert isinstance(target, ClusterTarget)
    return {
        role: ServerSetup(
            own(group.sql.settings, database_of(group.sql))
            | {
                name.partition(".")[2]: value
                for name, value in changes.items()
                if name.partition(".")[0] == role
            },
            group.sql.limits.planned(),
        )
        for role, group in target.members.items()
        if group.sql is not None
    }


def _limits(target: Target, changes: Mapping[str, Scalar]) -> ServerLimits:
    """Return what a target's server may take; that of one that is not ours is not known here."""
    if not isinstance(target, PrivateTarget):
        return NO_LIMITS
    return target.limits.with_fields(changes).planned()
