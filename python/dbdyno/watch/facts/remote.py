"""The facts of another host: asked of ``python -m dbdyno.watch.facts``, by a command that runs it.

The command is the caller's, for hosts are reached in many ways: ``ssh -o BatchMode=yes db1 python3
-m dbdyno.watch.facts``, or ``ip netns exec db1 python3 -m dbdyno.watch.facts``.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Sequence

from pydantic import ValidationError

from dbdyno.errors import RunError
from dbdyno.facts.host import HOST, HostFacts
from dbdyno.password import environment, without_passwords

LIMIT_S = 30.0
"""A connection, an interpreter, a second of watching neighbours, and three of writing."""
WORDS_SHOWN = 300


def over_ssh(host: str, *arguments: str, python: str = "python3") -> list[str]:
    """Return the command that prints the facts of a host; ssh may not ask anybody anything.

    ``arguments`` are those of ``python -m dbdyno.watch.facts``.
    """
    there = shlex.join([python, "-m", "dbdyno.watch.facts", *arguments])
    return ["ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", host, there]


def remote_facts(command: Sequence[str], limit_s: float = LIMIT_S) -> HostFacts:
    """Run a command that prints facts as JSON, and return them.

    ``RunError`` where it cannot be run, does not end in time, fails, or prints something else.
    """
    shown = without_passwords(shlex.join(command))
    try:
        told = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_s,
            check=False,
            stdin=subprocess.DEVNULL,
            env=environment(),
        )
    except OSError as error:
        raise RunError(f"cannot run {shown}: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise RunError(f"{shown} did not tell the facts of its host in {limit_s:g} s") from error
    if told.returncode != 0:
        words = without_passwords(told.stderr.strip()[-WORDS_SHOWN:])
        raise RunError(f"{shown} ended with status {told.returncode}: {words or 'no words'}")
    try:
        return HOST.validate_json(told.stdout)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise RunError(f"{shown} printed no facts of a host: {place}: {first['msg']}") from error
