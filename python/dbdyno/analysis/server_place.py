"""Whether the servers of a trial were on the machine that dbdyno ran on."""

from __future__ import annotations

from dbdyno.analysis.series import picked
from dbdyno.analysis.window_totals import WindowTotals
from dbdyno.database.hosts import is_local
from dbdyno.resources import LOCAL_HOST, PROCESS_CPU_TIMES, SERVER


def runs_here(measured: WindowTotals) -> bool:
    """Tell so by the URL; or by processes that were watched.

    The servers of a cluster may have networks of their own, with addresses like those of others.
    """
    return is_local(measured.trial.url) or bool(
        picked(measured.resources or (), PROCESS_CPU_TIMES, role=SERVER, host=LOCAL_HOST)
    )
