//! Delivery, clause 2.7.

use contract::{Dialect, Fact};

use super::server::row;
use super::{Terminal, only, outline, the, tpcc, tpcc_on};
use crate::call::Call;

fn statements(customers: usize) -> Vec<String> {
    let mut expected = vec!["BEGIN ReadWrite"];
    expected.extend(["SELECT no_o_id"].repeat(10));
    if customers > 0 {
        expected.extend(["DELETE FROM new_order", "SELECT o_d_id", "UPDATE orders"]);
        expected.push("UPDATE order_line");
        expected.extend(["UPDATE customer"].repeat(customers));
    }
    expected.push("COMMIT");
    expected.into_iter().map(String::from).collect()
}

/// The orders of all districts in a statement that has them last.
fn orders(call: &Call) -> Vec<i64> {
    call.ints()[call.parameters.len() - 10..].to_vec()
}

#[test]
fn the_oldest_order_of_each_district_is_delivered() {
    let mut terminal = Terminal::of(&tpcc(only("delivery", 2)));
    for _ in 0..100 {
        let calls = terminal.run();
        assert_eq!(outline(&calls), statements(10));
        let warehouse = calls[1].int(0);
        for (district, call) in (1..=10).zip(&calls[1..=10]) {
            assert_eq!(call.ints(), [warehouse, district]);
            let oldest = "WHERE no_w_id = ? AND no_d_id = ? ORDER BY no_o_id LIMIT 1 FOR UPDATE";
            assert!(call.sql.ends_with(oldest), "{}", call.sql);
        }
        let expected: Vec<i64> = (2102..=2111).collect();
        let carrier = the(&calls, "UPDATE orders").int(0);
        assert!((1..=10).contains(&carrier));
        assert_eq!(the(&calls, "UPDATE orders").int(1), warehouse);
        for start in ["DELETE", "SELECT o_d_id", "UPDATE orders", "UPDATE order_line"] {
            assert_eq!(orders(the(&calls, start)), expected, "{start}");
        }
        for start in ["DELETE", "SELECT o_d_id", "UPDATE order_line"] {
            assert_eq!(the(&calls, start).int(0), warehouse);
        }
        for (district, call) in (1..=10_i64).zip(&calls[15..25]) {
            let amount = format!("{}.{:02}", district * 111 / 100, district * 111 % 100);
            let customer = [warehouse, district, 1000 + district].map(|number| number.to_string());
            assert_eq!(call.parameters[0], amount);
            assert_eq!(call.parameters[1..], customer);
            let set = "SET c_balance = c_balance + CAST(? AS DECIMAL(12,2)), \
                       c_delivery_cnt = c_delivery_cnt + 1 WHERE";
            assert!(call.sql.contains(set), "{}", call.sql);
        }
    }
    assert_eq!(terminal.fact("delivery_skipped_share"), Fact::Share { part: 0, whole: 100 });
}

#[test]
fn what_is_set_is_the_carrier_and_the_time() {
    let mut terminal = Terminal::of(&tpcc(only("delivery", 1)));
    let calls = terminal.run();
    let places = |prefix: &str, order: &str| {
        let terms: Vec<_> =
            (1..=10).map(|d| format!("({prefix}_d_id = {d} AND {order} = ?)")).collect();
        format!("{prefix}_w_id = ? AND ({})", terms.join(" OR "))
    };
    assert_eq!(
        the(&calls, "UPDATE orders").sql,
        format!("UPDATE orders SET o_carrier_id = ? WHERE {}", places("o", "o_id"))
    );
    assert_eq!(
        the(&calls, "UPDATE order_line").sql,
        format!(
            "UPDATE order_line SET ol_delivery_d = CURRENT_TIMESTAMP WHERE {}",
            places("ol", "ol_o_id")
        )
    );
    let delete = format!("DELETE FROM new_order WHERE {}", places("no", "no_o_id"));
    assert_eq!(the(&calls, "DELETE").sql, delete);
}

#[test]
fn a_district_without_new_orders_is_skipped_and_counted() {
    let mut terminal = Terminal::of(&tpcc(only("delivery", 1)));
    terminal.server.on("SELECT no_o_id", |call| match call.int(1) {
        3 | 10 => Vec::new(),
        district => vec![row([2101 + district])],
    });
    let calls = terminal.run();
    assert_eq!(outline(&calls), statements(8));
    let expected = [2102, 2103, 0, 2105, 2106, 2107, 2108, 2109, 2110, 0];
    assert_eq!(orders(the(&calls, "DELETE")), expected);
    let paid: Vec<_> =
        calls.iter().filter(|call| call.is("UPDATE customer")).map(|call| call.int(2)).collect();
    assert_eq!(paid, [1, 2, 4, 5, 6, 7, 8, 9]);
    terminal.server.on("SELECT no_o_id", |_| Vec::new());
    assert_eq!(outline(&terminal.run()), statements(0));
    assert_eq!(terminal.fact("delivery_skipped_share"), Fact::Share { part: 2, whole: 2 });
    assert_eq!(terminal.fact("skipped_districts"), Fact::Count(12));
}

#[test]
fn an_order_without_lines_is_no_delivery() {
    let mut terminal = Terminal::of(&tpcc(only("delivery", 1)));
    terminal.server.on("SELECT o_d_id", |_| vec![row(["1", "5", "1.00"])]);
    terminal.draw();
    let error = terminal.execute().unwrap_err().to_string();
    assert_eq!(error, "of 10 orders to be delivered in warehouse 1, 1 have lines");
}

/// One who waited for a row that was then deleted is told there is none.
#[test]
fn in_postgresql_a_district_is_looked_at_again() {
    let mut terminal = Terminal::of(&tpcc_on(Dialect::PostgreSql, only("delivery", 1)));
    terminal.server.on("SELECT no_o_id", |call| match call.int(1) {
        7 => Vec::new(),
        district => vec![row([2101 + district])],
    });
    // There is none indeed.
    let calls = terminal.run();
    assert_eq!(orders(the(&calls, "DELETE"))[6], 0);
    assert_eq!(the(&calls, "SELECT MIN(no_o_id)").ints(), [1, 7]);
    // There is one whenever it is looked for, and never when it is to be taken.
    terminal.server.on("SELECT MIN(no_o_id)", |_| vec![row([2500])]);
    terminal.draw();
    let error = terminal.execute().unwrap_err().to_string();
    let expected = "the new orders of district 7 of warehouse 1 were taken by others 20 times";
    assert!(error.starts_with(expected), "{error}");
    // It is there the second time.
    let asked = std::cell::Cell::new(0);
    terminal.server.on("SELECT no_o_id", move |call| {
        asked.set(asked.get() + i64::from(call.int(1) == 7));
        if call.int(1) == 7 && asked.get() == 1 { Vec::new() } else { vec![row([2101])] }
    });
    let calls = terminal.run();
    assert_eq!(orders(the(&calls, "DELETE")), [2101; 10]);
}
