//! Transactions that somebody wrote, with several statements in a round trip: which of them share one,
//! what is waited for, and what is counted.

use crate::recorder::{Call, NUMBER_READ, Recorder, at_once, draw_next};
use contract::{Change, Client, Dialect, Ending, Fact, Outcome, SqlError, Timestamp, Workload};
use serde_json::{Value as Json, json};
use workload::script::{ScriptClient, ScriptWorkload};
use workload::{pgbench, sql};

const UPDATE: &str = "UPDATE t SET v = v + 1 WHERE id = 1";
const INSERT: &str = "INSERT INTO u VALUES (1)";

fn own(statements: &Json) -> ScriptWorkload {
    let of_text = |statement: &Json| match statement {
        Json::String(sql) => json!({"sql": sql}),
        whole => whole.clone(),
    };
    let statements: Vec<Json> = statements.as_array().unwrap().iter().map(of_text).collect();
    let options = json!({"transactions": {"t": {"statements": statements}}});
    sql::read(&serde_json::from_value(options).unwrap(), Dialect::MySql).unwrap()
}

fn pgbench_script(text: &str) -> ScriptWorkload {
    let options = json!({"scripts": [{"text": text}], "scale": 1, "setup": []});
    pgbench::read(&serde_json::from_value(options).unwrap(), Dialect::PostgreSql).unwrap()
}

fn together(workload: &ScriptWorkload) -> Recorder {
    let mut recorder = Recorder::new(workload.statements(Dialect::MySql));
    recorder.together = true;
    recorder
}

fn drawn(workload: &ScriptWorkload) -> ScriptClient {
    let mut client = workload.client(7, 0, 1);
    draw_next(&mut client);
    client
}

/// How many calls each round trip of one transaction carries, and all calls.
fn round_trips(workload: &ScriptWorkload) -> (Vec<usize>, Vec<Call>) {
    let mut recorder = together(workload);
    at_once(drawn(workload).execute(&mut recorder)).unwrap();
    (recorder.round_trips, recorder.calls)
}

fn settle(client: &mut ScriptClient, outcome: Outcome) {
    client.settled(outcome, Timestamp::default(), Timestamp::default());
}

fn change(client: &ScriptClient, amount: &str) -> Change {
    let facts = client.facts();
    let ledger = facts.iter().find_map(|(_, fact)| match fact {
        Fact::Ledger(ledger) => Some(ledger),
        _ => None,
    });
    ledger.unwrap().changes[amount]
}

#[test]
fn a_transaction_without_questions_is_one_round_trip() {
    let (trips, calls) = round_trips(&own(&json!(["BEGIN", UPDATE, INSERT, "SELECT 1", "COMMIT"])));
    assert_eq!(trips, [5]);
    let texts: Vec<&str> = calls.iter().map(|call| call.sql.as_str()).collect();
    assert_eq!(texts, ["BEGIN ReadWrite", UPDATE, INSERT, "SELECT 1", "COMMIT"]);
}

#[test]
fn what_takes_a_row_is_waited_for_before_its_values_are_used() {
    let select = json!({"sql": "SELECT v FROM t", "into": ["v"]});
    let insert = "INSERT INTO u VALUES (:v)";
    let workload = own(&json!(["BEGIN", "SELECT 1", UPDATE, select, insert, UPDATE, "COMMIT"]));
    let (trips, calls) = round_trips(&workload);
    assert_eq!(trips, [4, 3]);
    assert_eq!(calls[4].parameters, [NUMBER_READ.to_string()]);

    let script = "BEGIN;\nSELECT 1;\nSELECT 2 AS v \\gset\n\\set w :v + 1\n\
                  INSERT INTO u VALUES (:w);\nEND;";
    let (trips, calls) = round_trips(&pgbench_script(script));
    assert_eq!(trips, [3, 2]);
    assert_eq!(calls[3].parameters, [(NUMBER_READ + 1).to_string()]);
}

#[test]
fn what_cannot_share_a_round_trip_has_its_own() {
    for (statements, expected) in [
        // Outside of a transaction each is a transaction.
        (json!([UPDATE, INSERT]), vec![1, 1]),
        (json!([UPDATE, "BEGIN", INSERT, "COMMIT", INSERT]), vec![1, 3, 1]),
        // Not all servers can prepare it.
        (json!(["BEGIN", UPDATE, "SAVEPOINT a", INSERT, "COMMIT"]), vec![2, 1, 2]),
        // A procedure may give several answers.
        (json!(["BEGIN", UPDATE, "CALL p()", INSERT, "COMMIT"]), vec![2, 1, 2]),
        // It would take COMMIT into its comment.
        (json!(["BEGIN", UPDATE, format!("{INSERT} -- and out"), "COMMIT"]), vec![2, 1, 1]),
        (json!(["BEGIN", UPDATE, "ROLLBACK"]), vec![2, 1]),
    ] {
        assert_eq!(round_trips(&own(&statements)).0, expected, "{statements}");
    }
}

