"""How clients reach a private server: TCP, its Unix socket, or TCP with TLS."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from dbdyno.errors import InputError, RunError
from dbdyno.experiment.file.target import Transport
from dbdyno.password import environment
from dbdyno.target.local.files import file_errors, make_private_folder

_CERTIFICATE_LIMIT_S = 60.0
_SUBJECT = "/CN=dbdyno"
_VALID_DAYS = "3650"


@dataclass(frozen=True)
class Certificate:
    """A certificate that a server signed for itself, with its key."""

    certificate: Path
    key: Path


def certificate_in(directory: Path) -> Certificate:
    """Return where a server has its certificate."""
    folder = directory / "tls"
    return Certificate(folder / "server.pem", folder / "server.key")


def check_transport(transport: Transport, socket: Path, bytes_max: int) -> None:
    """Refuse a transport that this machine, or the place of the server, does not allow."""
    if transport == "socket" and len(os.fsencode(socket)) > bytes_max:
        raise InputError(
            f"transport: the path of the socket, {socket}, has more than {bytes_max} "
            "bytes; use a shorter --out"
        )
    if transport == "tls" and shutil.which("openssl") is None:
        raise InputError(
            "transport: tls needs the program openssl, which makes the server's certificate; "
            "install it (in Debian and Ubuntu the package openssl)"
        )


def address_options(transport: Transport, socket: Path) -> str:
    """Return what stands behind the database in a URL."""
    if transport == "socket":
        return f"?socket={quote(str(socket))}"
    return "?ssl_mode=required" if transport == "tls" else ""


def make_certificate(directory: Path) -> Certificate:
    """Make a server's certificate, unless it is there."""
    made = certificate_in(directory)
    if made.certificate.exists():
        return made
    with file_errors(f"write to {directory}"):
        make_private_folder(made.key.parent)
    unfinished = made.certificate.with_suffix(".unfinished")
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    words += ["-nodes", "-days", _VALID_DAYS, "-subj", _SUBJECT]
    done = subprocess.run(
        [*words, "-keyout", str(made.key), "-out", str(unfinished)],
        capture_output=True,
        text=True,
        timeout=_CERTIFICATE_LIMIT_S,
        env=environment(),
        check=False,
    )
    if done.returncode != 0:
        raise RunError(f"openssl cannot make a certificate: {done.stderr.strip()}")
    with file_errors(f"write to {directory}"):
        made.key.chmod(0o600)
        unfinished.rename(made.certificate)
    return made
