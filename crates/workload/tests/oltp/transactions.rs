//! What each script sends: statements, parameters and counts as sysbench's.

use std::collections::HashSet;

use crate::recorder::{Call, Recorder, at_once, draw_next, run, statements, sysbench};
use contract::{Client, Dialect, Fact, StatementCounters, Workload};
use serde_json::json;

const ALL_SCRIPTS: [&str; 10] = [
    "oltp_read_write",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_point_select",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_delete",
    "select_random_points",
    "select_random_ranges",
];

const RANGES: [&str; 4] = [
    "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?",
    "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?",
    "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
    "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
];
const WRITES: [&str; 4] = [
    "UPDATE sbtest1 SET k=k+1 WHERE id=?",
    "UPDATE sbtest1 SET c=? WHERE id=?",
    "DELETE FROM sbtest1 WHERE id=?",
    "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)",
];
const POINT: [&str; 1] = ["SELECT c FROM sbtest1 WHERE id=?"];

#[test]
fn each_script_sends_the_statements_of_the_original() {
    let points = POINT.repeat(10);
    let read_write = [&["BEGIN ReadWrite"], &points[..], &RANGES, &WRITES, &["COMMIT"]].concat();
    let read_only = [&["BEGIN ReadOnly"], &points[..], &RANGES, &["COMMIT"]].concat();
    let write_only = [&["BEGIN ReadWrite"], &WRITES[..], &["COMMIT"]].concat();
    for (script, expected, (read, write, other)) in [
        ("oltp_read_write", read_write, (14, 4, 2)),
        ("oltp_read_only", read_only, (14, 0, 2)),
        ("oltp_write_only", write_only, (0, 4, 2)),
        ("oltp_point_select", POINT.to_vec(), (1, 0, 0)),
        ("oltp_update_index", WRITES[..1].to_vec(), (0, 1, 0)),
        ("oltp_update_non_index", WRITES[1..2].to_vec(), (0, 1, 0)),
    ] {
        let (sent, counters) = statements(json!({"script": script}));
        assert_eq!(sent, expected, "{script}");
        let round_trips = read + write + other;
        let expected =
            StatementCounters { read, write, other, round_trips, ..StatementCounters::default() };
        assert_eq!(counters, expected, "{script}");
        assert_eq!(sysbench(json!({"script": script})).transactions(), [script]);
    }
}

#[test]
fn options_change_the_transaction() {
    let (sent, counters) = statements(json!({"script": "oltp_read_write", "skip_trx": true}));
    let expected =
        StatementCounters { read: 14, write: 4, round_trips: 18, ..StatementCounters::default() };
    assert_eq!(counters, expected);
    assert_eq!(sent.len(), 18);

    let (sent, _) = statements(json!({"script": "oltp_read_only", "range_selects": false}));
    assert_eq!(sent, [&["BEGIN ReadOnly"], &POINT.repeat(10)[..], &["COMMIT"]].concat());

    let (sent, _) = statements(json!({
        "script": "oltp_read_write", "point_selects": 0, "simple_ranges": 2, "sum_ranges": 0,
        "order_ranges": 0, "distinct_ranges": 3, "index_updates": 0, "non_index_updates": 2,
        "delete_inserts": 0
    }));
    let (simple, distinct, update) = (RANGES[0], RANGES[3], WRITES[1]);
    let expected = [simple, simple, distinct, distinct, distinct, update, update].map(String::from);
    assert_eq!(sent[1..8], expected);

    let (sent, _) = statements(json!({"script": "oltp_point_select", "point_selects": 10}));
    assert_eq!(sent, POINT);
}

#[test]
fn only_statements_that_are_used_are_prepared_for_every_table() {
    for (script, point_selects, per_table) in [
        ("oltp_read_write", 10, 9),
        ("oltp_read_write", 0, 8),
        ("oltp_read_only", 10, 5),
        ("oltp_update_index", 10, 1),
    ] {
        let workload =
            sysbench(json!({"script": script, "tables": 3, "point_selects": point_selects}));
        let prepared = workload.statements(Dialect::MySql);
        assert_eq!(prepared.len(), 3 * per_table, "{script}");
        for (index, statement) in prepared.iter().enumerate() {
            let table = format!("sbtest{} ", index / per_table + 1);
            assert!(statement.sql.contains(&table), "{index}: {}", statement.sql);
        }
    }
}

fn integer(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("{text} is not an id"))
}

/// The table that a statement names.
fn table(call: &Call) -> &str {
    call.sql.split(' ').find(|word| word.starts_with("sbtest")).unwrap()
}

fn run_on_small_tables() -> Vec<Vec<Call>> {
    let workload = sysbench(json!({
        "script": "oltp_read_write", "tables": 4, "table_size": 50, "range_size": 7
    }));
    run(&workload, 0, 200).into_iter().map(|(calls, _)| calls).collect()
}

