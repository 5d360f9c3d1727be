"""Processes that nobody else can be taken for: by number, start time, and start of the machine.

A process number alone is given again to others. Nothing is ever found, or ended, by its name.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

END_LIMIT_S = 30.0
POLL_S = 0.05

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_STATE = 0
_GROUP = 2
_START_TICKS = 19
"""Places in ``/proc/PID/stat`` behind the program's name (proc(5), fields 3, 5 and 22)."""


@dataclass(frozen=True)
class ProcessMark:
    """What tells a process from all others, also from later ones with its number."""

    process_id: int
    start_ticks: int
    """When it started, in clock ticks since the machine did."""
    boot_id: str
    """Which start of the machine that was."""


def mark(process_id: int) -> ProcessMark | None:
    """Return the mark of a process; None where it has ended."""
    fields = _status(process_id)
    if fields is None:
        return None
    return ProcessMark(process_id, int(fields[_START_TICKS]), _boot_id())


def marks(process_ids: Sequence[int]) -> tuple[ProcessMark, ...]:
    """Return the marks of those of the processes that are there."""
    return tuple(found for number in process_ids if (found := mark(number)) is not None)


def is_alive(process: ProcessMark) -> bool:
    """Tell whether this very process is still there."""
    return mark(process.process_id) == process


def end_process(process: ProcessMark) -> bool:
    """Kill this very process, and its group where it leads one; return whether it was there.

    The kernel's handle of the process keeps its number from being given to another meanwhile.
    ``OSError`` where it may not be killed, ``TimeoutError`` where it does not end.
    """
    try:
        handle = os.pidfd_open(process.process_id)
    except ProcessLookupError:
        return False
    try:
        if not is_alive(process):
            return False
        group = _group_led_by(process.process_id)
        with suppress(ProcessLookupError):
            if group:
                os.killpg(process.process_id, signal.SIGKILL)
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    finally:
        os.close(handle)
    for each in (*group, process):
        _wait_for_end(each)
    return True


def _group_led_by(process_id: int) -> tuple[ProcessMark, ...]:
    """Return the processes of the group with this number; none where no group has it."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    return marks([number for number in numbers if _is_in_group(number, process_id)])


def _is_in_group(number: int, group: int) -> bool:
    fields = _status(number)
    return fields is not None and int(fields[_GROUP]) == group


def _wait_for_end(process: ProcessMark) -> None:
    deadline_s = time.monotonic() + END_LIMIT_S
    while is_alive(process):
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"process {process.process_id} does not end")
        time.sleep(POLL_S)


def _status(process_id: int) -> list[str] | None:
    """Return the fields behind the program's name, which may hold anything; None of the dead."""
    try:
        text = Path(f"/proc/{process_id}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[_STATE] in "ZX" else fields


def _boot_id() -> str:
    return _BOOT_ID.read_text().strip()
