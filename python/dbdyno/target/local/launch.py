"""Become a server that ends with its parent.

``launch.py PARENT_PID USER GROUPS CPUS NODES NETWORK LIBRARIES COMMAND...``: USER is ``same``, or
``ordinary`` for a program that refuses to run as root. GROUPS are folders of control groups to
join, a line each. CPUS are numbers with commas between them, empty for all; so are NODES, whose
memory is to be used. NETWORK is the path of a network namespace to run in, empty for the parent's.
LIBRARIES are folders with colons between them, for the command alone.

This runs as a program of its own, by its path, because nothing but a new program may safely be run
between fork and exec in a process that has threads. It imports nothing of dbdyno, so that a start
costs little.
"""

import ctypes
import errno
import os
import platform
import signal
import sys
from pathlib import Path

PR_SET_PDEATHSIG = 1
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
CANNOT_EXECUTE = 126

MPOL_BIND = 2
SET_MEMPOLICY = {
    "x86_64": 238,
    "aarch64": 237,
    "riscv64": 237,
    "loongarch64": 237,
    "ppc64le": 261,
    "s390x": 270,
}
"""The number of the system call by architecture: the C library has no function for it."""

ORDINARY_USER_ID = 1
"""Has a name on every Linux (daemon, bin), which programs of PostgreSQL ask for."""

DEATH_SIGNALS = {"postgres": signal.SIGQUIT}
"""What has a program end at once by itself, with its own processes and its shared memory.

Other programs are killed.
"""


def _become_ordinary(libc: ctypes.CDLL) -> None:
    """Be another user by a namespace of users of one's own: for all others it is root still.

    A real user would need a way through every folder above the data, and to own them.
    """
    if libc.unshare(CLONE_NEWUSER) != 0:
        reason = os.strerror(ctypes.get_errno())
        sys.exit(
            "[ERROR] it does not run as root, and this machine does not let root be seen as "
            f"another user ({reason}); run dbdyno as an ordinary user"
        )
    for file, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{ORDINARY_USER_ID} 0 1"),
        ("gid_map", f"{ORDINARY_USER_ID} 0 1"),
    ):
        Path("/proc/self", file).write_text(text)


def _enter_network(libc: ctypes.CDLL, path: str) -> None:
    """Have this process, and what it becomes and starts, use the network of a namespace."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    if libc.setns(descriptor, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "cannot enter its network namespace")


def _end_with_parent(libc: ctypes.CDLL, parent_id: int, program: str) -> None:
    """Have the kernel end this process when its parent ends, however that comes about."""
    death_signal = DEATH_SIGNALS.get(program, signal.SIGKILL)
    if death_signal != signal.SIGKILL:
        # A shell has its background commands, and so us, ignore some signals.
        signal.signal(death_signal, signal.SIG_DFL)
    if libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "cannot ask to end with the parent process")
    if os.getppid() != parent_id:
        sys.exit("the parent process ended before the server was started")


def _use_memory_of(libc: ctypes.CDLL, nodes: list[int]) -> None:
    """Have this process, and what it becomes and starts, take memory of these nodes alone."""
    call = SET_MEMPOLICY.get(platform.machine())
    if call is None:
        sys.exit(
            f"[ERROR] numa: dbdyno does not know how to do that on {platform.machine()}; "
            "remove numa"
        )
    bits = 8 * ctypes.sizeof(ctypes.c_ulong)
    words = max(nodes) // bits + 1
    mask = (ctypes.c_ulong * words)()
    for node in nodes:
        mask[node // bits] |= 1 << node % bits
    # The kernel takes one bit less than it is told of.
    most = ctypes.c_ulong(words * bits + 1)
    if libc.syscall(ctypes.c_long(call), ctypes.c_int(MPOL_BIND), mask, most) != 0:
        sys.exit(_no_memory_policy(ctypes.get_errno()))


def _no_memory_policy(error: int) -> str:
    is_forbidden = error in (errno.EPERM, errno.ENOSYS)
    advice = (
        "in a container start it with --cap-add SYS_NICE" if is_forbidden else "name other nodes"
    )
    return (
        f"[ERROR] numa: this system does not allow set_mempolicy ({os.strerror(error)}); "
        f"{advice}, or remove numa"
    )


def main(
    parent_id: str,
    user: str,
    groups: str,
    cpus: str,
    nodes: str,
    network: str,
    libraries: str,
    *command: str,
) -> None:
    """Bind this process to its parent's life and its limits, then run the command in its place."""
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        # First, so that all its memory counts there; and as who may do so.
        for group in groups.splitlines():
            Path(group, "cgroup.procs").write_text("0")
        if network:
            _enter_network(libc, network)
        # In this order: with the user, the bond to the parent would change back.
        if user == "ordinary":
            _become_ordinary(libc)
        _end_with_parent(libc, int(parent_id), Path(command[0]).name)
        if cpus:
            os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
        if nodes:
            _use_memory_of(libc, [int(node) for node in nodes.split(",")])
        if libraries:
            os.environ["LD_LIBRARY_PATH"] = libraries
        os.execv(command[0], command)
    except OSError as error:
        print(f"[ERROR] cannot run {command[0]}: {error}", file=sys.stderr)
        sys.exit(CANNOT_EXECUTE)


if __name__ == "__main__":
    main(*sys.argv[1:])
