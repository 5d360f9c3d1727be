"""What workloads were run with, in words: kinds, scale, distributions of keys, mixes and waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from dbdyno.analysis.setup import WorkloadSetup
from dbdyno.analysis.tpcc.requirements import TITLES
from dbdyno.report.language import either, listed, message, say

Options: TypeAlias = Mapping[str, Sequence[Any]]
"""Each option of a workload with the values that it had."""
Rows: TypeAlias = Iterator[tuple[str, str]]

_DISTRIBUTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "zipfian": ((message("exponent {value}"), "zipfian_exponent"),),
    "pareto": ((message("h {value}"), "pareto_h"),),
    "special": (
        (message("hot share of rows in % {value}"), "special_percent"),
        (message("residual {value}"), "special_residual"),
    ),
}
"""The options that each distribution has, with what they are called."""

_HOMES = {
    "fixed": message("fixed: a terminal keeps its home"),
    "random": message("random: another for each transaction"),
}
_SWITCH = {True: message("yes"), False: message("no")}


def workload_rows(workload: WorkloadSetup) -> Rows:
    """Yield a label and a text for each thing that is known of a workload."""
    write = _WORKLOADS.get(workload.kind)
    if write is None:
        yield say("workload"), workload.kind
    else:
        yield from write(workload.options)


def _sysbench(options: Options) -> Rows:
    yield say("workload"), f"sysbench {_values(options, 'script')}".strip()
    tables, rows = _values(options, "tables"), _values(options, "table_size")
    if tables and rows:
        yield say("scale"), say("tables: {tables}; rows of each: {rows}", tables=tables, rows=rows)
    distributions = (_distribution(str(each), options) for each in options.get("distribution", ()))
    yield say("distribution of keys"), either(distributions)
    yield say("table options"), _table_options(options, "create_table_options")


def _distribution(name: str, options: Options) -> str:
    parts = [
        say(words, value=_values(options, option))
        for words, option in _DISTRIBUTIONS.get(name, ())
        if option in options
    ]
    return say("{name} ({options})", name=name, options=listed(parts)) if parts else name


def _tpcc(options: Options) -> Rows:
    schema = _values(options, "schema")
    is_own = schema in ("", "spec")
    yield say("workload"), "TPC-C" if is_own else say("TPC-C, tables of {schema}", schema=schema)
    yield say("scale"), say("warehouses: {number}", number=_values(options, "warehouses"))
    yield say("distribution of keys"), say("as the specification has it (NURand)")
    is_deck = options.get("deck", (False,))
    mixes = (_mix(each) for each in options.get("mix", ()))
    yield say("mix"), say("a shuffled deck of 23 cards") if all(is_deck) else either(mixes)
    yield say("home warehouse"), _in_words(options, "home_warehouse", _HOMES)
    yield say("foreign keys"), _in_words(options, "foreign_keys", _SWITCH)
    yield say("keying and think times"), either(map(_pacing, options.get("pacing", ())))
    yield say("texts"), _texts(options)
    yield say("table options"), _table_options(options, "table_options")


def _mix(weights: Mapping[str, float]) -> str:
    return listed(f"{TITLES.get(name, name)} {each:g}" for name, each in weights.items())


def _texts(options: Options) -> str:
    """Return what fills the texts of tables; nothing where it is random letters, as usual."""
    files = [Path(str(each)).name for each in options.get("text", ()) if each]
    parts = [say("words of {file}", file=either(files)) if files else ""]
    parts.append(say("as wide as Terark's") if any(options.get("wide_texts", ())) else "")
    return listed(filter(None, parts))


def _table_options(options: Options, name: str) -> str:
    """Return what tables were made with; nothing where that is nothing everywhere."""
    given = options.get(name, ())
    return either(str(each) or say("none") for each in given) if any(given) else ""


def _pacing(pacing: Mapping[str, float]) -> str:
    keying, think = pacing.get("keying", 0.0), pacing.get("think", 0.0)
    if not keying and not think:
        return say("none")
    return say(
        "those of the specification × {keying} and × {think}",
        keying=f"{keying:g}",
        think=f"{think:g}",
    )


def _pgbench(options: Options) -> Rows:
    scripts = (
        str(script.get("builtin") or script.get("file") or say("a text of its own"))
        for each in options.get("scripts", ())
        for script in each
    )
    yield say("workload"), say("pgbench: {scripts}", scripts=listed(scripts))
    if scale := _values(options, "scale"):
        yield say("scale"), say("scale factor {scale}", scale=scale)


def _sql(options: Options) -> Rows:
    names = dict.fromkeys(str(name) for each in options.get("transactions", ()) for name in each)
    yield say("workload"), say("transactions of its own: {names}", names=listed(names))


_WORKLOADS: Mapping[str, Callable[[Options], Rows]] = {
    "sysbench": _sysbench,
    "tpcc": _tpcc,
    "pgbench": _pgbench,
    "sql": _sql,
}


def _values(options: Options, name: str) -> str:
    return either(map(_value, options.get(name, ())))


def _in_words(options: Options, name: str, words: Mapping[Any, str]) -> str:
    """Return the words for an option's values; one that has none stands for itself."""
    return either(
        say(words[each]) if each in words else str(each) for each in options.get(name, ())
    )


def _value(value: object) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"{value:,}" if is_number else str(value)
