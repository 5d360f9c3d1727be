"""Workloads of single targets: that of the file, with the fields that are others on a target.

Two engines so have their own table options, and are compared like any two targets.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from dbdyno.experiment.design.factor_paths import models_of
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.messages import explain
from dbdyno.experiment.file.target import Target
from dbdyno.experiment.model import ExperimentFile
from dbdyno.experiment.workload.registry import AnyWorkload
from dbdyno.experiment.workload.resolve import check_written
from dbdyno.experiment.workload.tpcc import Tpcc, with_path
from dbdyno.refusal import suggest


def resolve_own_workloads(
    file: ExperimentFile, workload: AnyWorkload, targets: Mapping[str, Target], directory: Path
) -> dict[str, AnyWorkload]:
    """Return the workloads of those targets that change fields; FieldError for what can't be."""
    if file.target is not None and file.target.workload is not None:
        raise FieldError(
            ("target", "workload"),
            "is for one of several targets; write these fields under workload",
        )
    return {
        name: _own(file, workload, {name: targets[name]}, choice.workload, directory)
        for name, choice in (file.targets or {}).items()
        if choice.workload is not None
    }


def _own(
    file: ExperimentFile,
    workload: AnyWorkload,
    target: Mapping[str, Target],
    changes: Mapping[str, str | int | float | bool],
    directory: Path,
) -> AnyWorkload:
    """Return the workload of the one target with its changes."""
    location: Location = ("targets", *target, "workload")
    model = models_of(file).get("workload")
    if model is None:
        raise FieldError(location, "SQL of one's own is the same on all targets; remove it")
    for field in changes:
        if field not in model.field_names():
            hint = suggest(field, model.field_names())
            raise FieldError((*location, field), f"is no field of the workload; {hint}")
    try:
        own: AnyWorkload = workload.with_fields(changes)
    except ValidationError as error:
        first = error.errors()[0]
        raise FieldError((*location, *first["loc"][:1]), explain(first)) from None
    try:
        if isinstance(own, Tpcc):
            own = with_path(own, directory)
        check_written(own, target)
    except FieldError as error:
        named = [field for field in changes if field in error.location]
        raise FieldError((*location, *named[:1]), error.message) from None
    return own
