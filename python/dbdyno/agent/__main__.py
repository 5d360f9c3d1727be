"""``python -m dbdyno.agent``: waits for loads that a runner on another host asks for.

It is started over SSH, or by whatever command leads to the host. The first line of its standard
input is an invitation (see ``Invitation``); certificates and keys are in it, so that none of them
is in a command line or a file. It lives exactly as long as its standard input: when the runner is
gone, it ends, and the generators that it has started end with it.
"""

from __future__ import annotations

import asyncio
import os
import sys

from dbdyno import __version__
from dbdyno.agent.invitation import VERSION_WORD, Invitation, read_invitation
from dbdyno.agent.place import scratch_folder
from dbdyno.errors import RunError

END_WITHIN_S = 2.0
DEATH_TIMEOUT_S = 60
"""So long it looks for a scheduler that it cannot reach."""


async def _serve(invitation: Invitation, directory: str) -> None:
    """Be a worker of the runner's scheduler until one of both is gone."""
    # It takes seconds, and only those need it who are on another host.
    import dask
    from distributed import Worker
    from distributed.security import Security

    security = Security(
        require_encryption=True,
        tls_ca_file=invitation.authority,
        tls_worker_cert=invitation.certificate,
        tls_worker_key=invitation.key,
    )
    over = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), _look_for_end, over)
    # Who looks on with a browser has no certificate.
    dask.config.set({"distributed.worker.http.routes": []})
    worker = Worker(
        invitation.scheduler,
        name=invitation.name,
        nthreads=1,
        memory_limit=0,
        dashboard=False,
        dashboard_address="127.0.0.1:0",
        death_timeout=DEATH_TIMEOUT_S,
        local_directory=directory,
        security=security,
    )
    await worker
    print("ready", flush=True)
    waits = {asyncio.ensure_future(over.wait()), asyncio.ensure_future(worker.finished())}
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)


def _look_for_end(over: asyncio.Event) -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        over.set()


def main() -> None:
    """Serve until the runner is gone. Whoever started it learns the version before all else."""
    print(f"{VERSION_WORD} {__version__}", flush=True)
    invitation = read_invitation(_first_line())
    try:
        with scratch_folder() as folder:
            asyncio.run(_serve(invitation, str(folder)))
    except RunError as error:
        sys.exit(str(error))
    # Threads that wait for a generator would keep the process; its end is theirs.
    os._exit(0)


def _first_line() -> bytes:
    """Read the first line, and no more: the loop looks at the rest."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(sys.stdin.fileno(), 1)
        if not byte:
            break
        line += byte
    return line


if __name__ == "__main__":
    main()
