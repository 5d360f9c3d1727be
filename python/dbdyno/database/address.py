"""Where a database is reached: a URL, and the password beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Address:
    """A URL without the password, and the password.

    ``by_name`` are those of its hosts that plans call by a name, with the names before them.
    """

    url: str
    password: str | None
    by_name: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    @property
    def host_urls(self) -> tuple[str, ...]:
        """A URL for each of the hosts that it names."""
        # Imported here: a command's own mistakes are told without what this needs.
        from dbdyno.database.hosts import single_host_urls

        return single_host_urls(self.url)

    def of_hosts(self, names: Iterable[str]) -> str:
        """Return the URL with some of its hosts, as it has them or by their names."""
        from dbdyno.database.hosts import take_apart

        hosts = tuple(self.by_name.get(name, name) for name in names)
        return take_apart(self.url).with_hosts(hosts)

    @property
    def kind(self) -> str:
        """As a target is called: mysql, postgresql or sqlite."""
        from dbdyno.database.url import database_of_url

        return database_of_url(self.url)

    @property
    def is_embedded(self) -> bool:
        """Whether clients do the database's work themselves, as with SQLite."""
        return self.kind == "sqlite"
