"""Resolve the workload: choose the kind, and have what somebody wrote checked by its reader."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from dbdyno.experiment.file.error import FieldError
from dbdyno.experiment.file.target import Target, database_of
from dbdyno.experiment.model import ExperimentFile, Factor
from dbdyno.experiment.workload.pgbench import Pgbench, with_texts
from dbdyno.experiment.workload.registry import AnyWorkload, plan_of
from dbdyno.experiment.workload.sysbench import Sysbench
from dbdyno.experiment.workload.tpcc import Tpcc, with_path


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
        _refuse_open_loop(workload, file, factors)
    check_written(workload, targets)
    return workload


def check_written(workload: AnyWorkload, targets: Mapping[str, Target]) -> None:
    """FieldError for what the generator refuses of a workload on these targets."""
    # Imported here: planning sysbench needs no extension.
    from dbdyno._native import check_workload

    plan = plan_of(workload)
    for dialect in dict.fromkeys(map(database_of, targets.values())):
        mistake = check_workload(json.dumps(plan), dialect)
        if mistake is not None:
            path, message = mistake
            raise FieldError(("workload", *plan, *path), message)


def _refuse_open_loop(workload: Tpcc, file: ExperimentFile, factors: Iterable[Factor]) -> None:
    """Refuse arrivals at a rate where terminals have a pace of their own."""
    if workload.waits:
        reason = "keying and think times give terminals a pace of their own, and a rate another"
    elif workload.delivery == "deferred":
        reason = "a deferred delivery is carried out by the terminal that queued it, in its time"
    else:
        return
    message = f"{reason}; remove the rate, or pacing and deferred delivery"
    if file.load.rate_per_s is not None:
        raise FieldError(("load", "rate"), message)
    for factor in factors:
        if factor.sets == "load.rate":
            raise FieldError(("factors", factor.name), message)
