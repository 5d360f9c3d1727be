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

    The latter (``service``) count from when a transaction was begun: what is due and waits in an
    open loop waits for no server.
    ``asked`` is None where clients wait on purpose: in an open loop, and where terminals think.
    ``finished`` and ``given_up`` count transactions by their end, those that did their work and
    those that failed; ``failed`` are the times of the latter. ``unread_s`` is how long answers lay
    unread, those of earlier statements of a transaction among them; 0 where the kernel does not
    time their arrival (Unix sockets). ``waited_for_cpu_s`` is how long a worker waited for a CPU.
    ``is_embedded`` says that clients do the database's work themselves (SQLite): no answer lies
    unread.
    """

    asked: int | None
    elapsed_s: float
    finished: int
    given_up: int
    turnaround: Histogram
    service: Histogram
    failed: Histogram
    unread_s: float
    waited_for_cpu_s: float
    is_embedded: bool = False

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
    def share_in_effect(self) -> float | None:
        """The share of their time in which answers did not lie unread; None where nobody knows."""
        if self.is_embedded:
            return 1.0
        if not self.busy_s or not self.unread_s:
            return None
        return 1 - min(self.unread_s / self.busy_s, 1.0)

    @property
    def in_effect(self) -> float | None:
        """How many clients waited for the server; None where it is not known."""
        share = self.share_in_effect
        return None if share is None or self.asked is None else share * self.accounted

    def warning(self) -> str:
        """Return the server's own time, where it differs from what is printed."""
        share = self.share_in_effect
        if share is None:
            return self._warning_of_unknown()
        if share >= 1 - UNREAD_SHARE_MAX:
            return ""
        return (
            f"WARNING: the generator read answers late. {self._parts(share)} Give the generator "
            "CPUs of its own, or priority (--wait priority, as root)\n"
        )

    def _parts(self, share: float) -> str:
        """Return of what the printed time is made."""
        whole_ms = self.turnaround.mean_ns / 1e6
        of_whole = f"Of the average time of {whole_ms:.3f} ms"
        if self.asked is None:
            return f"{of_whole} answers lay unread for {(1 - share) * whole_ms:.3f} ms."
        return (
            f"{of_whole} the server took {share * whole_ms:.3f} ms. On average "
            f"{share * self.asked:.3g} of {self.asked} clients waited for the server, and the "
            "others for the generator."
        )

    def _warning_of_unknown(self) -> str:
        """Return a warning where answers lay unread for a time that nobody knows."""
        waited_share = self.waited_for_cpu_s / self.elapsed_s if self.elapsed_s else 0.0
        if waited_share <= UNREAD_SHARE_MAX:
            return ""
        return (
            f"WARNING: the generator waited for a CPU for {min(waited_share, 1):.0%} of the time. "
            "Answers lay unread meanwhile. Over a Unix socket nobody knows how much of the "
            "times was the server's. Connect over TCP to see it, or give the generator CPUs of "
            "its own\n"
        )

    def document(self, percentiles: Iterable[float]) -> dict[str, object]:
        """Return clients, and the times from begin to last answer, for JSON.

        Null is what is not known without the kernel's time of arrival.
        """
        is_known = self.unread_s or self.is_embedded
        service = self.service if is_known else Histogram()
        return {
            "clients": {
                "asked": self.asked,
                "in_effect": self.in_effect,
                "accounted": self.accounted,
            },
            "unread_s": self.unread_s if is_known else None,
            "server_response_ms": {
                "mean": service.mean_ns / 1e6 if service.count else None,
                "max": finite(quantile_ms(service, 1.0)),
                "percentiles": {
                    f"{p:g}": finite(quantile_ms(service, p / 100)) for p in percentiles
                },
            },
        }
