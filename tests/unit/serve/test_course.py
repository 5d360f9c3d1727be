"""A whole trial in few numbers."""

from __future__ import annotations

from itertools import pairwise

from dbdyno.serve.course import BUCKETS_MAX, Course
from tests.unit.serve.points import point


def test_no_interval_is_lost_and_no_dip_is_averaged_away() -> None:
    course = Course()
    for index in range(10_007):
        rate = 3.0 if index == 4321 else 100.0
        p95_ms = None if index == 77 else 900.0 if index == 8000 else 2.0
        course.add(point(index, throughput_per_s=rate, p95_ms=p95_ms, errors_per_s=index % 2))
    buckets = course.buckets
    assert len(buckets) <= BUCKETS_MAX
    assert sum(each.intervals for each in buckets) == 10_007
    assert sum(each.transactions for each in buckets) == 100 * 10_006 + 3
    assert sum(each.errors for each in buckets) == 5003
    assert min(each.lowest_per_s for each in buckets) == 3
    assert max(each.highest_p95_ms or 0 for each in buckets) == 900
    assert all(one.end_s == other.start_s for one, other in pairwise(buckets))
    assert {each.intervals for each in buckets[:-1]} == {course.width}


def test_a_short_trial_keeps_each_interval() -> None:
    course = Course()
    for index in range(BUCKETS_MAX):
        course.add(point(index))
    assert [each.start_s for each in course.buckets] == [float(n) for n in range(BUCKETS_MAX)]
