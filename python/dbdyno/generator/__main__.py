"""A generator process: a plan in JSON on standard input, events in JSON lines on standard output.

The first line of standard input is the plan, each later one a command: ``{"start_at_ns": N}`` (by
this machine's monotonic clock), ``{"window_at_index": N}`` (the interval of the warm-up with which
the window is to begin) or ``{"stop": true}``. The end of standard input means that whoever
asked for the load is gone: the process ends at once. SIGTERM ends the load early and in order.

It is a process of its own so that it can be bound to CPUs and watched by itself, and so that its
end is nobody else's.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from threading import Thread

from dbdyno._native import Run
from dbdyno.protocol.waiting import PRIORITY, PRIORITY_NICE
from dbdyno.variables import PASSWORD

POLL_S = 0.5

BEHIND_WORKERS = 10
"""Added to the nice value: a tenth of a worker's weight."""

READ_BYTES = 1 << 16

SESSION_WEIGHT = "/proc/self/autogroup"
SESSION_TRIES, SESSION_PAUSE_S = 10, 0.11


def main() -> int:
    """Carry out the plan on standard input; 0 in the end, 2 for a wrong plan, 1 for an error."""
    _allow_open_files()
    lines = _lines(sys.stdin.fileno())
    plan = next(lines, "")
    password = PASSWORD.take()
    try:
        if _has_priority(plan):
            _go_first()
    except OSError as error:
        return _refused(
            f"wait: priority takes a nice value of {PRIORITY_NICE}, which the system does not "
            f"allow: {error.strerror}; write sleep, or run as root"
        )
    try:
        run = Run.start(plan, password)
    except ValueError as error:
        return _refused(str(error))
    # Of this thread alone: workers go first, and events can wait for some milliseconds.
    os.nice(BEHIND_WORKERS)
    Thread(target=_obey, args=(lines, run), daemon=True).start()
    signal.signal(signal.SIGTERM, lambda _number, _frame: run.stop())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    status = 0
    while (events := run.poll(POLL_S)) is not None:
        for event in events:
            if event.startswith('{"event":"error"'):
                status = 1
            print(event)
        sys.stdout.flush()
    # Everything is said. Python's own end would take the handler away, and die of the signal.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return status


def _refused(message: str) -> int:
    print(json.dumps({"event": "error", "kind": "input", "message": message}), flush=True)
    return 2


def _has_priority(plan: str) -> bool:
    """Tell whether workers are to go first; a plan that cannot be read is refused later."""
    with suppress(ValueError):
        document = json.loads(plan)
        return isinstance(document, dict) and document.get("wait") == PRIORITY
    return False


def _go_first() -> None:
    """Raise this thread's weight and that of the session, which is the generator's own.

    Threads inherit the first. The second counts where the kernel shares CPUs between sessions.
    OSError where the system does not allow it.
    """
    os.setpriority(os.PRIO_PROCESS, 0, PRIORITY_NICE)
    with suppress(FileNotFoundError):
        for tries_left in reversed(range(SESSION_TRIES)):
            try:
                _write(SESSION_WEIGHT, str(PRIORITY_NICE))
                break
            except BlockingIOError:
                # The kernel takes one such change in a tenth of a second from all but root.
                if not tries_left:
                    raise
                time.sleep(SESSION_PAUSE_S)


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def _allow_open_files() -> None:
    """Raise the limit of open files as far as it may be: each client takes one."""
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


def _lines(descriptor: int) -> Iterator[str]:
    """Yield whole lines as they come, and what is left at the end.

    Without Python's own buffer: a thread that waits in it would keep the process from ending.
    """
    pending = b""
    while received := os.read(descriptor, READ_BYTES):
        *lines, pending = (pending + received).split(b"\n")
        yield from (line.decode() for line in lines if line)
    if pending:
        yield pending.decode()


def _obey(lines: Iterator[str], run: Run) -> None:
    """Do what the lines say; when there are no more, nobody is there to listen either."""
    for line in lines:
        command = json.loads(line)
        if "start_at_ns" in command:
            run.start_at(command["start_at_ns"])
        if "window_at_index" in command:
            run.begin_window_at(command["window_at_index"])
        if command.get("stop"):
            run.stop()
    os._exit(1)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        # Whoever wanted the events is gone. Python would complain once more at the end.
        os._exit(1)
