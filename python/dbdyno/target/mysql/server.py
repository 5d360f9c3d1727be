"""A private MySQL or MariaDB server."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from dbdyno._native import Session
from dbdyno.database.session import open_session
from dbdyno.errors import InputError, RunError
from dbdyno.target.description import ServerDescription
from dbdyno.target.local.access import ADDRESS, Access, new_password
from dbdyno.target.local.confinement import Confinement
from dbdyno.target.local.directory import write_secret
from dbdyno.target.local.files import file_errors
from dbdyno.target.local.last_will import passing_folder
from dbdyno.target.local.launching import DATABASE, DEFAULT_ACCESS, USER
from dbdyno.target.local.private import PrivateServer
from dbdyno.target.local.process import run_for_answer
from dbdyno.target.local.transport import certificate_in
from dbdyno.target.local.validation import mysql_help, mysql_validation, settings_in_help
from dbdyno.target.mysql.binaries import MYSQL_5_7_6, Binaries
from dbdyno.target.mysql.data import MysqlDirectory
from dbdyno.target.mysql.description import describe_mysql, effective_settings
from dbdyno.target.mysql.galera import Membership, find_provider, require_encrypted_copies
from dbdyno.target.mysql.online import set_mysql_online
from dbdyno.target.mysql.options import (
    check_settings,
    network_options,
    option_file_text,
    own_settings,
    private_options,
    refuses_tcp,
    settings_in,
    socket_path,
)
from dbdyno.target.mysql.readback import adjusted_settings, not_shown

_HOSTS = (ADDRESS, "localhost")
"""Where our user comes from: over TCP, and over the socket."""
_ANY_HOSTS = ("%", "localhost")
"""Where it comes from where clients may be on other machines."""

ADMINISTRATOR = "dbdyno_admin"
"""Sets what clients may not; its password is known to nobody but this process."""

_ACCOUNTS_OF_THE_SERVER = (
    "mariadb.sys@localhost",
    "mysql.infoschema@localhost",
    "mysql.session@localhost",
    "mysql.sys@localhost",
)
"""Own the server's views and procedures. They are locked: nobody can sign on as one of them."""


