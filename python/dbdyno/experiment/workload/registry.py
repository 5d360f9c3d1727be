"""The kinds of workloads: the section ``workload`` of an experiment file, and what they differ in.

A *workload plan* is the field ``workload`` of a trial plan: the kind's name and its options.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.procedure import RETRIED_ERRORS
from dbdyno.experiment.workload import pgbench, scripts, sql, tpcc
from dbdyno.experiment.workload.pgbench import Pgbench
from dbdyno.experiment.workload.sql import Sql
from dbdyno.experiment.workload.sysbench import Sysbench
from dbdyno.experiment.workload.tpcc import Tpcc
from dbdyno.protocol.workload_plan import WorkloadPlan

AnyWorkload = Sysbench | Tpcc | Sql | Pgbench


class Workload(FileModel):
    """What the clients do; exactly one kind."""

    sysbench: Sysbench | None = None
    tpcc: Tpcc | None = None
    sql: Sql | None = None
    pgbench: Pgbench | None = None

    def chosen(self) -> list[AnyWorkload]:
        """Return the kinds that are given; one is right."""
        kinds = (self.sysbench, self.tpcc, self.sql, self.pgbench)
        return [kind for kind in kinds if kind is not None]


def plan_of(chosen: AnyWorkload) -> WorkloadPlan:
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


def is_written(plan: WorkloadPlan) -> bool:
    """Tell whether a person wrote statements of a workload, and can correct them."""
    return "sql" in plan or "pgbench" in plan


_MAKING = re.compile(r"\b(?:create|alter|drop|rename|use|search_path|attach|declare)\b", re.I)


def makes_what_it_uses(plan: WorkloadPlan) -> bool:
    """Tell whether transactions may make what later statements of theirs name, or look elsewhere.

    A server cannot judge such statements before the ones that come before them are carried out.
    """
    written = plan.get("sql", {}).get("transactions"), plan.get("pgbench", {}).get("scripts")
    return _MAKING.search(json.dumps(written)) is not None


def dataset_of(plan: WorkloadPlan) -> Mapping[str, Mapping[str, object]]:
    """Return the options that the loaded tables follow from, under the kind's name."""
    if "sysbench" in plan:
        return {"sysbench": scripts.dataset_of(Sysbench.model_validate(plan["sysbench"]))}
    if "tpcc" in plan:
        return {"tpcc": _only(tpcc.DATASET_FIELDS, plan["tpcc"])}
    if "pgbench" in plan:
        return {"pgbench": _only(pgbench.DATASET_FIELDS, plan["pgbench"])}
    return {"sql": _only(sql.DATASET_FIELDS, plan["sql"])}


def _only(fields: Iterable[str], options: Mapping[str, object]) -> Mapping[str, object]:
    return {field: options[field] for field in fields if field in options}


def dataset_key(plan: WorkloadPlan) -> str:
    """Return what is equal for equal tables."""
    return json.dumps(dataset_of(plan), sort_keys=True)


def rows_of(plan: WorkloadPlan) -> int:
    """Return how many rows are loaded, as far as it can be told."""
    if "sysbench" in plan:
        return scripts.rows_loaded(Sysbench.model_validate(plan["sysbench"]))
    if "tpcc" in plan:
        return tpcc.rows_of(plan["tpcc"])
    return pgbench.rows_of(plan["pgbench"]) if "pgbench" in plan else sql.rows_of(plan["sql"])


def checked_rows_of(plan: WorkloadPlan, *, is_sample: bool) -> int:
    """Return how many rows a check after a trial looks at, as far as it can be told."""
    if is_sample and "sysbench" in plan:
        return scripts.rows_sampled(Sysbench.model_validate(plan["sysbench"]))
    return tpcc.checked_rows_of(plan["tpcc"]) if "tpcc" in plan else rows_of(plan)


def kinds_of(plan: WorkloadPlan) -> int:
    """Return how many kinds of transactions are told apart."""
    if "sql" in plan:
        return len(plan["sql"]["transactions"])
    if "pgbench" in plan:
        return len(plan["pgbench"]["scripts"])
    return tpcc.KINDS if "tpcc" in plan else 1


def describe_data(plan: WorkloadPlan) -> str:
    """Return what is loaded in words: ``4 × 10,000 rows``."""
    if "sysbench" in plan:
        tables = int(plan["sysbench"]["tables"])
        return f"{tables} × {rows_of(plan) // tables:,} rows"
    if "tpcc" in plan:
        return tpcc.describe_data(plan["tpcc"])
    if "pgbench" in plan and "setup" not in plan["pgbench"]:
        return f"pgbench's tables at scale {plan['pgbench']['scale']} ({rows_of(plan):,} rows)"
    own = plan["pgbench"] if "pgbench" in plan else plan["sql"]
    steps = own.get("setup", ())
    statements = sum("sql" in step for step in steps)
    return f"{statements} set-up statements, {rows_of(plan):,} rows" if steps else "nothing"
