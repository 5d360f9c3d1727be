"""Refuse what the levels of an experiment, taken together, cannot do or would do to no purpose.

Fields are right each by itself when these checks begin. What is refused is said at the factor that
brings it about, or else at the option in the workload.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dbdyno.experiment.design.effects import say_no_effect, unmet_need
from dbdyno.experiment.design.resolved_cell import ResolvedCell, resolve_cells
from dbdyno.experiment.file.error import FieldError, Location
from dbdyno.experiment.file.target import UrlTarget
from dbdyno.experiment.model import Experiment
from dbdyno.experiment.workload.scripts import (
    FATES,
    ONE_TABLE,
    WEAR,
    content,
    statements_repeated,
)
from dbdyno.experiment.workload.sysbench import Script, Sysbench

MOST_STATEMENTS = 10_000
"""Far longer than any transaction that is meant; all its inputs are held in memory."""


def check_workload(experiment: Experiment) -> None:
    """FieldError for the first thing that is wrong with a cell, or with all of them together."""
    if not isinstance(experiment.workload, Sysbench):
        # What others say of their transactions has been checked where it was read.
        return
    cells = resolve_cells(experiment)
    for resolved in cells:
        _check_options(experiment, resolved)
    _check_effects(experiment, cells)
    if experiment.procedure.start == "continue":
        _check_taking_over(experiment, cells)


def _check_options(experiment: Experiment, resolved: ResolvedCell) -> None:
    """Refuse options that exclude each other, at the one that is to be changed."""
    found = _wrong_statements(resolved.sysbench) or _wrong_tables(resolved)
    if found is None:
        return
    field, reason = found
    value = getattr(resolved.sysbench, field)
    written = str(value).lower() if isinstance(value, bool) else value
    location, is_varied = _location(experiment, field)
    how = f"sets {field} to {written}" if is_varied else f"is {written}"
    cell = f" (at {resolved.cell.label()})" if resolved.cell.levels else ""
    raise FieldError(location, f"{how}: {reason}{cell}")


def _wrong_statements(workload: Sysbench) -> tuple[str, str] | None:
    """Return what is wrong with a transaction's length, in the generator's own words."""
    statements = statements_repeated(workload)
    if statements == 0:
        return "script", (
            "it has no statements left; set one of its numbers (point_selects, simple_ranges, "
            "index_updates, …) above 0"
        )
    if statements > MOST_STATEMENTS:
        return "script", (
            f"its transaction would have {statements} statements; lower point_selects or the "
            f"others to {MOST_STATEMENTS} together"
        )
    return None


def _wrong_tables(resolved: ResolvedCell) -> tuple[str, str] | None:
    """Return what is wrong with the tables for a script."""
    workload = resolved.sysbench
    if workload.tables != 1 and workload.script in ONE_TABLE:
        return "tables", f"the script {workload.script} runs on one table; set 1"
    leaves_ids = workload.script == "oltp_insert" and workload.auto_inc
    if leaves_ids and workload.secondary and resolved.database == "sqlite":
        return "secondary", (
            "without a primary key SQLite gives new rows no id, and oltp_insert leaves that to "
            "it; set auto_inc or secondary to false"
        )
    return None


def _location(experiment: Experiment, option: str) -> tuple[Location, bool]:
    """Return where an option gets its value, and whether that is a factor."""
    for factor in experiment.factors:
        if factor.sets == f"workload.{option}":
            return ("factors", factor.name), True
    return ("workload", "sysbench", option), False


def _check_effects(experiment: Experiment, cells: Sequence[ResolvedCell]) -> None:
    """Refuse options that are given, or varied, and have no effect in any cell."""
    given = experiment.workload.model_fields_set
    for option in type(experiment.workload).model_fields:
        location, is_varied = _location(experiment, option)
        if not is_varied and option not in given:
            continue
        unmet = [unmet_need(option, resolved) for resolved in cells]
        reasons = [reason for reason in unmet if reason is not None]
        if len(reasons) == len(cells):
            which = f"varies workload.{option}, which " if is_varied else ""
            raise FieldError(location, f"{which}{say_no_effect(reasons)}; remove it")


def _check_taking_over(experiment: Experiment, cells: Sequence[ResolvedCell]) -> None:
    """Refuse trials that would not find what they need in what another trial has left."""
    for resolved in cells:
        reason = _why_not_twice(resolved)
        if reason:
            raise _cannot_continue(experiment, reason)
    for pair in _sharing_data(cells):
        keeping, changing = sorted(pair, key=lambda script: WEAR.index(FATES[script]))
        # What may be asked of tables whose rows were changed, may be asked of all (as_taken_over).
        if FATES[keeping] != FATES[changing] and FATES[changing] != "changed":
            raise _cannot_continue(
                experiment,
                f"{changing} would leave tables that {keeping} cannot tell from wrong ones",
            )


def _why_not_twice(resolved: ResolvedCell) -> str | None:
    """Return why a script cannot run again on what it has left itself."""
    workload = resolved.sysbench
    if FATES[workload.script] == "removed":
        return f"{workload.script} does not bring rows back: each trial would find fewer of them"
    if content(workload) != "rows" and not workload.secondary:
        which = " with auto_inc: false" if workload.script == "oltp_insert" else ""
        return f"{workload.script}{which} gives ids that an earlier trial may have left there"
    return None


def _sharing_data(cells: Sequence[ResolvedCell]) -> Iterable[tuple[Script, Script]]:
    """Return the script of each resolved with that of the first one that has the same tables."""
    first: dict[tuple[object, ...], ResolvedCell] = {}
    for resolved in cells:
        earlier = first.setdefault(resolved.data_key(), resolved)
        yield earlier.sysbench.script, resolved.sysbench.script


def _cannot_continue(experiment: Experiment, reason: str) -> FieldError:
    is_up = any(isinstance(target, UrlTarget) for target in experiment.targets.values())
    why = ", the default for a server that is already up" if is_up else ""
    advice = "reload" if is_up else "snapshot or reload"
    return FieldError(("procedure", "start"), f"is continue{why}, and {reason}; use {advice}")
