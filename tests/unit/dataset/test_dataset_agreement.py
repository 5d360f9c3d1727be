"""Python's idea of a workload is the generator's: names, defaults, limits, and equal tables.

The generator is asked to drop the tables of a database in which there are none. It then says the
fingerprint of what it would have loaded, which is all that is wanted of it here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

import pytest

from dbdyno._native import Run
from dbdyno.dataset import Dataset
from dbdyno.experiment.design.checks import MOST_STATEMENTS
from dbdyno.experiment.workload.scripts import FATES, ONE_TABLE, statements_repeated
from dbdyno.experiment.workload.sysbench import Distribution, Script, Sysbench
from dbdyno.protocol.dataset_plan import DatasetPlan

POLL_S = 10.0

OTHER: dict[str, Any] = {
    "script": "oltp_read_only",
    "tables": 3,
    "table_size": 500,
    "distribution": "gaussian",
    "zipfian_exponent": 1.1,
    "pareto_h": 0.1,
    "special_percent": 2,
    "special_residual": 80,
    "scrambled": True,
    "range_selects": False,
    "read_hash": True,
    "skip_trx": True,
    "auto_inc": False,
    "secondary": True,
    "create_secondary": False,
    "mysql_storage_engine": "Aria",
    "create_table_options": "COMMENT='x'",
}
"""For each option another value than its default; numbers that are not here are counts."""

BASES: list[dict[str, Any]] = [
    *({"script": script} for script in get_args(Script)),
    *({"distribution": distribution} for distribution in get_args(Distribution)),
    {"script": "oltp_insert", "auto_inc": False},
    {"script": "oltp_read_only", "auto_inc": False},
    {"mysql_storage_engine": "INNODB"},
    {"distribution": "zipfian", "zipfian_exponent": 1},
    {"distribution": "zipfian", "zipfian_exponent": 1.0},
    {"distribution": "special", "special_percent": 1.0},
]


def said(options: Mapping[str, Any], seed: int = 1) -> str:
    """Return the fingerprint that the generator gives; ValueError where it refuses the options."""
    plan = DatasetPlan(
        action="drop", workload={"sysbench": dict(options)}, seed=seed, connections=1
    )
    run = Run.start(plan.to_json("sqlite:///:memory:").decode())
    events = []
    while (lines := run.poll(POLL_S)) is not None:
        events += [json.loads(line) for line in lines]
    (fingerprint,) = [event["fingerprint"] for event in events if event["event"] == "dataset"]
    return str(fingerprint)


def complete(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as a trial plan has them: all of them."""
    return Sysbench.model_validate(options).model_dump()


def other(option: str) -> Any:
    return OTHER[option] if option in OTHER else Sysbench.model_fields[option].default + 1


def variants() -> list[dict[str, Any]]:
    """Return every base, and every base with each of the options changed."""
    options = list(Sysbench.model_fields)
    return BASES + [base | {option: other(option)} for base in BASES for option in options]


def test_keys_differ_where_fingerprints_do_and_only_there() -> None:
    key_of: dict[str, str] = {}
    fingerprint_of: dict[str, str] = {}
    for options in variants():
        if options.get("script") in ONE_TABLE and "tables" in options:
            continue
        asked = complete(options)
        fingerprint = said(asked)
        key = Dataset({"sysbench": asked}, seed=1).key
        assert key_of.setdefault(fingerprint, key) == key, f"{options}: {fingerprint}"
        assert fingerprint_of.setdefault(key, fingerprint) == fingerprint, options
    assert len(key_of) > 50


def test_the_seed_makes_other_rows() -> None:
    asked = complete({})
    assert said(asked, seed=1) != said(asked, seed=2)
    assert Dataset({"sysbench": asked}, 1).key != Dataset({"sysbench": asked}, 2).key


