"""What the kinds of workloads differ in, as the rest of the program needs it.

A *workload plan* is the field ``workload`` of a trial plan: the kind's name and its options.
"""

from __future__ import annotations

import json
from typing import Any

from dbdyno.experiment.file.procedure import RETRIED_ERRORS
from dbdyno.experiment.workload import pgbench, scripts, sql, tpcc
from dbdyno.experiment.workload.pgbench import Pgbench
from dbdyno.experiment.workload.sysbench import AnyWorkload, Sysbench
from dbdyno.experiment.workload.tpcc import Tpcc
from dbdyno.protocol.trial_plan import WorkloadPlan

_DATASET_FIELDS = {
    "tpcc": tpcc.DATASET_FIELDS,
    "sql": sql.DATASET_FIELDS,
    "pgbench": pgbench.DATASET_FIELDS,
}


def plan_of(chosen: AnyWorkload) -> dict[str, dict[str, Any]]:
    """Return the workload plan of a workload."""
    if isinstance(chosen, Sysbench):
        return {"sysbench": chosen.model_dump()}
    if isinstance(chosen, Tpcc):
        return {"tpcc": tpcc.plan_of(chosen)}
    if isinstance(chosen, Pgbench):
        return {"pgbench": pgbench.plan_of(chosen)}
    return {"sql": sql.plan_of(chosen)}


def retried_errors(chosen: AnyWorkload) -> tuple[str, ...]:
    """Return the errors after which its transactions are tried again, unless somebody says others.

    sysbench's transactions delete a row and insert it anew. Where two do so with one row at once,
    PostgreSQL lets the second delete nothing and then refuses its INSERT with 23505: a conflict,
    which sysbench retries too.
    """
    return (*RETRIED_ERRORS, "23505") if isinstance(chosen, Sysbench) else RETRIED_ERRORS


def dataset_of(plan: WorkloadPlan) -> dict[str, dict[str, Any]]:
    """Return the options that the loaded tables follow from."""
    ((kind, options),) = plan.items()
    if kind == "sysbench":
        return {kind: scripts.dataset_of(Sysbench.model_validate(options))}
    return {kind: {field: options[field] for field in _DATASET_FIELDS[kind] if field in options}}


def dataset_key(plan: WorkloadPlan) -> str:
    """Return what is equal for equal tables."""
    return json.dumps(dataset_of(plan), sort_keys=True)


def rows_of(plan: WorkloadPlan) -> int:
    """Return how many rows are loaded, as far as it can be told."""
    ((kind, options),) = plan.items()
    if kind == "sysbench":
        return scripts.rows_loaded(Sysbench.model_validate(options))
    if kind == "tpcc":
        return tpcc.rows_of(options)
    return pgbench.rows_of(options) if kind == "pgbench" else sql.rows_of(options)


def describe_data(plan: WorkloadPlan) -> str:
    """Return what is loaded in words: ``4 × 10,000 rows``."""
    ((kind, options),) = plan.items()
    if kind == "sysbench":
        return f"{options['tables']} × {rows_of(plan) // options['tables']:,} rows"
    if kind == "tpcc":
        return tpcc.describe_data(options)
    if kind == "pgbench" and "setup" not in options:
        return f"pgbench's tables at scale {options['scale']} ({rows_of(plan):,} rows)"
    steps = options.get("setup", ())
    statements = sum("sql" in step for step in steps)
    return f"{statements} set-up statements, {rows_of(plan):,} rows" if steps else "nothing"
