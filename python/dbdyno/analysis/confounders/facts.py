"""What is known of a trial, aspect by aspect: which server answered, how, and with what data.

A fact is text that can be held against another trial's, and None where nobody has looked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl, urlsplit

from dbdyno.analysis.confounders.meaning import MEANINGS, UNKNOWN_DURABILITY
from dbdyno.analysis.confounders.model import NONE, NOT_OF_UNLIKE_PRODUCTS, Aspect
from dbdyno.analysis.confounders.schema import columns_of, keys_of, storage_of
from dbdyno.analysis.session_summary import isolation_of
from dbdyno.analysis.targets import TLS_PARAMETERS, cpus_of, transport_of
from dbdyno.store.model import StoredTrial


def _driver(trial: StoredTrial) -> str | None:
    """Return the driver's options in a URL; those of SQLite are settings, and compared as such."""
    url = urlsplit(trial.url)
    if url.scheme == "sqlite":
        return None
    options = sorted(parse_qsl(url.query))
    return " ".join(
        f"{name}={value}"
        for name, value in options
        if name not in (*TLS_PARAMETERS, *_OF_TRANSPORT, *_OF_SIGN_ON)
    )


_OF_SIGN_ON = ("get_server_public_key", "get-server-public-key", "allowPublicKeyRetrieval")
"""They are over before the first statement."""
_OF_TRANSPORT = ("socket", "ssl_ca", "ssl-ca", "sslrootcert")


def _cpu_limit(trial: StoredTrial) -> str | None:
    return _limit(trial.server.control_group.control_group_cpu_limit_cores)


def _memory_limit(trial: StoredTrial) -> str | None:
    return _limit(trial.server.control_group.control_group_memory_limit_bytes)


def _limit(limit: float | str | None) -> str | None:
    """Return a limit of a control group; the record has a word where there is none."""
    if isinstance(limit, str):
        return NONE
    return None if limit is None else f"{limit:.15g}"


def _file_system(trial: StoredTrial) -> str | None:
    place = trial.server.data_file_system
    if place is None:
        return None
    known = (place.type, place.disks, place.mount_options)
    return " ".join(filter(None, known)) or None


def _durability(trial: StoredTrial) -> str | None:
    """Return what the server promises; None where its settings do not say that."""
    told = trial.server.durability
    return None if told == UNKNOWN_DURABILITY else told


def _generators(trial: StoredTrial) -> str:
    return str(len(trial.generator_plan.generators) or 1)


FACTS: Mapping[Aspect, Callable[[StoredTrial], str | None]] = {
    Aspect.PRODUCT: lambda trial: trial.server.product,
    Aspect.VERSION: lambda trial: trial.server.version,
    Aspect.BUILD: lambda trial: trial.server.build,
    Aspect.FRONT: lambda trial: trial.connected.server_version if trial.connected else None,
    Aspect.DURABILITY: _durability,
    Aspect.ISOLATION: isolation_of,
    Aspect.COLLATION: lambda trial: trial.server.collation,
    Aspect.TRANSPORT: transport_of,
    Aspect.PROTOCOL: lambda trial: trial.generator_plan.protocol,
    Aspect.DRIVER: _driver,
    Aspect.DATASET: lambda trial: trial.dataset.fingerprint,
    Aspect.KEYS: keys_of,
    Aspect.COLUMNS: columns_of,
    Aspect.STORAGE: storage_of,
    Aspect.START: lambda trial: trial.dataset.start,
    Aspect.CACHES: lambda trial: trial.dataset.caches.condition,
    Aspect.CPUS: cpus_of,
    Aspect.CPU_LIMIT: _cpu_limit,
    Aspect.MEMORY_LIMIT: _memory_limit,
    Aspect.FILE_SYSTEM: _file_system,
    Aspect.GENERATORS: _generators,
}

FACTS_OF_UNLIKE_PRODUCTS: Mapping[Aspect, Callable[[StoredTrial], str | None]] = {
    **{aspect: find for aspect, find in FACTS.items() if aspect not in NOT_OF_UNLIKE_PRODUCTS},
    **MEANINGS,
}
"""What two trials are compared by whose servers have no setting in common."""
