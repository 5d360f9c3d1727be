"""How many bytes the columns of a Parquet file have once they are decompressed, by its own headers.

Polars does not say it, and allocates what the header of a page says. What is read here is Thrift's
compact protocol: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md,
with the fields of https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

MAGIC = b"PAR1"
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_DEEPEST = 16

# Fields by their numbers.
_ROW_GROUPS, _COLUMNS, _META_DATA = 4, 1, 3
_PATH, _COMPRESSED_BYTES, _DATA_PAGE, _DICTIONARY_PAGE = 3, 7, 9, 11
_PAGE_UNCOMPRESSED_BYTES, _PAGE_COMPRESSED_BYTES = 2, 3


def column_bytes(data: bytes) -> Mapping[str, int]:
    """Return the decompressed bytes of each column; ``ValueError`` where a file is damaged."""
    try:
        return _column_bytes(data)
    except (IndexError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("its headers cannot be read") from error


def _column_bytes(data: bytes) -> Counter[str]:
    if data[-4:] != MAGIC:
        raise ValueError("it does not end as a Parquet file does")
    length = int.from_bytes(data[-8:-4], "little")
    footer = _Reader(data, len(data) - 8 - length).struct()
    found: Counter[str] = Counter()
    for group in footer[_ROW_GROUPS]:
        for column in group[_COLUMNS]:
            described = column[_META_DATA]
            name = b".".join(described[_PATH]).decode(errors="replace")
            found[name] += _page_bytes(data, described)
    return found


def _page_bytes(data: bytes, described: Mapping[int, Any]) -> int:
    """Return the bytes of all pages of a column; each says its own before it is decompressed."""
    first = min(described[_DATA_PAGE], described.get(_DICTIONARY_PAGE) or described[_DATA_PAGE])
    reader = _Reader(data, first)
    end = first + described[_COMPRESSED_BYTES]
    total = 0
    while reader.place < end:
        page = reader.struct()
        total += page[_PAGE_UNCOMPRESSED_BYTES]
        if page[_PAGE_COMPRESSED_BYTES] < 0 or page[_PAGE_UNCOMPRESSED_BYTES] < 0:
            raise ValueError("a page has less than no bytes")
        reader.place += page[_PAGE_COMPRESSED_BYTES]
    return total


class _Reader:
    """Reads one value after another; every one takes at least a byte, and so it comes to an end."""

    def __init__(self, data: bytes, place: int) -> None:
        if not 0 <= place < len(data):
            raise ValueError("a header is outside of it")
        self._data = data
        self.place = place

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Return the fields of a structure by their numbers."""
        if depth > _DEEPEST:
            raise ValueError("its headers are nested too deep")
        fields: dict[int, Any] = {}
        number = 0
        while (header := self._byte()) != 0:
            number = number + (header >> 4) if header >> 4 else self._signed()
            fields[number] = self._value(header & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:  # noqa: ANN401 - whatever a field may hold
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if _BYTE < kind < _DOUBLE:
            return self._signed()
        if kind == _BINARY:
            return self._bytes(self._unsigned())
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            return self._list(depth)
        if kind in (_BYTE, _DOUBLE):
            return self._bytes(1 if kind == _BYTE else 8)
        raise ValueError("its headers have a value of a kind that Parquet has not")

    def _list(self, depth: int) -> list[Any]:
        header = self._byte()
        size, kind = header >> 4, header & 15
        if size == 15:
            size = self._unsigned()
        if kind in (_TRUE, _FALSE):
            return [self._byte() == _TRUE for _ in range(size)]
        return [self._value(kind, depth) for _ in range(size)]

    def _byte(self) -> int:
        byte = self._data[self.place]
        self.place += 1
        return byte

    def _bytes(self, length: int) -> bytes:
        self.place += length
        if self.place > len(self._data):
            raise ValueError("a value is longer than it")
        return self._data[self.place - length : self.place]

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError("a number is too long")
        return value | byte << shift

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
