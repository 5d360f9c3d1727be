"""Checks of the data and of the server that held it: keys, cache, consistency, settings.

A check takes a measured trial and returns its evidence, or None where all is well or not known.
"""

from __future__ import annotations

from urllib.parse import urlsplit

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
    """Compare the database's files with InnoDB's buffer pool, where both are known."""
    server = measured.trial.server
    url, *_ = single_host_urls(measured.trial.url)
    database = urlsplit(url).path.strip("/")
    size_bytes = server.file_sizes_bytes.get(database)
    pool_bytes = server.settings.get("innodb_buffer_pool_size")
    if size_bytes is None or pool_bytes is None or size_bytes > int(pool_bytes):
        return None
    return Evidence(
        EvidenceKind.IN_MEMORY, tables_bytes=size_bytes, buffer_pool_bytes=int(pool_bytes)
    )


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
    return tuple(
        Evidence(EvidenceKind.NO_SUCH_SETTING, setting=name, asked=value)
        if (found := settings.get(name.lower())) is None
        else Evidence(EvidenceKind.ADJUSTED, setting=name, asked=value, value=found)
        for name, value in asked.items()
    )


def load_refused(measured: WindowTotals) -> Clauses:
    """Give the server's words about what it would not have while the tables were loaded."""
    return said(*measured.trial.dataset.load_refusals)
