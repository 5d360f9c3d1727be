//! Transactions that somebody wrote: what reaches the connection, and what a repetition repeats.

use crate::recorder::{Call, Recorder, at_once, draw_next};
use contract::{Client, Dataset, Dialect, Ending, RowWriter, Workload};
use serde_json::{Value as Json, json};
use workload::script::ScriptWorkload;
use workload::{pgbench, sql};

#[derive(Default)]
struct Table(Vec<String>);

impl RowWriter for Table {
    fn null(&mut self) {
        self.0.push("NULL".into());
    }

    fn int(&mut self, value: i64) {
        self.0.push(value.to_string());
    }

    fn text(&mut self, value: &str) {
        self.0.push(value.into());
    }
}

fn sql_workload(options: Json) -> ScriptWorkload {
    sql::read(&serde_json::from_value(options).unwrap(), Dialect::Sqlite).unwrap()
}

fn pgbench_workload(scripts: &Json) -> ScriptWorkload {
    let options = json!({"scripts": scripts, "scale": 3});
    pgbench::read(&serde_json::from_value(options).unwrap(), Dialect::MySql).unwrap()
}

/// Runs transactions of one client, each twice; the calls of both attempts.
fn run_twice(workload: &ScriptWorkload, index: u64, count: usize) -> Vec<[Vec<Call>; 2]> {
    let mut recorder = Recorder::new(workload.statements(Dialect::Sqlite));
    let mut client = workload.client(7, index, 4);
    let mut attempt = |client: &mut <ScriptWorkload as Workload>::Client| {
        at_once(client.execute(&mut recorder)).unwrap();
        std::mem::take(&mut recorder.calls)
    };
    (0..count)
        .map(|_| {
            draw_next(&mut client);
            [attempt(&mut client), attempt(&mut client)]
        })
        .collect()
}

fn texts(calls: &[Call]) -> Vec<&str> {
    calls.iter().map(|call| call.sql.as_str()).collect()
}

#[test]
fn a_repetition_repeats_all_input() {
    let variables = json!({
        "a": {"int": [1, 1_000_000]}, "b": {"text": [8, 8]}, "c": {"sequence": 1},
        "d": {"decimal": [0, 1000]}, "e": {"choice": [1, 2, 3, 4, 5, 6, 7, 8, 9]},
    });
    let statement = json!({"sql": "INSERT INTO t VALUES (:a, :b, :c, :d, :e, :a)"});
    let workload = sql_workload(json!({
        "variables": variables, "transactions": {"t": {"statements": [statement]}},
    }));
    let script = "\\set a random(1, 1000000)\n\\set b :a + random(1, 1000000)\n\
                  \\set n :n + 1\nINSERT INTO t VALUES (:a, :b, :n);";
    let counting = json!({
        "scripts": [{"text": script}], "variables": {"n": 0}, "setup": [],
    });
    let counting = pgbench::read(&serde_json::from_value(counting).unwrap(), Dialect::Sqlite);
    for workload in [workload, counting.unwrap()] {
        let transactions = run_twice(&workload, 1, 20);
        for (number, [first, second]) in transactions.iter().enumerate() {
            assert_eq!(first, second, "transaction {number}");
            assert!(transactions[..number].iter().all(|[earlier, _]| earlier != first));
        }
    }
}

#[test]
fn begin_and_commit_go_through_the_connection() {
    let workload = |statements: Json| {
        let statements: Vec<Json> =
            statements.as_array().unwrap().iter().map(|sql| json!({"sql": sql})).collect();
        sql_workload(json!({"transactions": {"t": {"statements": statements}}}))
    };
    for (statements, expected) in [
        (json!(["BEGIN", "SELECT 1", "COMMIT"]), vec!["BEGIN ReadOnly", "SELECT 1", "COMMIT"]),
        (
            json!(["start transaction;", "DELETE FROM t", "END"]),
            vec!["BEGIN ReadWrite", "DELETE FROM t", "COMMIT"],
        ),
        (
            json!(["BEGIN", "SELECT 1 FOR UPDATE", "ROLLBACK"]),
            vec!["BEGIN ReadWrite", "SELECT 1 FOR UPDATE", "ROLLBACK"],
        ),
        (
            json!(["BEGIN IMMEDIATE", "SELECT ':x'", "ROLLBACK"]),
            vec!["BEGIN IMMEDIATE", "SELECT ':x'", "ROLLBACK"],
        ),
    ] {
        let workload = workload(statements);
        let [calls, _] = run_twice(&workload, 0, 1).remove(0);
        assert_eq!(texts(&calls), expected);
    }
}

