"""What stands before every answer: who may ask, how, and what a browser may do with it.

The pages read and never write, so that GET and HEAD are all that is answered.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK_NAMES = frozenset({"localhost", "ip6-localhost"})
TOKEN = "token"

HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
}
"""Of every answer, unless it has its own."""


@dataclass(frozen=True)
class Access:
    """Who may ask. ``token`` is None on the loopback, where only this machine's users come in.

    ``names`` are the host names that a request may be addressed to. Addresses are always right: a
    page of somebody else that has its own name lead here (DNS rebinding) comes with that name.
    """

    port: int
    names: frozenset[str]
    token: str | None = None

    @property
    def cookie(self) -> str:
        """Return the name of the cookie; browsers do not part cookies by port."""
        return f"dbdyno-{self.port}"

    def knows_name(self, host: str) -> bool:
        """Tell whether a ``Host`` header is addressed to this server."""
        name = host_of(host)
        return name in self.names or (self.token is not None and is_address(name))


def access_of(host: str, port: int, token: str | None) -> Access:
    """Return who may ask a server that is bound to this host."""
    names = {host.strip("[]").lower()} - {"0.0.0.0", "::"}
    if token is None:
        names |= {*LOOPBACK_NAMES, "127.0.0.1", "::1"}
    else:
        names |= {"localhost", socket.gethostname().lower(), socket.getfqdn().lower()}
    return Access(port, frozenset(names), token)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach what is bound to a host."""
    name = host.strip("[]").lower()
    if name in LOOPBACK_NAMES:
        return True
    return is_address(name) and ipaddress.ip_address(name).is_loopback


def is_address(name: str) -> bool:
    """Tell whether this is an IP address and no name."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def host_of(header: str) -> str:
    """Return the host of a ``Host`` header, without port and brackets."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower().rstrip(".")


class Guard:
    """An application behind the checks."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            # A socket that a browser would open both ways.
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return why a request is not answered; None where it is."""
        headers, access = Headers(scope=scope), self._access
        if scope["method"] not in ("GET", "HEAD"):
            allowed = {"Allow": "GET, HEAD"}
            return PlainTextResponse("This server only shows; it takes nothing.", 405, allowed)
        if len(headers.getlist("host")) != 1 or not access.knows_name(headers["host"]):
            return PlainTextResponse("This server has another name.", 421)
        if access.token is None or _has_token(headers, access):
            return None
        return self._signed_in(scope) or PlainTextResponse(
            "The address with the token is what dbdyno serve has printed.", 401
        )

    def _signed_in(self, scope: Scope) -> Response | None:
        """Take the token out of an address and into a cookie, so that it is shown nowhere."""
        asked = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        token = next((value for name, value in asked if name == TOKEN), None)
        if token is None or not _is_same(token, self._access.token):
            return None
        rest = urlencode([(name, value) for name, value in asked if name != TOKEN])
        # Whatever the path is, it stays on this server.
        path = "/" + scope["path"].lstrip("/\\")
        response = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        response.set_cookie(self._access.cookie, token, path="/", httponly=True, samesite="strict")
        return response


def _has_token(headers: Headers, access: Access) -> bool:
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and _is_same(token.strip(), access.token):
        return True
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return False
    kept = cookies.get(access.cookie)
    return kept is not None and _is_same(kept.value, access.token)


def _is_same(given: str, token: str | None) -> bool:
    """Compare in a time that does not hang on where they differ."""
    return token is not None and hmac.compare_digest(given.encode(), token.encode())
