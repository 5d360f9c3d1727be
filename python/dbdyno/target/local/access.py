"""How clients come into a private server: the way, the address, and the password of a start."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from dbdyno.experiment.file.private import Transport
from dbdyno.target.local.network_namespace import OwnNetwork

ADDRESS = "127.0.0.1"


def new_password() -> str:
    """Return a random password that also passes the usual password checks."""
    return f"{secrets.token_urlsafe(24)}-Aa1"


@dataclass(frozen=True)
class Access:
    """``make_password`` is asked at every start; members of a cluster share what it returns."""

    transport: Transport = "tcp"
    address: str = ADDRESS
    make_password: Callable[[], str] = new_password
    from_anywhere: bool = False
    """Whether clients at other addresses may come in; the password is asked of all."""
    network: OwnNetwork | None = None
    """Where the address is, if not in the network of this process."""