#[test]
fn a_transaction_that_ends_by_rollback_is_rolled_back() {
    let statements = [json!({"sql": "BEGIN"}), json!({"sql": "SELECT 1"}), json!({"sql": "ABORT"})];
    let workload = sql_workload(json!({"transactions": {"t": {"statements": statements}}}));
    let mut recorder = Recorder::new(workload.statements(Dialect::Sqlite));
    let mut client = workload.client(7, 0, 1);
    draw_next(&mut client);
    assert_eq!(at_once(client.execute(&mut recorder)).unwrap(), Ending::RolledBack);
}

#[test]
fn tpcb_like_is_that_of_pgbench() {
    let workload = pgbench_workload(&json!([{"builtin": "tpcb-like"}]));
    for [calls, _] in run_twice(&workload, 0, 200) {
        assert_eq!(
            texts(&calls),
            [
                "BEGIN ReadWrite",
                "UPDATE pgbench_accounts SET abalance = abalance + ? WHERE aid = ?",
                "SELECT abalance FROM pgbench_accounts WHERE aid = ?",
                "UPDATE pgbench_tellers SET tbalance = tbalance + ? WHERE tid = ?",
                "UPDATE pgbench_branches SET bbalance = bbalance + ? WHERE bid = ?",
                "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (?, ?, ?, ?, \
                 CURRENT_TIMESTAMP)",
                "COMMIT",
            ]
        );
        let history: Vec<i64> =
            calls[5].parameters.iter().map(|value| value.parse().unwrap()).collect();
        let [tid, bid, aid, delta] = history[..] else { panic!("{history:?}") };
        assert!((1..=30).contains(&tid) && (1..=3).contains(&bid));
        assert!((1..=300_000).contains(&aid) && (-5000..=5000).contains(&delta));
        assert_eq!(calls[1].parameters, [delta.to_string(), aid.to_string()]);
    }
}

#[test]
fn rows_follow_from_set_up_and_seed_alone() {
    let workload = |rows: u64| {
        let columns = json!({"id": {"sequence": 5}, "v": {"int": [0, 1_000_000]}});
        let setup = json!([
            {"sql": "CREATE TABLE t (id int, v int)"},
            {"fill": "t", "rows": rows, "columns": columns},
        ]);
        sql_workload(json!({
            "setup": setup, "transactions": {"t": {"statements": [{"sql": "SELECT 1"}]}},
        }))
    };
    let rows = |rows: u64, seed: u64| {
        let dataset = workload(rows).dataset(seed);
        let mut table = Table::default();
        for chunk in dataset.chunks() {
            let mut source = dataset.rows(&chunk);
            while source.next(&mut table) {}
        }
        table
    };
    let (few, many) = (rows(10, 1).0, rows(25_000, 1).0);
    assert_eq!(many.len(), 50_000);
    assert_eq!(few[..], many[..20]);
    let ids: Vec<&str> = many.iter().step_by(2).map(String::as_str).collect();
    assert_eq!((ids[0], ids[24_999]), ("5", "25004"));
    assert_ne!(rows(10, 2).0, few);
    let fingerprint = |rows, seed| workload(rows).dataset(seed).fingerprint();
    assert_eq!(fingerprint(10, 1), fingerprint(10, 1));
    assert_ne!(fingerprint(10, 1), fingerprint(11, 1));
    assert_ne!(fingerprint(10, 1), fingerprint(10, 2));
}

#[test]
fn clients_and_an_open_loop_choose_by_weight() {
    let one = |sql: &str, weight| json!({"weight": weight, "statements": [{"sql": sql}]});
    let transactions = json!({"seldom": one("SELECT 1", 1), "often": one("SELECT 2", 3)});
    let workload = sql_workload(json!({"transactions": transactions}));
    let kinds = workload.transactions();
    let often = kinds.iter().position(|kind| kind == "often").unwrap();
    let mut client = workload.client(7, 0, 1);
    let mut chooser = workload.chooser(7);
    let of_client = (0..10_000).filter(|_| client.choose() == often).count();
    let of_chooser = (0..10_000).filter(|_| chooser() == often).count();
    // Four standard deviations are 173.
    for count in [of_client, of_chooser] {
        assert!(count.abs_diff(7500) < 173, "{count} of 10,000");
    }
}
