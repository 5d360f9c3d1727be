"""``dbdyno audit`` as a user calls it: what it prints, and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dbdyno.cli.main import app
from dbdyno.errors import InputError
from tests.plain import plain

PUBLISHED = Path(__file__).parents[3] / "experiments" / "published" / "figures"
HONEST = "system,threads,tps\nA,8,100\nA,16,200\nB,8,120\nB,16,250\n"


def call(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["audit", *map(str, words)])
    if isinstance(result.exception, InputError):
        raise result.exception
    return result.exit_code, result.stdout


def test_nothing_found_is_status_0(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(HONEST)
    status, said = call(tmp_path / "t.csv")
    assert status == 0
    assert said == "Nothing was found (1 table, 4 figures, 0 claims).\n"


UNKNOWN = "system,tps,score ratio\nA,100,73.1\nB,120,99.2\nC,150,88.4\nD,170,61.7\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "system,threads,tps,speedup\nA,8,100,1.0\nB,8,150,1.5\nC,8,250,2.5\n",
            "Nothing was found (1 table, 3 figures, 3 claims: 3 checked).",
        ),
        (UNKNOWN, "No claim could be checked (1 table, 4 figures, 4 claims: 0 checked, 4 not)."),
        (
            "system,tps,speedup,score ratio\nA,100,1.0,73.1\nB,150,1.5,99.2\n"
            "C,250,2.5,88.4\nD,300,3.0,61.7\n",
            "Not all claims could be checked (1 table, 4 figures, 8 claims: 4 checked, 4 not). The "
            "others follow from the figures.",
        ),
        (
            "system,tps,speedup\nA,-100,1.0\nB,150,1.5\n",
            "1 finding (1 table, 2 figures, 2 claims: 0 checked, 2 not).",
        ),
    ],
)
def test_the_last_line_says_what_was_checked(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert " ".join(call(tmp_path / "t.csv")[1].split()).endswith(said)


def test_each_claim_that_was_not_checked_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(UNKNOWN)
    told = " ".join(call(tmp_path / "t.csv")[1].split())
    assert "t.csv: line 3, score ratio: 99.2 not checked: no figure of its column follows" in told
    said = json.loads(call(tmp_path / "t.csv", "--format", "json")[1])["claims"]
    assert (said["stated"], said["checked"]) == (4, 0)
    assert [each["line"] for each in said["unchecked"]] == [2, 3, 4, 5]
    assert {each["reason"] for each in said["unchecked"]} == {"no-pair", "nothing-follows"}


def test_a_finding_is_status_1_with_its_figures_and_what_is_right() -> None:
    status, said = call(*sorted(PUBLISHED.glob("greatsql-mysql-tpcc-*.csv")))
    assert status == 1
    assert "8 of 8 stated means leave rounds out" in plain(said)
    assert "leaves out rounds 3, 7, 8, the 3 lowest of 8" in plain(said)
    assert "Right: Give the mean of all rounds" in plain(said)


def test_wrong_input_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no table with figures"):
        call(tmp_path)


def test_a_folder_is_audited_as_its_files_are() -> None:
    folder = json.loads(call(PUBLISHED, "--format", "json")[1])
    files = json.loads(call(*sorted(PUBLISHED.glob("*.csv")), "--format", "json")[1])
    assert folder == files
    assert {each["code"] for each in folder["findings"]} >= {"rounds-left-out", "confounded"}


def test_json_says_what_could_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(HONEST.replace("250", "about 250"))
    status, said = call(tmp_path / "t.csv", "--format", "json")
    assert status == 0
    assert json.loads(said)["not_read"] == ["t.csv: line 5, tps: is no number and was passed over"]


def test_claims_without_their_figures_are_told() -> None:
    _, said = call(PUBLISHED / "greatsql-mysql-tpcc-claims.csv")
    assert "its claims belong to no table of this call" in plain(said)


def test_columns_describe_a_table_of_any_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(HONEST)
    (tmp_path / "d.yaml").write_text("claims: [{says: behind, subject: B, than: A}]\n")
    status, said = call(tmp_path / "t.csv", "--columns", tmp_path / "d.yaml")
    assert status == 1
    assert "holds in 0 of 2 cells" in plain(said)


def test_a_description_of_several_files_names_what_any_of_them_has(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(HONEST.replace("system", "flavour"))
    (tmp_path / "t-claims.csv").write_text("threads,claimed_tps_improvement_percent\n8,20\n16,25\n")
    (tmp_path / "d.yaml").write_text(
        "columns: {flavour: subject}\nclaims: [{says: behind, subject: B, than: A}]\n"
    )
    files = (tmp_path / "t.csv", tmp_path / "t-claims.csv", "--columns", tmp_path / "d.yaml")
    said = json.loads(call(*files, "--format", "json")[1])
    assert [each["code"] for each in said["findings"]] == ["holds-in-part"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("claims: [{says: behind, subject: Bee}]", "names 'Bee'; known: A, B"),
        ("claims: [{says: behind, subject: B, where: {thread: 8}}]", "did you mean 'threads'"),
        ("columns: {thread: load}", "names the column 'thread'; did you mean 'threads'"),
    ],
)
def test_a_description_of_what_no_file_has_is_refused(
    text: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(HONEST)
    (tmp_path / "d.yaml").write_text(text)
    with pytest.raises(InputError, match=message):
        call(tmp_path / "t.csv", "--columns", tmp_path / "d.yaml")
