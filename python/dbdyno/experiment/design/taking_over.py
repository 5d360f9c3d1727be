"""Tables that trials of several scripts take over from each other: what may be asked of them."""

from __future__ import annotations

from dbdyno.experiment.design.resolved_cell import resolve_cells
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.workload.registry import dataset_key, plan_of
from dbdyno.experiment.workload.scripts import FATES, WEAR
from dbdyno.experiment.workload.sysbench import Sysbench
from dbdyno.protocol.workload_plan import WorkloadPlan


def as_taken_over(experiment: Experiment, workload: WorkloadPlan) -> WorkloadPlan:
    """Return a workload whose tables are asked no more than all scripts with the same tables leave.

    A script that only reads would look for the very rows that were loaded; another one may have
    updated them.
    """
    if not isinstance(experiment.workload, Sysbench):
        return workload
    key = dataset_key(workload)
    same = (
        each for each in resolve_cells(experiment) if dataset_key(plan_of(each.workload)) == key
    )
    most = max(same, key=lambda each: WEAR.index(FATES[each.sysbench.script]))
    return {"sysbench": {**workload["sysbench"], "script": most.sysbench.script}}
