"""What was run, in words: a label and a text for each thing that was asked of the trials."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from dbdyno.analysis.setup import Checks, Retry, RunSetup, WorkloadSetup
from dbdyno.analysis.tpcc.requirements import TITLES
from dbdyno.report import figures
from dbdyno.report.words.reference import reference_in_words

SMOKE_RUN = "Smoke run: it shows that everything works; its figures mean nothing."

_SPACE = "\N{NO-BREAK SPACE}"
_STARTS = {
    "snapshot": "snapshot: each trial begins with the server's files as they were after loading",
    "reload": "reload: tables are loaded anew before each trial",
    "continue": "continue: each trial begins with what the one before has left",
}
_CACHES = {
    "workload": "workload: what the start has left, and what the warm-up brings",
    "warm": "warm: all tables are read before clients connect",
    "cold": "cold: the server is restarted, and the page cache of its files is dropped",
}
_ORDERS = {
    "interleaved": "interleaved: every round runs every cell, in mirrored pairs of rounds",
    "abba": "abba: every round runs every cell, in mirrored pairs that all begin alike",
    "sequential": "sequential: all rounds of a cell follow each other",
}
_DISTRIBUTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "zipfian": (("exponent", "zipfian_exponent"),),
    "pareto": (("h", "pareto_h"),),
    "special": (("hot share of rows in %", "special_percent"), ("residual", "special_residual")),
}
"""The options that each distribution has, with what they are called."""


def setup_rows(setup: RunSetup) -> list[tuple[str, str]]:
    """Return the table of what was run; what is not known has no row."""
    rows = [
        *(row for workload in setup.workloads for row in _workload(workload)),
        ("load", _load(setup)),
        ("warm-up", _either(_warmup(*each) for each in setup.warmups_s)),
        ("window", _either(map(_seconds, setup.durations_s))),
        ("interval", _either(map(_seconds, setup.intervals_s))),
        ("rounds", figures.count(setup.rounds)),
        ("order of trials", _ORDERS.get(setup.order, setup.order)),
        ("measured again", reference_in_words(setup.reference)),
        ("each trial starts from", _either(_STARTS.get(each, each) for each in setup.starts)),
        ("caches", _either(_CACHES.get(each, each) for each in setup.caches)),
        ("check of the tables", _checks(setup.checks)),
        ("retry", _either(map(_retry, setup.retries))),
        ("error budget", _either(map(figures.share, setup.error_budgets))),
        ("seed", _seed(setup)),
    ]
    return [(label, text) for label, text in rows if text]


def command(*, is_smoke: bool = False) -> str:
    """Return the command that runs the stored experiment file again."""
    return f"dbdyno run experiment.yaml{' --smoke' if is_smoke else ''}"


def _workload(workload: WorkloadSetup) -> Iterator[tuple[str, str]]:
    write = _WORKLOADS.get(workload.kind)
    if write is None:
        yield "workload", workload.kind
    else:
        yield from write(workload.options)


def _sysbench(options: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, str]]:
    yield "workload", f"sysbench {_values(options, 'script')}".strip()
    tables, rows = _values(options, "tables"), _values(options, "table_size")
    yield "scale", f"tables: {tables}; rows of each: {rows}" if tables and rows else ""
    distributions = (_distribution(str(each), options) for each in options.get("distribution", ()))
    yield "distribution of keys", _either(distributions)


def _distribution(name: str, options: Mapping[str, Sequence[Any]]) -> str:
    parts = [
        f"{label} {_values(options, option)}"
        for label, option in _DISTRIBUTIONS.get(name, ())
        if option in options
    ]
    return f"{name} ({', '.join(parts)})" if parts else name


def _tpcc(options: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, str]]:
    schema = _values(options, "schema")
    yield "workload", "TPC-C" + (f", tables of {schema}" if schema not in ("", "spec") else "")
    yield "scale", f"warehouses: {_values(options, 'warehouses')}"
    yield "distribution of keys", "as the specification has it (NURand)"
    is_deck = options.get("deck", (False,))
    mixes = (_mix(each) for each in options.get("mix", ()))
    yield "mix", "a shuffled deck of 23 cards" if all(is_deck) else _either(mixes)
    yield "keying and think times", _either(_pacing(each) for each in options.get("pacing", ()))


def _mix(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{TITLES.get(name, name)} {each:g}" for name, each in weights.items())


def _pacing(pacing: Mapping[str, float]) -> str:
    keying, think = pacing.get("keying", 0.0), pacing.get("think", 0.0)
    if not keying and not think:
        return "none"
    return f"those of the specification × {keying:g} and × {think:g}"


def _pgbench(options: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, str]]:
    scripts = (
        str(script.get("builtin") or script.get("file") or "a text of its own")
        for each in options.get("scripts", ())
        for script in each
    )
    yield "workload", f"pgbench: {', '.join(scripts)}"
    scale = _values(options, "scale")
    yield "scale", f"scale factor {scale}" if scale else ""


def _sql(options: Mapping[str, Sequence[Any]]) -> Iterator[tuple[str, str]]:
    names = (str(name) for each in options.get("transactions", ()) for name in each)
    yield "workload", f"transactions of its own: {', '.join(dict.fromkeys(names))}"


_WORKLOADS: Mapping[str, Callable[[Mapping[str, Sequence[Any]]], Iterator[tuple[str, str]]]] = {
    "sysbench": _sysbench,
    "tpcc": _tpcc,
    "pgbench": _pgbench,
    "sql": _sql,
}


def _values(options: Mapping[str, Sequence[Any]], name: str) -> str:
    return _either(map(_value, options.get(name, ())))


def _value(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:,}" if is_number else str(value)


def _load(setup: RunSetup) -> str:
    clients = f"clients: {', '.join(map(figures.count, setup.clients))}" if setup.clients else ""
    loops = [
        "closed loop" if rate is None else f"{rate:,g} transactions/s" for rate in setup.rates_per_s
    ]
    kinds = [kind for kind in setup.arrivals if kind != "closed"]
    return ", ".join(
        filter(None, [clients, _either(loops), *(f"{each} arrivals" for each in kinds)])
    )


def _warmup(least_s: float | None, most_s: float) -> str:
    if least_s is None:
        return _seconds(most_s)
    return f"until throughput is steady, at the most {_seconds(most_s)}"


def _seconds(value_s: float) -> str:
    return f"{value_s:g}{_SPACE}s"


def _checks(checks: Checks) -> str:
    if not checks.checked:
        return "none"
    how_many = (
        "after every trial"
        if checks.checked == checks.trials
        else f"after {checks.checked} of {checks.trials} trials"
    )
    conditions = f", with {checks.conditions} conditions of TPC-C" if checks.conditions else ""
    return f"consistency, {how_many}{conditions}"


def _retry(retry: Retry) -> str:
    if not retry.max_retries:
        return "none"
    errors = "errors that another attempt may survive"
    if retry.errors is not None:
        errors = ", ".join(retry.errors)
    return (
        f"at most {retry.max_retries} times, after {retry.backoff_min_ms:g} to "
        f"{retry.backoff_max_ms:g}{_SPACE}ms, on {errors}"
    )


def _seed(setup: RunSetup) -> str:
    if setup.seed is None:
        return ""
    each = "trial" if setup.starts == ("continue",) else "round"
    return f"{setup.seed}; each later {each} has the next number"


def _either(texts: Iterable[str]) -> str:
    """Return texts that are not the same, of which each holds for some cells."""
    return " or ".join(dict.fromkeys(texts))