DEFAULTS = {
    **{"script": "oltp_read_write", "tables": 1, "table_size": 10_000, "distribution": "uniform"},
    **{"zipfian_exponent": 0.8, "pareto_h": 0.2, "special_percent": 1, "special_residual": 75},
    **{
        "scrambled": False,
        "read_hash": False,
        "range_size": 100,
        "point_selects": 10,
        "range_selects": True,
    },
    **{"simple_ranges": 1, "sum_ranges": 1, "order_ranges": 1, "distinct_ranges": 1},
    **{"index_updates": 1, "non_index_updates": 1, "delete_inserts": 1, "skip_trx": False},
    **{"random_points": 10, "number_of_ranges": 10, "delta": 5},
    **{"auto_inc": True, "secondary": False, "create_secondary": True},
    **{"mysql_storage_engine": "InnoDB", "create_table_options": ""},
}
"""sysbench's, but for the distribution; the generator's own tests have the same."""


def test_defaults_are_those_of_sysbench() -> None:
    assert complete({}) == DEFAULTS


@pytest.mark.parametrize("options", BASES)
def test_an_option_that_is_not_given_has_the_default_of_both(options: dict[str, Any]) -> None:
    given = {"script": "oltp_read_write"} | options
    assert said(given) == said(complete(options))
    whole = Dataset({"sysbench": complete(options)}, 1)
    assert Dataset({"sysbench": given}, 1).key == whole.key


def bounds() -> list[tuple[str, Any, bool]]:
    """Return the outermost values that Python allows, and the next beyond, which it refuses."""
    found: list[tuple[str, Any, bool]] = []
    for option, field in Sysbench.model_fields.items():
        step = 1 if field.annotation is int else 1e-9
        for limit in field.metadata:
            for kind, sign in (("ge", -1), ("le", 1)):
                if (value := getattr(limit, kind, None)) is not None:
                    found += [(option, value, True), (option, value + sign * step, False)]
            for kind, sign in (("gt", 1), ("lt", -1)):
                if (value := getattr(limit, kind, None)) is not None:
                    found += [(option, value + sign * step, True), (option, value, False)]
    return found


@pytest.mark.parametrize(("option", "value", "is_right"), bounds())
def test_limits_are_those_of_the_generator(option: str, value: Any, is_right: bool) -> None:
    options = complete({}) | {option: value}
    if is_right:
        Sysbench.model_validate(options)
        said(options)
        return
    with pytest.raises(ValueError, match=option):
        Sysbench.model_validate(options)
    # The generator reads counts into unsigned integers, and then only says what it found.
    with pytest.raises(ValueError, match=rf"{option}|invalid value: integer `-1`"):
        said(options)


WRITES = {"script": "oltp_write_only", "index_updates": 0, "non_index_updates": 0}
NO_RANGES = {"script": "oltp_read_only", "range_selects": False, "simple_ranges": 20_000}


@pytest.mark.parametrize(
    ("options", "statements"),
    [
        ({}, 18),
        ({"script": "oltp_point_select", "point_selects": 0}, 1),
        ({"script": "oltp_delete", "index_updates": 0}, 1),
        ({"script": "oltp_update_index", "index_updates": 0}, 0),
        ({"script": "oltp_update_index", "index_updates": MOST_STATEMENTS}, MOST_STATEMENTS),
        (NO_RANGES, 10),
        (NO_RANGES | {"point_selects": 0}, 0),
        (WRITES | {"delete_inserts": MOST_STATEMENTS // 2}, MOST_STATEMENTS),
        (WRITES | {"delete_inserts": MOST_STATEMENTS // 2 + 1}, MOST_STATEMENTS + 2),
    ],
)
def test_transactions_are_as_long_for_both(options: dict[str, Any], statements: int) -> None:
    asked = complete(options)
    assert statements_repeated(Sysbench.model_validate(asked)) == statements
    if 1 <= statements <= MOST_STATEMENTS:
        said(asked)
        return
    words = "has no statements left" if statements == 0 else f"would have {statements} statements"
    with pytest.raises(ValueError, match=words):
        said(asked)


@pytest.mark.parametrize("name", ["", "InnoDB; --", "Inno DB", "ärger"])
def test_a_storage_engine_is_a_name_for_both(name: str) -> None:
    with pytest.raises(ValueError, match="mysql_storage_engine"):
        Sysbench.model_validate({"mysql_storage_engine": name})
    with pytest.raises(ValueError, match="mysql_storage_engine"):
        said(complete({}) | {"mysql_storage_engine": name})


def test_every_script_has_its_fate() -> None:
    assert set(FATES) == set(get_args(Script))
