"""A generator process: a plan in JSON on standard input, events in JSON lines on standard output.

It is a process of its own so that it can be bound to CPUs and watched by itself, and so that its
end is nobody else's. It ends when its reader is gone. SIGTERM ends the load early and in order.
"""

from __future__ import annotations

import json
import os
import signal
import sys

from dbdyno._native import Run
from dbdyno.password import PASSWORD_VARIABLE

POLL_S = 0.5


def main() -> int:
    """Carry out the plan on standard input; 0 in the end, 2 for a wrong plan, 1 for an error."""
    parent = os.getppid()
    plan = sys.stdin.read()
    password = os.environ.pop(PASSWORD_VARIABLE, None)
    try:
        run = Run.start(plan, password)
    except ValueError as error:
        print(json.dumps({"event": "error", "kind": "input", "message": str(error)}), flush=True)
        return 2
    signal.signal(signal.SIGTERM, lambda _number, _frame: run.stop())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    status = 0
    while (events := run.poll(POLL_S)) is not None:
        if os.getppid() != parent:
            # Between two events, which may be minutes apart, no broken pipe would tell.
            raise BrokenPipeError
        for event in events:
            if event.startswith('{"event":"error"'):
                status = 1
            print(event)
        sys.stdout.flush()
    # Everything is said. Python's own end would take the handler away, and die of the signal.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        # Whoever wanted the events is gone. Python would complain once more at the end.
        os._exit(1)
