"""Resolve the workload: choose the kind, and have what somebody wrote checked by its reader."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from dbdyno.experiment.error import FieldError
from dbdyno.experiment.kinds import plan_of
from dbdyno.experiment.model import ExperimentFile, Factor
from dbdyno.experiment.pgbench import Pgbench, with_texts
from dbdyno.experiment.sql import Sql
from dbdyno.experiment.target import PostgresqlTarget, SqliteTarget, Target, UrlTarget
from dbdyno.experiment.tpcc import Tpcc, with_path
from dbdyno.experiment.workload import AnyWorkload, Sysbench


def choose_workload(file: ExperimentFile) -> AnyWorkload:
    """Return the one kind that is given."""
    chosen = file.workload.chosen()
    if len(chosen) != 1:
        raise FieldError(
            ("workload",),
            "must be exactly one of sysbench, tpcc, sql and pgbench, as in "
            "{sysbench: {script: oltp_read_write}}",
        )
    return chosen[0]


def resolve_workload(
    file: ExperimentFile,
    targets: Mapping[str, Target],
    factors: Iterable[Factor],
    directory: Path,
) -> AnyWorkload:
    """Return the workload; FieldError for the first thing that is wrong with what was written."""
    workload = choose_workload(file)
    if isinstance(workload, Sysbench):
        return workload
    if isinstance(workload, Pgbench):
        workload = with_texts(workload, directory)
    if isinstance(workload, Tpcc):
        workload = with_path(workload, directory)
    _check_written(workload, targets)
    _refuse_mixed_open_loop(workload, file, factors)
    return workload


def _check_written(workload: AnyWorkload, targets: Mapping[str, Target]) -> None:
    # Imported here: planning sysbench needs no extension.
    from dbdyno._native import check_workload

    plan = plan_of(workload)
    for dialect in dict.fromkeys(map(_dialect, targets.values())):
        mistake = check_workload(json.dumps(plan), dialect)
        if mistake is not None:
            path, message = mistake
            raise FieldError(("workload", *plan, *path), message)


def _dialect(target: Target) -> str:
    if isinstance(target, UrlTarget):
        return urlsplit(target.url).scheme
    if isinstance(target, SqliteTarget):
        return "sqlite"
    return "postgresql" if isinstance(target, PostgresqlTarget) else "mysql"


def _refuse_mixed_open_loop(
    workload: AnyWorkload, file: ExperimentFile, factors: Iterable[Factor]
) -> None:
    """Refuse arrivals at a rate where the kind of what arrives is not known."""
    if isinstance(workload, Sysbench):
        return
    if _count_kinds(workload) == 1:
        return
    message = (
        "an open loop needs a workload with one kind of transaction in this release; remove the "
        "rate, or keep one transaction"
    )
    if file.load.rate_per_s is not None:
        raise FieldError(("load", "rate"), message)
    for factor in factors:
        if factor.sets == "load.rate":
            raise FieldError(("factors", factor.name), message)


def _count_kinds(workload: AnyWorkload) -> int:
    """Return how many kinds of transactions a workload that is not sysbench's draws."""
    if isinstance(workload, Tpcc):
        weights = () if workload.mix == "deck" else workload.mix.model_dump().values()
        return sum(weight > 0 for weight in weights)
    if isinstance(workload, Pgbench):
        return len(workload.scripts)
    return len(workload.transactions) if isinstance(workload, Sql) else 1
