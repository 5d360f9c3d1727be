"""The servers of a target, as whoever watches or asks them needs to know them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Member:
    """One server of a target.

    ``role`` is what it does there: ``server`` where it is alone, else as the experiment file calls
    it. ``host`` is its address; empty where there is none. ``kind`` is ``mysql``, ``postgresql``,
    ``sqlite``, ``haproxy`` or ``command``. ``process_ids`` are its processes on this machine.
    ``url`` and ``password`` are for SQL; there is no URL where it does not speak SQL.
    """

    name: str
    role: str
    host: str
    kind: str
    process_ids: tuple[int, ...] = ()
    url: str | None = None
    password: str | None = field(default=None, repr=False)
