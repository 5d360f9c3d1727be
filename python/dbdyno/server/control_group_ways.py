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
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

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

PREFIX = "dbdyno-"
_OWN_PREFIX = "dbdyno-itself-"
"""The group that we move into. As one of a server it is locked by whoever is in it, and swept."""
MEMBERS = "cgroup.procs"
CONTROLLERS = "cgroup.controllers"
HANDED_DOWN = "cgroup.subtree_control"

_PERIOD_US = 100_000
_SYSTEMD = Path("/run/systemd/system")

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


def find_way(limits: ServerLimits, root: Path = ROOT, membership: Path = OWN_MEMBERSHIP) -> Way:
    """Return how a server can be limited; ``InputError`` tells what was tried. Nothing changes."""
    tried = []
    for way in (_by_files, _by_systemd):
        try:
            return way(limits, root, groups_of(membership, root))
        except CannotError as error:
            tried.append(str(error))
    raise InputError(
        f"limits: this machine does not let dbdyno limit a server ({'; '.join(tried)}); run dbdyno "
        "as root, or by systemd-run --user --scope -p Delegate=yes, or in a container that may "
        f"write to {root}, or remove limits"
    )


def _by_files(limits: ServerLimits, root: Path, groups: Groups) -> Way:
    if not groups:
        raise CannotError(f"there are no control groups at {root}")
    wanted = _controllers(limits)
    of_first = [name for name in wanted if name in groups]
    of_second = [name for name in wanted if name not in groups]
    parents = {_first(name, root, groups): _files_of_first(name, limits) for name in of_first}
    if not of_second:
        return Way(parents)
    parent, prepare = _second(of_second, groups)
    files = {
        file: text for name in of_second for file, text in _files_of_second(name, limits).items()
    }
    return Way({**parents, parent: files}, prepare=prepare)


def _controllers(limits: ServerLimits) -> list[str]:
    asked = {"memory": limits.memory_bytes, "cpu": limits.cpus}
    return [name for name, limit in asked.items() if limit is not None]


def _first(controller: str, root: Path, groups: Groups) -> Path:
    """Return our group of a controller of version 1."""
    own = next((group for group in groups[controller] if group.is_dir()), None)
    if own is None:
        raise CannotError(f"the controller {controller} is not mounted at {root / controller}")
    if not os.access(own, os.W_OK):
        raise CannotError(f"{own} may not be written to")
    return own


def _files_of_first(controller: str, limits: ServerLimits) -> Files:
    if controller == "memory":
        size = str(limits.memory_bytes)
        return {"memory.limit_in_bytes": size, "memory.memsw.limit_in_bytes": size}
    return {
        "cpu.cfs_period_us": str(_PERIOD_US),
        "cpu.cfs_quota_us": str(_quota_us(limits)),
    }


def _files_of_second(controller: str, limits: ServerLimits) -> Files:
    if controller == "memory":
        return {"memory.max": str(limits.memory_bytes), "memory.swap.max": "0"}
    return {"cpu.max": f"{_quota_us(limits)} {_PERIOD_US}"}


def _quota_us(limits: ServerLimits) -> int:
    return round((limits.cpus or 0.0) * _PERIOD_US)


def _second(wanted: Sequence[str], groups: Groups) -> tuple[Path, Callable[[], None]]:
    """Return the group of version 2 to make one below, and what must be done before."""
    own = groups.get(UNIFIED, [Path()])[0]
    if own.name.startswith(_OWN_PREFIX):
        own = own.parent
    given = (read(own / CONTROLLERS) or "").split()
    missing = [name for name in wanted if name not in given]
    if missing:
        raise CannotError(f"{own} is not given the controller {' and '.join(missing)}")
    if _hands_down(own, wanted) and os.access(own, os.W_OK):
        return own, lambda: None
    if _may_be_emptied(own):
        return own, lambda: _hand_down(own, wanted)
    if _is_ours(own.parent) and _hands_down(own.parent, wanted) and not _limits_itself(own):
        return own.parent, lambda: None
    raise CannotError(
        f"{own} may not be written to, or holds other processes besides, so that it cannot hand "
        f"{' and '.join(wanted)} down"
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
    return _is_root(group) or set(_members(group)) <= ours


def _hand_down(group: Path, wanted: Sequence[str]) -> None:
    """Move all that is in a group into one below, and hand its controllers down."""
    if not _is_root(group) and _members(group):
        itself = group / f"{_OWN_PREFIX}{os.getpid()}"
        itself.mkdir(exist_ok=True)
        for process_id in _members(group):
            # It may have ended.
            with suppress(ProcessLookupError):
                (itself / MEMBERS).write_text(str(process_id))
    (group / HANDED_DOWN).write_text(" ".join(f"+{name}" for name in wanted))


def _members(group: Path) -> list[int]:
    return [int(number) for number in (read(group / MEMBERS) or "").split()]


def _is_ours(group: Path) -> bool:
    """Tell whether groups may be made here; where systemd runs, root's are systemd's to make."""
    is_systemds = os.geteuid() == 0 and _SYSTEMD.exists()
    writable = all(os.access(path, os.W_OK) for path in (group, group / MEMBERS))
    return writable and not is_systemds


def _limits_itself(group: Path) -> bool:
    return cpu_limit_cores(group) is not None or memory_limit_bytes(group) is not None


def _by_systemd(limits: ServerLimits, root: Path, groups: Groups) -> Way:
    del root, groups
    program = shutil.which("systemd-run")
    if program is None:
        raise CannotError("there is no systemd-run")
    is_user = os.geteuid() != 0
    manager = Path(f"/run/user/{os.geteuid()}/systemd") if is_user else _SYSTEMD
    if not manager.exists():
        raise CannotError(f"systemd does not run: there is no {manager}")
    properties = []
    if limits.memory_bytes is not None:
        properties += [f"MemoryMax={limits.memory_bytes}", "MemorySwapMax=0"]
    if limits.cpus is not None:
        properties.append(f"CPUQuota={100 * limits.cpus:g}%")
    words = ("--scope", "--quiet", "--collect", *(("--user",) if is_user else ()))
    return Way(command=(program, *words, *(f"--property={text}" for text in properties)))
