"""Values of options as people write them on a command line."""

from __future__ import annotations

from dbdyno.errors import InputError
from dbdyno.peers.tpcc.kinds import KINDS

WORDS = {
    "--schema": ("spec", "benchmarksql", "tpcc_mysql", "go_tpc", "sysbench_tpcc"),
    "--home": ("fixed", "random"),
    "--delivery": ("immediate", "deferred"),
    "--isolation": ("read_uncommitted", "read_committed", "repeatable_read", "serializable"),
    "--protocol": ("prepared", "text", "multi", "extended"),
    "--pipelining": ("auto", "off"),
    "--autocommit": ("on", "off"),
    "--bulk": ("auto", "native", "insert"),
    "--tables": ("create", "existing"),
    "--arrivals": ("poisson", "constant"),
}

Pacing = str | dict[str, float]
Mix = str | dict[str, float]


def read_word(option: str, text: str) -> str:
    """Return one of an option's words, however its parts are joined."""
    from dbdyno.refusal import suggest

    word = text.strip().lower().replace("-", "_").replace(" ", "_")
    if word not in WORDS[option]:
        raise InputError(f"{option}: {text!r} is not known; {suggest(word, WORDS[option])}")
    return word


def read_duration(option: str, text: str, at_least: float = 0.0) -> float:
    """Return seconds from ``90``, ``90s``, ``5m`` or ``1.5h``."""
    from pydantic_core import PydanticCustomError

    from dbdyno.experiment.file.quantity import parse_duration

    try:
        seconds = float(str(parse_duration(text)))
    except PydanticCustomError as error:
        raise InputError(f"{option}: {error}") from error
    if seconds < at_least:
        raise InputError(f"{option}: {text!r} is too short; give at least {at_least:g} s")
    return seconds


def read_mix(text: str) -> Mix:
    """Return a mix from ``deck`` or five weights, ``45,43,4,4,4``."""
    if text == "deck":
        return text
    parts = text.split(",")
    weights = [number for part in parts if (number := _number(part)) is not None]
    if len(parts) != len(KINDS) or len(weights) != len(KINDS):
        raise InputError(
            f"--mix: {text!r} is not a mix; write deck, or five weights as in 45,43,4,4,4 "
            "(New-Order, Payment, Order-Status, Delivery, Stock-Level)"
        )
    return dict(zip(KINDS, weights, strict=True))


def read_pacing(text: str) -> Pacing:
    """Return a pacing from ``none``, ``spec`` or a multiple of the specification's times."""
    if text in {"none", "spec"}:
        return text
    multiple = _number(text)
    if multiple is None:
        raise InputError(
            f"--pacing: {text!r} is not known; write none, spec, or a multiple of the "
            "specification's times as in 0.1"
        )
    return {"keying": multiple, "think": multiple}


def read_range(option: str, text: str) -> list[int]:
    """Return the first and the last warehouse of ``3-7``, or of ``3`` alone."""
    first, _, last = text.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        raise InputError(
            f"{option}: {text!r} is not a range; write the first and the last warehouse as in 1-50"
        )
    return [int(first), int(last or first)]


def read_warehouses(text: str) -> dict[str, object]:
    """Return the fields for a number of warehouses, or for a range of them to load."""
    if text.isdecimal() and int(text) > 0:
        return {"warehouses": int(text)}
    if "-" not in text:
        raise InputError(
            f"--warehouses: {text!r} is neither a number from 1 up nor a range as in 251-500"
        )
    first, last = read_range("--warehouses", text)
    return {"warehouses": last, "load_range": [first, last]}


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None
