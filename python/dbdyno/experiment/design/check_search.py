"""Refuse what a search cannot be combined with, at the field that is to be changed."""

from __future__ import annotations

from collections.abc import Sequence

from dbdyno.experiment.file.error import FieldError
from dbdyno.experiment.model import ExperimentFile, Factor
from dbdyno.experiment.plan import CLIENTS_FACTOR, RATE_FACTOR


def check_search(file: ExperimentFile, factors: Sequence[Factor]) -> None:
    """FieldError for the first thing that is in the way of a search, if there is one."""
    search = file.search
    if search is None:
        return
    if search.low >= search.high:
        raise FieldError(
            ("search", "to"), f"is {search.high}, not more than from: {search.low}; make it more"
        )
    if search.response_limit is not None and len(search.response_limit.chosen()) != 1:
        raise FieldError(("search", "response_limit"), "must be exactly one, as in {p95: 50ms}")
    for factor in factors:
        if factor.sets in ("load.clients", "load.rate", "load.arrivals"):
            raise FieldError(
                ("factors", factor.name), f"sets {factor.sets}, which the search sets; remove it"
            )
        if factor.name in (CLIENTS_FACTOR, RATE_FACTOR):
            raise FieldError(
                ("factors", factor.name),
                "is the name of what the search varies; take another",
            )
    for field in ("clients", "rate", "arrivals"):
        if field in file.load.model_dump(by_alias=True, exclude_unset=True):
            raise FieldError(("load", field), "is what the search sets; remove it")
    for field in ("order", "reference"):
        if field in file.procedure.model_fields_set:
            raise FieldError(
                ("procedure", field),
                "has no effect in a search, which decides itself; remove it",
            )
