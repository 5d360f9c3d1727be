"""Checks of the data and of the server that held it: keys, cache, consistency, settings.

A check takes a measured trial and returns its evidence, or None where all is well or not known.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from dbdyno.analysis.confounders.meaning import cache_bytes
from dbdyno.analysis.evidence import Clauses, Evidence, said
from dbdyno.analysis.evidence_kinds import EvidenceKind
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.database.hosts import single_host_urls

HOTTEST_SHARE_MIN = 0.02


def skewed_keys(measured: WindowTotals) -> Evidence | None:
    """Find a key distribution under which the hottest 1 % of the rows got more than their part."""
    facts = measured.trial.facts
    share = facts.get("hottest_1_percent_share")
    if not isinstance(share, float) or share < HOTTEST_SHARE_MIN:
        return None
    # Whole percents, so that the trials of one distribution give one and the same evidence.
    return Evidence(
        EvidenceKind.HOT_ROWS,
        distribution=facts.get("distribution"),
        accesses_share=round(share, 2),
    )


def in_memory(measured: WindowTotals) -> Evidence | None:
    """Compare the tables with the server's own cache, where the sizes of both are known."""
    size_bytes, pool_bytes = _tables_bytes(measured), cache_bytes(measured.trial)
    if size_bytes is None or pool_bytes is None or size_bytes > pool_bytes:
        return None
    return Evidence(EvidenceKind.IN_MEMORY, tables_bytes=size_bytes, buffer_pool_bytes=pool_bytes)


def _tables_bytes(measured: WindowTotals) -> int | None:
    """Return the size of the tables as the server tells it, or else that of the database's files.

    Not every engine has its tables in the database's folder. Of several nodes it is what each has
    of them on average, for each has a cache of its own.
    """
    disk = measured.trial.dataset.disk
    if disk is not None and disk.before.size_bytes is not None:
        return disk.before.size_bytes // disk.before.nodes
    url, *_ = single_host_urls(measured.trial.url)
    database = urlsplit(url).path.strip("/")
    return measured.trial.server.file_sizes_bytes.get(database)


def caches_not_set(measured: WindowTotals) -> Evidence | None:
    """Find caches that are not cold, or not warm, although they should be."""
    caches = measured.trial.dataset.caches
    if caches.reason is None:
        return None
    return Evidence(EvidenceKind.CACHES_NOT_SET, condition=caches.condition, reason=caches.reason)


def check_failed(measured: WindowTotals) -> Clauses | None:
    """Say what the check of the tables after a trial found, where it was done."""
    check = measured.trial.dataset.check
    if check.passed:
        return None
    return said(check.message) or (Evidence(EvidenceKind.NOT_COMPLETE),)


def not_checked(measured: WindowTotals) -> Clauses | None:
    """Say why the tables could not be checked after a trial, where that was asked for."""
    check = measured.trial.dataset.check
    return None if check.done else said(check.message)


def settings_adjusted(measured: WindowTotals) -> Clauses:
    """Name the settings that were asked for and that the server shows with another value."""
    asked, settings = measured.trial.server.adjusted_settings, measured.trial.server.settings
    return tuple(adjusted(name, value, settings.get(name.lower())) for name, value in asked.items())


def adjusted(setting: str, asked: str, found: str | None) -> Evidence:
    """Return what was asked for and what the server has; None where it has no such setting."""
    if found is None:
        return Evidence(EvidenceKind.NO_SUCH_SETTING, setting=setting, asked=asked)
    return Evidence(EvidenceKind.ADJUSTED, setting=setting, asked=asked, value=found)


def load_refused(measured: WindowTotals) -> Clauses:
    """Give the server's words about what it would not have while the tables were loaded."""
    return said(*measured.trial.dataset.load_refusals)
