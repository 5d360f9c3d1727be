"""How far another host's monotonic clock is from this one's, and how well that is known."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

EXCHANGES = 16


@dataclass(frozen=True)
class ClockOffset:
    """The other clock less this one, which is right to within ``bound_ns`` either way."""

    offset_ns: int
    bound_ns: int

    def there(self, time_ns: int) -> int:
        """Return what the other clock shows at a time of this one."""
        return time_ns + self.offset_ns

    def here(self, time_ns: int) -> int:
        """Return what this clock shows at a time of the other one."""
        return time_ns - self.offset_ns


def measure_offset(
    ask: Callable[[], tuple[int, int]], read_clock: Callable[[], int] = time.monotonic_ns
) -> ClockOffset:
    """Ask the other clock some times, and believe the exchange that took the shortest.

    An exchange has four times: asked, seen there, answered there, heard. The offset is that of the
    middles; it is wrong by half of the time under way at the most, however that divides.
    """
    exchanges = []
    for _ in range(EXCHANGES):
        asked = read_clock()
        seen, answered = ask()
        heard = read_clock()
        under_way_ns = (heard - asked) - (answered - seen)
        exchanges.append((under_way_ns, ((seen - asked) + (answered - heard)) // 2))
    under_way_ns, offset_ns = min(exchanges)
    return ClockOffset(offset_ns, -(-under_way_ns // 2))
