"""Say in words what pydantic found wrong, and what would be right."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dbdyno.experiment.file.quantity import describe
from dbdyno.refusal import suggest

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

EXAMPLES = {
    "experiment": "experiment: my-first-experiment",
    "question": "question: Is a larger buffer pool faster?",
    "workload": "workload: {sysbench: {script: oltp_read_write}}",
    "sysbench": "sysbench: {script: oltp_read_write}",
    "transactions": "transactions: {read: SELECT 1}",
    "statements": "statements: [SELECT 1]",
    "sql": "sql: SELECT 1",
    "sets": "sets: server.innodb_buffer_pool_size",
    "levels": "levels: [16M, 512M]",
    "to": "to: 512",
    "until": "until: steady",
    "knee": "knee: load.clients",
    "members": "members: {storage: {mysql: {}, count: 2}}",
    "url": "url: mysql://{user}@{storage}/{database}",
    "exporters.url": "url: http://db1:9100/metrics",
    "start": "start: ./start-compute.sh",
    "ready": "ready: tcp 3306",
    "source": "source: vendor's test report of 2024, 9 servers of 96 CPUs",
    "files": "files: [figures.csv]",
    "factor": "factor: target",
    "host": "host: db1",
}
"""How a field that must be there may look, by its name or by that and the field that holds it."""


def explain(error: ErrorDetails) -> str:
    """Return one sentence for one of pydantic's errors."""
    make_sentence = _SENTENCES.get(error["type"])
    return make_sentence(error, error.get("ctx", {})) if make_sentence else error["msg"]


Context = Mapping[str, Any]
"""What pydantic tells of an error besides its kind."""


def _must_be(what: str) -> Callable[[ErrorDetails, Context], str]:
    return lambda error, _: f"must be {what}, not {describe(error['input'])}"


def _missing(error: ErrorDetails, _: Context) -> str:
    names = [part for part in error["loc"] if isinstance(part, str)]
    example = EXAMPLES.get(".".join(names[-2:])) or EXAMPLES.get(names[-1])
    return f"is missing; add it, as in {example}" if example else "is missing; add it"


def _not_a_choice(error: ErrorDetails, context: Context) -> str:
    choices = context["expected"].replace(" or ", ", ").replace("'", "").split(", ")
    return f"{describe(error['input'])} is not a choice; {suggest(error['input'], choices)}"


_SENTENCES: dict[str, Callable[[ErrorDetails, Context], str]] = {
    "refused": lambda _, context: str(context["message"]),
    "missing": _missing,
    "literal_error": _not_a_choice,
    "model_type": _must_be("a mapping of fields, as in {name: value}"),
    "dict_type": _must_be("a mapping of names, as in {name: value}"),
    "list_type": _must_be("a list, as in [a, b]"),
    "tuple_type": _must_be("a list, as in [a, b]"),
    "string_type": _must_be("text"),
    "int_type": _must_be("a whole number"),
    "float_type": _must_be("a number"),
    "finite_number": _must_be("a finite number"),
    "bool_type": _must_be("true or false"),
    "path_type": _must_be("a path"),
    "greater_than": lambda error, context: _must_be(f"more than {context['gt']:.15g}")(
        error, context
    ),
    "greater_than_equal": lambda error, context: _must_be(f"{context['ge']:.15g} or more")(
        error, context
    ),
    "less_than": lambda error, context: _must_be(f"less than {context['lt']:.15g}")(error, context),
    "less_than_equal": lambda error, context: _must_be(f"{context['le']:.15g} or less")(
        error, context
    ),
    "too_short": lambda *_: "is empty; give at least one entry",
    "string_too_short": lambda *_: "is empty; say it in words",
    "string_pattern_mismatch": lambda error, _: (
        f"{describe(error['input'])} is not a name; use letters, digits, '.', '_' and '-'"
    ),
}
