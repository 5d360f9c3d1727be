"""What every command that plans does: read the file, plan it, refuse what cannot run here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dbdyno.experiment.model import Experiment
    from dbdyno.experiment.plan import Plan, PlannedTrial

SQLITE_CLIENT_TAKES = {"threads": 1, "open files": 4, "MiB of memory": 5}
"""What a client on SQLite takes: three files of its event loop and one of the database, and as much
memory as histograms, buffers and page cache were seen to take, 3 to 6 MiB."""


def read_and_plan(experiment_file: Path, *, smoke: bool) -> tuple[Experiment, Plan]:
    """Return an experiment and its plan; ExperimentError where the file cannot be carried out."""
    from dataclasses import replace

    from dbdyno.experiment.design.search_plan import plan_experiment
    from dbdyno.experiment.design.smoke import shrink
    from dbdyno.experiment.file.read import read_experiment
    from dbdyno.experiment.file.watch import Watch

    experiment = read_experiment(experiment_file, smoke=smoke)
    if smoke and not experiment.is_stand_in:
        # It measures nothing, so that nobody asks how fast the disk is.
        watch = Watch(host=experiment.watch.host, probe="off")
        experiment = replace(shrink(experiment), watch=watch)
    plan = plan_experiment(experiment)
    _check_published(experiment)
    _refuse_too_many_sqlite_clients(experiment, plan)
    return experiment, plan


def _check_published(experiment: Experiment) -> None:
    """Refuse published tables that no report could show."""
    if not experiment.report.published:
        return
    from dbdyno.analysis.audit.audit import audit
    from dbdyno.errors import InputError
    from dbdyno.experiment.file.error import FieldError
    from dbdyno.experiment.file.source import Source
    from dbdyno.published.given import read_given

    try:
        for place, each in enumerate(read_given(experiment)):
            try:
                audit(each.tables)
            except InputError as error:
                raise FieldError(("report", "published", place), str(error)) from None
    except FieldError as error:
        raise Source(experiment.path, smoke=experiment.is_stand_in).error(
            error.location, error.message
        ) from None


def _refuse_too_many_sqlite_clients(experiment: Experiment, plan: Plan) -> None:
    """Say before anything is started what the system would refuse in the middle, in its words."""
    from dbdyno.experiment.file.source import Source
    from dbdyno.watch.process_limits import process_limits

    embedded = [trial for trial in plan.trials if _is_embedded(experiment, trial)]
    clients = max((trial.generator_plan.clients for trial in embedded), default=0)
    narrowest = min(
        process_limits(), key=lambda limit: limit.count // SQLITE_CLIENT_TAKES[limit.thing]
    )
    each = SQLITE_CLIENT_TAKES[narrowest.thing]
    if clients * each <= narrowest.count:
        return
    varied = [factor.name for factor in experiment.factors if factor.sets == "load.clients"]
    raise Source(experiment.path, smoke=experiment.is_stand_in).error(
        ("factors", varied[0]) if varied else ("load", "clients"),
        f"{clients:,} clients on SQLite, each with a thread of its own, take about "
        f"{clients * each:,} {narrowest.thing}, and this system allows {narrowest.count:,} "
        f"({narrowest.set_by}); use fewer than {narrowest.count // each:,} clients, or raise that "
        "limit",
    )


def _is_embedded(experiment: Experiment, trial: PlannedTrial) -> bool:
    """Tell whether a trial's database runs in the generator's process."""
    from dbdyno.experiment.file.target import SqliteTarget, UrlTarget

    target = experiment.targets[trial.target]
    if isinstance(target, UrlTarget):
        return target.url.startswith("sqlite:")
    return isinstance(target, SqliteTarget)
