"""Prometheus' exporters as processes of ours, each on a port of the loopback."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from tests.live.engine.fixed_server import FixedServer, hold_port

COMES_UP_WITHIN_S = 60.0
END_WITHIN_S = 10.0


@contextmanager
def exporter(program: Path, data_source: str = "") -> Iterator[str]:
    """Start an exporter, yield its URL when it listens, and end it."""
    with hold_port() as holder, TemporaryFile() as log:
        port = int(holder.getsockname()[1])
        # The exporter would not share the port, as servers do.
        holder.close()
        process = subprocess.Popen(
            [program, f"--web.listen-address=127.0.0.1:{port}"],
            stdout=log,
            stderr=log,
            env=os.environ | {"DATA_SOURCE_NAME": data_source},
        )
        try:
            _wait_until_it_listens(process, port)
            yield f"http://127.0.0.1:{port}/metrics"
        finally:
            process.terminate()
            process.wait(END_WITHIN_S)


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    deadline_s = time.monotonic() + COMES_UP_WITHIN_S
    while True:
        assert process.poll() is None, "it has ended"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
        except OSError:
            assert time.monotonic() < deadline_s, "it does not come up"
            time.sleep(0.05)
        else:
            return


def of_node(exporters: Path) -> Path:
    """Return the exporter of hosts."""
    return exporters / "prometheus-node-exporter"


@contextmanager
def exporter_of(exporters: Path, server: FixedServer) -> Iterator[str]:
    """Start the exporter of a server, and yield its URL."""
    if server.scheme == "mysql":
        program, source = "prometheus-mysqld-exporter", f"root@({server.host})/"
    else:
        program = "prometheus-postgres-exporter"
        source = f"postgresql://postgres@{server.host}/test?sslmode=disable"
    with exporter(exporters / program, source) as url:
        yield url
