"""A search as it is written: what is looked for, between which bounds, and with which limit."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from dbdyno.experiment.file.base import FileModel
from dbdyno.experiment.file.quantity import Duration, Share

_Limit = Annotated[Duration, Field(gt=0)]


class ResponseLimit(FileModel):
    """A response time that a share of all transactions must keep; exactly one of these."""

    p50_s: _Limit | None = Field(
        default=None, alias="p50", description="The median of response times.", examples=["10ms"]
    )
    p90_s: _Limit | None = Field(
        default=None, alias="p90", description="Their 90th percentile.", examples=["20ms"]
    )
    p95_s: _Limit | None = Field(
        default=None, alias="p95", description="Their 95th percentile.", examples=["50ms"]
    )
    p99_s: _Limit | None = Field(
        default=None, alias="p99", description="Their 99th percentile.", examples=["100ms"]
    )

    def chosen(self) -> list[tuple[float, float]]:
        """Return the quantiles that are given, with their limits in seconds."""
        limits = {0.5: self.p50_s, 0.9: self.p90_s, 0.95: self.p95_s, 0.99: self.p99_s}
        return [(quantile, limit_s) for quantile, limit_s in limits.items() if limit_s is not None]


class Search(FileModel):
    """How many clients give the highest throughput, found in far fewer trials than a grid has."""

    knee: Literal["load.clients"] = Field(description="What is searched: load.clients.")
    low: int = Field(default=1, ge=1, alias="from", description="The fewest clients.")
    high: int = Field(
        ge=2, le=1_000_000, alias="to", description="The most clients.", examples=[256]
    )
    response_limit: ResponseLimit | None = Field(
        default=None,
        description="Find also how many clients still keep this response time, as in {p95: 50ms}.",
        examples=[{"p95": "50ms"}],
    )
    rate: Annotated[Share, Field(gt=0)] | None = Field(
        default=None,
        description="Then measure at this share of the highest throughput, as in 70%, with Poisson "
        "arrivals (open loop) and the clients that gave it, for so many rounds.",
        examples=["70%"],
    )
