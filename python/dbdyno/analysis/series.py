"""The table of resources of one trial as series: made of it once, for all who ask about the trial.

The table has a row a figure and interval. To look for some of its rows takes as long as to look at
all of them, and a dozen checks and figures each want some. Series that were read together have the
same intervals and stand in one block, so that they are added up together.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

Values = NDArray[np.float64]


class SeriesName(NamedTuple):
    """Whose figures a series has, and which; ``dbdyno.resources`` says what these are."""

    member: str
    role: str
    host: str
    metric: str


@dataclass(frozen=True, eq=False)
class Series:
    """The figures of one metric; arrays have a value an interval, in the order of the table."""

    name: SeriesName
    start_s: Values
    duration_s: Values
    value: Values


@dataclass(frozen=True, eq=False)
class Block:
    """Series that were read together: the same intervals, and a row of ``values`` for each name."""

    names: tuple[SeriesName, ...]
    start_s: Values
    duration_s: Values
    values: Values

    @property
    def middle_s(self) -> Values:
        """The middle of each interval: watchers' intervals don't begin with a window."""
        middle_s: Values = self.start_s + self.duration_s / 2
        return middle_s

    def part(self, chosen: NDArray[np.bool_]) -> Block:
        """Return some of the intervals."""
        if chosen.all():
            return self
        return Block(
            self.names, self.start_s[chosen], self.duration_s[chosen], self.values[:, chosen]
        )

    def series(self) -> Iterator[Series]:
        """Yield the series one by one."""
        for name, values in zip(self.names, self.values, strict=True):
            yield Series(name, self.start_s, self.duration_s, values)


Blocks = tuple[Block, ...]


def picked(
    blocks: Blocks, metrics: Container[str], *, role: str | None = None, host: str | None = None
) -> list[Series]:
    """Return the series of some metrics; of all roles and hosts where none is given."""
    return [
        Series(name, block.start_s, block.duration_s, values)
        for block in blocks
        for name, values in zip(block.names, block.values, strict=True)
        if name.metric in metrics
        and (role is None or name.role == role)
        and (host is None or name.host == host)
    ]


def blocks_of(table: pl.DataFrame) -> Blocks:
    """Return all series of a table of ``resources.SCHEMA``, in the order in which they appear."""
    if table.is_empty():
        return ()
    count = _series_in_turn(table)
    block = _in_turn(table, count) if count else None
    return _blocks(_series_of(table)) if block is None else (block,)


def _blocks(series: Iterable[Series]) -> Blocks:
    """Put series together that were read together."""
    together: list[list[Series]] = []
    for each in series:
        for found in together:
            if _is_read_with(each, found[0]):
                found.append(each)
                break
        else:
            together.append([each])
    return tuple(_block(found) for found in together)


_NAMES = list(SeriesName._fields)
_VALUES = ("start_s", "duration_s", "value")


def _series_in_turn(table: pl.DataFrame) -> int:
    """Return how many series there are where their rows come in turn; 0 where they do not.

    One watcher tells all of its figures at each reading, so that most tables are like that.
    """
    names = table.select(pl.col(_NAMES).to_physical()).get_columns()
    codes = [column.to_numpy() for column in names]
    is_first = np.ones(table.height, dtype=bool)
    for code in codes:
        is_first &= code == code[0]
    count, rest = divmod(table.height, int(np.count_nonzero(is_first)))
    return 0 if rest or any((code[count:] != code[:-count]).any() for code in codes) else count


def _in_turn(table: pl.DataFrame, count: int) -> Block | None:
    """Return the series of a table in which each has every n-th row; None of unlike intervals."""
    start_s, duration_s, values = (table[name].to_numpy().reshape(-1, count) for name in _VALUES)
    if any((each != each[:, :1]).any() for each in (start_s, duration_s)):
        return None
    names = zip(*(table.get_column(name).head(count).to_list() for name in _NAMES), strict=True)
    own = (np.ascontiguousarray(each) for each in (start_s[:, 0], duration_s[:, 0], values.T))
    return Block(tuple(SeriesName(*name) for name in names), *own)


def _series_of(table: pl.DataFrame) -> Iterator[Series]:
    """Yield the series of any table."""
    # Sorting the few groups is faster than to have Polars maintain the order of the rows.
    groups = (
        table.with_row_index("row")
        .group_by(_NAMES)
        .agg(pl.col("row").first(), *_VALUES)
        .sort("row")
    )
    ends = np.cumsum(groups["value"].list.len().to_numpy())[:-1]
    parts = (np.split(groups[name].explode().to_numpy(), ends) for name in _VALUES)
    texts = groups.select(pl.col(_NAMES).cast(pl.String)).iter_rows()
    for name, *values in zip(texts, *parts, strict=True):
        yield Series(SeriesName(*name), *values)


def _is_read_with(series: Series, other: Series) -> bool:
    return np.array_equal(series.start_s, other.start_s) and np.array_equal(
        series.duration_s, other.duration_s
    )


def _block(together: Sequence[Series]) -> Block:
    first = together[0]
    return Block(
        tuple(series.name for series in together),
        first.start_s,
        first.duration_s,
        np.stack([series.value for series in together]),
    )


def aligned(terms: Sequence[Series]) -> tuple[Values, Values, Values]:
    """Return where intervals start, how long they are, and a row of values for each series.

    An interval is there if any of the series has it; a value that is not told is NaN. There is one
    series at least.
    """
    first = terms[0]
    if all(each.start_s is first.start_s or _is_read_with(each, first) for each in terms):
        return first.start_s, first.duration_s, np.stack([each.value for each in terms])
    all_starts_s = np.concatenate([each.start_s for each in terms])
    start_s, places = np.unique(all_starts_s, return_index=True)
    duration_s = np.concatenate([each.duration_s for each in terms])[places]
    values = np.full((len(terms), len(start_s)), np.nan)
    for row, each in zip(values, terms, strict=True):
        row[np.searchsorted(start_s, each.start_s)] = each.value
    return start_s, duration_s, values
