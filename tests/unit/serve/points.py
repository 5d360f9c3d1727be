"""Points for tests."""

from __future__ import annotations

from typing import Any

from dbdyno.serve.points import Point


def point(index: int = 0, **changes: Any) -> Point:
    """Return an interval of a second."""
    values: dict[str, Any] = {
        "trial": 1,
        "started_ms": 1000,
        "phase": "window",
        "index": index,
        "start_s": float(index),
        "duration_s": 1.0,
        "end_unix_s": 1000.0 + index,
        "throughput_per_s": 100.0,
        "p50_ms": 1.0,
        "p95_ms": 2.0,
        "p99_ms": 3.0,
        "errors_per_s": 0.0,
        "in_flight": 8,
        "busiest_worker_share": 0.5,
        "has_fewer_clients": False,
    }
    return Point(**(values | changes))
