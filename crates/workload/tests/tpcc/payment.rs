//! Payment, clause 2.5.

use contract::Dialect;
use serde_json::Value as Json;

use super::server::row;
use super::{Terminal, only, outline, the, tpcc, tpcc_on, with};
use crate::call::Call;

const BY_NAME: &str = "SELECT c_id FROM";

/// What a Payment was: warehouse and district, the customer's warehouse, district and number, the
/// amount.
fn read(calls: &[Call]) -> ([i64; 2], [i64; 3], String) {
    let district = the(calls, "UPDATE district");
    let customer = the(calls, "SELECT c_credit").ints();
    let place = [district.int(1), district.int(2)];
    (place, [customer[0], customer[1], customer[2]], district.parameters[0].clone())
}

#[test]
fn each_payment_is_counted_everywhere() {
    let mut terminal = Terminal::of(&tpcc(only("payment", 3)));
    let mut by_name = 0;
    for _ in 0..2000 {
        let calls = terminal.run();
        let mut expected = vec![
            "BEGIN ReadWrite",
            "UPDATE warehouse",
            "UPDATE district",
            "SELECT w_name",
            "SELECT c_credit",
            "UPDATE customer",
            "INSERT INTO history",
            "COMMIT",
        ];
        if calls.iter().any(|call| call.is(BY_NAME)) {
            expected.insert(4, "SELECT c_id");
            by_name += 1;
        }
        assert_eq!(outline(&calls), expected);
        let ([w, d], [c_w, c_d, c], amount) = read(&calls);
        let texts = |numbers: &[i64]| numbers.iter().map(i64::to_string).collect::<Vec<_>>();
        let paid =
            |times: usize, numbers: &[i64]| [vec![amount.clone(); times], texts(numbers)].concat();
        assert_eq!(calls[1].parameters, paid(1, &[w]));
        assert_eq!(calls[2].parameters, paid(1, &[w, d]));
        assert_eq!(calls[3].ints(), [w, d]);
        assert_eq!(the(&calls, "UPDATE customer").parameters, paid(2, &[c_w, c_d, c]));
        // The names of warehouse and district with four blanks between them.
        let history = [texts(&[c, c_d, c_w, d, w]), vec![amount, "WNAME    DNAME".into()]].concat();
        assert_eq!(the(&calls, "INSERT INTO history").parameters, history);
    }
    assert!(by_name > 1000);
}

#[test]
fn balances_payments_and_their_number_are_kept() {
    for (dialect, amount) in [
        (Dialect::MySql, "CAST(? AS DECIMAL(12,2))"),
        (Dialect::PostgreSql, "?"),
        (Dialect::Sqlite, "?"),
    ] {
        let mut terminal = Terminal::of(&tpcc_on(dialect, only("payment", 1)));
        let calls = terminal.run();
        let is = |start: &str, expected: String| assert_eq!(the(&calls, start).sql, expected);
        is(
            "UPDATE warehouse",
            format!("UPDATE warehouse SET w_ytd = w_ytd + {amount} WHERE w_id = ?"),
        );
        is(
            "UPDATE district",
            format!("UPDATE district SET d_ytd = d_ytd + {amount} WHERE d_w_id = ? AND d_id = ?"),
        );
        is(
            "UPDATE customer",
            format!(
                "UPDATE customer SET c_balance = c_balance - {amount}, \
                 c_ytd_payment = c_ytd_payment + {amount}, c_payment_cnt = c_payment_cnt + 1 \
                 WHERE c_w_id = ? AND c_d_id = ? AND c_id = ?"
            ),
        );
    }
}

#[test]
fn of_a_name_the_middle_is_meant_rounded_up() {
    let mut terminal = Terminal::of(&tpcc(only("payment", 1)));
    for count in 1..=7 {
        terminal.server.on(BY_NAME, move |_| (1..=count).map(|id| row([100 + id])).collect());
        let calls = loop {
            let calls = terminal.run();
            if calls.iter().any(|call| call.is(BY_NAME)) {
                break calls;
            }
        };
        let asked = the(&calls, BY_NAME);
        assert!(asked.sql.ends_with("c_last = ? ORDER BY c_first"), "{}", asked.sql);
        let (_, [c_w, c_d, c], _) = read(&calls);
        assert_eq!(c, 100 + [1, 1, 2, 2, 3, 3, 4][usize::try_from(count).unwrap() - 1]);
        assert_eq!(asked.parameters[..2], [c_w, c_d].map(|number| number.to_string()));
    }
    terminal.server.on(BY_NAME, |_| Vec::new());
    let error = loop {
        terminal.draw();
        if let Err(error) = terminal.execute() {
            break error.to_string();
        }
    };
    assert!(error.starts_with("there is no customer "), "{error}");
}

fn pay_with_bad_credit(options: Json, old: &'static str) -> (Vec<Call>, String) {
    let mut terminal = Terminal::of(&tpcc(options));
    terminal.server.on("SELECT c_credit", |_| vec![row(["BC", "-10.00"])]);
    terminal.server.on("SELECT c_data", move |_| vec![row([old.repeat(500)])]);
    let calls = terminal.run();
    let ([w, d], [c_w, c_d, c], amount) = read(&calls);
    (calls, format!("{c} {c_d} {c_w} {d} {w} {amount} "))
}

#[test]
fn a_payment_with_bad_credit_is_written_in_front_of_the_data() {
    for (options, characters) in
        [(only("payment", 3), 500), (with(only("payment", 3), "wide_texts", true), 1000)]
    {
        for old in ["o", "öx", "日本"] {
            let (calls, prefix) = pay_with_bad_credit(options.clone(), old);
            let update = the(&calls, "UPDATE customer");
            assert!(update.sql.contains("c_payment_cnt + 1, c_data = ? WHERE"), "{}", update.sql);
            let whole = prefix + &old.repeat(500);
            let expected: String = whole.chars().take(characters).collect();
            assert_eq!(update.parameters[2], expected);
            let key = &update.parameters[3..];
            assert_eq!(key, the(&calls, "SELECT c_data").parameters);
        }
    }
}

#[test]
fn data_are_not_touched_where_credit_is_good() {
    let mut terminal = Terminal::of(&tpcc(only("payment", 1)));
    assert!((0..100).flat_map(|_| terminal.run()).all(|call| !call.sql.contains("c_data")));
}

#[test]
fn what_is_changed_by_the_client_is_read_under_the_lock() {
    // A read without lock shows a row as it was when the transaction began to read.
    let (calls, _) = pay_with_bad_credit(only("payment", 3), "o");
    for start in ["SELECT c_credit", "SELECT c_data"] {
        let sql = &the(&calls, start).sql;
        assert!(sql.ends_with(" FOR UPDATE"), "{sql}");
    }
}
