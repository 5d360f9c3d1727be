"""What a page is told, from the beginning and after it was away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dbdyno.serve.feed import POINTS_MAX, Cursor, Feed, Head, Message
from tests.unit.serve.points import point

HEAD = Head(1, 1000, 2.0, 60.0)


def told(feed: Feed, cursor: Cursor) -> dict[str, Any]:
    return {each.event: each.data for each in feed.news(cursor)}


def indices(rows: Sequence[Sequence[Any]]) -> list[int]:
    return [row[3] for row in rows]


def filled(count: int) -> Feed:
    feed = Feed()
    feed.show(HEAD)
    feed.add([point(index) for index in range(count)])
    return feed


def test_a_new_page_is_told_of_all_and_then_of_what_is_new() -> None:
    feed = filled(3)
    cursor = feed.cursor_after(None)
    news = told(feed, cursor)
    assert list(news) == ["reset", "trial", "points", "course", "marks"]
    assert indices(news["points"]) == [0, 1, 2]
    assert feed.news(cursor) == []
    feed.add([point(3)])
    news = told(feed, cursor)
    assert indices(news["points"]) == [3]
    # The last bucket is told again, for it may have grown.
    assert news["course"]["from"] == 2
    assert len(news["course"]["buckets"]) == 2


def test_a_page_that_was_away_is_told_of_what_it_missed() -> None:
    feed = filled(10)
    news = told(feed, feed.cursor_after(point(6).id))
    assert "reset" not in news
    assert indices(news["points"]) == [7, 8, 9]
    assert len(news["course"]["buckets"]) == 10


def test_a_point_of_another_server_is_known_by_what_it_is() -> None:
    before, after = filled(5), Feed()
    news = before.news(before.cursor_after(None))
    (points,) = [message for message in news if message.event == "points"]
    after.add([point(-1, phase="warmup")])
    after.show(HEAD)
    after.add([point(index) for index in range(8)])
    assert indices(told(after, after.cursor_after(points.id))["points"]) == [5, 6, 7]


def test_a_page_that_was_away_too_long_begins_anew() -> None:
    feed = filled(5)
    cursor = feed.cursor_after(None)
    told(feed, cursor)
    feed.add([point(index) for index in range(5, 5 + POINTS_MAX + 7)])
    news = told(feed, cursor)
    assert "reset" in news
    assert len(news["points"]) == POINTS_MAX
    unknown = told(feed, feed.cursor_after("9.9.window.9"))
    assert "reset" in unknown
    assert len(unknown["points"]) == POINTS_MAX


def test_another_attempt_is_another_trial() -> None:
    feed = filled(3)
    cursor = feed.cursor_after(None)
    told(feed, cursor)
    feed.show(Head(1, 2000, 2.0, 60.0))
    feed.add([point(0), point(0, started_ms=2000)])
    news = told(feed, cursor)
    assert news["trial"]["started_ms"] == 2000
    assert len(news["course"]["buckets"]) == 1


def test_parts_are_told_when_they_change() -> None:
    feed = Feed()
    feed.put({"now": "1", "hosts": "a"})
    cursor = feed.cursor_after(None)
    assert told(feed, cursor)["parts"] == {"now": "1", "hosts": "a"}
    feed.put({"now": "2", "hosts": "a"})
    assert told(feed, cursor) == {"parts": {"now": "2"}}
    assert feed.news(cursor) == []


def test_marks_are_told_when_they_change() -> None:
    feed = filled(1)
    cursor = feed.cursor_after(None)
    told(feed, cursor)
    feed.mark([(1.0, "lost")])
    assert told(feed, cursor) == {"marks": ((1.0, "lost"),)}
    feed.mark([(1.0, "lost")])
    assert feed.news(cursor) == []
    feed.mark([(2.0, "back")])
    assert told(feed, cursor) == {"marks": ((2.0, "back"),)}
    feed.show(Head(2, 1, 0.0, 1.0))
    assert told(feed, cursor)["marks"] == ()


def test_a_message_is_one_event_whatever_is_in_it() -> None:
    sent = Message("parts", {"now": "one\ntwo\r\n\ndata: x"}, "1.2.window.3").encode().decode()
    assert sent.endswith("\n\n")
    assert len(sent.strip().splitlines()) == 3
