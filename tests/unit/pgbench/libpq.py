"""libpq itself, called from Python: what it reads in connection strings and in the environment."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping


class _Option(ctypes.Structure):
    """PQconninfoOption of libpq-fe.h."""

    _fields_ = (
        ("keyword", ctypes.c_char_p),
        ("variable", ctypes.c_char_p),
        ("compiled", ctypes.c_char_p),
        ("value", ctypes.c_char_p),
        ("label", ctypes.c_char_p),
        ("shown", ctypes.c_char_p),
        ("size", ctypes.c_int),
    )


_Options = ctypes.POINTER(_Option)

try:
    _LIBRARY = ctypes.CDLL("libpq.so.5")
except OSError as error:
    raise RuntimeError("these tests need libpq: apt-get install libpq5") from error

for _name in ("PQconninfoParse", "PQconndefaults", "PQconninfo"):
    getattr(_LIBRARY, _name).restype = _Options
_LIBRARY.PQconnectStartParams.restype = ctypes.c_void_p


def read(text: str) -> dict[str, str] | None:
    """Return what libpq reads in a connection string; None where it refuses it."""
    message = ctypes.c_char_p()
    options = _LIBRARY.PQconninfoParse(text.encode(), ctypes.byref(message))
    if not options:
        return None
    found = dict(_values(options))
    _LIBRARY.PQconninfoFree(options)
    return found


def settle(given: Mapping[str, str]) -> dict[str, str] | None:
    """Return what libpq connects with, but for its own defaults; None where it refuses that."""
    names, values = (
        (ctypes.c_char_p * (len(given) + 1))(*(text.encode() for text in texts), None)
        for texts in (given, given.values())
    )
    connection = ctypes.c_void_p(_LIBRARY.PQconnectStartParams(names, values, 1))
    options = _LIBRARY.PQconninfo(connection)
    found = dict(_values(options, without_compiled=True)) if options else None
    refused = _LIBRARY.PQstatus(connection) == 1 and not found
    _LIBRARY.PQconninfoFree(options)
    _LIBRARY.PQfinish(connection)
    return None if refused else found


def _values(options: object, *, without_compiled: bool = False) -> Iterator[tuple[str, str]]:
    index = 0
    while keyword := options[index].keyword:  # type: ignore[index]
        option = options[index]  # type: ignore[index]
        if option.value is not None and not (
            without_compiled and option.value == (option.compiled or b"")
        ):
            yield keyword.decode(), option.value.decode(errors="replace")
        index += 1
