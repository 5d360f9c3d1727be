//! Order-Status and Stock-Level, clauses 2.6 and 2.8.

use super::server::row;
use super::{Terminal, assert_uniform, only, outline, the, tpcc};

#[test]
fn an_order_status_reads_the_newest_order_and_its_lines() {
    let mut terminal = Terminal::of(&tpcc(only("order_status", 2)));
    let mut by_name = 0;
    for _ in 0..200 {
        let calls = terminal.run();
        let customer = &calls[1];
        let is_by_name = customer.sql.ends_with("c_last = ? ORDER BY c_first");
        by_name += u32::from(is_by_name);
        assert!(is_by_name || customer.sql.ends_with("c_id = ?"), "{}", customer.sql);
        let expected = ["BEGIN ReadOnly", "SELECT c_id", "SELECT o_id", "SELECT ol_i_id", "COMMIT"];
        assert_eq!(outline(&calls), expected);
        let order = &calls[2];
        assert!(order.sql.ends_with("AND o_c_id = ? ORDER BY o_id DESC LIMIT 1"), "{}", order.sql);
        assert_eq!(order.parameters[..2], customer.parameters[..2]);
        assert_eq!(order.int(2), 17);
        assert_eq!(calls[3].ints(), [order.int(0), order.int(1), 2999]);
        assert!(calls[3].sql.ends_with("ol_w_id = ? AND ol_d_id = ? AND ol_o_id = ?"));
    }
    assert!((80..160).contains(&by_name), "{by_name}");
}

#[test]
fn an_order_status_takes_the_middle_of_a_name_too() {
    let mut terminal = Terminal::of(&tpcc(only("order_status", 1)));
    terminal.server.on("SELECT c_id, c_balance", |call| {
        let rows = if call.sql.contains("ORDER BY") { 1..=6 } else { 50..=50 };
        rows.map(|id| row([id.to_string(), format!("{id}.00")])).collect()
    });
    for _ in 0..20 {
        let calls = terminal.run();
        let expected = if calls[1].sql.contains("ORDER BY") { 3 } else { 50 };
        assert_eq!(the(&calls, "SELECT o_id").int(2), expected);
        assert_eq!(terminal.shown("balance").last().unwrap(), &format!("{expected}00"));
    }
}

#[test]
fn a_customer_of_another_tool_may_have_no_order() {
    let mut terminal = Terminal::of(&tpcc(only("order_status", 1)));
    terminal.server.on("SELECT o_id", |_| Vec::new());
    let expected = ["BEGIN ReadOnly", "SELECT c_id", "SELECT o_id", "COMMIT"];
    assert_eq!(outline(&terminal.run()), expected);
}

#[test]
fn a_stock_level_looks_at_the_last_twenty_orders() {
    let mut terminal = Terminal::of(&tpcc(only("stock_level", 4)));
    terminal.server.on("SELECT d_next_o_id", |_| vec![row(["3456"])]);
    let mut thresholds = Vec::new();
    let mut places = Vec::new();
    for _ in 0..2000 {
        let calls = terminal.run();
        let expected = ["BEGIN ReadOnly", "SELECT d_next_o_id", "SELECT COUNT(DISTINCT", "COMMIT"];
        assert_eq!(outline(&calls), expected);
        let count = &calls[2];
        assert_eq!(
            count.sql,
            "SELECT COUNT(DISTINCT s_i_id) FROM order_line, stock WHERE ol_w_id = ? \
             AND ol_d_id = ? AND ol_o_id >= ? AND ol_o_id < ? AND s_w_id = ? \
             AND s_i_id = ol_i_id AND s_quantity < ?"
        );
        let [w, d] = [count.int(0), count.int(1)];
        assert_eq!(calls[1].ints(), [w, d]);
        assert_eq!(count.ints()[2..5], [3436, 3456, w]);
        thresholds.push(count.int(5));
        places.push((w, d));
    }
    assert_uniform(&thresholds, 10, 20);
    // A terminal's place stays the same.
    assert!(places.iter().all(|place| *place == places[0]));
}