class MysqlServer(PrivateServer):
    """A private server; ``option_file_text`` is the user's own option file, read once."""

    scheme = "mysql"
    stop_signal = signal.SIGTERM
    _binaries: Binaries

    def __init__(
        self,
        name: str,
        directory: Path,
        binaries: Binaries,
        *,
        option_file_text: str = "",
        confinement: Confinement,
        access: Access = DEFAULT_ACCESS,
    ) -> None:
        self._directory = MysqlDirectory(directory, binaries)
        super().__init__(name, self._directory, confinement, access)
        self._binaries = binaries
        self._user_options = option_file_text
        self._administrator_password = ""
        self._membership: Membership | None = None

    def find_provider(self, written: bool | str) -> str:
        """Return the path of Galera's library; ``InputError`` where a node cannot run here."""
        require_encrypted_copies()
        return str(find_provider(written))

    def join(self, membership: Membership) -> None:
        """Have the next start be a node of a Galera cluster."""
        self._membership = membership
        # For root, the rsync of a state transfer becomes another user, who may not read the data.
        self._directory.refuses_root = True

    @property
    def url(self) -> str:
        """The address of this start. Of MySQL it allows to ask for the key: the server is ours."""
        url = super().url
        if self._binaries.product == "MariaDB" or "?" in url:
            return url
        return f"{url}?get_server_public_key=true"

    @property
    def administrator(self) -> tuple[str, str]:
        """The URL and the password by which what clients may not is done; nobody else has it."""
        url = self.url.replace(f"//{USER}@", f"//{ADMINISTRATOR}@", 1)
        return url, self._administrator_password

    def _describe(self, session: Session) -> ServerDescription:
        return describe_mysql(session, str(self._directory.path))

    def _check_settings(self, settings: Mapping[str, str]) -> None:
        check_settings(settings)
        if self._access.transport != "socket" and refuses_tcp(self._user_options, settings):
            raise InputError(
                f"server {self.name}: with skip_networking it listens on no port, and clients are "
                f"to come in over {self._access.transport}; write transport: socket, or remove "
                "skip_networking"
            )

    def _validation(
        self, folder: Path, settings: Mapping[str, str]
    ) -> tuple[Sequence[str | Path], Path]:
        file = folder / "my.cnf"
        file.write_text(self._option_file_text(settings), errors="surrogateescape")
        return mysql_validation(self._binaries, file), file

    def read(self, settings: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """Have the program read the settings, and list all that it knows."""
        with passing_folder() as folder:
            _, file = self._validation(folder, settings)
            answer = run_for_answer(mysql_help(self._binaries, file), self._files.library_path)
        known = settings_in_help(answer)
        unseen = not_shown(settings, known)
        ignored = [name for name in unseen if self._directory.log_reader.ignores(answer, name)]
        return adjusted_settings(settings, known, ignored), known

    def _option_file_text(self, settings: Mapping[str, str]) -> str:
        return option_file_text(self._binaries.product, self._user_options, settings)

    def _prepare(self, settings: Mapping[str, str]) -> None:
        self._directory.claim()
        text = self._option_file_text(settings)
        if self._membership is not None:
            text += self._membership.option_group(self._directory.path)
        self._directory.write_option_file(text)
        self._directory.initialise()

    def _own_settings(self) -> frozenset[str]:
        return own_settings(self._binaries.product)

    def _optioned_settings(self) -> set[str]:
        return settings_in(self._user_options)

    def _give_password(self, password: str) -> None:
        self._administrator_password = new_password()
        hosts = _ANY_HOSTS if self._access.from_anywhere else _HOSTS
        statements = _statements_at_start(
            password,
            self._administrator_password,
            hosts,
            by_grant=self._binaries.is_mysql_before(MYSQL_5_7_6),
        )
        if self._membership is not None:
            # Each node does this by itself: what one replicates, another would do twice.
            statements = f"SET SESSION wsrep_on = OFF;\n{statements}"
        with file_errors(f"write to {self._directory.path}"):
            if self._membership is not None:
                self._membership.write(self._directory.path)
            write_secret(self._directory.init_file, statements)

    def _forget_password(self) -> None:
        self._directory.init_file.unlink(missing_ok=True)

    def _command(self, port: int) -> list[str | Path]:
        directory = self._directory
        return [
            self._binaries.server,
            f"--defaults-file={directory.option_file}",
            f"--datadir={directory.data}",
            f"--tmpdir={directory.temporary}",
            f"--log-error={directory.error_log}",
            f"--init-file={directory.init_file}",
            f"--secure-file-priv={directory.files}",
            "--skip-grant-tables=OFF",
            *private_options(self._binaries.basedir),
            *network_options(directory.path, port, self._access.address),
            *self._encryption(),
            *(self._membership.command_line(directory.path) if self._membership else ()),
        ]

    def _encryption(self) -> list[str]:
        if self._access.transport != "tls":
            return []
        made = certificate_in(self._directory.path)
        return [f"--ssl-cert={made.certificate}", f"--ssl-key={made.key}"]

    def _socket(self, port: int) -> Path:
        del port
        return socket_path(self._directory.path)

    def set_online(self, settings: Mapping[str, str]) -> None:
        """Set global variables, as a user who may; clients cannot."""
        self._check_settings(settings)
        with open_session(*self.administrator) as session:
            set_mysql_online(session, settings)
        self._settings |= settings

    def _read_back(self, settings: Mapping[str, str]) -> dict[str, str]:
        with self._session() as session:
            effective = effective_settings(session)
        unseen, log = not_shown(settings, effective), self._directory.log()
        reader = self._directory.log_reader
        if unseen and reader.names_errors(log):
            raise RunError(
                f"server {self.name} came up with errors, and does not show whether "
                f"{', '.join(sorted(unseen))} took: {self._log_reasons()}"
            )
        ignored = [name for name in unseen if reader.ignores(log, name)]
        return adjusted_settings(settings, effective, ignored)


def _statements_at_start(
    password: str, administrator_password: str, hosts: Sequence[str], *, by_grant: bool
) -> str:
    """Return what the server runs before it lets anybody in; each statement is one line.

    A new data directory has a root without a password, and may have users without a name and the
    database ``test``. MariaDB does not run what comes after a statement that failed, and lets
    clients in all the same. So others' accounts go first: who gets in with this password knows that
    they are gone.
    """
    own = [f"{user}@{host}" for user in (USER, ADMINISTRATOR) for host in hosts]
    kept = ", ".join(f"'{account}'" for account in (*own, *_ACCOUNTS_OF_THE_SERVER))
    users = [f"'{USER}'@'{host}'" for host in hosts]
    everyone = ", ".join(users)
    administrators = ", ".join(f"'{ADMINISTRATOR}'@'{host}'" for host in hosts)
    with_password = ", ".join(
        f"'{user}'@'{host}' IDENTIFIED BY '{secret}'"
        for user, secret in ((USER, password), (ADMINISTRATOR, administrator_password))
        for host in hosts
    )
    return "\n".join(
        [
            "SET @others = (SELECT GROUP_CONCAT(QUOTE(User), '@', QUOTE(Host)) FROM mysql.user "
            # A role of MariaDB has no host.
            f"WHERE Host <> '' AND CONCAT(User, '@', Host) NOT IN ({kept}));",
            "SET @drop = IF(@others IS NULL, 'DO 0', CONCAT('DROP USER ', @others));",
            "PREPARE drop_others FROM @drop;",
            "EXECUTE drop_others;",
            "DROP DATABASE IF EXISTS test;",
            # While it starts, MySQL would create it with its compiled collation.
            f"SET @create = CONCAT('CREATE DATABASE IF NOT EXISTS {DATABASE} CHARACTER SET ', "
            "@@GLOBAL.character_set_server, ' COLLATE ', @@GLOBAL.collation_server);",
            "PREPARE create_database FROM @create;",
            "EXECUTE create_database;",
            *(
                # It makes users that are not there.
                [f"GRANT USAGE ON *.* TO {with_password};"]
                if by_grant
                else [f"CREATE USER IF NOT EXISTS {with_password};", f"ALTER USER {with_password};"]
            ),
            f"GRANT ALL ON {DATABASE}.* TO {everyone};",
            # To be told what tables take on disk, what sessions wait for, and what plans rely on.
            f"GRANT PROCESS ON *.* TO {everyone};",
            f"GRANT SELECT ON performance_schema.* TO {everyone};",
            f"GRANT SELECT ON mysql.innodb_table_stats TO {everyone};",
            f"GRANT ALL ON *.* TO {administrators} WITH GRANT OPTION;",
            "",
        ]
    )
