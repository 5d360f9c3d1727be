"""How generators waited for answers."""

from __future__ import annotations

from dataclasses import dataclass

from dbdyno.protocol.generators import Placement
from dbdyno.protocol.waiting import NAP, PRIORITY, PRIORITY_NICE, SPIN


@dataclass(frozen=True)
class Waiting:
    """How generators waited for answers: ``wait`` is what they were asked to do.

    ``naps`` are short sleeps between looks, and ``nap_mean_us`` is how long one took. ``placement``
    is where the server ran.
    """

    wait: str = NAP
    naps: int = 0
    nap_mean_us: float = 0.0
    placement: Placement = "unknown"

    @property
    def never_sleeps(self) -> bool:
        """Whether they looked for answers all the time."""
        return self.wait == SPIN

    @property
    def nice(self) -> int:
        """Their nice value; below 0 other programs gave way to them when answers came."""
        return PRIORITY_NICE if self.wait == PRIORITY else 0

    @property
    def more_us(self) -> int:
        """How long they waited for more answers than the first; 0 where they did not."""
        return int(self.wait.removesuffix("us")) if self.wait.endswith("us") else 0
