"""How a server can be limited on this machine: which control groups may be made, and where.

- *version 1*: below our own group of each controller that is needed.
- *version 2*: below our own group, where that may be done. A group that hands controllers down may
  have no processes of its own, so that we move into one beside the server's, provided that nobody
  else is in ours. Otherwise beside our own group, where the one above has been given to us and ours
  sets no limits.
- *systemd*: it is asked to make a scope.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import psutil

from dbdyno.control_group_disks import (
    CONTROLLER,
    FIRST_CONTROLLER,
    FIRST_FILES,
    SECOND_FILE,
    SECOND_KEYS,
)
from dbdyno.control_groups import (
    OWN_MEMBERSHIP,
    ROOT,
    UNIFIED,
    Groups,
    cpu_limit_cores,
    groups_of,
    memory_limit_bytes,
    read,
)
from dbdyno.errors import InputError
from dbdyno.experiment.plan import ServerLimits
from dbdyno.password import environment
from dbdyno.target.local.group_folders import MEMBERS, PREFIX, members, move_into, write

_OWN_PREFIX = f"{PREFIX}itself-"
"""The group that we move into. It is swept as one of a server is, which fails with us in it."""
CONTROLLERS = "cgroup.controllers"
HANDED_DOWN = "cgroup.subtree_control"

_FIRST_NAMES = {"memory": "memory", "cpu": "cpu", CONTROLLER: FIRST_CONTROLLER}
"""What version 1 calls the controllers of version 2."""

_PROPERTIES = {
    "reads": "IOReadIOPSMax",
    "writes": "IOWriteIOPSMax",
    "read_bytes": "IOReadBandwidthMax",
    "write_bytes": "IOWriteBandwidthMax",
}
"""What systemd calls limits of a disk."""

_PERIOD_US = 100_000
_SYSTEMD = Path("/run/systemd/system")
_USER_MAP = Path("/proc/self/uid_map")
_EVERY_USER = ["0", "0", "4294967295"]
"""The users of the machine as they are, and not those of a namespace of its own."""
_HAS_OOM_POLICY = 253
"""Since this version systemd may go on with a scope that has lost a process."""
_VERSION_LIMIT_S = 30.0

Files = dict[str, str]
"""What is written into a group, in this order."""


class CannotError(Exception):
    """Why a way is closed, in words."""


@dataclass(frozen=True)
class Way:
    """How limits are carried out: files in new groups below ``parents``, or a program in front."""

    parents: Mapping[Path, Files] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    prepare: Callable[[], None] = lambda: None

    def command_prefix(self, name: str) -> tuple[str, ...]:
        """Return the words before the server's command; its group is to have this name."""
        return (*self.command, f"--unit={name}", "--") if self.command else ()


def find_way(
    limits: ServerLimits,
    root: Path = ROOT,
    membership: Path = OWN_MEMBERSHIP,
    disk: str = "",
) -> Way:
    """Return how a server can be limited; ``InputError`` tells what was tried. Nothing changes.

    ``disk`` is the number of the disk whose reads and writes are limited.
    """
    tried = []
    for way in (_by_files, _by_systemd):
        try:
            return way(limits, disk, root, groups_of(membership, root))
        except CannotError as error:
            tried.append(str(error))
    raise InputError(
        f"limits: this machine does not let dbdyno limit a server ({'; '.join(tried)}); run dbdyno "
        "as root, or by systemd-run --user --scope -p Delegate=yes, or in a container that may "
        f"write to {root}, or remove limits"
    )


def _by_files(limits: ServerLimits, disk: str, root: Path, groups: Groups) -> Way:
    if not groups:
        raise CannotError(f"there are no control groups at {root}")
    wanted = _controllers(limits)
    of_first = [name for name in wanted if _FIRST_NAMES[name] in groups]
    of_second = [name for name in wanted if _FIRST_NAMES[name] not in groups]
    parents = {
        _first(_FIRST_NAMES[name], root, groups): _files_of_first(name, limits, disk)
        for name in of_first
    }
    if not of_second:
        return Way(parents)
    parent, prepare = _second(of_second, groups)
    files = {
        file: text
        for name in of_second
        for file, text in _files_of_second(name, limits, disk).items()
    }
    return Way({**parents, parent: files}, prepare=prepare)


def _controllers(limits: ServerLimits) -> list[str]:
    asked = {
        "memory": limits.memory_bytes,
        "cpu": limits.cpus,
        CONTROLLER: limits.of_disk_per_s or None,
    }
    return [name for name, limit in asked.items() if limit is not None]


def _first(controller: str, root: Path, groups: Groups) -> Path:
    """Return our group of a controller of version 1."""
    own = next((group for group in groups[controller] if group.is_dir()), None)
    if own is None:
        raise CannotError(f"the controller {controller} is not mounted at {root / controller}")
    if not os.access(own, os.W_OK):
        raise CannotError(f"{own} may not be written to")
    return own


def _files_of_first(controller: str, limits: ServerLimits, disk: str) -> Files:
    if controller == "memory":
        size = str(limits.memory_bytes)
        return {"memory.limit_in_bytes": size, "memory.memsw.limit_in_bytes": size}
    if controller == CONTROLLER:
        limited = limits.of_disk_per_s.items()
        return {FIRST_FILES[amount]: f"{disk} {limit}" for amount, limit in limited}
    return {
        "cpu.cfs_period_us": str(_PERIOD_US),
        "cpu.cfs_quota_us": str(_quota_us(limits)),
    }


