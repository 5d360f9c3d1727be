"""What an agent is told when it is started: whose it is, and how both know each other."""

from __future__ import annotations

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

VERSION_WORD = "dbdyno"
"""Before the version in the first line that an agent says."""


@dataclass(frozen=True, kw_only=True)
class Invitation:
    """Where the runner's scheduler is, and certificates in PEM: the authority's, and its own."""

    version: str
    """The runner's; both must be the same."""
    scheduler: str
    name: str
    authority: str
    certificate: str
    key: str


_INVITATION = TypeAdapter(Invitation)


def read_invitation(line: bytes) -> Invitation:
    """Return the invitation in a line; ValueError where it is none."""
    return _INVITATION.validate_json(line)


def write_invitation(invitation: Invitation) -> bytes:
    """Return the line that holds an invitation."""
    return _INVITATION.dump_json(invitation) + b"\n"
