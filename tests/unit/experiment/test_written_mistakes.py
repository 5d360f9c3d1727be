"""Wrong workloads of one's own and wrong pgbench scripts, with the exact message of each."""

# Each message stands on one line, as it is printed.
# ruff: noqa: E501

from pathlib import Path

import pytest

from dbdyno.experiment.design.matrix import make_plan
from dbdyno.experiment.file.error import ExperimentError
from dbdyno.experiment.file.read import read_experiment
from dbdyno.experiment.workload.registry import dataset_key, plan_of

HEAD = "experiment: e\nquestion: Which?\ntarget: {sqlite: {}}\n"
SQL = HEAD + "workload:\n  sql:\n"
WHOLE = SQL + "    transactions: {read: SELECT 1}\n"
READ = "    transactions:\n      read: SELECT :id\n"
ID = READ + "    variables:\n      id: "
KNOWN_ERRORS = 'give a server\'s number (1062), an SQLSTATE ("23505") or one of deadlock, lock_wait_timeout, serialization_failure, duplicate_key, constraint_violation, too_many_connections, access_denied, read_only, resource_exhausted, statement_lost, invalid_statement, already_exists, other'

SQL_MISTAKES = [
    (
        READ,
        "7: workload.sql.transactions.read: uses the unknown variable :id; add variables: {id: [1, 1000]}",
    ),
    (
        "    transactions:\n      read:\n        - SELECT 1\n        - SELECT :ids\n        - SELECT :id\n    variables: {id: [1, 9]}",
        "9: workload.sql.transactions.read[1]: uses the unknown variable :ids; known: id",
    ),
    (
        ID + "[1, 9]\n      other: [1, 9]",
        "10: workload.sql.variables.other: is used by no statement; write :other in one, or remove it",
    ),
    (
        "    transactions:\n      t: {statements: [SELECT 1], variables: {x: [1, 2]}}",
        "7: workload.sql.transactions.t.variables.x: is used by no statement; write :x in one, or remove it",
    ),
    (
        ID + "{int: [1, 9], distribution: zipfan}",
        "9: workload.sql.variables.id.distribution: 'zipfan' is not a choice; did you mean 'zipfian'?",
    ),
    (
        ID + "[9, 1]",
        "9: workload.sql.variables.id: is [9, 1], an empty range; give the smaller number first",
    ),
    (
        ID + "[1]",
        "9: workload.sql.variables.id: must be two whole numbers, as in [1, 1000], not a list",
    ),
    (
        ID + "5",
        "9: workload.sql.variables.id: must be a mapping of fields, as in {name: value}, not 5",
    ),
    (
        ID + "{text: x}",
        "9: workload.sql.variables.id.text: must be a length, as in 12, or two, as in [4, 12], not 'x'",
    ),
    (
        ID + "{int: [1, 2], text: 3}",
        "9: workload.sql.variables.id: must be exactly one of int, decimal, text, sequence and choice, as in {int: [1, 1000]}",
    ),
    (
        ID + "{int: [1, 2], pareto_h: 0.1}",
        "9: workload.sql.variables.id.pareto_h: belongs to distribution: pareto; remove it",
    ),
    (ID + "{itn: [1, 2]}", "9: workload.sql.variables.id.itn: unknown field; did you mean 'int'?"),
    (
        "    transactions:\n      t: {statements: [SELECT 1], weight: 0}",
        "7: workload.sql.transactions.t.weight: must be 1 or more, not 0",
    ),
    ("    transactions: {}", "6: workload.sql.transactions: is empty; give at least one entry"),
    (
        "    setup: []",
        "5: workload.sql.transactions: is missing; add it, as in transactions: {read: SELECT 1}",
    ),
    (
        "    transactions:\n      t: []",
        "7: workload.sql.transactions.t: is empty; give at least one",
    ),
    (
        "    transactions:\n      t: ' '",
        "7: workload.sql.transactions.t: is empty; write a statement, or remove it",
    ),
    (
        "    transactions:\n      'a b': SELECT 1",
        "7: workload.sql.transactions.a b: \"a b\" is not a transaction's name; use letters, digits, '.', '_' and '-' (but not \"all\", which stands for all of them)",
    ),
    (
        "    transactions:\n      t: [BEGIN, SELECT 1]",
        "7: workload.sql.transactions.t: is left open by its statements; end them with COMMIT or ROLLBACK",
    ),
    (
        "    transactions:\n      t: [SELECT 1, COMMIT]",
        "7: workload.sql.transactions.t[1]: ends a transaction that was not begun; put BEGIN before its statements",
    ),
    (
        "    transactions:\n      t: [BEGIN, BEGIN, COMMIT]",
        "7: workload.sql.transactions.t[1]: begins a transaction inside another one; COMMIT or ROLLBACK that first",
    ),
    (
        "    transactions:\n      t: SELECT 1; SELECT 2",
        "7: workload.sql.transactions.t: is more than one statement; make each of them an entry of the list",
    ),
    (
        "    transactions:\n      t: SELECT ?",
        "7: workload.sql.transactions.t: has a ? outside of quotes, which drivers take for a parameter; write a variable as :name",
    ),
    (
        "    transactions:\n      t: ['SELECT :a', {sql: SELECT 1, into: a}]",
        "7: workload.sql.transactions.t[0]: uses :a, which only a later statement takes from its row; put that one first",
    ),
    (
        "    transactions:\n      t: [{sql: SELECT 1, no_row: nulls}]",
        "7: workload.sql.transactions.t[0].no_row: says what happens without a row, but no row is kept; add into, or remove it",
    ),
    (
        "    expected_errors: [duplicate]\n    transactions: {t: SELECT 1}",
        f'6: workload.sql.expected_errors[0]: "duplicate" is no error: {KNOWN_ERRORS}',
    ),
    (
        "    transactions: {t: SELECT 1}\n    setup:\n      - CREATE TABLE t (id int)\n      - {fill: t, rows: 5}",
        "9: workload.sql.setup[1]: must be a statement, or {fill: table, rows: 1000, columns: {id: {sequence: 1}}}",
    ),
    (
        "    transactions: {t: SELECT 1}\n    setup:\n      - fill: t\n        rows: 5\n        columns: {a: [2, 1]}",
        "10: workload.sql.setup[0].columns.a: is [2, 1], an empty range; give the smaller number first",
    ),
    (
        "    transactions: {t: SELECT 1}\nfactors: {v: {sets: workload.variables, levels: [1, 2]}}",
        "7: factors.v.sets: SQL of one's own cannot be varied in this release; vary server, load or target",
    ),
]

