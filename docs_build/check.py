"""Looks at a site that is built: whether its links lead somewhere, and it needs no network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

_LOADED = (
    "//script/@src | //img/@src | //iframe/@src | //link[not(@rel='canonical')]/@href"
    " | //source/@src | //video/@src | //object/@data"
)
"""What a browser loads by itself, as it shows a page."""

_LOADED_BY_STYLES = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)")


def broken_links(site: Path) -> list[str]:
    """Return each link of a page that leads to no file, or to no place in a page."""
    pages = {file: html.parse(str(file)).getroot() for file in sorted(site.rglob("*.html"))}
    places = {file: set(page.xpath("//@id | //a/@name")) for file, page in pages.items()}
    return [
        f"{file.relative_to(site)}: {link}"
        for file, page in pages.items()
        for link in dict.fromkeys(page.xpath("//a/@href"))
        if not _leads_somewhere(file, link, places)
    ]


def _leads_somewhere(file: Path, link: str, places: dict[Path, set[str]]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    goal = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    if not goal.exists():
        return False
    return not parts.fragment or unquote(parts.fragment) in places.get(goal, set())


def loaded_from_elsewhere(site: Path) -> list[str]:
    """Return what pages and styles load from the network, or from outside of the site."""
    return [
        f"{file.relative_to(site)}: {address}"
        for file in sorted(site.rglob("*"))
        for address in _loaded(file)
        if not _is_within(site, file, address)
    ]


def _loaded(file: Path) -> Iterator[str]:
    if file.suffix == ".html":
        page = html.parse(str(file)).getroot()
        yield from (str(address) for address in page.xpath(_LOADED))
        for style in page.xpath("//style/text() | //@style"):
            yield from _LOADED_BY_STYLES.findall(style)
    elif file.suffix == ".css":
        yield from _LOADED_BY_STYLES.findall(file.read_text(encoding="utf-8"))


def _is_within(site: Path, file: Path, address: str) -> bool:
    parts = urlsplit(address)
    if parts.scheme == "data":
        return True
    goal = (file.parent / unquote(parts.path)).resolve()
    return not parts.netloc and not parts.scheme and goal.is_relative_to(site.resolve())
