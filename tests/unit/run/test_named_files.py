"""The texts that an experiment file names, and their copies in a result."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from dbdyno.errors import InputError
from dbdyno.run.named_files import named_files
from dbdyno.store.layout import FILES_DIRECTORY
from dbdyno.store.named_files import (
    INDEX_FILE,
    LARGEST_BYTES,
    NamedFile,
    keep_named_files,
    read_named_files,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "conf").mkdir()
    for name, text in {
        "my.cnf": "[mysqld]\ninnodb_buffer_pool_size = 1G\n",
        "secret.cnf": "[client]\npassword = planted\n",
        "conf/rules.yaml.j2": "password: {{ password }}\nnodes: 3\n",
        "start.sh": "#!/bin/sh\nexec server --password $PASSWORD\n",
        "table.csv": "threads,tps\n8,100\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "program.bin").write_bytes(b"\x7fELF\0\0\1")
    (tmp_path / "large.txt").write_text("x" * (LARGEST_BYTES + 1))
    return tmp_path


VALUES = {
    "experiment": "start.sh",
    "targets": {
        "a": {"mysql": {"option_file": "my.cnf", "basedir": "conf"}},
        "b": {"mysql": {"option_file": "secret.cnf", "set": {"port": 3306}}},
        "c": {
            "cluster": {
                "start": "sh -c './start.sh now' {folder}",
                "stop": ["./start.sh", "stop"],
                "files": {"rules.yaml": "conf/rules.yaml.j2"},
            }
        },
    },
    "hooks": {"before_run": "program.bin large.txt my.cnf 'unclosed"},
    "factors": {"option_file": {"levels": ["my.cnf", "gone.cnf"]}},
    "report": {"published": [{"files": ["table.csv"]}]},
}


def test_each_text_is_found_once_by_the_name_that_the_file_has(folder: Path) -> None:
    found = named_files(VALUES, folder)
    assert [each.name for each in found] == [
        "my.cnf",
        "secret.cnf",
        "./start.sh",
        "conf/rules.yaml.j2",
    ]
    by_name = {each.name: each for each in found}
    text = (folder / "my.cnf").read_text()
    assert by_name["my.cnf"] == NamedFile("my.cnf", hashlib.sha256(text.encode()).hexdigest(), text)
    assert by_name["secret.cnf"].text is None
    assert by_name["conf/rules.yaml.j2"].text is not None


def test_templates_that_a_template_imports_are_named_too(folder: Path) -> None:
    (folder / "conf/tables.j2").write_text("{% include 'more.j2' %}\n")
    (folder / "conf/more.j2").write_text('{% from "tables.j2" import columns %}\n')
    (folder / "conf/rules.yaml.j2").write_text('{% import "tables.j2" as t with context %}\n')
    values = {"setup": {"storage": "conf/rules.yaml.j2"}}
    assert [each.name for each in named_files(values, folder)] == [
        "conf/rules.yaml.j2",
        "conf/tables.j2",
        "conf/more.j2",
    ]


def test_copies_are_read_back_and_a_secret_is_nowhere(folder: Path, tmp_path: Path) -> None:
    result = tmp_path / "result"
    result.mkdir()
    assert read_named_files(result) is None
    found = named_files(VALUES, folder)
    keep_named_files(result, found)
    assert read_named_files(result) == tuple(found)
    assert not any(b"planted" in path.read_bytes() for path in result.rglob("*") if path.is_file())
    keep_named_files(result, found[:1])
    assert read_named_files(result) == tuple(found[:1])
    keep_named_files(result, ())
    assert read_named_files(result) is None


@pytest.mark.parametrize("file", ["../my.cnf", "/etc/passwd", "files.json", ""])
def test_an_index_that_names_other_files_is_damaged(
    file: str, folder: Path, tmp_path: Path
) -> None:
    result = tmp_path / "result"
    result.mkdir()
    keep_named_files(result, named_files(VALUES, folder))
    index = result / FILES_DIRECTORY / INDEX_FILE
    index.write_text(index.read_text().replace('"1"', f'"{file}"'))
    with pytest.raises(InputError, match="is damaged"):
        read_named_files(result)


def test_a_link_in_the_place_of_a_copy_is_not_followed(folder: Path, tmp_path: Path) -> None:
    result = tmp_path / "result"
    result.mkdir()
    keep_named_files(result, named_files(VALUES, folder))
    copy = result / FILES_DIRECTORY / "1"
    copy.unlink()
    copy.symlink_to(folder / "secret.cnf")
    with pytest.raises((InputError, OSError)):
        read_named_files(result)
