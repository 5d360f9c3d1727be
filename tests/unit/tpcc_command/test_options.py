"""Values of options as people write them, and the plans that they become."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import pytest

from dbdyno.errors import InputError, RunError
from dbdyno.peers.tpcc import load as load_module
from dbdyno.peers.tpcc.load import Loaded, Loading
from dbdyno.peers.tpcc.options import (
    read_duration,
    read_mix,
    read_pacing,
    read_range,
    read_word,
)
from dbdyno.peers.tpcc.progress import LoadProgress, describe, describe_loaded
from dbdyno.peers.tpcc.request import read_workload
from dbdyno.protocol import events
from tests.unit.tpcc_command.events import request


def test_values_are_read_as_people_write_them() -> None:
    assert read_duration("--duration", "1.5m") == 90.0
    assert read_word("--isolation", "Read-Committed") == "read_committed"
    assert read_mix("deck") == "deck"
    assert read_mix("1,2,3,4,5") == {
        "new_order": 1,
        "payment": 2,
        "order_status": 3,
        "delivery": 4,
        "stock_level": 5,
    }
    assert read_pacing("0.1") == {"keying": 0.1, "think": 0.1}


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: read_duration("--warmup", "3 years"), "--warmup: 'years' is not a unit of time"),
        (lambda: read_duration("--duration", "0", at_least=1.0), "--duration: '0' is too short"),
        (lambda: read_word("--schema", "benchmarksqk"), "did you mean 'benchmarksql'"),
        (lambda: read_mix("45,43"), "--mix: '45,43' is not a mix"),
        (lambda: read_mix("45,43,4,4,x"), "is not a mix"),
        (lambda: read_pacing("-1"), "--pacing: '-1' is not known"),
        (lambda: read_workload({"warehouses": 0}), "^warehouses: input should be greater"),
        (lambda: read_workload({"mix": {"new_order": -1.0}}), "^mix.new_order: input should"),
    ],
)
def test_what_is_wrong_is_named(read, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match=message):
        read()


def test_homes_are_a_range_of_warehouses() -> None:
    assert (read_range("--home-range", "3-7"), read_range("--home-range", "5")) == ([3, 7], [5, 5])
    for wrong in ("", "-3", "a-b", "1-2-3"):
        with pytest.raises(InputError, match=r"--home-range: .* as in 1-50"):
            read_range("--home-range", wrong)


def test_a_request_becomes_the_plans_of_a_generator() -> None:
    asked = request(clients=3, duration_s=5.0, isolation="serializable", connections=7)
    plan = asked.trial_plan()
    assert (plan.session.isolation, plan.session.autocommit) == ("serializable", False)
    assert (plan.clients, plan.duration_s, plan.transactions) == (3, 5.0, None)
    assert plan.workload["tpcc"]["warehouses"] == 2
    assert "secret" not in str(plan)
    assert request(transactions=40).trial_plan().duration_s == 1e7
    load = asked.dataset_plan("load")
    assert (load.action, load.connections) == ("load", 7)


def test_a_load_says_how_far_it_is() -> None:
    loading = Loading(rows=250, rows_total=1000, elapsed_s=0.5)
    assert describe(loading) == "250 of about 1,000 rows (25 %), 500 rows/s, about 0:02 left"
    assert "indexes and keys" in describe(Loading(1000, 1000, 2.0))


def test_the_rate_of_a_resumed_load_is_of_its_own_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def carry_out(*_: object, tell: Callable[[events.Loading], None], **__: object) -> NoReturn:
        for rows, elapsed_s in ((900_000, 0.0), (900_500, 1.0)):
            tell(events.Loading(rows=rows, rows_total=1_000_500, elapsed_s=elapsed_s))
        raise RunError("cut short")

    monkeypatch.setattr(load_module, "carry_out", carry_out)
    with pytest.raises(RunError, match="cut short"):
        load_module.load(request(), lambda loading: said.append(describe(loading)))
    assert said[-1].endswith("(90 %), 500 rows/s, about 3:20 left")


def test_the_rate_of_a_load_is_of_the_seconds_beside_it() -> None:
    loaded = Loaded(
        rows=600, resumed_rows=0, elapsed_s=36.0, index_s=32.0, method="native", fingerprint="f"
    )
    assert describe_loaded(loaded) == (
        "600 rows in 36.0 s: 4.0 s for rows (150 rows/s) and 32.0 s for indexes and keys"
    )


@pytest.mark.parametrize(("is_terminal", "lines"), [(True, 40), (False, 1)])
def test_a_pipe_gets_few_lines(is_terminal: bool, lines: int) -> None:
    said: list[str] = []
    progress = LoadProgress(said.append, is_terminal=is_terminal)
    for step in range(40):
        progress.tell(Loading(step, 100, step * 0.5))
    assert len(said) == lines
    assert said[-1].endswith("\n") is not is_terminal