PGBENCH = HEAD + "workload:\n  pgbench:\n    scripts:\n      - "
PGBENCH_MISTAKES = [
    (
        "SELECT 1;\n\\shell ls",
        "mine.sql:2: \\shell is refused: starts a program for each transaction, which would be measured instead; remove it",
    ),
    (
        "\\setshell x ls\nSELECT 1;",
        "mine.sql:1: \\setshell is refused: starts a program for each transaction, which would be measured instead; remove it",
    ),
    (
        "\\startpipeline\nSELECT 1;\n\\endpipeline",
        "mine.sql:1: \\startpipeline is PostgreSQL's: what other servers do behind an error in a pipeline differs; remove it",
    ),
    (
        "SELECT 1;\n\n\\nonsense",
        "mine.sql:3: \\nonsense is no command; known: set, if, elif, else, endif, sleep, gset, aset, startpipeline, endpipeline",
    ),
    (
        "SELECT :nowhere;",
        "mine.sql:1: unknown variable :nowhere; known: client_id, default_seed, random_seed, scale",
    ),
    (
        "\\set x 1 +\nSELECT :x;",
        "mine.sql:1: in the expression 1 +: it ends where a value is missing",
    ),
    (
        "\\set x :y\nSELECT :x;",
        "mine.sql:1: in the expression :y: unknown variable :y; known: client_id, default_seed, random_seed, scale, x",
    ),
    ("\\if true\nSELECT 1;", "mine.sql: \\endif is missing for \\if at mine.sql:1"),
    ("SELECT 1;\n\\else", "mine.sql:2: there is no \\if before it"),
    ("\\if true\n\\else\n\\elif false\n\\endif\nSELECT 1;", "mine.sql:3: it can't follow \\else"),
    (
        "SELECT * FROM t \\gset",
        "mine.sql:1: \\gset: the name of one of its columns can't be told from its text; write AS and a name behind each",
    ),
    ("\\gset\nSELECT 1;", "mine.sql:1: \\gset must follow an SQL command"),
    (
        "SELECT 1\\; SELECT 2;",
        "mine.sql:1: \\; joins statements into one message, which only PostgreSQL takes; end each with ; instead",
    ),
    ("-- nothing", "mine.sql: has no command; write one, or remove it"),
]


