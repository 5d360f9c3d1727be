"""How clients come into a private server: the way, the address, and the password of a start."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from dbdyno.experiment.file.private import Transport

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
    """Whether clients on other machines may come in; the password is asked of all."""
