"""What several generators say, as one would say it: intervals, last words, and silence."""

from __future__ import annotations

import pytest

from dbdyno._native import Histogram
from dbdyno.generator.pool.intervals import IntervalMerger
from dbdyno.generator.pool.silence import Silence
from dbdyno.generator.pool.words import merge_ends
from dbdyno.protocol.events import (
    Change,
    End,
    HostEnd,
    Ledger,
    LostGenerator,
    Merging,
    StatementCount,
    Writes,
    WrittenRow,
)
from dbdyno.protocol.intervals import ErrorCount, HostSample, Interval
from tests.unit.run.generator_events import interval


def response(merged: Interval) -> Histogram:
    sent = dict(merged.transactions["read"].histograms())["response"]
    return Histogram.decode(sent.text, sent.overflow)


def test_an_interval_is_handed_out_when_all_have_told_it() -> None:
    merger = IntervalMerger(2)
    assert list(merger.add(0, interval(0, 0, [10]))) == []
    assert list(merger.add(0, interval(0, 1, [30]))) == []
    (first,) = merger.add(1, interval(1, 0, [20, 40]))
    assert (first.index, first.transactions["read"].committed) == (0, 3)
    (second,) = merger.add(1, interval(1, 1, [50]))
    assert (second.index, second.transactions["read"].scheduled) == (1, 2)


def test_counters_add_up_and_histograms_are_merged() -> None:
    merger = IntervalMerger(2)
    list(merger.add(0, interval(0, 3, [1000] * 99, deadlocks=2)))
    (merged,) = merger.add(1, interval(1, 3, [900_000], deadlocks=5))
    times = response(merged)
    assert times.count == 100
    # The mean of both generators' percentiles would be somewhere between.
    assert times.quantile_ns(0.99) == 1000
    assert times.max_ns == pytest.approx(900_000, rel=0.001)
    assert merged.live_clients == 4
    assert merged.statements.read == 100
    assert merged.errors == (
        ErrorCount(error_class="deadlock", code=1213, count=7, sample="Deadlock"),
    )
    assert merged.hosts == (HostSample("db1:3306", 100, 4),)
    assert merged.longest_gap_s == 0.25
    assert merged.generator.user_s == pytest.approx(0.3)
    assert merged.generator.busiest_worker_share == pytest.approx(0.2)
    parts = [(part.generator_index, part.scheduled, part.ended) for part in merged.generators]
    assert parts == [(0, 99, 99), (1, 1, 1)]
    assert [part.new_orders for part in merged.generators] == [None, None]


def test_new_orders_are_told_of_each_generator() -> None:
    merger = IntervalMerger(2)
    list(merger.add(0, interval(0, 3, [1000] * 9, kind="new_order")))
    (merged,) = merger.add(1, interval(1, 3, [1000], kind="new_order"))
    assert [part.new_orders for part in merged.generators] == [9, 1]


def test_what_was_in_flight_when_a_generator_ended_is_in_flight_for_good() -> None:
    merger = IntervalMerger(2)
    list(merger.add(0, interval(0, 0, [1], in_flight=7)))
    (first,) = merger.add(1, interval(1, 0, [1], in_flight=2))
    assert first.transactions["read"].in_flight == 9
    assert list(merger.add(1, interval(1, 1, [1], in_flight=1))) == []
    (second,) = merger.end(0)
    assert second.transactions["read"].in_flight == 8
    (third,) = merger.add(1, interval(1, 2, [1], in_flight=0))
    assert third.transactions["read"].in_flight == 7
    assert merger.last_index(0) == 0


def end(generator: int, **changes: object) -> End:
    """Return a generator's last word."""
    told: dict[str, object] = {
        "status": "completed",
        "elapsed_s": 5.0 + generator,
        "statements": (
            StatementCount(sql="SELECT 1", verb="select", executions=10, rows=9, affected=0),
        ),
        "generator_index": generator,
    }
    return End(**(told | changes))  # type: ignore[arg-type]


