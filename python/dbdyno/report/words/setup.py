"""What was run, in words: a label and a text for each thing that was asked of the trials."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.analysis.setup import Checks, Reference, Retry, RunSetup
from dbdyno.report import figures
from dbdyno.report.grammar import cell_label
from dbdyno.report.language import either, listed, message, say, say_count
from dbdyno.report.words.workloads import workload_rows

STAND_IN_RUN = message(
    "Smoke size: servers and sizes are those that the section smoke of the experiment file names. "
    "The figures are true of these, and say nothing about the experiment at its full size."
)
SMOKE_RUN = message("Smoke run: it shows that everything works; its figures mean nothing.")

_STARTS = {
    "snapshot": message(
        "snapshot: each trial begins with the server's files as they were after loading"
    ),
    "reload": message("reload: tables are loaded anew before each trial"),
    "continue": message("continue: each trial begins with what the one before has left"),
}
_CACHES = {
    "workload": message("workload: what the start has left, and what the warm-up brings"),
    "warm": message("warm: all tables are read before clients connect"),
    "cold": message("cold: the server is restarted, and the page cache of its files is dropped"),
}
_ORDERS = {
    "interleaved": message("interleaved: every round runs every cell, in mirrored pairs of rounds"),
    "apart": message(
        "apart: the rounds of each result ran together, those of the other at another time"
    ),
    "abba": message("abba: every round runs every cell, in mirrored pairs that all begin alike"),
    "sequential": message("sequential: all rounds of a cell follow each other"),
}
_ARRIVALS = {
    "constant": message("constant arrivals"),
    "poisson": message("poisson arrivals"),
}


GENERATOR = message("dbdyno's own generator, and not by the tool that the workload is named after")


def setup_rows(setup: RunSetup) -> list[tuple[str, str]]:
    """Return the table of what was run; what is not known has no row."""
    rows = [
        *(row for workload in setup.workloads for row in workload_rows(workload)),
        (say("load"), _load(setup)),
        (say("load made by"), say(GENERATOR)),
        (say("warm-up"), either(_warmup(*each) for each in setup.warmups_s)),
        (say("window"), either(map(_seconds, setup.durations_s))),
        (say("interval"), either(map(_seconds, setup.intervals_s))),
        (say("rounds"), figures.count(setup.rounds)),
        (say("order of trials"), _known(setup.order, _ORDERS)),
        (say("rest between two trials"), _seconds(setup.pause_s) if setup.pause_s else ""),
        (say("measured again"), _reference(setup.reference)),
        (say("each trial starts from"), either(_known(each, _STARTS) for each in setup.starts)),
        (say("caches"), either(_known(each, _CACHES) for each in setup.caches)),
        (say("check of the tables"), _checks(setup.checks)),
        (say("retry"), either(map(_retry, setup.retries))),
        (say("error budget"), either(map(figures.share, setup.error_budgets))),
        (say("seed"), _seed(setup)),
    ]
    return [(label, text) for label, text in rows if text]


def command(*, is_smoke: bool = False) -> str:
    """Return the command that runs the stored experiment file again."""
    return f"dbdyno run experiment.yaml{' --smoke' if is_smoke else ''}"


def _known(name: str, messages: Mapping[str, str]) -> str:
    """Return the words for a name; one that this version does not know stands for itself."""
    return say(messages[name]) if name in messages else name


def _load(setup: RunSetup) -> str:
    numbers = listed(map(figures.count, setup.clients))
    loops = [
        say("closed loop") if rate is None else say("{rate} transactions/s", rate=f"{rate:,g}")
        for rate in setup.rates_per_s
    ]
    kinds = [kind for kind in setup.arrivals if kind != "closed"]
    parts = [
        say("clients: {numbers}", numbers=numbers) if numbers else "",
        either(loops),
        *(_known(each, _ARRIVALS) for each in kinds),
    ]
    return listed(filter(None, parts))


def _warmup(least_s: float | None, most_s: float) -> str:
    if least_s is None:
        return _seconds(most_s)
    return say("until throughput is steady, at most {most}", most=_seconds(most_s))


def _seconds(value_s: float) -> str:
    return say("{seconds}\N{NO-BREAK SPACE}s", seconds=f"{value_s:g}")


def _checks(checks: Checks) -> str:
    if not checks.checked:
        return say("none")
    how_many = (
        say("after every trial")
        if checks.checked == checks.trials
        else say_count(
            "after {checked} of {count} trial",
            "after {checked} of {count} trials",
            checks.trials,
            checked=checks.checked,
        )
    )
    parts = [say("a sample of the rows") if checks.is_sample else say("consistency"), how_many]
    if checks.conditions:
        parts.append(
            say_count(
                "with {count} condition of TPC-C",
                "with {count} conditions of TPC-C",
                checks.conditions,
            )
        )
    return listed(parts)


def _retry(retry: Retry) -> str:
    if not retry.max_retries:
        return say("none")
    errors = (
        say("errors that another attempt may survive")
        if retry.errors is None
        else listed(retry.errors)
    )
    return say_count(
        "at most {count} time, after {least} to {most}\N{NO-BREAK SPACE}ms, on {errors}",
        "at most {count} times, after {least} to {most}\N{NO-BREAK SPACE}ms, on {errors}",
        retry.max_retries,
        least=f"{retry.backoff_min_ms:g}",
        most=f"{retry.backoff_max_ms:g}",
        errors=errors,
    )


def _reference(reference: Reference | None) -> str:
    if reference is None:
        return ""
    cell, trials = cell_label(reference.cell), reference.trials
    if reference.every is not None:
        return say(
            "{cell}, at the start, after every {every} trials and at the end: {trials} more "
            "trials, which show drift and are compared with no cell",
            cell=cell,
            every=reference.every,
            trials=trials,
        )
    if trials > 2:
        return say(
            "{cell}, at the start, in the middle and at the end: {trials} more trials, which show "
            "drift and are compared with no cell",
            cell=cell,
            trials=trials,
        )
    return say(
        "{cell}, at the start and at the end: {trials} more trials, which show drift and are "
        "compared with no cell",
        cell=cell,
        trials=trials,
    )


def _seed(setup: RunSetup) -> str:
    if setup.seed is None:
        return ""
    if setup.starts == ("continue",):
        return say("{seed}; each later trial has the next number", seed=setup.seed)
    return say("{seed}; each later round has the next number", seed=setup.seed)
