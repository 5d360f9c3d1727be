"""What a server needs to be a node of Galera: its library, its options, and its certificate.

Who has no certificate of the cluster's authority joins nothing and is sent nothing: nodes speak TLS
with each other and look at both ends' certificates. The copy of all data that a new node gets goes
through ``stunnel`` with the same certificates.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.target.local.directory import write_secret
from dbdyno.target.local.files import make_private_folder

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


def require_encrypted_copies() -> None:
    """``InputError`` where others could read a copy of the data, or give another one.

    That is also on a loopback address: the rsync that waits for the copy knows no password.
    """
    if shutil.which("stunnel") is None:
        raise InputError(
            "galera: nodes copy their data through the program stunnel, which is not there; "
            "without it anybody on this machine could write to a new node's data; install it (in "
            "Debian and Ubuntu the package stunnel4)"
        )


@dataclass(frozen=True)
class Membership:
    """How a server is a node of a cluster; certificates and key are in PEM, and of one start."""

    options: tuple[str, ...]
    provider_options: str
    authority: str
    certificate: str
    key: str

    def write(self, directory: Path) -> None:
        """Write the certificates into a server's directory."""
        make_private_folder(_folder(directory))
        for name, text in self._files().items():
            write_secret(_folder(directory) / name, text)

    def command_line(self, directory: Path) -> list[str]:
        """Return the server's options."""
        folder = _folder(directory)
        encryption = (
            f"socket.ssl=YES;socket.ssl_ca={folder / _AUTHORITY};"
            f"socket.ssl_cert={folder / _CERTIFICATE};socket.ssl_key={folder / _KEY}"
        )
        return [*self.options, f"--wsrep-provider-options={self.provider_options};{encryption}"]

    def option_group(self, directory: Path) -> str:
        """Return the group of the option file that says how data are copied to a new node."""
        folder = _folder(directory)
        return (
            f"\n[sst]\ntca={folder / _AUTHORITY}\ntcert={folder / _CERTIFICATE}\n"
            f"tkey={folder / _KEY}\nssl-mode=VERIFY_CA\n"
        )

    def _files(self) -> dict[str, str]:
        return {_AUTHORITY: self.authority, _CERTIFICATE: self.certificate, _KEY: self.key}


_AUTHORITY, _CERTIFICATE, _KEY = "authority.pem", "node.pem", "node.key"


def _folder(directory: Path) -> Path:
    return directory / "galera"
