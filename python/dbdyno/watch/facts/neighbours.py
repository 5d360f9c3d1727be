"""Other programs on this machine that take CPU time which an experiment would count as its own."""

from __future__ import annotations

import time
from contextlib import suppress

import psutil

from dbdyno.facts.host import NONE, Facts

SHARE_MIN = 0.02
SHOWN_MAX = 5


def neighbour_facts(observe_s: float) -> Facts:
    """Watch for a while; return how many CPUs were busy, and what other processes took of that.

    Ourselves and what we have started are left out of the others, and so are processes below 2 % of
    one CPU. Those that live shortly, as in a compilation, are seen only in the first figure.
    """
    own = psutil.Process()
    ours = {own.pid, *(child.pid for child in own.children(recursive=True))}
    before, busy_before_s = _cpu_times_s(ours), _busy_s()
    start_s = time.monotonic()
    time.sleep(observe_s)
    after, busy_after_s = _cpu_times_s(ours), _busy_s()
    elapsed_s = time.monotonic() - start_s
    shares = {
        process: (cpu_s - before[process]) / elapsed_s
        for process, cpu_s in after.items()
        if process in before
    }
    busy = {process: share for process, share in shares.items() if share >= SHARE_MIN}
    busiest = sorted(busy, key=lambda process: busy[process], reverse=True)[:SHOWN_MAX]
    names = ", ".join(f"{_name(process)} {busy[process]:.2f}" for process in busiest)
    return {
        "cpu_busy_cores": round((busy_after_s - busy_before_s) / elapsed_s, 3),
        "other_processes_cpu_cores": round(sum(busy.values()), 3),
        "other_processes_busiest": names or NONE,
    }


def _cpu_times_s(without: set[int]) -> dict[psutil.Process, float]:
    times = {}
    for process in psutil.process_iter():
        if process.pid not in without:
            with suppress(psutil.Error):
                cpu = process.cpu_times()
                times[process] = cpu.user + cpu.system
    return times


def _busy_s() -> float:
    cpu = psutil.cpu_times()
    return cpu.user + cpu.nice + cpu.system + cpu.irq + cpu.softirq + cpu.steal


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return "(ended)"
