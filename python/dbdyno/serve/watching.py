"""Which results are followed now: those that somebody looks at, and for a while afterwards."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.report.language import Language
from dbdyno.serve.follower import Follower
from dbdyno.serve.host_rows import Limits
from dbdyno.serve.parts import live_parts, marks_in_words
from dbdyno.store import layout
from dbdyno.store.record import read_host, read_other_hosts

POLL_S = 0.25
PARTS_S = 1.0
KEPT_S = 30.0
"""A page that is loaded again finds what it had."""
WATCHED_MAX = 16


@dataclass
class _Watched:
    name: str
    follower: Follower
    limits: Limits
    task: asyncio.Task[None]
    first: asyncio.Event
    lookers: int = 0
    left_s: float = 0.0
    """When nobody looked any more."""


class TooManyError(Exception):
    """More results are looked at than are followed at a time."""


class Watching:
    """Follows results, each in a thread at a time, as long as somebody looks."""

    def __init__(self, spoken: Language) -> None:
        self._spoken = spoken
        self._watched: dict[Path, _Watched] = {}

    @asynccontextmanager
    async def looking(self, name: str, directory: Path) -> AsyncIterator[Follower]:
        """Follow a result inside; what there is so far has been read when it begins.

        InputError where it cannot be read, ``TooManyError`` where too many are followed.
        """
        watched = self._watched.get(directory) or await self._begin(name, directory)
        watched.lookers += 1
        try:
            await watched.first.wait()
            if watched.follower.is_gone:
                raise InputError(f"{directory} cannot be read any more")
            yield watched.follower
        finally:
            watched.lookers -= 1
            watched.left_s = time.monotonic()

    async def _begin(self, name: str, directory: Path) -> _Watched:
        if len(self._watched) >= WATCHED_MAX:
            raise TooManyError
        follower = await asyncio.to_thread(Follower, directory)
        limits = await asyncio.to_thread(_limits, directory)
        if directory in self._watched:
            # Somebody else was as quick.
            return self._watched[directory]
        first = asyncio.Event()
        task = asyncio.create_task(self._follow(directory, first))
        self._watched[directory] = _Watched(name, follower, limits, task, first)
        return self._watched[directory]

    async def _follow(self, directory: Path, first: asyncio.Event) -> None:
        watched = self._watched[directory]
        told_s = 0.0
        try:
            while watched.lookers or time.monotonic() - watched.left_s < KEPT_S:
                is_due = time.monotonic() - told_s >= PARTS_S
                await asyncio.to_thread(_turn, watched, self._spoken, tells=is_due)
                told_s = time.monotonic() if is_due else told_s
                first.set()
                await asyncio.sleep(POLL_S)
        except Exception as error:
            # Whatever it is, the pages of other results go on, and this one is tried again.
            if not isinstance(error, (InputError, OSError)):
                print(f"{directory} cannot be followed: {error!r}", file=sys.stderr, flush=True)
            watched.follower.is_gone = True
        finally:
            first.set()
            del self._watched[directory]
            watched.follower.close()


def _turn(watched: _Watched, spoken: Language, *, tells: bool) -> None:
    follower = watched.follower
    follower.poll()
    if follower.trial is not None:
        follower.feed.mark(marks_in_words(follower.trial, spoken))
    if tells:
        follower.feed.put(live_parts(follower, watched.limits, watched.name, spoken))


def _limits(directory: Path) -> Limits:
    try:
        return Limits(
            read_host(directory / layout.HOST_FILE),
            read_other_hosts(directory / layout.OTHER_HOSTS_FILE),
        )
    except InputError:
        from dbdyno.facts.host import HostFacts

        return Limits(HostFacts(), {})
