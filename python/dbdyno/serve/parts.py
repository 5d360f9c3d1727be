"""The parts of the live page that change, as HTML: the same with JavaScript and without it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from urllib.parse import quote

from dbdyno.report.figures import ABSENT, milliseconds, percent, rate
from dbdyno.report.language import Language, current, in_language, say
from dbdyno.report.partial_service import FEWER_CLIENTS, mark_note
from dbdyno.serve import words
from dbdyno.serve.follower import Follower
from dbdyno.serve.host_rows import Limits, resources, whole_percent
from dbdyno.serve.pages import render_part
from dbdyno.serve.points import Point
from dbdyno.serve.results import servable
from dbdyno.serve.run_state import Standing
from dbdyno.serve.trial_view import WHOLE, GeneratorView, TrialView
from dbdyno.store.model import TrialStatus

COMPARISONS_MAX = 12
"""The least exact ones are shown."""
TRIALS_MAX = 12
"""Those that ended last are shown; the report has all."""
WIDEST_PERCENT = 999.0

Cells = tuple[str, ...]


def live_parts(follower: Follower, limits: Limits, name: str, spoken: Language) -> dict[str, str]:
    """Return each part of the page of a result of this name, as it stands now."""
    with in_language(spoken):
        label = words.labels()
        trial, reports = follower.trial, _reports(follower, name)
        parts: dict[str, dict[str, object]] = {
            "state": _state(follower),
            "facts": {"facts": list(_facts(follower)), "reports": reports},
            "of": _of(follower),
            "now": {"figures": list(_now(follower))},
            "hosts": {"rows": [] if trial is None else list(resources(trial, limits))},
            "generators": {"rows": [] if trial is None else _generators(trial)},
            "precision": {"rows": list(_precisions(follower))},
            "precision_hint": {"is_over": _is_over(follower), "reports": reports},
            "trials": {"rows": list(_trials(follower))},
            "intervals": {"rows": [_interval(point) for point in follower.recent]},
        }
        return {name: render_part(name, label, values) for name, values in parts.items()}


def marks_in_words(trial: TrialView, spoken: Language) -> list[tuple[float, str]]:
    """Return what happened in a trial: the second, and what it was."""
    with in_language(spoken):
        return [(second, say(words.MARKS[code], name=name)) for second, code, name in trial.marks]


def _reports(follower: Follower, name: str) -> list[str]:
    """Return the addresses of the reports that are there, but those with another baseline."""
    files = (f"{stem}{tail}.html" for stem in ("report", "summary") for tail in ("", ".zh"))
    found = [file for file in files if servable(follower.directory, file)]
    return [f"/files/{quote(name)}/{file}" for file in found]


def _is_over(follower: Follower) -> bool:
    return follower.state.standing is Standing.COMPLETE


def _state(follower: Follower) -> dict[str, object]:
    """Return what is read aloud when it changes, and nothing that changes each second."""
    standing, state = follower.standing(), follower.state
    planned = state.planned
    at = ""
    if planned is not None and standing is Standing.RUNNING:
        number, trials = f"{planned.number:,}", f"{len(state.plan.trials):,}"
        at = say("trial {number} of {trials}", number=number, trials=trials)
    return {
        "code": standing.value,
        "standing": words.standing_in_words(standing, follower.heard_unix_s()),
        "at": at,
        "reason": state.reason or "",
    }


def _facts(follower: Follower) -> Iterator[Cells]:
    state, label = follower.state, words.labels()
    planned = state.planned
    if planned is not None:
        yield label["cell"], planned.label()
    if planned is not None and planned.round:
        of = say("{round} of {rounds}", round=planned.round, rounds=state.plan.rounds)
        attempt = say("attempt {number}", number=state.attempt) if state.attempt > 1 else ""
        yield label["round"], f"{of} ({attempt})" if attempt else of
    if follower.standing() is Standing.RUNNING:
        yield label["phase"], _phase(follower)
        yield say("Time left"), words.left_in_words(state.left())
    done = len(state.outcomes)
    yield label["trials"], words.trials_in_words(done, len(state.plan.trials), state.bad)


def _phase(follower: Follower) -> str:
    """Return what is done now, by the clock: clients that wait for a lock tell nothing."""
    phase, trial = follower.state.phase, follower.trial
    if phase is None:
        return say("between two trials")
    if phase != "load" or trial is None:
        return say(words.PHASES.get(phase, phase))
    if trial.window_unix_s is None:
        return say("connecting")
    plan = trial.planned.generator_plan
    window_s = time.time() - trial.window_unix_s
    if window_s < 0:
        is_most = plan.warmup_least_s is not None
        return words.phase_part("warmup", plan.warmup_s + window_s, plan.warmup_s, is_most=is_most)
    if window_s < plan.duration_s:
        return words.phase_part("window", window_s, plan.duration_s)
    return say("drain: what is under way may end")


def _now(follower: Follower) -> Iterator[Cells]:
    """Yield name and value of each figure of the last interval."""
    trial, label = follower.trial, words.labels()
    point = None if trial is None else trial.last_measured
    yield say("Transactions/s"), rate(None if point is None else point.throughput_per_s)
    for name in ("p50", "p95", "p99"):
        value = ABSENT if point is None else _time(point, getattr(point, f"{name}_ms"))
        yield say("{percentile} response, ms", percentile=name), value
    yield label["errors"], rate(None if point is None else point.errors_per_s)
    yield label["in_flight"], ABSENT if point is None else f"{point.in_flight:,}"
    yield say("Generator headroom"), _headroom(point)


def _of(follower: Follower) -> dict[str, object]:
    """Return whether the figures are of now, and of which interval they are."""
    trial = follower.trial
    point = None if trial is None else trial.last_measured
    of = say("Now") if follower.standing() is Standing.RUNNING else say("Last interval")
    if point is None:
        return {"of": of, "which": say("no interval has been told yet")}
    which = say(
        "trial {number}, the interval that ended at {time}",
        number=point.trial,
        time=words.clock_time(point.end_unix_s),
    )
    if any(each.has_fewer_clients for each in (point, *follower.recent)):
        which += current().semicolon + mark_note()
    return {"of": of, "which": which}


def _time(point: Point, value_ms: float | None) -> str:
    """Return a response time, marked as in the report."""
    is_marked = point.has_fewer_clients and value_ms is not None
    return (FEWER_CLIENTS if is_marked else "") + milliseconds(value_ms)


def _headroom(point: Point | None) -> str:
    if point is None or point.busiest_worker_share is None:
        return ABSENT
    return whole_percent(1 - point.busiest_worker_share)


def _generators(trial: TrialView) -> list[Cells]:
    views = sorted(trial.generators.values(), key=lambda view: view.index)
    # Of several generators the one event is of all of them.
    return [_generator(view, trial.has_ended) for view in views]


def _generator(view: GeneratorView, has_ended: bool) -> Cells:
    name = say("generator") if view.index == WHOLE else f"{view.index + 1}"
    where = f"{name} ({view.host})" if view.host else name
    busiest = view.busiest_worker_share
    heard = view.heard_unix_s
    told = ABSENT
    if heard is not None:
        told = words.clock_time(heard) if has_ended else words.ago(time.time() - heard)
    if view.standing in ("late", "lost"):
        told = f"{told}, {say('late') if view.standing == 'late' else say('lost')}"
    return (
        where,
        milliseconds(view.lag_p99_ms),
        ABSENT if busiest is None else whole_percent(1 - busiest),
        milliseconds(view.clock_bound_ms),
        told,
    )


def _precisions(follower: Follower) -> Iterator[Cells]:
    """Yield each comparison and how exact it is, the least exact first; never what it says."""
    least_first = sorted(
        follower.precisions,
        key=lambda each: -(float("inf") if each.width_percent is None else each.width_percent),
    )
    for each in least_first[:COMPARISONS_MAX]:
        factor = each.factor
        others = each.cell.without(factor)
        pair = say(
            "{factor}: {level} against {baseline}",
            factor=factor,
            level=each.cell.level(factor),
            baseline=each.baseline.level(factor),
        )
        at = f" ({others.label()})" if others.levels else ""
        exact = _width(each.width_percent)
        yield f"{pair}{at}", exact, str(each.rounds), str(each.rounds_left)


def _width(width_percent: float | None) -> str:
    """Return half of an interval's width; that of two rounds may be absurdly wide."""
    if width_percent is None:
        return say("takes two rounds")
    if width_percent > WIDEST_PERCENT:
        return f">\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{percent(WIDEST_PERCENT)}"
    return f"±\N{NO-BREAK SPACE}{percent(width_percent)}"


def _trials(follower: Follower) -> Iterator[Cells]:
    """Yield the trials that ended last, the latest first."""
    by_number = {trial.number: trial for trial in follower.state.plan.trials}
    for number, status in reversed(list(follower.state.outcomes.items())[-TRIALS_MAX:]):
        trial = by_number.get(number)
        if trial is None:
            continue
        per_s = follower.throughputs_per_s.get(number)
        outcome = say(words.STATUSES[status.value])
        reason = follower.state.reasons.get(number)
        is_bad = status is not TrialStatus.COMPLETED
        yield (
            str(number),
            str(trial.round or ABSENT),
            trial.label(),
            rate(per_s),
            f"{outcome}: {reason}" if is_bad and reason else outcome,
        )


def _interval(point: Point) -> Cells:
    return (
        str(point.trial),
        say(words.PARTS[point.phase]),
        f"{point.start_s:g}".replace("-", "−"),
        rate(point.throughput_per_s),
        *(_time(point, value) for value in (point.p50_ms, point.p95_ms, point.p99_ms)),
        rate(point.errors_per_s),
        f"{point.in_flight:,}",
    )
