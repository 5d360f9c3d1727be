"""The kinds of evidence that checks find, each with the figures that it has.

A figure's name ends with its unit: ``_s``, ``_ms``, ``_bytes``, ``_share`` (between 0 and 1; a
``_change_share`` has a sign), ``_cores``, ``_p_value``. ``_number`` numbers something, and is no
amount. Figures without a unit are counts, or texts from outside: names, settings, messages.
``count`` is what a sentence says in the singular or in the plural.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class EvidenceKind(StrEnum):
    """What was found. Its words are in ``dbdyno.report.words.evidence``."""

    figures: tuple[str, ...]

    def __new__(cls, name: str, *figures: str) -> Self:
        """Return the kind of this name, with the names of its figures."""
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.figures = figures
        return kind

    SAID = "said", "text"
    """What somebody else has said of it: a server, a generator, a stored result."""
    MORE = "more", "count"
    """So many more of the same are not quoted."""

    # How a trial ended, and what it counted.
    TRIAL_FAILED = "trial-failed", "reason"
    TRIAL_INTERRUPTED = "trial-interrupted", "reason"
    FAILED_UNEXPLAINED = "failed-unexplained"
    INTERRUPTED_UNEXPLAINED = "interrupted-unexplained"
    NO_REASON = "no-reason"
    """A trial did not end well, and nobody has stored why."""
    COUNTERS = "counters", "transaction", "start_s", "scheduled", "ended", "in_flight"
    NO_WINDOW = "no-window", "count"
    OVER_BUDGET = "over-budget", "failed", "ended", "failed_share", "allowed_share"
    FAILURES = "failures", "failed", "ended", "failed_share"
    MOST_FREQUENT_ERROR = "most-frequent-error", "error_class", "code", "sample"
    FEWER_CLIENTS = "fewer-clients", "connected", "clients", "start_s"

    # What happened in the window.
    NOTHING_FINISHED = "nothing-finished", "failed", "window_s"
    WHOLE_INTERVALS = "whole-intervals", "count", "window_s"
    WARMUP_NOT_JUDGED = "warm-up-not-judged", "warmup_s"
    WARMUP_CHANGED = (
        *("warm-up-changed", "warmup_s", "intervals", "low_change_share", "high_change_share"),
    )
    WAITING = "waiting", "recorded_share", "clients", "working_clients"
    BEYOND_RANGE = "beyond-range", "count", "measure", "transaction"
    """Times beyond the range of the histograms; ``measure`` is the name of one."""
    ABORTED = "aborted", "aborted", "ended", "aborted_share", "retries"
    RECONNECTED = "reconnected", "count"
    GAPS = "gaps", "count", "limit_s", "longest_s", "first_start_s"
    EMPTY_INTERVALS = "empty-intervals", "empty", "intervals"
    LOW_INTERVALS = "low-intervals", "low", "intervals"
    BEHIND_RATE = "behind-rate", "ended", "offered", "ended_share"
    BACKLOG = "backlog", "count"
    NEVER_STARTED = "never-started", "count"

    # What generators did.
    NOT_RUNNING = "not-running", "paused_s", "window_s", "longest_s"
    WORKER_BUSY = "worker-busy", "limit_share", "busy", "intervals"
    ANSWERS_LATE = "answers-late", "delay_ms", "response_ms"
    CLIENTS_IN_EFFECT = "clients-in-effect", "working_clients", "clients"
    UNREAD = "unread", "unread_share"
    WAITED_FOR_CPU = "waited-for-cpu", "waited_share", "count"
    """``count`` workers."""
    ON_ONE_HOST = "on-one-host"
    CLOCK_MOVED = "clock-moved", "moved_change_s"
    IMPOSSIBLE_TIMES = "impossible-times", "count"
    GENERATOR_LOST = "generator-lost", "reason"
    GENERATOR_LOST_AFTER = "generator-lost-after", "reason", "interval_number"
    GENERATORS_SILENT = "generators-silent", "generator_number", "generators"
    CLOCK_BOUND = "clock-bound", "host", "bound_ms"

    # What hosts did, this one and those of servers.
    HOST_SHARE = "host-share", "host", "transactions_share"
    HOST_REFUSED = "host-refused", "failed", "host", "last_failure"
    HOST_SILENT = "host-silent", "host", "error"
    HOSTS_DIFFER = "hosts-differ", "setting", "hosts", "values"
    SWAPPED = "swapped", "swapped_bytes"
    STOLEN = "stolen", "stolen_share"
    OTHERS_BUSY = "others-busy", "busy_cores", "busiest"
    GOVERNOR = "governor", "governor"

    # What servers did, and what is in their tables.
    KILLED = "killed", "count"
    KILLED_IN_SHARED_GROUP = "killed-in-shared-group", "count"
    NO_MEMORY_LIMIT = "no-memory-limit"
    MEMORY_LIMIT = "memory-limit", "limit_bytes"
    SERVER_THROTTLED = "server-throttled", "throttled", "periods", "waited_s"
    BOTH_THROTTLED = "both-throttled", "throttled", "periods", "waited_s"
    CPU_LIMIT = "cpu-limit", "limit_cores"
    HOT_ROWS = "hot-rows", "distribution", "accesses_share"
    IN_MEMORY = "in-memory", "tables_bytes", "buffer_pool_bytes"
    CACHES_NOT_SET = "caches-not-set", "condition", "reason"
    NOT_COMPLETE = "tables-not-complete"
    ADJUSTED = "adjusted", "setting", "asked", "value"
    NO_SUCH_SETTING = "no-such-setting", "setting", "asked"
    TERMINALS = "terminals", "clients", "count"
    """So many terminals on ``count`` warehouses."""
    BRANCHES = "branches", "clients", "scale"
    TABLES_GREW = "tables-grew", "before_bytes", "after_bytes"
    POSTGRESQL_CHECKPOINTS = "postgresql-checkpoints", "count", "window_s"
    REDO_WRITTEN = "redo-written", "written_bytes", "room_bytes"
    HISTORY_LIST = "history-list", "first", "last"
    FOREIGN_KEYS_NOT_CHECKED = "foreign-keys-not-checked", "count"
    UNIQUE_NOT_CHECKED = "unique-not-checked", "count"
    STATISTICS_MISSING = "statistics-missing", "tables"
    STATISTICS_STALE = "statistics-stale", "estimated", "rows"
    SCANNED_ROWS = "scanned-rows", "scanned", "rows"
    """``rows`` for each transaction."""
    SCANNED_TABLE = "scanned-table", "table", "rows_share"
    COMPRESSIBLE = "compressible", "sample_bytes", "ratio"
    LOCK_WAITS = (
        *("lock-waits", "waits", "waited_share", "clients", "journal_mode", "synchronous"),
    )
    DELETES_WITHOUT_ROWS = "deletes-without-rows", "without_rows", "deletes", "deletes_share"
    STATEMENTS_WITHOUT_ROWS = (
        *("statements-without-rows", "without_rows", "statements", "statements_share"),
    )
    REQUIREMENT = "requirement", "group", "name", "unit", "low", "high", "observed"
    """One of TPC-C's that is not met. The first three are codes of ``analysis.tpcc.model``."""
    MORE_CELLS = "more-cells", "count"

    # What is found over all trials.
    NOT_RUN = "not-run", "missing", "planned"
    FEW_TRIALS = "few-trials", "trials", "cells"
    """So many valid trials of each of these cells."""
    ORDER = "order", "order", "rounds", "cells"
    DRIFT = "drift", "change_share", "rounds", "p_value"
    CARRY_OVER = "carry-over", "factor", "level", "baseline", "change_share", "p_value"
    UNLIKE_PLANS = "unlike-plans", "trial_number"
    SETTINGS_DIFFER = "settings-differ", "settings"
    MEANINGS_DIFFER = "meanings-differ", "aspects"
    """What settings of unlike products mean, by the codes of ``confounders/model.py``."""
    VARIES_TOGETHER = "varies-together", "factor", "baseline", "levels", "together"
    LEVELS_APART = "levels-apart", "factor", "baseline", "levels", "together"
    """Levels that are never compared with the baseline, and the factors that always differ too."""
    DURABILITY = (
        *("durability", "compared", "durability", "baseline_durability", "unlike", "comparisons"),
    )
    ISOLATION = "isolation", "compared", "isolation", "baseline_isolation"
    SERVER_CHANGED = "server-changed", "fact", "before", "after", "last_number", "first_number"
    HOST_CHANGED = "host-changed", "fact", "before", "after", "last_number", "first_number"
    FIRST_QUARTER = "first-quarter", "change_share", "trials", "p_value"
    SLOPE = "slope", "change_share", "trials", "p_value"
    REFERENCE_THROUGHPUT = (
        *("reference-throughput", "reference", "range_share", "trials", "change_share"),
        *("noise_share", "p_value"),
    )
    REFERENCE_RESPONSE = (
        *("reference-response", "reference", "range_share", "trials", "change_share"),
        *("noise_share", "p_value"),
    )
    FOLLOWS_STEAL = "follows-steal", "correlation", "trials", "p_value", "variance_share"
    FOLLOWS_OTHERS = "follows-others", "correlation", "trials", "p_value", "variance_share"
    OTHERS_DIFFER = (
        *("others-differ", "level", "baseline", "taken_cores", "baseline_taken_cores"),
    )
    STEAL_DIFFERS = (
        *("steal-differs", "level", "baseline", "taken_share", "baseline_taken_share"),
    )
