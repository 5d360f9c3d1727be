"""A ``dbdyno serve`` that runs, and what it answers."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

LIMIT_S = 60.0

_ADDRESS = re.compile(r"http://(\S+):(\d+)/(?:\?token=(\S+))?")


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: str


class Served:
    """The command, started on a directory; as a context manager it is ended."""

    def __init__(
        self,
        directory: Path,
        log: Path,
        *options: str,
        port: int = 0,
        environment: Mapping[str, str] | None = None,
        wrapper: Sequence[str] = (),
    ) -> None:
        self._log = log
        words = [*wrapper, sys.executable, "-m", "dbdyno", "serve", str(directory)]
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [*words, "--port", str(port), *options],
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(environment or {})},
            )
        found = self._wait_for_address()
        self.port, self.token = int(found[2]), found[3]
        self.url = f"http://127.0.0.1:{self.port}"

    def _wait_for_address(self) -> re.Match[str]:
        deadline_s = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline_s:
            found = _ADDRESS.search(self.told())
            if found:
                return found
            assert self.process.poll() is None, self.told()
            time.sleep(0.02)
        raise AssertionError(f"it did not say where it is: {self.told()}")

    def told(self) -> str:
        """Return all that it has printed."""
        return self._log.read_text()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it and return its exit status."""
        self.process.send_signal(number)
        return self.process.wait(LIMIT_S)

    def ask(
        self, path: str, *, method: str = "GET", host: str = "127.0.0.1", **headers: str
    ) -> Answer:
        """Ask for a path exactly as it is given, by a connection to an address."""
        connection = http.client.HTTPConnection(host, self.port, timeout=LIMIT_S)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.endheaders()
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())
        finally:
            connection.close()

    def lines(self, path: str) -> Iterator[str]:
        """Yield the lines of an answer as they come, until it ends."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT_S)) as opened:
            opened.request("GET", path)
            answer = opened.getresponse()
            while line := answer.readline():
                yield line.decode().strip()

    def wait_until_told(self, words: str) -> None:
        """Return once it has printed these words."""
        deadline_s = time.monotonic() + LIMIT_S
        while words not in self.told():
            assert time.monotonic() < deadline_s, self.told()
            time.sleep(0.02)

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(LIMIT_S)
