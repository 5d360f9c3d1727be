"""What several generators did and suffered in an interval, as the health of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dbdyno._native import Histogram
from dbdyno.protocol.intervals import GeneratorHealth, SentHistogram


def merge_histograms(sent: Sequence[SentHistogram]) -> SentHistogram:
    """Return the histogram of everything that is in some."""
    merged = Histogram()
    for each in sent:
        merged.merge(Histogram.decode(each.text, each.overflow))
    return SentHistogram(merged.encode(), merged.overflow)


def merge_health(parts: Sequence[GeneratorHealth]) -> GeneratorHealth:
    """Return CPU time and counts of all together; of shares and pauses, the worst of any."""
    loop_lag = merge_histograms([part.loop_lag_histogram for part in parts])
    return GeneratorHealth(
        user_s=sum(part.user_s for part in parts),
        system_s=sum(part.system_s for part in parts),
        busiest_worker_share=max(part.busiest_worker_share for part in parts),
        run_queue_delay_s=sum(part.run_queue_delay_s for part in parts),
        longest_pause_s=_largest(part.longest_pause_s for part in parts),
        paused_s=_largest(part.paused_s for part in parts),
        napped_s=sum(part.napped_s or 0.0 for part in parts),
        naps=sum(part.naps or 0 for part in parts),
        voluntary_switches=sum(part.voluntary_switches for part in parts),
        involuntary_switches=sum(part.involuntary_switches for part in parts),
        clock_clamps=sum(part.clock_clamps or 0 for part in parts),
        loop_lag=loop_lag.text,
        loop_lag_overflow=loop_lag.overflow,
    )


def _largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
