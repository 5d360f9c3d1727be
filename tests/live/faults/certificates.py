"""Certificates for servers that encrypt."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.live.engine.fixed_server import FixedServer, MariaDb

SCRIPT = """
key() { openssl ecparam -name prime256v1 -genkey -noout -out $1.key; }
for name in ca stranger; do
    key $name
    openssl req -x509 -key $name.key -out $name.pem -subj /CN=$name -days 2 \
        -addext basicConstraints=critical,CA:TRUE
done
key server
openssl req -key server.key -new -out server.csr -subj /CN=server
printf 'subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n' > extensions
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial \
    -out server.pem -days 2 -extfile extensions
"""
"""An authority (``ca``), a certificate of its (``server``), and another authority."""


def make_certificates(directory: Path) -> None:
    """Make ``ca.pem``, ``server.pem`` with ``server.key``, and ``stranger.pem``."""
    subprocess.run(["sh", "-ec", SCRIPT], cwd=directory, check=True, capture_output=True)


def certify(server: FixedServer, directory: Path) -> None:
    """Have a server offer encryption from its next start on."""
    data = server.directory / "data"
    owner = data.stat()
    for name in ("server.pem", "server.key"):
        shutil.copy(directory / name, data)
        shutil.chown(data / name, owner.st_uid, owner.st_gid)
        (data / name).chmod(0o600)
    if isinstance(server, MariaDb):
        options = [f"--ssl-cert={data}/server.pem", f"--ssl-key={data}/server.key"]
    else:
        options = ["ssl=on", "ssl_cert_file=server.pem", "ssl_key_file=server.key"]
    server.options = (*server.options, *options)
