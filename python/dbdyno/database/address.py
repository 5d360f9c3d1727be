"""Where a database is reached: a URL, and the password beside it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Address:
    """A URL without the password, and the password."""

    url: str
    password: str | None

    @property
    def host_urls(self) -> tuple[str, ...]:
        """A URL for each of the hosts that it names."""
        # Imported here: a command's own mistakes are told without what this needs.
        from dbdyno.database.hosts import single_host_urls

        return single_host_urls(self.url)

    @property
    def kind(self) -> str:
        """As a target is called: mysql, postgresql or sqlite."""
        from dbdyno.database.url import database_of_url

        return database_of_url(self.url)