PIPELINE_MISTAKES = [
    ("\\startpipeline\nSELECT 1;", "mine.sql: \\endpipeline is missing for mine.sql:1"),
    ("SELECT 1;\n\\endpipeline", "mine.sql:2: there is no \\startpipeline before it"),
    (
        "\\startpipeline\nSELECT 1;\n\\startpipeline",
        "mine.sql:3: a pipeline is open since mine.sql:1; end that one first",
    ),
    (
        "\\if true\n\\startpipeline\nSELECT 1;\n\\endif\n\\endpipeline",
        "mine.sql:5: it must stand in the same branch of \\if as its \\startpipeline at mine.sql:2",
    ),
    (
        "\\if true\n\\startpipeline\nSELECT 1;\n\\else\nSELECT 2;\n\\endpipeline\n\\endif",
        "mine.sql:6: it must stand in the same branch of \\if as its \\startpipeline at mine.sql:2",
    ),
    (
        "\\startpipeline\nSELECT 1 AS a \\gset\n\\endpipeline",
        "mine.sql:2: \\gset is not allowed in a pipeline, as in pgbench",
    ),
    (
        "\\startpipeline\nSELECT 1\\; SELECT 2;\n\\endpipeline",
        "mine.sql:2: a statement of a pipeline is prepared, and can't be several that \\; joins; end each with ; instead",
    ),
    (
        "\\set x 1\n\\startpipeline\nSELECT ':x';\n\\endpipeline",
        "mine.sql:3: a statement of a pipeline is prepared, and its variables can't stand in a string or inside a name; write :name alone",
    ),
    (
        "\\startpipeline\nROLLBACK;\n\\endpipeline",
        "mine.sql:2: ROLLBACK can't stand in a pipeline here; write it behind \\endpipeline",
    ),
    (
        "SELECT 1;\n\\syncpipeline",
        "mine.sql:2: \\syncpipeline is refused: a pipeline has one Sync, at its end, as in pgbench 14 to 16; remove it",
    ),
]


def mistake(text: str, directory: Path) -> str:
    path = directory / "experiment.yaml"
    path.write_text(text)
    with pytest.raises(ExperimentError) as caught:
        read_experiment(path)
    return str(caught.value).removeprefix(f"{path}:")


@pytest.mark.parametrize(("text", "expected"), SQL_MISTAKES)
def test_mistake_in_sql_gets_its_message(text: str, expected: str, tmp_path: Path) -> None:
    assert mistake(SQL + text, tmp_path) == expected


@pytest.mark.parametrize(("script", "expected"), PGBENCH_MISTAKES)
def test_mistake_in_a_script_names_file_and_line(
    script: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.sql").write_text(script)
    message = mistake(PGBENCH + "mine.sql", tmp_path)
    assert message == f"7: workload.pgbench.scripts[0]: {expected}"


@pytest.mark.parametrize(("script", "expected"), PIPELINE_MISTAKES)
def test_mistake_in_a_pipeline_names_file_and_line(
    script: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.sql").write_text(script)
    text = PGBENCH.replace("{sqlite: {}}", "{postgresql: {}}")
    assert text != PGBENCH
    message = mistake(text + "mine.sql", tmp_path)
    assert message == f"7: workload.pgbench.scripts[0]: {expected}"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("{}", "must be exactly one of builtin, file and text, as in {file: mine.sql}"),
        (
            "{file: a.sql, builtin: select-only}",
            "must be exactly one of builtin, file and text, as in {file: mine.sql}",
        ),
        ("'select-only@0'", "must be 1 or more, not 0"),
    ],
)
def test_mistake_in_a_list_of_scripts(entry: str, expected: str, tmp_path: Path) -> None:
    message = mistake(PGBENCH + entry, tmp_path)
    assert message.startswith("7: workload.pgbench.scripts[0]")
    assert message.endswith(expected)


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    assert mistake(PGBENCH + "select-onli", tmp_path) == (
        "7: workload.pgbench.scripts[0]: 'select-onli' is none of pgbench's own scripts (tpcb-like, simple-update, "
        f"select-only), and the file {tmp_path / 'select-onli'} cannot be read (No such file or directory); the path "
        "is relative to the experiment file"
    )


