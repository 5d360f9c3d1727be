"""Become a server that ends with its parent: ``launch.py PARENT_PID CPUS COMMAND...``.

CPUS are numbers with commas between them, empty for all. This runs as a program of its own, by its
path, because nothing but a new program may safely be run between fork and exec in a process that
has threads. It imports nothing of dbdyno, so that a start costs little.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
CANNOT_EXECUTE = 126


def _end_with_parent(parent_id: int) -> None:
    """Have the kernel kill this process when its parent ends, however that comes about."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot ask to end with the parent process")
    if os.getppid() != parent_id:
        sys.exit("the parent process ended before the server was started")


def main(parent_id: str, cpus: str, *command: str) -> None:
    """Bind this process to its parent's life and to CPUs, then run the command in its place."""
    try:
        _end_with_parent(int(parent_id))
        if cpus:
            os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
        os.execv(command[0], command)
    except OSError as error:
        print(f"[ERROR] cannot run {command[0]}: {error}", file=sys.stderr)
        sys.exit(CANNOT_EXECUTE)


if __name__ == "__main__":
    main(*sys.argv[1:])
