"""Galera's library, which a node of a cluster loads."""

from __future__ import annotations

from pathlib import Path

from dbdyno.errors import InputError

USUAL_PROVIDERS = (
    "/usr/lib/galera/libgalera_smm.so",
    "/usr/lib64/galera-4/libgalera_smm.so",
    "/usr/lib/galera-4/libgalera_smm.so",
    "/usr/lib64/galera/libgalera_smm.so",
)


def find_provider(written: bool | str) -> Path:
    """Return Galera's library, where the file names it or in a usual place."""
    places = USUAL_PROVIDERS if written is True else (str(written),)
    found = next((Path(place) for place in places if Path(place).is_file()), None)
    if found is None:
        raise InputError(
            f"galera: there is no {' and no '.join(places)}; install Galera (in Debian and Ubuntu "
            "the package galera-4), or write galera: /path/to/libgalera_smm.so"
        )
    return found
