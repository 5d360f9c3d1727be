"""The directory of a private MySQL or MariaDB server, and how its data directory comes to be.

::

    DIRECTORY/my.cnf        option file of the last start
    DIRECTORY/tmp/          temporary tables and files
    DIRECTORY/files/        the only folder that statements read files from and write files to
"""

from __future__ import annotations

from pathlib import Path

from dbdyno.errors import InputError
from dbdyno.target.local.directory import ServerDirectory
from dbdyno.target.local.error_log import MYSQL_LOG
from dbdyno.target.local.files import file_errors, make_private_folder, remove_folder
from dbdyno.target.mysql.binaries import MYSQL_5_7_6, Binaries
from dbdyno.target.mysql.options import plugin_folder_in, private_options

_OPTION_FILE = "my.cnf"

_SYSTEM_TABLES = ("mysql_system_tables.sql", "mysql_system_tables_data.sql", "fill_help_tables.sql")
"""What the installer of MySQL before 5.7.6 has the server carry out. It is a script in Perl that
asks for the name of the machine; the statements take neither."""


class MysqlDirectory(ServerDirectory):
    """Names the files of one server, and makes them where they are not there yet."""

    # MySQL's is the larger one, with 200 MB and its redo log; MariaDB's has 60 MB.
    empty_data_bytes = 300_000_000
    log_reader = MYSQL_LOG

    def __init__(self, path: Path, binaries: Binaries) -> None:
        super().__init__(path, binaries.product, binaries.version, binaries.library_path)
        self.temporary = self.path / "tmp"
        self.files = self.path / "files"
        self.init_file = self.path / "init.sql"
        self.option_file = self.path / _OPTION_FILE
        self._binaries = binaries

    def write_option_file(self, text: str) -> None:
        """Write what the next start reads, and give it an empty folder for temporary files."""
        remove_folder(self.temporary)
        with file_errors(f"write to {self.path}"):
            self.option_file.write_text(text, errors="surrogateescape")
            make_private_folder(self.temporary)
            make_private_folder(self.files)

    def make_data(self, data: Path, log: Path) -> None:
        """Make a data directory with its system tables, and accounts that the first start drops."""
        doing = f"make a data directory in {self.path}"
        if self._binaries.is_mysql_before(MYSQL_5_7_6):
            statements = self.path / "system_tables.sql"
            with file_errors(f"write to {self.path}"):
                statements.write_bytes(_system_tables(self._binaries))
                (data / "mysql").mkdir(parents=True)
            self.run_to_end(self._bootstrap(data), log, doing, standard_input=statements)
            statements.unlink()
        else:
            self.run_to_end(self._initialise_command(data, log), log, doing)

    def _bootstrap(self, data: Path) -> list[str | Path]:
        """Return the command that carries out statements without listening."""
        installation = self._binaries
        return [
            installation.server,
            f"--defaults-file={self.option_file}",
            "--bootstrap",
            f"--datadir={data}",
            f"--tmpdir={self.temporary}",
            # As MySQL's own installer has it: the statements are long, and name no engine.
            "--default-storage-engine=MyISAM",
            "--max-allowed-packet=8M",
            *private_options(installation.basedir),
        ]

    def _initialise_command(self, data: Path, log: Path) -> list[str | Path]:
        """Return the command; the installer is a shell script to which relative paths are safe."""
        installation = self._binaries
        if installation.installer is None:
            program: list[str | Path] = [installation.server, f"--defaults-file={self.option_file}"]
            own = ["--initialize-insecure", f"--log-error={log}"]
        else:
            program = [installation.installer, f"--defaults-file={_OPTION_FILE}"]
            # It refuses a machine whose name nobody knows, unless forced. It makes accounts of that
            # name, which the first start drops.
            own = ["--force", "--skip-log-error", *self._plugin_folder()]
        # In a folder that others use as well, each removes the others' temporary tables.
        own.append(f"--tmpdir={self.temporary}")
        return [*program, f"--datadir={data}", *own, *private_options(installation.basedir)]

    def _plugin_folder(self) -> list[str]:
        """Return the option for another folder of plug-ins: the usual one needs none."""
        folder = plugin_folder_in(self.option_file.read_text(errors="surrogateescape"))
        return [] if folder is None else [f"--plugin-dir={folder}"]


def _system_tables(binaries: Binaries) -> bytes:
    """Return the statements that make them; ``InputError`` where the installation lacks them."""
    basedir = binaries.basedir or binaries.server.parent.parent
    folders = [basedir / folder for folder in ("share", "share/mysql")]
    folder = next((each for each in folders if (each / _SYSTEM_TABLES[0]).is_file()), None)
    if folder is None:
        raise InputError(
            f"{binaries.server} is MySQL {binaries.version}, whose system tables are made from "
            f"{_SYSTEM_TABLES[0]}, and that is in none of {', '.join(map(str, folders))}; install "
            "all of the server, and set basedir to where it is"
        )
    files = [(folder / name).read_bytes() for name in _SYSTEM_TABLES]
    return b"\n".join([b"USE mysql;", *files, b""])
