"""How many clients were at work, by Little's law: throughput x mean time = clients.

Commands print the time until a client could go on, as the tools do whose place they take. Where the
generator reads answers late, the server took less, and had fewer clients than were asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbdyno._native import Histogram
from dbdyno.times import finite, quantile_ms

UNREAD_SHARE_MAX = 0.05
"""The server's own times are printed where they are shorter by more than this."""


@dataclass(frozen=True)
class ClientTimes:
    """The times of a stretch: until clients could go on, and until the last answer arrived.

    ``asked`` is None where clients wait on purpose: in an open loop, and where terminals think.
    ``finished`` and ``given_up`` count transactions by their end, those that did their work and
    those that failed; ``failed`` are the times of the latter. ``unread_s`` is how long answers lay
    unread, those of earlier statements of a transaction among them.
    """

    asked: int | None
    elapsed_s: float
    finished: int
    given_up: int
    turnaround: Histogram
    response: Histogram
    failed: Histogram
    unread_s: float

    @property
    def busy_s(self) -> float:
        """The time of transactions that ended, added up: their number times their mean."""
        parts = ((self.finished, self.turnaround), (self.given_up, self.failed))
        return sum(count * times.mean_ns / 1e9 for count, times in parts if times.count)

    @property
    def accounted(self) -> float:
        """The clients that these times account for: with ``asked`` clients, so many."""
        return self.busy_s / self.elapsed_s if self.elapsed_s else 0.0

    @property
    def share_in_effect(self) -> float:
        """The share of their time in which clients waited for the server; 1 without any."""
        return 1 - min(self.unread_s / self.busy_s, 1.0) if self.busy_s else 1.0

    def warning(self) -> str:
        """Return the server's own time, where it differs from what is printed."""
        if self.share_in_effect >= 1 - UNREAD_SHARE_MAX:
            return ""
        whole_ms = self.turnaround.mean_ns / 1e6
        clients = (
            f" On average {self.share_in_effect * self.asked:.3g} of {self.asked} clients waited "
            "for the server, and the others for the generator."
            if self.asked
            else ""
        )
        return (
            f"WARNING: the generator read answers late. Of the average time of {whole_ms:.3f} ms "
            f"the server took {self.share_in_effect * whole_ms:.3f} ms.{clients} Give the "
            "generator CPUs of its own\n"
        )

    def document(self, percentiles: Iterable[float]) -> dict[str, object]:
        """Return clients, and the times until the last answer arrived, for JSON."""
        response = self.response
        return {
            "clients": {
                "asked": self.asked,
                "in_effect": self.share_in_effect * self.accounted,
                "accounted": self.accounted,
            },
            "unread_s": self.unread_s,
            "server_response_ms": {
                "mean": response.mean_ns / 1e6 if response.count else None,
                "max": finite(quantile_ms(response, 1.0)),
                "percentiles": {
                    f"{p:g}": finite(quantile_ms(response, p / 100)) for p in percentiles
                },
            },
        }
