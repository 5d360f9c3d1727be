"""What is answered at which address."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp

from dbdyno.errors import InputError
from dbdyno.importer.stored import is_import
from dbdyno.report.language import Language, in_language
from dbdyno.serve import words
from dbdyno.serve.guard import Access, Guard
from dbdyno.serve.pages import render
from dbdyno.serve.results import Results, servable
from dbdyno.serve.stream import stream
from dbdyno.serve.watching import TooManyError, Watching

STREAMS_MAX = 100
STATIC = {
    "serve.css": "text/css; charset=utf-8",
    "theme.js": "text/javascript; charset=utf-8",
    "list.js": "text/javascript; charset=utf-8",
    "charts.js": "text/javascript; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
}
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".svg": "image/svg+xml",
    ".pdf": "application/pdf",
}
REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'none'"
)
"""A report may come from somebody else: it works as it does as a file, and reaches no page here."""


class Pages:
    """The answers, in one language."""

    def __init__(self, results: Results, spoken: Language, is_closing: Callable[[], bool]) -> None:
        self._results = results
        self._spoken = spoken
        self._is_closing = is_closing
        self._watching = Watching(spoken)
        self._streams = 0

    def routes(self) -> list[Route]:
        """Return what is answered by whom."""
        return [
            Route("/", self.list_page),
            Route("/static/{name}", self.static),
            Route("/live/{name:path}", self.live_page),
            Route("/events/{name:path}", self.events),
            Route("/files/{name:path}", self.file),
        ]

    async def list_page(self, request: Request) -> Response:
        """Show the results, or go to the live page of the only one."""
        if self._results.is_one and not is_import(self._results.root):
            return RedirectResponse(f"/live/{quote(self._results.root.name)}", 303)
        asked = request.query_params.get("q", "")
        lines = await asyncio.to_thread(self._results.lines)
        with in_language(self._spoken):
            html = render(
                "list.html",
                language=self._spoken,
                label=words.labels(),
                script_words=words.script_words(),
                words=words,
                asked=asked,
                lines=[line for line in lines if line.has_words(asked)],
                is_any=bool(lines),
            )
        return HTMLResponse(html)

    async def live_page(self, request: Request) -> Response:
        """Show a result as it stands, with all that a page without JavaScript shows."""
        name, directory = await self._found(request)
        if is_import(directory):
            # Nothing of it is live: the list has its reports.
            return RedirectResponse("/", 303)
        try:
            async with self._watching.looking(name, directory) as follower:
                # Whoever comes first finds parts that were written a moment ago.
                parts = follower.feed.parts()
                plan = follower.state.plan
        except InputError as error:
            return PlainTextResponse(str(error), 500)
        except TooManyError:
            return PlainTextResponse("More results are looked at than can be followed.", 503)
        with in_language(self._spoken):
            html = render(
                "live.html",
                language=self._spoken,
                label=words.labels(),
                script_words=words.script_words(),
                result=name,
                zone_s=time.localtime().tm_gmtoff,
                plan=plan,
                parts=parts,
                is_one=self._results.is_one,
            )
        return HTMLResponse(html)

    async def events(self, request: Request) -> Response:
        """Tell a page what is new, from the point on that it has."""
        name, directory = await self._found(request)
        last_id = request.headers.get("last-event-id") or request.query_params.get("after")
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        if self._streams >= STREAMS_MAX:
            return PlainTextResponse("Too many pages are open.", 503)

        async def counted() -> AsyncIterator[bytes]:
            self._streams += 1
            try:
                parts = stream(self._watching, name, directory, last_id, self._is_closing)
                async for part in parts:
                    yield part
            finally:
                self._streams -= 1

        return StreamingResponse(counted(), media_type="text/event-stream")

    async def file(self, request: Request) -> Response:
        """Hand out a report, and nothing else that lies in a result."""
        asked = request.path_params["name"]
        found = await asyncio.to_thread(self._results.find)
        for name, directory in found.items():
            path = servable(directory, asked.removeprefix(f"{name}/"))
            if asked.startswith(f"{name}/") and path is not None:
                return _file(path)
        raise HTTPException(404)

    async def static(self, request: Request) -> Response:
        """Hand out what the pages are made of."""
        name = request.path_params["name"]
        if name not in STATIC:
            raise HTTPException(404)
        return Response(_static(name), media_type=STATIC[name])

    async def _found(self, request: Request) -> tuple[str, Path]:
        name = request.path_params["name"]
        directory = await asyncio.to_thread(self._results.directory, name)
        if directory is None:
            raise HTTPException(404)
        return name, directory


def make_app(
    results: Results, spoken: Language, access: Access, is_closing: Callable[[], bool]
) -> ASGIApp:
    """Return the application, behind its checks."""
    pages = Pages(results, spoken, is_closing)
    return Guard(Starlette(routes=pages.routes()), access)


def _file(path: Path) -> Response:
    headers = {"Content-Security-Policy": REPORT_POLICY}
    if path.suffix == ".pdf":
        # What shows it in a browser is none of its content and would be in the sandbox, too.
        headers = {"Content-Security-Policy": "default-src 'none'; object-src 'self'"}
    return FileResponse(path, media_type=KINDS[path.suffix], headers=headers)


def _static(name: str) -> str:
    if name == "serve.css":
        return render("serve.css")
    return (files("dbdyno.serve") / "static" / name).read_text(encoding="utf-8")
