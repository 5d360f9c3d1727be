"""Resolve the factors of an experiment file: what each one sets, and its levels as values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from dbdyno.database.secrets import HOLDS_A_SECRET, shown_setting
from dbdyno.experiment.design.factor_paths import (
    Models,
    models_of,
    path_of_known_name,
    split_path,
)
from dbdyno.experiment.design.factor_refusals import (
    refuse_embedded,
    refuse_fixed_value,
    refuse_generators,
    refuse_online,
    refuse_servers_by_url,
)
from dbdyno.experiment.design.varied_target import with_changes
from dbdyno.experiment.file.base import Scalar
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.generator import Entries, generator_sets
from dbdyno.experiment.file.messages import explain
from dbdyno.experiment.file.quantity import parse_setting
from dbdyno.experiment.file.target import Target, UrlTarget
from dbdyno.experiment.model import (
    Apply,
    ExperimentFile,
    Factor,
    FactorMapping,
    Level,
    Subject,
)
from dbdyno.refusal import suggest


def resolve_factors(
    file: ExperimentFile, targets: Mapping[str, Target], directory: Path
) -> tuple[Factor, ...]:
    """Return the factors in the order of the file; FieldError where one cannot be applied.

    ``directory`` is that of the experiment file.
    """
    factors = tuple(
        _Reader(targets, file.generators, models_of(file), directory).factor(name, written)
        for name, written in file.factors.items()
    )
    for earlier, factor in _same_subject(factors):
        raise FieldError(
            ("factors", factor.name),
            f"sets {factor.sets}, which the factor {earlier.name!r} sets already; remove one",
        )
    for factor in factors:
        refuse_fixed_value(factor, file, targets)
    return factors


@dataclass(frozen=True)
class _Reader:
    """Reads factors with what they may set at hand."""

    targets: Mapping[str, Target]
    generators: Entries | dict[str, Entries]
    models: Models
    directory: Path

    def factor(self, name: str, written: Sequence[Scalar | None] | FactorMapping) -> Factor:
        """Return the factor of a name as it is applied."""
        location: Location = ("factors", name)
        apply: Apply = "restart"
        baseline: Scalar | None = None
        against: Mapping[str, Sequence[str]] = {}
        values: Sequence[Scalar | None] | Mapping[str, Scalar | None]
        if isinstance(written, FactorMapping):
            path, path_location = written.sets, (*location, "sets")
            values, level_location = written.levels, (*location, "levels")
            apply, baseline, against = written.apply, written.baseline, written.against
        else:
            path, path_location = path_of_known_name(name, self.models), location
            values, level_location = list(written), location
        subject, field = split_path(path, path_location, self.targets, self.models)
        if apply == "online" and subject != "server":
            raise FieldError(
                (*location, "apply"), f"{path} is no setting of a server; remove apply: online"
            )
        if subject in ("server", "limits"):
            refuse_servers_by_url(self.targets, subject, path_location, apply)
        if subject == "limits":
            refuse_embedded(self.targets, path_location)
        if subject == "generators":
            refuse_generators(self.generators, field, path_location)
        if apply == "online":
            refuse_online(self.targets, (*location, "apply"))
        if apply == "online" and None in (
            values.values() if isinstance(values, Mapping) else values
        ):
            raise FieldError(
                level_location,
                "null leaves a setting out of a server's start, and apply: online makes it on the "
                "running server; write a value, or remove apply: online",
            )
        levels = self._levels(subject, field, values, level_location)
        _refuse_repeated(levels, level_location)
        place = 0 if baseline is None else _place_of(baseline, levels, (*location, "baseline"))
        pairs = tuple(_pairs(against, levels, place, (*location, "against")))
        return Factor(name, subject, field, tuple(levels), apply, place, pairs)

    def _levels(
        self,
        subject: Subject,
        field: str,
        values: Sequence[Scalar | None] | Mapping[str, Scalar | None],
        location: Location,
    ) -> list[Level]:
        """Return the levels, with the names that they may have."""
        entries: Iterable[tuple[str | int, Scalar | None]] = enumerate(values)
        if isinstance(values, Mapping):
            if subject not in ("target", "server") or not field:
                raise FieldError(
                    location,
                    "have names, which only those of target.<field> and server.<setting> may; "
                    "write a list",
                )
            entries = values.items()
        levels = []
        for key, value in entries:
            try:
                level = self._level_or_none(subject, field, value)
            except ValueError as error:
                raise FieldError((*location, key), str(error)) from None
            levels.append(replace(level, name=key) if isinstance(key, str) else level)
        return levels

    def _level_or_none(self, subject: Subject, field: str, value: Scalar | None) -> Level:
        """Return the level; null is one only where there is a setting to leave out."""
        if value is not None:
            return self._level(subject, field, value)
        if subject != "server":
            raise ValueError("a level must be text or a number, not nothing")
        if any(isinstance(target, UrlTarget) for target in self.targets.values()):
            raise ValueError(
                "null leaves a setting out of a server's start, and the target's server is not "
                "started by dbdyno; write the value that it has by itself"
            )
        return Level(None)

    def _level(self, subject: Subject, field: str, value: Scalar) -> Level:
        """Return the level; ValueError with a message for the reader."""
        if subject == "server":
            text = str(parse_setting(value))
            if shown_setting(field, text) != text:
                raise ValueError(f"{field} {HOLDS_A_SECRET}")
            return Level(text)
        if subject == "target" and not field:
            if value not in self.targets:
                raise ValueError(f"there is no target {value!r}; {suggest(value, self.targets)}")
            return Level(value)
        if subject == "generators" and not field:
            names = generator_sets(self.generators)
            if value not in names:
                known = suggest(value, names)
                raise ValueError(f"there is no set of generators {value!r}; {known}")
            return Level(value)
        if subject == "target":
            return self._level_of_target(field, value)
        try:
            self.models[subject].model_validate({field: value})
        except ValidationError as error:
            raise ValueError(explain(error.errors()[0])) from None
        return Level(value)

    def _level_of_target(self, field: str, value: Scalar) -> Level:
        """Return a level that a target takes; cells have to leave out those that do not."""
        refused = []
        for target in self.targets.values():
            try:
                with_changes(target, {field: value}, self.directory)
            except ValueError as error:
                refused.append(error)
        if len(refused) == len(self.targets):
            raise refused[0]
        return Level(value)


def _place_of(baseline: Scalar, levels: Sequence[Level], location: Location) -> int:
    labels = [level.label for level in levels]
    label = Level(baseline).label
    if label not in labels:
        raise FieldError(location, f"{label} is no level; {suggest(label, labels)}")
    return labels.index(label)


def _pairs(
    against: Mapping[str, Sequence[str]],
    levels: Sequence[Level],
    baseline: int,
    location: Location,
) -> Iterator[tuple[str, str]]:
    """Yield each level with each that it is compared with; all lead to the baseline in the end."""
    for level, others in against.items():
        place = (*location, level)
        for each in (level, *others):
            _place_of(each, levels, place)
        if level == levels[baseline].label:
            raise FieldError(place, f"{level} is the baseline; remove one of the two")
        for index, other in enumerate(others):
            if other in others[:index]:
                raise FieldError(place, f"{other} is there twice; remove one of the two")
            if level in _leads_to(other, against):
                raise FieldError(
                    place, f"{level} is compared with {other}, and so in the end with itself"
                )
            yield level, other


def _leads_to(level: str, against: Mapping[str, Sequence[str]]) -> set[str]:
    """Return a level, those that it is compared with, those that these are, and so on."""
    found: set[str] = set()
    left = [level]
    while left:
        if (each := left.pop()) not in found:
            found.add(each)
            left.extend(against.get(each, ()))
    return found


def _refuse_repeated(levels: Sequence[Level], location: Location) -> None:
    labels = [Level(level.value).label for level in levels]
    for index, (label, level) in enumerate(zip(labels, levels, strict=True)):
        if label in labels[:index]:
            raise FieldError(
                (*location, level.name or index),
                f"the level {label} is there already; each level must differ",
            )


def _same_subject(factors: Sequence[Factor]) -> Iterable[tuple[Factor, Factor]]:
    for index, factor in enumerate(factors):
        for earlier in factors[:index]:
            if earlier.sets == factor.sets:
                yield earlier, factor
