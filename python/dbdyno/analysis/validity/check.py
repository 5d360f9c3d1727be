"""Runs all checks of one trial: first those that exclude it, then, where none did, the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dbdyno.analysis import generators, hosts
from dbdyno.analysis.evidence import Clauses, Evidence
from dbdyno.analysis.findings import Finding, TrialReason
from dbdyno.analysis.validity import (
    control_group,
    dataset,
    generator,
    host,
    ledger,
    rate,
    stalls,
    tables,
    trial,
    window,
    workload,
)
from dbdyno.analysis.validity.codes import Code
from dbdyno.analysis.validity.warn import warn_of_trials
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.experiment.in_effect import levels_not_in_effect
from dbdyno.experiment.plan import FactorLevels
from dbdyno.store.model import StoredTrial

TrialCheck = Callable[[WindowTotals], Evidence | Clauses | None]
"""A check has nothing to say where it returns no evidence: None, or none in the tuple."""

EXCLUDING: dict[Code, TrialCheck] = {
    Code.KILLED_FOR_MEMORY: control_group.killed_for_memory,
    Code.NOT_COMPLETED: trial.not_completed,
    Code.NOT_STORED: ledger.not_stored,
    Code.COUNTERS_DISAGREE: trial.counters_disagree,
    Code.NO_WINDOW: trial.no_window,
    Code.GENERATOR_LOST: generators.generator_lost,
    Code.CLOCKS_UNKNOWN: generators.clocks_unknown,
    Code.GENERATOR_STOPPED: generator.generator_stopped,
    Code.ERROR_BUDGET: trial.error_budget_exceeded,
    Code.CLIENTS_LOST: trial.clients_lost,
    Code.CHECK_FAILED: dataset.check_failed,
}
"""In this order, and the first that fires is the reason: the later ones rely on the earlier."""

WARNING: dict[Code, TrialCheck] = {
    Code.STORED_MORE: ledger.stored_more,
    Code.NOT_HELD_AGAINST: ledger.not_checked,
    Code.NOTHING_FINISHED: window.nothing_finished,
    Code.FAILURES: window.failures,
    Code.GENERATOR_SILENT: generators.generator_silent,
    Code.CLOCKS_UNCERTAIN: generators.clocks_uncertain,
    Code.GENERATOR_BUSY: generator.generator_busy,
    Code.GENERATOR_LATE: generator.generator_late,
    Code.GENERATOR_STARVED: generator.generator_starved,
    Code.GENERATOR_PAUSED: generator.generator_paused,
    Code.SHARED_HOST: generator.shared_host,
    Code.RATE_NOT_REACHED: rate.rate_not_reached,
    Code.NOT_STEADY: window.not_steady,
    Code.STALLS: stalls.stalls,
    Code.DIPS: stalls.dips,
    Code.WAITING_NOT_RECORDED: window.waiting_not_recorded,
    Code.HISTOGRAM_OVERFLOW: window.histogram_overflow,
    Code.MANY_RETRIES: window.many_retries,
    Code.RECONNECTS: window.reconnects,
    Code.HOSTS_UNLIKE: hosts.unlike,
    Code.HOSTS_UNREACHABLE: hosts.unreachable,
    Code.HOSTS_UNEVEN: hosts.uneven,
    Code.SHORT_WINDOW: window.short_window,
    Code.SKEWED_KEYS: dataset.skewed_keys,
    Code.IN_MEMORY: dataset.in_memory,
    Code.CROWDED: workload.crowded,
    Code.DATA_GREW: workload.data_grew,
    Code.FEW_CHECKPOINTS: workload.few_checkpoints,
    Code.PURGE_BEHIND: workload.purge_behind,
    Code.CONSTRAINTS_NOT_CHECKED: tables.constraints_not_checked,
    Code.STATISTICS_MISSING: tables.statistics_missing,
    Code.FULL_SCANS: tables.full_scans,
    Code.COMPRESSIBLE: tables.compressible,
    Code.LOCK_WAITS: workload.lock_waits,
    Code.DELETES_FOUND_NOTHING: workload.deletes_found_nothing,
    Code.ROWS_NOT_FOUND: workload.selects_and_updates_found_nothing,
    Code.SETTINGS_ADJUSTED: dataset.settings_adjusted,
    Code.NOT_CHECKED: dataset.not_checked,
    Code.LOAD_REFUSED: dataset.load_refused,
    Code.CACHES_NOT_SET: dataset.caches_not_set,
    Code.SWAPPING: host.swapping,
    Code.CPU_STOLEN: host.cpu_stolen,
    Code.WATCH_INCOMPLETE: host.watch_incomplete,
    Code.SHARED_CPU_THROTTLED: control_group.shared_cpu_throttled,
    Code.CPU_THROTTLED: control_group.cpu_throttled,
    Code.CLOCK_STEPPED: generator.clock_stepped,
}


@dataclass(frozen=True)
class Exclusion:
    """Why a trial is not used."""

    code: Code
    evidence: Clauses

    def reason(self) -> TrialReason:
        """Return it as it stands in the list of trials."""
        return TrialReason(self.code, self.evidence)


@dataclass(frozen=True, eq=False)
class JudgedTrial:
    """What checks say of one trial: why it is not used, or, by check, what to read with care."""

    measured: WindowTotals
    exclusion: Exclusion | None
    evidence: Mapping[Code, Clauses]


def judge(measured: WindowTotals) -> JudgedTrial:
    """Run all checks on one trial; those that warn rely on those that exclude.

    All of them look at a trial before the next one is looked at: its tables are read once.
    """
    exclusion = next(_fired(measured, EXCLUDING), None)
    if exclusion is not None:
        return JudgedTrial(measured, Exclusion(*exclusion), {})
    return JudgedTrial(measured, None, dict(_fired(measured, WARNING)))


def _fired(
    measured: WindowTotals, checks: Mapping[Code, TrialCheck]
) -> Iterator[tuple[Code, Clauses]]:
    for code, check in checks.items():
        found = check(measured)
        if found:
            yield code, (found,) if isinstance(found, Evidence) else found


def exclusions(
    judged: Sequence[JudgedTrial], factors: Sequence[FactorLevels]
) -> dict[int, Exclusion]:
    """Return why trials are not used, by number: what a check found, or a level without effect."""
    excluded: dict[int, Exclusion] = {}
    for each in judged:
        exclusion = each.exclusion or _without_level(each.measured.trial, factors)
        if exclusion is not None:
            excluded[each.measured.number] = exclusion
    return excluded


def _without_level(trial: StoredTrial, factors: Sequence[FactorLevels]) -> Exclusion | None:
    """Return the exclusion of a trial whose server did not have a level that the cell names."""
    adjusted, settings = trial.server.adjusted_settings, trial.server.settings
    evidence = tuple(
        dataset.adjusted(each.setting, each.asked, each.shown)
        for each in levels_not_in_effect(factors, trial.planned.cell, adjusted, settings)
    )
    return Exclusion(Code.LEVEL_NOT_IN_EFFECT, evidence) if evidence else None


def exclusion_warnings(excluded: Mapping[int, Exclusion]) -> list[Finding]:
    """Return one warning for each reason for which trials were left out."""
    evidence: dict[Code, list[tuple[int, Clauses]]] = defaultdict(list)
    for number, exclusion in excluded.items():
        evidence[exclusion.code].append((number, exclusion.evidence))
    return [warn_of_trials(code, found) for code, found in evidence.items()]


def trial_warnings(judged: Sequence[JudgedTrial]) -> list[Finding]:
    """Return one warning for each check that fired on any trial, in the order of the checks."""
    found = {
        code: [
            (each.measured.number, each.evidence[code]) for each in judged if code in each.evidence
        ]
        for code in WARNING
    }
    return [warn_of_trials(code, evidence) for code, evidence in found.items() if evidence]