def test_scripts_travel_in_the_plan(tmp_path: Path) -> None:
    (tmp_path / "mine.sql").write_text("SELECT 1;")
    path = tmp_path / "experiment.yaml"
    path.write_text(
        PGBENCH
        + "mine.sql@3\n      - tpcb-like\nfactors: {size: {sets: workload.scale, levels: [1, 5]}}\n"
    )
    first, *_, last = make_plan(read_experiment(path)).trials
    pgbench = first.generator_plan.workload["pgbench"]
    assert pgbench["scripts"] == [
        {"file": "mine.sql", "text": "SELECT 1;", "weight": 3},
        {"builtin": "tpcb-like", "weight": 1},
    ]
    scales = {trial.generator_plan.workload["pgbench"]["scale"] for trial in (first, last)}
    assert scales <= {1, 5}


def test_the_dataset_follows_from_the_setup_alone(tmp_path: Path) -> None:
    def key(text: str) -> str:
        path = tmp_path / "experiment.yaml"
        path.write_text(SQL + text)
        return dataset_key(plan_of(read_experiment(path).workload))

    setup = "    setup: [CREATE TABLE t (id int)]\n"
    assert key(setup + READ.replace(":id", "1")) == key(setup + READ.replace(":id", "2"))
    assert key(setup + READ.replace(":id", "1")) != key(READ.replace(":id", "1"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("experiment\uff1afirst\n", "line 1, column 11 has the full-width '\uff1a' (U+FF1A)"),
        (
            "experiment: first\nquestion: \u591a\u5927\uff0c\u591a\u5feb\uff1f\nload: {clients\uff1a4\uff0c a: [}\n",
            "line 3, column 15 has the full-width '\uff1a' (U+FF1A)",
        ),
        (
            "experiment: first\nquestion: q\nworkload: {sysbench: {script: oltp_read_only}}\nload: {clients\uff1a4}\n",
            "column 8 of it has the full-width '\uff1a' (U+FF1A)",
        ),
        (
            "experiment: first\nquestion: q\nworkload: {sysbench: {script: oltp_read_only}}\ntarget: {mariadb: {}}\n",
            "write mysql: {...}, which is for MariaDB",
        ),
    ],
)
def test_a_sign_of_another_keyboard_or_a_products_name(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "experiment.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ExperimentError) as caught:
        read_experiment(path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "written",
    [
        *("tidb: {}", "TiDB: {}", "oceanbase: {}", "aurora: {}", "polardb: {}", "tdsql: {}"),
        *("gaussdb: {}", "mssql: {}", "rds_mysql: {}", "variants: {}", "host: db1"),
    ],
)
def test_a_product_that_is_not_started_here_is_a_target_by_url(
    tmp_path: Path, written: str
) -> None:
    name = written.partition(":")[0]
    assert mistake(WHOLE.replace("sqlite: {}", written), tmp_path) == (
        f"3: target.{name}: unknown field; write sqlite, mysql, postgresql or cluster for servers that "
        "dbdyno starts, and url for one that is up, as in {url: 'mysql://user@host:3306/database'}, where it "
        "speaks the protocol of MySQL or PostgreSQL"
    )


@pytest.mark.parametrize(
    ("written", "meant"), [("mysqll", "mysql"), ("variable", "variables"), ("node", "nodes")]
)
def test_a_slip_in_a_target_gets_the_field_that_is_meant(
    tmp_path: Path, written: str, meant: str
) -> None:
    message = mistake(WHOLE.replace("sqlite", written), tmp_path)
    assert message == f"3: target.{written}: unknown field; did you mean {meant!r}?"