def _files_of_second(controller: str, limits: ServerLimits, disk: str) -> Files:
    if controller == "memory":
        return {"memory.max": str(limits.memory_bytes), "memory.swap.max": "0"}
    if controller == CONTROLLER:
        limited = limits.of_disk_per_s.items()
        words = (f"{SECOND_KEYS[amount]}={limit}" for amount, limit in limited)
        return {SECOND_FILE: " ".join((disk, *words))}
    return {"cpu.max": f"{_quota_us(limits)} {_PERIOD_US}"}


def _quota_us(limits: ServerLimits) -> int:
    return round((limits.cpus or 0.0) * _PERIOD_US)


def _second(wanted: Sequence[str], groups: Groups) -> tuple[Path, Callable[[], None]]:
    """Return the group of version 2 to make one below, and what must be done before."""
    own = groups.get(UNIFIED, [Path()])[0]
    if own.name.startswith(_OWN_PREFIX):
        own = own.parent
    prepare = _usable(own, wanted)
    if prepare is not None:
        return own, prepare
    prepare = _usable(own.parent, wanted) if _is_ours(own.parent) else None
    if prepare is not None and not _limits_itself(own):
        return own.parent, prepare
    raise CannotError(_why_not(own, wanted, groups))


def _usable(group: Path, wanted: Sequence[str]) -> Callable[[], None] | None:
    """Return what must be done before groups are made below one; None where that cannot be."""
    if _missing(group, wanted):
        return None
    if _hands_down(group, wanted) and os.access(group, os.W_OK):
        return lambda: None
    return (lambda: _hand_down(group, wanted)) if _may_be_emptied(group) else None


def _missing(group: Path, wanted: Sequence[str]) -> list[str]:
    given = (read(group / CONTROLLERS) or "").split()
    return [name for name in wanted if name not in given]


def _why_not(own: Path, wanted: Sequence[str], groups: Groups) -> str:
    missing = _missing(own, wanted)
    if missing:
        return f"{own} is not given the controller {' and '.join(missing)}"
    reason = (
        f"{own} may not be written to, or holds other processes besides, so that it cannot hand "
        f"{' and '.join(wanted)} down"
    )
    is_containers = groups.get(UNIFIED) == [own] and os.geteuid() == 0 and os.access(own, os.W_OK)
    return f"{reason}; {_advice_in_container(own)}" if is_containers else reason


def _advice_in_container(own: Path) -> str:
    """Say how the group that a container sees as the one above all is emptied."""
    return (
        f"in a container move what is in it into another, the shell with `mkdir {own}/init && "
        f"echo $$ > {own}/init/{MEMBERS}`, or start the container with dbdyno as its command"
    )


def _hands_down(group: Path, wanted: Sequence[str]) -> bool:
    return set(wanted) <= set((read(group / HANDED_DOWN) or "").split())


def _is_root(group: Path) -> bool:
    """Tell whether a group is the one above all, which alone has no type."""
    return not (group / "cgroup.type").exists()


def _may_be_emptied(group: Path) -> bool:
    if not all(os.access(path, os.W_OK) for path in (group, group / HANDED_DOWN, group / MEMBERS)):
        return False
    own = psutil.Process()
    ours = {own.pid, *(child.pid for child in own.children(recursive=True))}
    return _is_root(group) or set(members(group)) <= ours


def _hand_down(group: Path, wanted: Sequence[str]) -> None:
    """Move all that is in a group into one below, and hand its controllers down."""
    if not _is_root(group) and members(group):
        move_into(group / f"{_OWN_PREFIX}{os.getpid()}", group)
    write(group / HANDED_DOWN, " ".join(f"+{name}" for name in wanted))


def _is_ours(group: Path) -> bool:
    """Tell whether groups may be made here; where systemd runs, root's are systemd's to make."""
    is_systemds = os.geteuid() == 0 and _SYSTEMD.exists()
    writable = all(os.access(path, os.W_OK) for path in (group, group / MEMBERS))
    return writable and not is_systemds


def _limits_itself(group: Path) -> bool:
    return cpu_limit_cores(group) is not None or memory_limit_bytes(group) is not None


def _by_systemd(limits: ServerLimits, disk: str, root: Path, groups: Groups) -> Way:
    del root, groups
    program = shutil.which("systemd-run")
    if program is None:
        raise CannotError("there is no systemd-run")
    is_user = os.geteuid() != 0
    manager = Path(f"/run/user/{os.geteuid()}/systemd") if is_user else _SYSTEMD
    if not manager.exists():
        raise CannotError(f"systemd does not run: there is no {manager}")
    if not is_user and (read(_USER_MAP) or "").split() != _EVERY_USER:
        raise CannotError("systemd is not asked by the root of a namespace of users")
    properties = ["OOMPolicy=continue"] if _version(program) >= _HAS_OOM_POLICY else []
    if limits.memory_bytes is not None:
        properties += [f"MemoryMax={limits.memory_bytes}", "MemorySwapMax=0"]
    if limits.cpus is not None:
        # It takes two decimals, as many as limits.cpus has.
        properties.append(f"CPUQuota={round(100 * limits.cpus, 2):.10g}%")
    limited = limits.of_disk_per_s.items()
    properties += [f"{_PROPERTIES[name]}=/dev/block/{disk} {limit}" for name, limit in limited]
    words = ("--scope", "--quiet", "--collect", *(("--user",) if is_user else ()))
    return Way(command=(program, *words, *(f"--property={text}" for text in properties)))


@cache
def _version(program: str) -> int:
    """Return which version of systemd a program of it is; 0 where it does not tell."""
    try:
        told = subprocess.check_output(
            [program, "--version"], text=True, timeout=_VERSION_LIMIT_S, env=environment()
        )
    except (OSError, subprocess.SubprocessError):
        return 0
    version = re.match(r"systemd (\d+)", told)
    return int(version[1]) if version else 0
