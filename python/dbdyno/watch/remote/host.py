"""Another host as a source: its kernel's files, sent by a shell there each time it is asked.

Nothing is installed there. The shell ends when our side is closed, also where we were killed.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from dbdyno.errors import RunError
from dbdyno.resources import HOST
from dbdyno.watch.local.host import HOST_FILES, HostFigures
from dbdyno.watch.series.source import Source, Subject, Values
from dbdyno.watch.series.watcher import Watcher

_ANSWER_LIMIT_S = 20.0
_END_LIMIT_S = 2.0
_MARK = b"=== "
_DISKS = "disks"

_SCRIPT = (
    f"while read -r _; do echo '=== {_DISKS}'; ls -d /sys/block/*/device 2>/dev/null; "
    f"for file in {' '.join(HOST_FILES)}; do "
    'echo "=== $file"; cat "/proc/$file" 2>/dev/null; done; '
    "echo '=== end'; done"
)
"""Answers each line that it reads. It is quoted as one word for the shell that ssh starts."""


class RemoteHost:
    """A host that answers over a command."""

    def __init__(self, name: str, process: subprocess.Popen[bytes]) -> None:
        self.subject = Subject(HOST, host=name)
        self._process = process
        self._disks: set[str] = set()
        self._figures = HostFigures(is_disk=lambda disk: disk in self._disks)

    def sample(self) -> Values:
        """Return what was added since the last call, and the levels of now."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._lost() from error
        contents = _sections(self._answer())
        lines = contents.pop(_DISKS, b"").decode(errors="replace").splitlines()
        self._disks = {line.split("/")[3] for line in lines if line.startswith("/sys/block/")}
        return self._figures.values(contents)

    def _answer(self) -> bytes:
        """Return all that comes up to the end of an answer."""
        assert self._process.stdout is not None
        descriptor, answer = self._process.stdout.fileno(), b""
        deadline_s = time.monotonic() + _ANSWER_LIMIT_S
        while not answer.endswith(_MARK + b"end\n"):
            left_s = deadline_s - time.monotonic()
            if left_s <= 0 or not select.select([descriptor], [], [], left_s)[0]:
                raise RunError(f"host {self.subject.host} has not answered for {_ANSWER_LIMIT_S} s")
            part = os.read(descriptor, 1 << 16)
            if not part:
                raise self._lost()
            answer += part
        return answer

    def _lost(self) -> RunError:
        """Say in the command's words why there is no connection."""
        assert self._process.stderr is not None
        said = ""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_LIMIT_S)
            said = " ".join(self._process.stderr.read().decode(errors="replace").split())
        return RunError(f"host {self.subject.host} is watched no more: {said or 'it went silent'}")


def _sections(answer: bytes) -> dict[str, bytes]:
    """Return the content of each file that is there."""
    sections = {}
    for part in answer.split(_MARK)[1:]:
        name, _, content = part.partition(b"\n")
        if content:
            sections[name.decode()] = content
    return sections


def watch_hosts(names: Sequence[str], ssh: Sequence[str]) -> list[Watcher]:
    """Return a watcher for each host; ``ssh`` is the command that a host's name ends."""
    return [Watcher(name, [partial(watch_host, name, (*ssh, name))]) for name in names]


@contextmanager
def watch_host(name: str, command: Sequence[str]) -> Iterator[list[Source]]:
    """Watch a host over ``command``, which has what is behind it run by that host's shell."""
    with subprocess.Popen(
        [*command, _SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Ctrl-C is ours to handle: it must not end what a trial still needs.
        start_new_session=True,
    ) as process:
        try:
            yield [RemoteHost(name, process)]
        finally:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_LIMIT_S)
            process.kill()
