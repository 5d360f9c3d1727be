"""``python -m dbdyno.target.remote.agent``: runs one server on this host for a runner on another.

It is started over SSH, or by whatever command leads to the host, and lives exactly as long as its
standard input (see ``language``). Passwords come in there, and are in no command line. The kernel
ends a server with the thread that has started it: so calls are carried out by the main thread, and
another one looks at standard input, and ends the process when the runner is gone.
"""

from __future__ import annotations

import os
import sys
import time
from queue import SimpleQueue
from threading import Lock, Thread

from dbdyno import __version__
from dbdyno.agent.invitation import VERSION_WORD
from dbdyno.errors import DbdynoError
from dbdyno.target.remote.calls import Calls
from dbdyno.target.remote.language import (
    ALIVE,
    ALIVE_EVERY_S,
    answer_of,
    error_of,
    read_call,
    read_invitation,
    write_line,
)


class _Voice:
    """Standard output, on which two threads speak: line by line, and to somebody."""

    def __init__(self) -> None:
        self._lock = Lock()

    def say(self, document: object) -> None:
        try:
            with self._lock:
                sys.stdout.buffer.write(write_line(document))
                sys.stdout.buffer.flush()
        except OSError:
            os._exit(0)

    def say_that_it_lives(self) -> None:
        while True:
            time.sleep(ALIVE_EVERY_S)
            self.say({ALIVE: True})


def _listen(lines: SimpleQueue[bytes]) -> None:
    """Hand lines over; with the last one the runner is gone, and the server ends with us."""
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)


def main() -> None:
    """Serve until the runner is gone. Whoever started it learns the version before all else."""
    print(f"{VERSION_WORD} {__version__}", flush=True)
    lines: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(lines,), daemon=True).start()
    voice = _Voice()
    Thread(target=voice.say_that_it_lives, daemon=True).start()
    try:
        calls = Calls(read_invitation(lines.get()))
    except DbdynoError as error:
        voice.say(error_of(0, error))
        return
    voice.say(answer_of(0, calls.maker()))
    while True:
        call = read_call(lines.get())
        try:
            voice.say(answer_of(call.number, calls.carry_out(call)))
        except DbdynoError as error:
            voice.say(error_of(call.number, error))


if __name__ == "__main__":
    main()
