"""What is said between a runner and the agent of a server on another host: JSON, a line each.

The agent says its version. It is given an invitation, then calls, one at a time; it answers each,
the invitation too, with a result or an error. As long as it lives it says so every few seconds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from dbdyno.errors import DbdynoError, InputError, RunError

AGENT = "dbdyno.target.remote.agent"
"""The module that runs there."""

ALIVE = "alive"
ALIVE_EVERY_S = 5.0
SILENCE_LIMIT_S = 30.0
"""Who has said nothing for so long is not there any more: a host may vanish without a word."""


Kind = Literal["mysql", "postgresql"]
"""What a server speaks."""


@checked_dataclass(frozen=True, kw_only=True)
class ServerOrder:
    """The server that an agent is for."""

    name: str
    kind: Kind
    model: str
    """The target as an experiment file has it, in JSON."""
    option_file_text: str
    address: str
    """Where it listens."""
    folder: str
    """The name of its directory within the run's folder."""


@checked_dataclass(frozen=True, kw_only=True)
class Invitation:
    """What an agent is told first: whose it is, and which server it is for, if for any."""

    run: str
    """The name under which the run keeps files on its hosts."""
    directory: str | None = None
    """Where these are; None: beneath the temporary directory."""
    server: ServerOrder | None = None


_INVITATION = TypeAdapter(Invitation)


@dataclass(frozen=True)
class Call:
    """Something that an agent is to do."""

    number: int
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


def write_line(document: object) -> bytes:
    """Return a document as a line; bytes of an option file that are no text come back as such."""
    return json.dumps(document).encode() + b"\n"


def write_invitation(invitation: Invitation) -> bytes:
    """Return the line that holds an invitation."""
    return write_line(_INVITATION.dump_python(invitation))


def read_invitation(line: bytes) -> Invitation:
    """Return the invitation in a line; ValueError where it is none."""
    return _INVITATION.validate_python(json.loads(line))


def write_call(call: Call) -> bytes:
    """Return the line that holds a call."""
    return write_line({"number": call.number, "call": call.name, "arguments": call.arguments})


def read_call(line: bytes) -> Call:
    """Return the call in a line."""
    document = json.loads(line)
    return Call(document["number"], document["call"], document["arguments"])


def answer_of(number: int, result: object) -> dict[str, Any]:
    """Return what answers a call that was carried out."""
    return {"number": number, "result": result}


def error_of(number: int, error: DbdynoError) -> dict[str, Any]:
    """Return what answers a call that failed."""
    kind = "input" if isinstance(error, InputError) else "run"
    return {"number": number, "error": {"kind": kind, "message": str(error)}}


def result_in(answer: dict[str, Any], host: str) -> Any:  # noqa: ANN401 - each call has its own
    """Return the result in an answer; ``InputError`` or ``RunError`` that names the host."""
    error = answer.get("error")
    if error is None:
        return answer["result"]
    kind = InputError if error["kind"] == "input" else RunError
    raise kind(f"host {host}: {error['message']}")
