"""What another process costs, read from outside, so that every program is measured the same way."""

from __future__ import annotations

import ctypes
import os
import time
from contextlib import suppress
from dataclasses import dataclass

import psutil

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class ProcessCost:
    """What a process has used so far.

    ``cpu_s`` is user and system time of all its threads, living and ended, as the scheduler counts
    it, in nanoseconds. ``user_s`` is a part of it that most kernels estimate by looking which mode
    each tick of their clock meets: it is good to a few percent of some seconds, not of some ticks.
    """

    cpu_s: float
    user_s: float
    resident_bytes: int


def look_on_time() -> None:
    """Let this thread go before those of the programs that it measures, but not what it starts.

    A server with a process for each client would have it look seconds late. It stays as it is where
    the user may not change it.
    """
    with suppress(OSError):
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))


class ObservedProcess:
    """A running process; OSError or psutil.NoSuchProcess once it has ended."""

    def __init__(self, process_id: int) -> None:
        self._process = psutil.Process(process_id)
        self._cpu_clock = _cpu_clock(process_id)

    def cpu_s(self) -> float:
        """Return its CPU time alone, with a single system call."""
        return time.clock_gettime(self._cpu_clock)

    def cost(self) -> ProcessCost:
        """Return all that it has used."""
        return ProcessCost(
            cpu_s=self.cpu_s(),
            user_s=self._process.cpu_times().user,
            resident_bytes=self._process.memory_info().rss,
        )


def family_cpu_s(process_id: int) -> float:
    """Return the CPU time of a process and of all that it has started, those that run."""
    first = psutil.Process(process_id)
    cpu_s = time.clock_gettime(_cpu_clock(process_id))
    for child in first.children(recursive=True):
        # It may have ended since it was listed.
        with suppress(OSError):
            cpu_s += time.clock_gettime(_cpu_clock(child.pid))
    return cpu_s


def _cpu_clock(process_id: int) -> int:
    """Return the clock that tells a process's CPU time (clock_getcpuclockid(3))."""
    clock = ctypes.c_int()
    error = _libc.clock_getcpuclockid(ctypes.c_int(process_id), ctypes.byref(clock))
    if error != 0:
        raise OSError(error, os.strerror(error))
    return clock.value


def machine_busy_s() -> float:
    """Return the CPU time of all programs and of the kernel on this machine, since its start."""
    times = psutil.cpu_times()
    return float(times.user + times.nice + times.system + times.irq + times.softirq + times.steal)
