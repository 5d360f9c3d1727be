"""Lets the plan of a search grow by what its trials have measured."""

from __future__ import annotations

from dbdyno.experiment.design.search_plan import grow
from dbdyno.experiment.model import Experiment
from dbdyno.run.log import RunLog
from dbdyno.store.journal import PlanGrew
from dbdyno.store.reader import read_result
from dbdyno.store.search_points import search_points
from dbdyno.store.writer import ResultWriter


def grow_plan(experiment: Experiment, result: ResultWriter, log: RunLog) -> None:
    """Append the trials of a search's next step; nothing where there is none, or no search.

    The plan is in its place as a whole before any of its trials begins, so that a run that is
    killed goes on with it.
    """
    if experiment.search is None or result.pending():
        return
    points = search_points(read_result(result.directory))
    grown = grow(experiment, result.plan, points)
    if grown.trials != result.plan.trials:
        result.change_experiment(result.experiment_text(), grown)
        log.plan_grew(grown)
        log.write(PlanGrew(trials=len(grown.trials)))
