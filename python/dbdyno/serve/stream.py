"""The stream of one page: what is new in a feed, as server-sent events."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.serve.feed import Message
from dbdyno.serve.watching import POLL_S, TooManyError, Watching

ALIVE_S = 2.0
"""A page hears something at least as often, or knows that the server is gone."""
RETRY = b"retry: 1000\n\n"


async def stream(
    watching: Watching,
    name: str,
    directory: Path,
    last_id: str | None,
    is_closing: Callable[[], bool],
) -> AsyncIterator[bytes]:
    """Yield what a page is told, which has this point already, until the server closes."""
    yield RETRY
    try:
        async with watching.looking(name, directory) as follower:
            cursor = follower.feed.cursor_after(last_id)
            said_s = 0.0
            while not is_closing() and not follower.is_gone:
                messages = follower.feed.news(cursor)
                if not messages and time.monotonic() - said_s >= ALIVE_S:
                    messages = [Message("alive", None)]
                if messages:
                    said_s = time.monotonic()
                for each in messages:
                    yield each.encode()
                await asyncio.sleep(POLL_S)
    except (InputError, OSError, TooManyError):
        # The result is gone, or is being made anew: the page asks again.
        return