#[test]
fn parameters_are_ids_of_the_table_and_ranges_have_their_size() {
    let mut ids = HashSet::new();
    for calls in run_on_small_tables() {
        for Call { sql, parameters } in &calls[1..19] {
            let id = integer(&parameters[usize::from(sql.contains("SET c"))]);
            assert!((1..=50).contains(&id), "{sql} {id}");
            ids.insert(id);
            if sql.contains("BETWEEN") {
                assert_eq!(integer(&parameters[1]), id + 6, "{sql}");
            }
        }
        // The row that is deleted is the one that is inserted again.
        let (delete, insert) = (&calls[17], &calls[18]);
        assert_eq!(delete.parameters[0], insert.parameters[0]);
        assert!((1..=50).contains(&integer(&insert.parameters[1])));
    }
    assert_eq!(ids.len(), 50, "every row is drawn");
}

#[test]
fn each_group_of_statements_has_one_table_of_its_own() {
    let mut together = 0;
    let mut tables = HashSet::new();
    for calls in run_on_small_tables() {
        let points: HashSet<_> = calls[1..11].iter().map(table).collect();
        assert_eq!(points.len(), 1, "ten selects, one table");
        assert_eq!(table(&calls[17]), table(&calls[18]), "deleted and inserted");
        together += usize::from(table(&calls[11]) == table(&calls[12]));
        tables.insert(table(&calls[15]).to_owned());
    }
    assert_eq!(tables.len(), 4);
    // Two groups share one of four tables by chance alone: 50 times of 200.
    assert!((30..70).contains(&together), "{together} of 200");
}

/// Groups of eleven digits, joined by hyphens.
fn assert_filler(text: &str, groups: usize) {
    let parts: Vec<&str> = text.split('-').collect();
    assert_eq!(parts.len(), groups, "{text}");
    for part in parts {
        assert!(part.len() == 11 && part.bytes().all(|byte| byte.is_ascii_digit()), "{text}");
    }
}

#[test]
fn texts_are_groups_of_digits_and_new_each_time() {
    let mut texts = HashSet::new();
    for (calls, _) in run(&sysbench(json!({"script": "oltp_write_only"})), 0, 100) {
        let update = &calls[2].parameters[0];
        let [_, _, c, pad] = &calls[4].parameters[..] else { panic!("{:?}", calls[4]) };
        for text in [update, c] {
            assert_filler(text, 10);
            assert_eq!(text.len(), 119);
        }
        assert_filler(pad, 5);
        assert_eq!(pad.len(), 59);
        texts.extend([update.clone(), c.clone(), pad.clone()]);
    }
    assert_eq!(texts.len(), 300);
}

/// As many tables as a script takes, up to three.
fn table_count(script: &str) -> u64 {
    if script.starts_with("select_random") { 1 } else { 3 }
}

#[test]
fn a_client_is_a_function_of_seed_and_index() {
    for script in ALL_SCRIPTS {
        let tables = table_count(script);
        let workload =
            sysbench(json!({"script": script, "tables": tables, "distribution": "zipfian"}));
        let first = run(&workload, 0, 20);
        assert_eq!(first, run(&workload, 0, 20), "{script}");
        assert_ne!(first, run(&workload, 1, 20), "{script}");
    }
}

#[test]
fn a_retry_sends_the_same_again() {
    for script in ALL_SCRIPTS {
        let workload = sysbench(json!({"script": script, "tables": table_count(script)}));
        let mut recorder = Recorder::new(workload.statements(Dialect::Sqlite));
        let mut client = workload.client(1, 0, 1);
        let mut attempt = |client: &mut workload::sysbench::SysbenchClient| {
            at_once(client.execute(&mut recorder)).unwrap();
            std::mem::take(&mut recorder.calls)
        };
        draw_next(&mut client);
        let first = attempt(&mut client);
        assert_eq!(attempt(&mut client), first, "{script}");
        draw_next(&mut client);
        assert_ne!(attempt(&mut client), first, "{script}");
    }
}

fn fact(facts: &[(&'static str, Fact)], name: &str) -> Fact {
    facts.iter().find(|(found, _)| *found == name).unwrap().1.clone()
}

#[test]
fn facts_are_counted_from_what_was_really_drawn_and_read() {
    for (distribution, hottest) in [("uniform", 0.01), ("zipfian", 0.30), ("pareto", 0.53)] {
        let workload = sysbench(json!({"script": "oltp_read_write", "distribution": distribution}));
        let mut recorder = Recorder::new(workload.statements(Dialect::MySql));
        let mut client = workload.client(3, 0, 1);
        for _ in 0..1000 {
            draw_next(&mut client);
            at_once(client.execute(&mut recorder)).unwrap();
        }
        let facts = client.facts();
        assert_eq!(fact(&facts, "distribution"), Fact::Text(distribution.into()));
        // Ten points, three ranges of a hundred rows and a sum of one row.
        assert_eq!(fact(&facts, "rows_read"), Fact::Count(1000 * (10 + 300 + 1)));
        let Fact::Share { part, whole } = fact(&facts, "hottest_1_percent_share") else { panic!() };
        // Ids of points, ranges, two updates and the replaced row; the k of that row is none.
        assert_eq!(whole, 1000 * (10 + 4 + 2 + 1));
        let share = part as f64 / whole as f64;
        assert!((share - hottest).abs() < 0.02, "{distribution}: {share}");
    }
}
