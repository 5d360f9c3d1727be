"""Other hosts, as far as a network can tell: namespaces that a pair of virtual cables leads to."""

from __future__ import annotations

import itertools
import os
import subprocess
from types import TracebackType
from typing import Self

import psutil

_numbers = itertools.count(1)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


class Namespace:
    """A network namespace with one cable to this one; as a context manager it leaves nothing."""

    def __init__(self) -> None:
        number = next(_numbers)
        self.name = f"dbdyno-{os.getpid()}-{number}"
        self._cable = f"dd{os.getpid() % 100_000}n{number}"
        subnet = f"10.{200 + number}.{os.getpid() % 256}"
        self.near, self.address = f"{subnet}.1", f"{subnet}.2"

    @property
    def command(self) -> str:
        """What leads there."""
        return f"ip netns exec {self.name}"

    def cut(self) -> None:
        """Pull the cable: nobody there is told."""
        _ip("link", "set", self._cable, "down")

    def plug(self) -> None:
        """Put the cable in again; what was sent meanwhile may come or not."""
        _ip("link", "set", self._cable, "up")

    def processes(self, name: str) -> list[psutil.Process]:
        """Return the processes that run there and have a text in their command line."""
        listed = subprocess.run(
            ["ip", "netns", "pids", self.name], check=True, capture_output=True, text=True
        )
        found = []
        for number in listed.stdout.split():
            try:
                process = psutil.Process(int(number))
                if name in " ".join(process.cmdline()):
                    found.append(process)
            except psutil.NoSuchProcess:
                continue
        return found

    def __enter__(self) -> Self:
        far = f"{self._cable}f"
        _ip("netns", "add", self.name)
        try:
            _ip("link", "add", self._cable, "type", "veth", "peer", "name", far)
            _ip("link", "set", far, "netns", self.name)
            _ip("addr", "add", f"{self.near}/30", "dev", self._cable)
            _ip("link", "set", self._cable, "up")
            inside = ("-n", self.name)
            _ip(*inside, "addr", "add", f"{self.address}/30", "dev", far)
            _ip(*inside, "link", "set", far, "up")
            _ip(*inside, "link", "set", "lo", "up")
            _ip(*inside, "route", "add", "default", "via", self.near)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for process in self.processes(""):
            process.kill()
        self._remove()

    def _remove(self) -> None:
        """Remove the namespace, and with it the cable."""
        subprocess.run(["ip", "link", "del", self._cable], check=False, capture_output=True)
        _ip("netns", "del", self.name)
