"""A pooler, really run: PgBouncer, which gives each client or each transaction a connection."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.live.engine.fixed_server import FixedServer, PostgreSql, as_user
from tests.live.tpcc_commands.conftest import dbdyno, must
from tests.live.tpcc_commands.test_layers import MOMENT

SETTINGS = """\
[databases]
test = host=127.0.0.1 port={server.port} dbname=test
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = trust
auth_file = {directory}/users
pool_mode = {mode}
default_pool_size = {connections}
server_round_robin = {takes_turns:d}
"""
NOT_PREPARED = (
    "; a pooler that gives each transaction another of the server's connections",
    "send text (protocol: text; pgbench's -M simple; sysbench's --db-ps-mode=disable)",
)


class PgBouncer(FixedServer):
    """A pooler in front of a server."""

    scheme = "postgresql"

    def __init__(
        self,
        programs: Path,
        server: FixedServer,
        mode: str,
        connections: int = 20,
        *,
        takes_turns: bool = False,
    ) -> None:
        self._programs = programs
        self._server = server
        self._mode = mode
        self._connections = connections
        self._takes_turns = takes_turns
        super().__init__()

    def initialise(self) -> None:
        """Write what it reads."""
        settings = SETTINGS.format(
            server=self._server,
            port=self.port,
            directory=self.directory,
            mode=self._mode,
            connections=self._connections,
            takes_turns=self._takes_turns,
        )
        (self.directory / "users").write_text('"postgres" ""\n"reader" ""\n')
        (self.directory / "settings").write_text(settings)
        # Nor does it run for root, and others may not look into the build.
        for file in self._programs.iterdir():
            shutil.copy(file, self.directory, follow_symlinks=False)
        if os.geteuid() == 0:
            shutil.chown(self.directory, "postgres", "postgres")
        self.environment = {"LD_LIBRARY_PATH": str(self.directory)}

    def command(self) -> Sequence[str | Path]:
        """Return it with all that it needs."""
        program = self.directory / "pgbouncer"
        return [*as_user("postgres"), program, "--quiet", self.directory / "settings"]


@pytest.mark.live
def test_clients_that_keep_their_connection_notice_nothing(pgbouncer: Path) -> None:
    with PostgreSql() as server, PgBouncer(pgbouncer, server, "session") as pooler:
        must("tpcc", "load", pooler.url(), "-w", "1")
        for protocol in ("prepared", "text", "multi"):
            sent = ("--protocol", protocol, "--isolation", "repeatable_read")
            said = must("tpcc", "run", pooler.url(), *MOMENT, *sent).output
            assert "isolation repeatable read" in said
            assert "Held against what is stored: all that was acknowledged is stored" in said
        assert must("tpcc", "check", pooler.url()).output.endswith("All hold.\n")


@pytest.mark.live
@pytest.mark.parametrize(("connections", "takes_turns"), [(1, False), (3, False), (3, True)])
def test_what_does_not_last_with_a_connection_for_each_transaction_is_refused(
    pgbouncer: Path, connections: int, takes_turns: bool
) -> None:
    with (
        PostgreSql() as server,
        PgBouncer(pgbouncer, server, "transaction", connections, takes_turns=takes_turns) as pooler,
    ):
        must("tpcc", "load", pooler.url(), "-w", "1")
        said = must("tpcc", "run", pooler.url(), *MOMENT, "--protocol", "text").output
        assert "Held against what is stored: all that was acknowledged is stored" in said
        assert must("tpcc", "check", pooler.url()).output.endswith("All hold.\n")
        said = must("tpcc", "run", pooler.url(), *MOMENT, "--protocol", "extended").output
        assert "Held against what is stored: all that was acknowledged is stored" in said
        must("pgbench", "-i", "-U", "postgres", pooler.url())
        for mode in ("extended", "simple"):
            words = ("-n", "-c3", "-t50", "-M", mode, pooler.url())
            said = must("pgbench", "-U", "postgres", *words).output
            assert f"query mode: {mode}" in said
            assert "number of transactions actually processed: 150/150" in said
        # Also one client alone, whose statements nobody meets before the next run.
        for clients in (("--terminals", "1"), ()):
            refused = dbdyno("tpcc", "run", pooler.url(), *MOMENT, *clients)
            assert refused.status == 1
            assert all(part in refused.errors for part in NOT_PREPARED), refused.errors
        text = ("--protocol", "text", "--isolation", "serializable")
        for clients in (("--terminals", "1"), ()):
            refused = dbdyno("tpcc", "run", pooler.url(), *MOMENT, *clients, *text)
            assert refused.status == 1
            assert "a pooler gives each transaction another of the server's" in refused.errors


@pytest.mark.live
def test_limits_of_time_are_lifted_where_a_session_lasts(pgbouncer: Path) -> None:
    with PostgreSql() as server, PgBouncer(pgbouncer, server, "session") as pooler:
        server.query("ALTER DATABASE test SET statement_timeout = '3ms'")
        must("tpcc", "load", pooler.url(), "-w", "1")
        assert must("tpcc", "check", pooler.url()).output.endswith("All hold.\n")


@pytest.mark.live
@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_rows_that_a_policy_hides_are_not_taken_for_lost(pgbouncer: Path, mode: str) -> None:
    with PostgreSql() as server, PgBouncer(pgbouncer, server, mode, 3) as pooler:
        must("tpcc", "load", server.url(), "-w", "1")
        server.query("CREATE USER reader")
        server.query("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
        reader = pooler.url().replace("://", "://reader@")
        assert must("tpcc", "check", reader).output.endswith("All hold.\n")
        server.query("CREATE POLICY odd ON new_order USING (no_o_id % 2 = 1)")
        server.query("ALTER TABLE new_order ENABLE ROW LEVEL SECURITY")
        refused = dbdyno("tpcc", "check", reader)
        assert refused.status != 0
        said = refused.output + refused.errors
        assert "row-level security" in said
        assert "violated" not in said
