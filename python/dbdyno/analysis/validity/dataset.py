"""Checks of the data and of the server that held it: keys, cache, consistency, settings.

A check takes a measured trial and returns its evidence, or None where all is well or not known.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.database.hosts import single_host_urls

HOTTEST_SHARE_MIN = 0.02


def skewed_keys(measured: WindowTotals) -> str | None:
    """Find a key distribution under which the hottest 1 % of the rows got more than their part."""
    facts = measured.trial.facts
    share = facts.get("hottest_1_percent_share")
    if not isinstance(share, float) or share < HOTTEST_SHARE_MIN:
        return None
    # Whole percents, so that the trials of one distribution give one and the same evidence.
    name = facts.get("distribution", "(unnamed)")
    return f"distribution {name}: 1 % of the rows got {100 * share:.0f} % of the accesses"


def in_memory(measured: WindowTotals) -> str | None:
    """Compare the database's files with InnoDB's buffer pool, where both are known."""
    server = measured.trial.server
    url, *_ = single_host_urls(measured.trial.url)
    database = urlsplit(url).path.strip("/")
    size_bytes = server.file_sizes_bytes.get(database)
    pool_bytes = server.settings.get("innodb_buffer_pool_size")
    if size_bytes is None or pool_bytes is None or size_bytes > int(pool_bytes):
        return None
    pool_mib = int(pool_bytes) / 2**20
    return f"{size_bytes / 2**20:.0f} MiB of tables, {pool_mib:.0f} MiB of buffer pool"


def caches_not_set(measured: WindowTotals) -> str | None:
    """Find caches that are not cold, or not warm, although they should be."""
    caches = measured.trial.dataset.caches
    return None if caches.reason is None else f"caches: {caches.condition}; {caches.reason}"


def check_failed(measured: WindowTotals) -> str | None:
    """Say what the check of the tables after a trial found, where it was done."""
    check = measured.trial.dataset.check
    return None if check.passed else check.message or "the tables are not complete"


def not_checked(measured: WindowTotals) -> str | None:
    """Say why the tables could not be checked after a trial, where that was asked for."""
    check = measured.trial.dataset.check
    return None if check.done else check.message


def settings_adjusted(measured: WindowTotals) -> str | None:
    """Name the settings that were asked for and that the server shows with another value."""
    asked, settings = measured.trial.server.adjusted_settings, measured.trial.server.settings
    shown = [
        f"{name}={value} was asked for, the server has {settings.get(name.lower(), 'no such')}"
        for name, value in asked.items()
    ]
    return "; ".join(shown) or None


def load_refused(measured: WindowTotals) -> str | None:
    """Give the server's words about what it would not have while the tables were loaded."""
    return "; ".join(measured.trial.dataset.load_refusals) or None
