"""The codes of all checks, and what each says whenever it fires."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dbdyno.analysis.findings import Severity


class Code(StrEnum):
    """The name of a check, as it stands in reports and as it can be searched for."""

    KILLED_FOR_MEMORY = "server-killed-for-memory"
    NOT_COMPLETED = "trial-not-completed"
    NOT_STORED = "acknowledged-not-stored"
    COUNTERS_DISAGREE = "counters-disagree"
    NO_WINDOW = "no-window"
    GENERATOR_STOPPED = "generator-stopped"
    ERROR_BUDGET = "error-budget-exceeded"
    CLIENTS_LOST = "clients-lost"
    CHECK_FAILED = "check-failed"
    NOT_CHECKED = "not-checked"
    STORED_MORE = "stored-more-than-acknowledged"
    NOT_HELD_AGAINST = "not-held-against-stored"
    NOTHING_FINISHED = "nothing-finished"
    FAILURES = "failures"
    GENERATOR_LOST = "generator-lost"
    GENERATOR_SILENT = "generator-silent"
    CLOCKS_UNKNOWN = "generator-clocks-unknown"
    CLOCKS_UNCERTAIN = "generator-clocks-uncertain"
    GENERATOR_BUSY = "generator-busy"
    GENERATOR_LATE = "generator-late"
    GENERATOR_STARVED = "generator-starved"
    GENERATOR_PAUSED = "generator-paused"
    SHARED_HOST = "shared-host"
    CLOCK_STEPPED = "clock-stepped"
    RATE_NOT_REACHED = "rate-not-reached"
    NOT_SETTLED = "not-settled"
    NOT_STEADY = "warm-up-not-steady"
    STALLS = "stalls"
    DIPS = "throughput-dips"
    WAITING_NOT_RECORDED = "waiting-not-recorded"
    SHORT_WINDOW = "short-window"
    HISTOGRAM_OVERFLOW = "histogram-overflow"
    MANY_RETRIES = "many-retries"
    RECONNECTS = "reconnects"
    HOSTS_UNLIKE = "hosts-unlike"
    HOSTS_UNREACHABLE = "hosts-unreachable"
    HOSTS_UNEVEN = "hosts-uneven"
    SKEWED_KEYS = "skewed-keys"
    IN_MEMORY = "dataset-in-memory"
    SETTINGS_ADJUSTED = "settings-adjusted"
    LOAD_REFUSED = "load-refused"
    CACHES_NOT_SET = "caches-not-set"
    SWAPPING = "swapping"
    CPU_STOLEN = "cpu-stolen"
    WATCH_INCOMPLETE = "watch-incomplete"
    SHARED_CPU_THROTTLED = "shared-cpu-throttled"
    CPU_THROTTLED = "cpu-throttled"
    NEIGHBOURS = "neighbours"
    FREQUENCY_SCALING = "frequency-scaling"
    RESULT_DAMAGED = "result-damaged"
    MISSING_TRIALS = "missing-trials"
    FEW_ROUNDS = "few-rounds"
    NOT_INTERLEAVED = "not-interleaved"
    DRIFT = "drift"
    REFERENCE_MOVED = "reference-moved"
    NOISE_EXPLAINED = "noise-explained"
    PLANS_DIFFER = "plans-differ"
    SETTINGS_DIFFER = "settings-differ"
    SERVER_CHANGED = "server-changed"
    DURABILITY_DIFFERS = "durability-differs"
    ISOLATION_DIFFERS = "isolation-differs"
    CROWDED = "clients-crowded"
    DATA_GREW = "dataset-grew"
    FEW_CHECKPOINTS = "few-checkpoints"
    PURGE_BEHIND = "purge-behind"
    TPCC_INPUT = "tpcc-input"
    TPCC_MIX = "tpcc-mix"
    TPCC_RESPONSE = "tpcc-response-time"
    TPCC_DELIVERIES = "tpcc-deliveries-skipped"
    TPCC_PER_WAREHOUSE = "tpcc-per-warehouse"


@dataclass(frozen=True)
class Entry:
    """What is the same whenever a check fires."""

    severity: Severity
    message: str
    advice: str