#[test]
fn what_comes_before_a_pause_is_sent_before_it() {
    let workload = pgbench_script("BEGIN;\nSELECT 1;\n\\sleep 1 s\nSELECT 2;\nEND;");
    let mut recorder = together(&workload);
    // The pause itself takes a loop, which is not here.
    assert!(at_once(drawn(&workload).execute(&mut recorder)).is_err());
    assert_eq!(recorder.round_trips, [2]);
}

#[test]
fn each_statement_has_a_round_trip_where_nobody_asked_for_more() {
    let workload = own(&json!(["BEGIN", UPDATE, INSERT, "COMMIT"]));
    let mut recorder = Recorder::new(workload.statements(Dialect::MySql));
    at_once(drawn(&workload).execute(&mut recorder)).unwrap();
    assert_eq!(recorder.round_trips, [1, 1, 1, 1]);
}

#[test]
fn all_that_was_acknowledged_is_in_the_ledger() {
    let returning = json!({"sql": "INSERT INTO u VALUES (2) RETURNING id", "into": ["id"]});
    let with_row = json!({"sql": "SELECT 1", "into": ["one"]});
    let workload = own(&json!(["BEGIN", INSERT, with_row, INSERT, UPDATE, "COMMIT"]));
    let mut client = drawn(&workload);
    at_once(client.execute(&mut together(&workload))).unwrap();
    settle(&mut client, Outcome::Acknowledged);
    let (rows, sum) = (change(&client, "rows:u"), change(&client, "sum:t.v"));
    assert_eq!((rows.acknowledged, rows.unknown_high, sum.acknowledged), (2, 0, 1));
    assert!(client.facts().contains(&("rows_read", Fact::Count(1))));
    // A row is needed, and the recorder gives none to an INSERT.
    let workload = own(&json!(["BEGIN", INSERT, returning, "COMMIT"]));
    let error = at_once(drawn(&workload).execute(&mut together(&workload))).unwrap_err();
    assert!(error.message().contains("a row is needed"), "{error}");
}

#[test]
fn an_attempt_that_fails_in_the_middle_counts_nothing_and_leaves_nothing_to_be_sent() {
    let workload = own(&json!(["BEGIN", UPDATE, INSERT, "COMMIT"]));
    let (mut client, mut recorder) = (drawn(&workload), together(&workload));
    recorder.failing = Some("INSERT");
    let failed: Result<Ending, SqlError> = at_once(client.execute(&mut recorder));
    assert!(failed.is_err());
    settle(&mut client, Outcome::Undone);
    assert_eq!(change(&client, "sum:t.v"), Change::default());
    recorder.failing = None;
    recorder.round_trips.clear();
    at_once(client.execute(&mut recorder)).unwrap();
    settle(&mut client, Outcome::Acknowledged);
    assert_eq!(recorder.round_trips, [4]);
    assert_eq!(change(&client, "sum:t.v").acknowledged, 1);
}

#[test]
fn an_attempt_that_is_cut_off_may_have_changed_what_was_sent() {
    let workload = own(&json!(["BEGIN", INSERT, UPDATE, "COMMIT"]));
    let (mut client, mut recorder) = (drawn(&workload), together(&workload));
    recorder.failing = Some("COMMIT");
    assert!(at_once(client.execute(&mut recorder)).is_err());
    settle(&mut client, Outcome::Unknown);
    let rows = change(&client, "rows:u");
    assert_eq!((rows.acknowledged, rows.unknown_high), (0, 1));
}

#[test]
fn what_has_failed_is_not_taken_for_what_comes_next() {
    let add = "UPDATE t SET v = v + :by WHERE id = 1";
    let statements = ["BEGIN", add, INSERT, "COMMIT"].map(|sql| json!({"sql": sql}));
    let options = json!({
        "variables": {"by": {"sequence": 1}}, "transactions": {"t": {"statements": statements}},
    });
    let options = serde_json::from_value(options).unwrap();
    let workload = sql::read(&options, Dialect::MySql).unwrap();
    let (mut client, mut recorder) = (drawn(&workload), together(&workload));
    recorder.failing = Some("INSERT");
    assert!(at_once(client.execute(&mut recorder)).is_err());
    settle(&mut client, Outcome::Undone);
    recorder.failing = None;
    draw_next(&mut client);
    at_once(client.execute(&mut recorder)).unwrap();
    settle(&mut client, Outcome::Acknowledged);
    assert_eq!(change(&client, "sum:t.v").acknowledged, 2);
}
