"""Statements of one's own that make TPC-C's tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from dbdyno.errors import InputError
from dbdyno.experiment.workload.tpcc import Tpcc, plan_of, rows_of
from dbdyno.peers.tpcc.options import read_warehouses

SPIDER = """\
-- Two shards; the semicolon in this comment; is none.
CREATE TABLE warehouse (w_id INT, note VARCHAR(9) DEFAULT 'a;b')
  COMMENT 'srv "s1"';

CREATE TABLE item (i_id INT);
"""


def test_statements_end_with_a_semicolon_at_the_end_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "spider.sql"
    path.write_text(SPIDER)
    statements = plan_of(Tpcc.model_validate({"ddl": str(path)}))["create"]
    assert statements is not None
    first, second = statements
    assert first.startswith("CREATE TABLE warehouse")
    assert first.endswith("""'a;b')\n  COMMENT 'srv "s1"'""")
    assert second == "CREATE TABLE item (i_id INT)"


@pytest.mark.parametrize(
    ("text", "expected"), [(None, "No such file or directory"), ("-- later;\n", "has no statement")]
)
def test_a_file_without_statements_is_refused(
    text: str | None, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "tables.sql"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ValueError, match=expected):
        plan_of(Tpcc.model_validate({"ddl": str(path)}))


def test_tables_are_made_one_way_or_are_there() -> None:
    assert plan_of(Tpcc())["create"] is None
    assert plan_of(Tpcc.model_validate({"tables": "existing"}))["create"] == []
    with pytest.raises(ValidationError, match="write one of two"):
        Tpcc.model_validate({"tables": "existing", "ddl": "x.sql"})


def test_a_shard_has_a_part_of_the_warehouses() -> None:
    assert read_warehouses("7") == {"warehouses": 7}
    plan = plan_of(Tpcc.model_validate(read_warehouses("251-500")))
    assert (plan["warehouses"], plan["load_range"]) == (500, [251, 500])
    assert rows_of(plan) == rows_of(plan_of(Tpcc(warehouses=250)))
    for wrong in ("0", "x", "", "-3", "1-2-3"):
        with pytest.raises(InputError, match="--warehouses"):
            read_warehouses(wrong)
