"""Trials that cannot begin: each says why, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbdyno._native import Session
from tests.live.engine.fixed_server import FixedServer
from tests.live.faults.servers import MAX_CONNECTIONS, PASSWORD, told, user_url
from tests.live.faults.trials import Trial, assert_that_all_is_accounted_for, refusal

pytestmark = pytest.mark.live


def test_more_clients_than_the_server_takes(server: FixedServer) -> None:
    clients = MAX_CONNECTIONS + 10
    message = refusal(user_url(server), PASSWORD, clients=clients)
    says = {
        "mysql": "Too many connections (error 1040",
        "postgresql": "(SQLSTATE 53300)",
    }
    assert says[server.scheme] in message
    assert f"of {clients} could not connect and prepare" in message
    assert "; raise max_connections" in message
    assert message.endswith("of the server, or use fewer clients")


def test_more_prepared_statements_than_the_server_keeps(mariadb: FixedServer) -> None:
    change = ["SET GLOBAL max_prepared_stmt_count = 10"]
    back = ["SET GLOBAL max_prepared_stmt_count = DEFAULT"]
    with told(mariadb, change, back):
        message = refusal(mariadb.url(), clients=8)
    assert "Can't create more than max_prepared_stmt_count statements" in message
    assert "raise max_connections (or max_prepared_stmt_count) of the server" in message


def test_a_wrong_password(server: FixedServer) -> None:
    message = refusal(user_url(server), "not-" + PASSWORD)
    says = {
        "mysql": "Access denied for user 'guarded'@'127.0.0.1' (using password: YES) (error 1045",
        "postgresql": 'password authentication failed for user "guarded" (SQLSTATE 28P01)',
    }
    assert says[server.scheme] in message
    assert message.endswith("; check user, password and database")
    assert PASSWORD not in message


def test_a_certificate_of_a_stranger(server: FixedServer, certificates: Path) -> None:
    verified = f"{server.url()}?ssl_mode=verify_ca&ssl_ca={certificates}"
    Session.connect(f"{verified}/ca.pem").close()
    message = refusal(f"{verified}/stranger.pem")
    assert "could not connect and prepare: TLS: invalid peer certificate: UnknownIssuer" in message
    assert message.endswith("; check ssl_mode and ssl_ca, and the server's certificate")


def test_encrypted_trials(server: FixedServer, certificates: Path) -> None:
    trial = Trial(f"{server.url()}?ssl_mode=verify_ca&ssl_ca={certificates}/ca.pem")
    trial.wait_until_it_commits()
    assert_that_all_is_accounted_for(trial.stop())
