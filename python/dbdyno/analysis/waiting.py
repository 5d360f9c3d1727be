"""How generators waited for answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Waiting:
    """How generators waited for answers, where that was not by sleeping until the first.

    ``coalesce_us`` is how long they waited for more answers, and 0 where they did not. ``naps`` are
    short sleeps between looks, and ``nap_mean_us`` is how long one took.
    """

    is_polling: bool = False
    coalesce_us: int = 0
    naps: int = 0
    nap_mean_us: float = 0.0
