"""What servers say of themselves, in one form for all of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from dbdyno.database.secrets import shown_setting
from dbdyno.facts.storage import FileSystem
from dbdyno.target.durability import Durability


@dataclass(frozen=True)
class ServerComponent:
    """Something that a running server has loaded: a plug-in, an extension, a module, a library.

    ``library`` is the file that it came from; None where it is a part of the server itself.
    """

    name: str
    kind: str
    version: str = ""
    library: str | None = None


@dataclass(frozen=True)
class MemberDescription:
    """A server of a cluster, with what it says that it is: product and version, in its own words.

    ``words`` are empty where it does not tell. ``address`` is ``host:port``, which may be another
    one at each start.
    """

    name: str
    role: str
    words: str
    address: str = ""


@dataclass(frozen=True)
class ServerDescription:
    """What a running server says of itself.

    ``settings`` are the effective values by the server's own names. ``adjusted_settings`` has the
    settings that were asked for and that the server shows with another value, or not at all, as
    they were asked. ``chosen_settings`` are the names of those that somebody has set: all others
    are defaults of the version, or follow from others; None where the server does not tell.
    ``cpus`` are the CPUs that it was bound to, empty where it may use all, and ``numa_nodes`` the
    nodes whose memory it takes. ``file_sizes_bytes`` has
    a size for each file and each folder at the top of its data. ``version_comment`` and ``build``
    are its own words; ``character_set`` and ``collation`` those of the database that is used.
    ``data_directory`` is where its data are, where that is on this machine, and
    ``data_file_system`` what that lies on, where somebody has looked.

    Of several hosts among which clients are spread, or nodes behind a layer, the first that
    answers stands for all; product and version are the layer's. ``hosts`` has each with its product
    and version, or with the error that it gave instead; ``host_differences`` has the settings in
    which they are not alike, by setting and host. ``members`` are all servers of a cluster, also
    those that speak no SQL. ``command_output`` is what the target's own command has said of it.
    """

    product: str
    version: str
    settings: dict[str, str]
    durability: Durability
    adjusted_settings: dict[str, str] = field(default_factory=dict)
    chosen_settings: list[str] | None = None
    cpus: tuple[int, ...] = ()
    numa_nodes: tuple[int, ...] = ()
    file_sizes_bytes: dict[str, int] = field(default_factory=dict)
    hosts: list[dict[str, str]] = field(default_factory=list)
    host_differences: dict[str, dict[str, str]] = field(default_factory=dict)
    version_comment: str | None = None
    build: str | None = None
    components: tuple[ServerComponent, ...] = ()
    character_set: str | None = None
    collation: str | None = None
    data_directory: str | None = None
    data_file_system: FileSystem | None = None
    command_output: str = ""
    members: tuple[MemberDescription, ...] = ()


def comparable_settings(
    settings: Mapping[str, str], own_to_each_server: Collection[str], directory: str | None
) -> dict[str, str]:
    """Return settings without what must differ between servers that are set alike.

    ``directory`` is where a private server keeps everything; it is shown as ``.``. Some settings,
    such as PostgreSQL's primary_conninfo, hold secrets, which are masked.
    """
    return {
        name: shown_setting(name, value.replace(directory, ".") if directory else value)
        for name, value in settings.items()
        if name not in own_to_each_server
    }
