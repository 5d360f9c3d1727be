"""The procedure of an experiment as its targets allow it."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.experiment.file.error import FieldError
from dbdyno.experiment.file.procedure import Procedure
from dbdyno.experiment.file.target import ClusterTarget, Target, UrlTarget
from dbdyno.protocol.trial_plan import STEADY_INTERVALS_MIN


def resolve_procedure(procedure: Procedure, targets: Mapping[str, Target]) -> Procedure:
    """Return the procedure with what follows from the targets; FieldError for contradictions."""
    if procedure.interval_s > procedure.duration_s:
        raise FieldError(
            ("procedure", "interval"),
            f"is {procedure.interval_s:g} s, longer than the duration of "
            f"{procedure.duration_s:g} s; make it shorter",
        )
    _check_warmup(procedure)
    _check_limits(procedure)
    _check_caches(procedure, targets)
    retry = procedure.retry
    if retry.backoff_min_s > retry.backoff_max_s:
        raise FieldError(
            ("procedure", "retry", "backoff_min"),
            f"is {retry.backoff_min_s:g} s, more than the backoff_max of "
            f"{retry.backoff_max_s:g} s; make it less",
        )
    by_url = [name for name, target in targets.items() if isinstance(target, UrlTarget)]
    if not by_url:
        return procedure
    if procedure.caches == "cold":
        raise FieldError(
            ("procedure", "caches"),
            f"the target {by_url[0]!r} is a server that is already up, which dbdyno may not "
            "restart; use warm or workload",
        )
    # Data on a server that somebody else runs is not thrown away unless it was asked for.
    if "start" not in procedure.model_fields_set:
        return procedure.model_copy(update={"start": "continue"})
    if procedure.start == "snapshot":
        raise FieldError(
            ("procedure", "start"),
            f"the target {by_url[0]!r} is a server that is already up, whose files dbdyno may not "
            "touch; use reload or continue",
        )
    return procedure


def _check_caches(procedure: Procedure, targets: Mapping[str, Target]) -> None:
    """Refuse cold caches of servers whose files are not on this machine."""
    elsewhere = [
        role
        for target in targets.values()
        if isinstance(target, ClusterTarget)
        for role, group in target.members.items()
        if group.elsewhere
    ]
    if procedure.caches == "cold" and elsewhere:
        raise FieldError(
            ("procedure", "caches"),
            f"servers of {elsewhere[0]} are on other machines, whose page cache dbdyno does not "
            "drop; use warm or workload",
        )


def _check_warmup(procedure: Procedure) -> None:
    """Refuse a warm-up that cannot end when throughput is steady."""
    warmup = procedure.steady_warmup
    if warmup is None:
        return
    if warmup.least_s > warmup.most_s:
        raise FieldError(
            ("procedure", "warmup", "least"),
            f"is {warmup.least_s:g} s, more than most, which is {warmup.most_s:g} s; make it less",
        )
    shortest_s = STEADY_INTERVALS_MIN * procedure.interval_s
    if warmup.most_s <= shortest_s:
        raise FieldError(
            ("procedure", "warmup", "most"),
            f"is {warmup.most_s:g} s, and it takes {STEADY_INTERVALS_MIN} intervals of "
            f"{procedure.interval_s:g} s to tell whether throughput is steady; make it longer than "
            f"{shortest_s:g} s, or interval shorter",
        )


def _check_limits(procedure: Procedure) -> None:
    """Refuse limits that not even one trial could keep."""
    planned_s = procedure.warmup_s + procedure.duration_s
    for name, limit_s in (
        ("trial", procedure.limits.trial_s),
        ("campaign", procedure.limits.campaign_s),
    ):
        if limit_s is not None and limit_s < planned_s:
            raise FieldError(
                ("procedure", "limits", name),
                f"is {limit_s:g} s, and warm-up and window of one trial take {planned_s:g} s; make "
                "it longer",
            )
