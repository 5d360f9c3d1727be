"""Looks up what dbdyno itself is made of: its version, its compiler, its libraries."""

from __future__ import annotations

import json
import locale
import mmap
import platform
import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from dbdyno import __version__, _native
from dbdyno.facts.system import ClientFacts

_COMPILER = re.compile(rb"rustc version ([\w.-]+)")
"""What the compiler leaves in what it makes."""

_LIBRARIES = (
    "hdrhistogram",
    "libsqlite3-sys",
    "mysql_common",
    "postgres-protocol",
    "ring",
    "rustls",
)
"""Of some hundred libraries, those that speak with servers, and the one that keeps times."""


def client_facts() -> ClientFacts:
    """Return the versions; those of libraries as the package's bill of materials has them."""
    libraries = _libraries()
    tls = [f"{name} {libraries[name]}" for name in ("rustls", "ring") if name in libraries]
    return ClientFacts(
        dbdyno_version=__version__,
        python_version=platform.python_version(),
        rustc_version=_compiler(),
        tls_library=", ".join(tls) or None,
        c_library=" ".join(platform.libc_ver()).strip() or None,
        client_libraries=libraries,
        locale=_locale(),
    )


def _compiler() -> str | None:
    try:
        with (
            Path(_native.__file__).open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            found = _COMPILER.search(content)
            return found[1].decode() if found else None
    except (OSError, ValueError):
        return None


def _libraries() -> dict[str, str]:
    """Return the versions of what the driver stands on."""
    try:
        files = distribution("dbdyno").files or []
        bills = [file.locate() for file in files if file.name.endswith(".cyclonedx.json")]
        read = [json.loads(Path(str(bill)).read_text()) for bill in bills]
        parts = [part for bill in read for part in bill["components"]]
        return {part["name"]: part["version"] for part in parts if part["name"] in _LIBRARIES}
    except (PackageNotFoundError, OSError, ValueError, KeyError):
        return {}


def _locale() -> str | None:
    language, encoding = locale.getlocale()
    return f"{language or 'C'}.{encoding}" if encoding else language
