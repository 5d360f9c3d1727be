//! The scripts whose transaction is one statement of their own: inserts, deletes, and selects by the
//! column k.

use std::collections::HashSet;

use crate::recorder::{Call, Recorder, at_once, draw_next, run, statements, sysbench};
use contract::{Client, Dialect, ErrorClass, StatementCounters, Workload};
use serde_json::json;

/// The calls of all clients, so many transactions each.
fn calls_of(options: serde_json::Value, clients: u64, transactions: usize) -> Vec<Call> {
    let workload = sysbench(options);
    (0..clients)
        .flat_map(|index| run(&workload, index, transactions))
        .flat_map(|(calls, _)| calls)
        .collect()
}

fn integers(parameters: &[String]) -> Vec<i64> {
    parameters.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn inserts_leave_the_id_to_the_server_or_give_one_that_nobody_has() {
    let workload = sysbench(json!({"script": "oltp_insert"}));
    let text = |dialect| workload.statements(dialect)[0].sql.clone();
    let numbered = "INSERT INTO sbtest1 (id, k, c, pad) VALUES (0, ?, ?, ?)";
    assert_eq!(text(Dialect::MySql), numbered);
    let unnamed = "INSERT INTO sbtest1 (k, c, pad) VALUES (?, ?, ?)";
    assert_eq!(text(Dialect::PostgreSql), unnamed);
    assert_eq!(text(Dialect::Sqlite), unnamed);

    let (sent, counters) = statements(json!({"script": "oltp_insert", "auto_inc": false}));
    assert_eq!(sent, ["INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)"]);
    assert_eq!(
        counters,
        StatementCounters { write: 1, round_trips: 1, ..StatementCounters::default() }
    );
    let calls = calls_of(json!({"script": "oltp_insert", "auto_inc": false}), 4, 500);
    let ids: HashSet<_> = calls.iter().map(|call| &call.parameters[0]).collect();
    assert_eq!(ids.len(), 4 * 500);
}

#[test]
fn deletes_go_to_rows_of_the_table() {
    let calls = calls_of(json!({"script": "oltp_delete", "tables": 2, "table_size": 30}), 1, 500);
    let mut ids = HashSet::new();
    for Call { sql, parameters } in calls {
        let table = sql.strip_prefix("DELETE FROM sbtest").unwrap().strip_suffix(" WHERE id=?");
        let id = integers(&parameters)[0];
        assert!((1..=30).contains(&id));
        ids.insert((table.unwrap().to_owned(), id));
    }
    assert_eq!(ids.len(), 60, "all rows of both tables");
}

#[test]
fn random_points_are_as_many_as_wanted_and_from_the_clients_slice() {
    let options = json!({"script": "select_random_points", "table_size": 100, "random_points": 3});
    for (index, slice) in [(0, 0..=25), (1, 25..=50), (3, 75..=100)] {
        for (calls, counters) in run(&sysbench(options.clone()), index, 200) {
            assert_eq!(
                counters,
                StatementCounters { read: 1, round_trips: 1, ..StatementCounters::default() }
            );
            let [Call { sql, parameters }] = &calls[..] else { panic!("{calls:?}") };
            assert_eq!(sql, "SELECT id, k, c, pad FROM sbtest1 WHERE k IN (?, ?, ?)");
            assert!(integers(parameters).iter().all(|value| slice.contains(value)), "{slice:?}");
        }
    }
}

#[test]
fn random_ranges_reach_delta_beyond_their_first_value() {
    let calls = calls_of(
        json!({"script": "select_random_ranges", "number_of_ranges": 2, "delta": 9}),
        1,
        100,
    );
    for Call { sql, parameters } in calls {
        let ranges = "k BETWEEN ? AND ? OR k BETWEEN ? AND ?";
        assert_eq!(sql, format!("SELECT count(k) FROM sbtest1 WHERE {ranges}"));
        let [first, last, second, its_last] = integers(&parameters)[..] else { panic!() };
        assert_eq!((last - first, its_last - second), (9, 9));
    }
}

/// The table and the ids of one statement of `bulk_insert`.
fn bulk_rows(call: &Call) -> (String, Vec<u64>) {
    let (table, rows) =
        call.sql.strip_prefix("INSERT INTO ").unwrap().split_once(" VALUES ").unwrap();
    let ids = rows
        .strip_prefix('(')
        .unwrap()
        .strip_suffix(')')
        .unwrap()
        .split("),(")
        .map(|row| {
            let (id, k) = row.split_once(',').unwrap();
            assert_eq!(id, k);
            id.parse().unwrap()
        })
        .collect();
    (table.to_owned(), ids)
}

/// The rows of one client of four that has drawn so many, and their statements' lengths.
fn run_bulk(tables: u64, index: u64, rows: usize) -> (Vec<(String, Vec<u64>)>, Vec<usize>) {
    let workload = sysbench(json!({"script": "bulk_insert", "tables": tables}));
    let mut recorder = Recorder::new(workload.statements(Dialect::MySql));
    let mut client = workload.client(42, index, 4);
    for _ in 0..rows {
        draw_next(&mut client);
        at_once(client.execute(&mut recorder)).unwrap();
    }
    at_once(client.finish(&mut recorder)).unwrap();
    let lengths = recorder.calls.iter().map(|call| call.sql.len()).collect();
    (recorder.calls.iter().map(bulk_rows).collect(), lengths)
}

#[test]
fn bulk_rows_are_sent_half_a_megabyte_at_a_time_and_the_rest_at_the_end() {
    let (statements, lengths) = run_bulk(4, 2, 100_000);
    assert!(statements.len() >= 3, "{}", statements.len());
    for length in &lengths[..lengths.len() - 1] {
        assert!((524_288..524_288 + 32).contains(length), "{length}");
    }
    assert!(*lengths.last().unwrap() < 524_288);
    assert!(statements.iter().all(|(table, _)| table == "sbtest3"));
    let ids: Vec<u64> = statements.into_iter().flat_map(|(_, ids)| ids).collect();
    assert_eq!(ids, (1..=100_000).collect::<Vec<_>>());
}

/// The first and the last id of each statement, the first of which fails once.
fn bulk_statements_after(failure: ErrorClass) -> Vec<(u64, u64)> {
    let workload = sysbench(json!({"script": "bulk_insert", "tables": 1}));
    let mut recorder = Recorder::new(workload.statements(Dialect::MySql));
    let mut client = workload.client(42, 0, 1);
    (recorder.failing, recorder.failure) = (Some("(1,1)"), failure);
    let mut failed = 0;
    for _ in 0..200_000 {
        draw_next(&mut client);
        if at_once(client.execute(&mut recorder)).is_err() {
            failed += 1;
            recorder.failing = None;
        }
    }
    assert_eq!(failed, 1);
    let rows = recorder.calls.iter().map(bulk_rows);
    rows.map(|(_, ids)| (ids[0], *ids.last().unwrap())).collect()
}

#[test]
fn bulk_rows_that_were_refused_are_sent_again_only_where_that_may_help() {
    let sent = bulk_statements_after(ErrorClass::DuplicateKey);
    assert!(sent.len() > 2 && sent.windows(2).all(|two| two[1].0 == two[0].1 + 1), "{sent:?}");
    let sent = bulk_statements_after(ErrorClass::Deadlock);
    assert_eq!((sent[0].0, sent[1]), (1, (1, sent[0].1 + 1)));
    assert_eq!(sent[2].0, sent[1].1 + 1);
}

#[test]
fn clients_that_share_a_table_of_bulk_rows_share_its_ids() {
    let mut ids = HashSet::new();
    for index in 0..4 {
        let (statements, _) = run_bulk(3, index, 1_000);
        for (table, rows) in statements {
            for id in rows {
                assert!(ids.insert((table.clone(), id)), "{table} {id} comes twice");
            }
        }
    }
    assert_eq!(ids.len(), 4_000);
}