def both(**changes: tuple[object, object]) -> End:
    parts = [
        end(index, **{name: each[index] for name, each in changes.items()}) for index in (0, 1)
    ]
    return merge_ends(parts, 2, (), loss_fails=True)


def test_last_words_add_up() -> None:
    merged = both(
        hosts=(
            (HostEnd(host="a", connections=2, statements=5),),
            (HostEnd(host="a", connections=3, statements=6), HostEnd(host="b")),
        )
    )
    assert (merged.status, merged.reason, merged.elapsed_s) == ("completed", None, 6.0)
    assert [(count.executions, count.rows) for count in merged.statements] == [(20, 18)]
    assert [(host.host, host.connections, host.statements) for host in merged.hosts] == [
        ("a", 5, 11),
        ("b", 0, 0),
    ]


def test_shares_among_facts_are_divided_anew_and_hashes_added() -> None:
    merged = both(
        facts=(
            {"remote": 0.5, "rows": 3, "sum": "ffffffffffffffff", "keys": "uniform", "none": None},
            {"remote": 0.1, "rows": 4, "sum": "0000000000000002", "keys": "uniform", "none": None},
        ),
        merging=(
            Merging({"remote": (1, 2), "none": (0, 0)}, ("sum",)),
            Merging({"remote": (1, 10), "none": (0, 0)}, ("sum",)),
        ),
    )
    assert merged.facts == {
        "remote": 2 / 12,
        "rows": 7,
        "sum": "0000000000000001",
        "keys": "uniform",
        "none": None,
    }


def test_what_was_acknowledged_adds_up_and_rows_are_certain_of_none() -> None:
    one = Ledger({"orders": Change(5, (0, 2))}, Writes((WrittenRow(0, 1, "a"),), 3))
    other = Ledger({"orders": Change(6, (-1, 1))}, Writes((), 1))
    merged = both(ledger=(one, other))
    assert merged.ledger == Ledger({"orders": Change(11, (-1, 3))}, Writes((), 5))
    boundless = Ledger({"orders": Change(6, None)})
    assert both(ledger=(one, boundless)).ledger == Ledger(
        {"orders": Change(11, None)}, Writes((), 4)
    )


def test_the_first_failure_is_the_reason_and_who_it_was() -> None:
    merged = both(status=("interrupted", "failed"), reason=("stopped", "2 of 3 failed"))
    assert (merged.status, merged.reason) == ("failed", "generator 2 of 2: 2 of 3 failed")


def test_of_a_lost_generator_no_ledger_can_tell() -> None:
    lost = LostGenerator(generator_index=1, reason="it was lost", last_index=3)
    parts = [end(0, ledger=Ledger({"orders": Change(5, (0, 0))}))]
    for loss_fails, status in ((True, "failed"), (False, "completed")):
        merged = merge_ends(parts, 2, (lost,), loss_fails=loss_fails)
        assert (merged.status, merged.ledger, merged.lost) == (status, None, (lost,))


def test_three_silent_intervals_are_late_and_ten_are_lost() -> None:
    silence = Silence(2, 1.0)
    silence.begin(100.0)
    found = []
    for tick in range(1, 60):
        now_s = 100.0 + tick * 0.2
        silence.hear(0, now_s)
        found += [(round(now_s - 100, 1), *each) for each in silence.look(now_s)]
    assert found == [(3.2, 1, "late"), (10.2, 1, "lost")]


def test_who_speaks_again_is_not_late_and_who_has_ended_is_not_awaited() -> None:
    silence = Silence(2, 2.0)
    silence.begin(0.0)
    silence.end(1)
    ticks = [tick * 0.5 for tick in range(1, 14)]
    assert [each for now_s in ticks for each in silence.look(now_s)] == [(0, "late")]
    assert silence.hear(0, 6.5)
    assert not silence.hear(0, 7.0)


def test_whoever_was_held_up_itself_blames_nobody() -> None:
    silence = Silence(1, 1.0)
    silence.begin(0.0)
    assert list(silence.look(60.0)) == []
    assert list(silence.look(61.0)) == []
