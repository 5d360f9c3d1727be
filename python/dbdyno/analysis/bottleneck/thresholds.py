"""From where on a figure counts, in one table; METHODOLOGY.md says the same in words.

PMM are the steps of Percona's dashboards. ``ours`` has no other source than what limits of real
servers look like; such a threshold is strict where one false limit is worse than one not found.
"""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.analysis.bottleneck.model import FigureName


@dataclass(frozen=True)
class Threshold:
    """At this value or beyond it a figure counts."""

    value: float
    source: str


ANY_PER_S = 0.01
"""Once in a hundred seconds: less is nothing that work waits for."""

THRESHOLDS = {
    FigureName.WORKER_OCCUPIED: Threshold(0.9, "the check generator-busy"),
    FigureName.HANDLING_DELAY: Threshold(0.1, "the check generator-late"),
    FigureName.THROTTLED_PERIODS: Threshold(0.5, "ours; any is a note of its own"),
    FigureName.QUOTA_WAITING: Threshold(0.3, "ours"),
    FigureName.CPU_BUSY: Threshold(0.9, "ours"),
    FigureName.CPU_WAITING: Threshold(0.3, "ours"),
    FigureName.CPU_WAIT_SHARE: Threshold(0.1, "as the check generator-starved"),
    FigureName.CPU_PRESSURE: Threshold(0.1, "ours"),
    FigureName.BUSIEST_CPU: Threshold(0.95, "a CPU over 95 % while the mean is below 70 %"),
    FigureName.SWAPPED_PER_S: Threshold(4096.0, "any: a page a second"),
    FigureName.MEMORY_EVENTS_PER_S: Threshold(ANY_PER_S, "any in the window"),
    FigureName.MEMORY_PRESSURE: Threshold(0.1, "pressure: some over 10 %"),
    FigureName.DISK_BUSY: Threshold(0.9, "ours; alone it says nothing on SSDs"),
    FigureName.DISK_DEPTH: Threshold(1.5, "ours: more than one request that waits for the next"),
    FigureName.DISK_LIMIT_USED: Threshold(0.9, "ours"),
    FigureName.IO_PRESSURE: Threshold(0.05, "pressure: some over 5 %"),
    FigureName.LOCK_SHARE: Threshold(0.5, "PMM, red"),
    FigureName.LOCK_WAITING: Threshold(1.0, "ours: a session at any time"),
    FigureName.DATABASE_LOCK_SHARE: Threshold(
        0.4, "ours; who sleeps may wake up late, so that the lock is free meanwhile"
    ),
    FigureName.DATABASE_LOCK_WAITING: Threshold(1.0, "ours: a client at any time"),
    FigureName.LOG_SHARE: Threshold(0.5, "as of row locks"),
    FigureName.LOG_WAITING: Threshold(1.0, "ours: a session at any time"),
    FigureName.LOG_BUSY: Threshold(0.5, "ours"),
    FigureName.REDO_USED: Threshold(0.75, "InnoDB: from here on it flushes aggressively"),
    FigureName.REDO_HIGHEST: Threshold(0.85, "InnoDB: a stall is imminent"),
    FigureName.SYNC_FLUSHES_PER_S: Threshold(ANY_PER_S, "any"),
    FigureName.LOG_WAIT_INTERVALS: Threshold(0.5, "sustained"),
    FigureName.LOG_WAITS_PER_S: Threshold(1.0, "ours; sustained"),
    FigureName.POOL_USED: Threshold(0.95, "ours"),
    FigureName.POOL_WAITS_PER_S: Threshold(ANY_PER_S, "any"),
    FigureName.LINK_USED: Threshold(0.9, "ours"),
    FigureName.RETRANSMITTED: Threshold(0.001, "over 0.1 % of segments"),
    FigureName.CPU_SOFTIRQ: Threshold(0.3, "over 30 % of a CPU"),
    FigureName.FLOW_SENT_PER_S: Threshold(ANY_PER_S, "any, and who sends it"),
    FigureName.FLOW_PAUSED: Threshold(0.05, "ours; more than 0"),
}

MEAN_CPU_MAX = 0.7
"""One CPU is busy alone only where all of them together are busy for less than this share."""

ONE_THREAD_CORES = (0.8, 1.2)
"""A server that uses so many CPUs may be one thread."""

MOST_OF_IT = 0.5
"""Whoever used so much of the busy CPU time is whose limit it is."""

GROWN = 1.1
"""What grows with load is so many times as large at the highest load as at the lowest."""

NOT_FALLEN = 0.95
"""What is at its limit already cannot grow. What is below it at the highest load must not fall."""

NEARLY_FULL = 0.8
"""A share that is so large at the lowest load has no room to grow: then transactions must take
longer with more load."""

FLAT_REQUESTS = 1.1
RISING_AWAIT = 1.2
"""A disk is at its limit where more load brings no more requests a second, only longer ones."""
