//! New-Order, clause 2.4.

use std::collections::BTreeMap;

use contract::{Dialect, Ending, Fact};

use super::server::{decimal, dist_info, in_stock, price, row, stock_row};
use super::{Terminal, assert_share, only, outline, the, tpcc, tpcc_on, with};
use crate::call::Call;

const NO_ITEM: i64 = 100_001;
const RUNS: u64 = 6000;

/// A line as it was inserted.
struct Line {
    number: i64,
    item: i64,
    supply: i64,
    quantity: i64,
    amount: String,
    dist_info: String,
}

/// What an order was, read from its statements.
struct Order {
    warehouse: i64,
    district: i64,
    size: usize,
    all_local: i64,
    lines: Vec<Line>,
    asked_items: Vec<i64>,
    updates: Vec<Vec<i64>>,
}

impl Order {
    fn read(calls: &[Call]) -> Self {
        let head = the(calls, "INSERT INTO orders").ints();
        let size = usize::try_from(head[4]).unwrap();
        let rows = &the(calls, "INSERT INTO order_line").parameters;
        let lines = rows.chunks_exact(9).map(|fields| {
            let number = |field: usize| fields[field].parse::<i64>().unwrap();
            assert_eq!([number(0), number(1), number(2)], head[..3], "the line's order");
            Line {
                number: number(3),
                item: number(4),
                supply: number(5),
                quantity: number(6),
                amount: fields[7].clone(),
                dist_info: fields[8].clone(),
            }
        });
        Self {
            warehouse: head[2],
            district: head[1],
            size,
            all_local: head[5],
            lines: lines.collect(),
            asked_items: the(calls, "SELECT i_id").ints()[..size].to_vec(),
            updates: calls.iter().filter(|call| call.is("UPDATE stock")).map(Call::ints).collect(),
        }
    }

    fn remote(&self) -> usize {
        self.lines.iter().filter(|line| line.supply != self.warehouse).count()
    }

    fn has_an_item_twice(&self) -> bool {
        let mut items: Vec<_> = self.lines.iter().map(|line| (line.supply, line.item)).collect();
        items.sort_unstable();
        items.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Stock and lines are what clause 2.4.2.2 wants of them.
    fn check(&self) {
        let mut stock = BTreeMap::new();
        for (index, (line, update)) in self.lines.iter().zip(&self.updates).enumerate() {
            assert_eq!(line.number, i64::try_from(index).unwrap() + 1);
            assert_eq!(line.item, self.asked_items[index]);
            assert!((1..=10).contains(&line.quantity));
            let left = stock
                .entry((line.supply, line.item))
                .or_insert_with(|| in_stock(line.supply, line.item));
            *left = if *left - line.quantity >= 10 {
                *left - line.quantity
            } else {
                *left - line.quantity + 91
            };
            let is_remote = i64::from(line.supply != self.warehouse);
            let expected = [*left, line.quantity, is_remote, line.supply, line.item];
            assert_eq!(update[..], expected);
            assert_eq!(line.amount, decimal(price(line.item) * line.quantity));
            assert_eq!(line.dist_info, dist_info(line.supply, self.district, line.item));
        }
        assert_eq!(self.lines.len(), self.updates.len());
    }
}

/// The statements of an order with so many lines known, of which some are remote.
fn statements(lines: usize, remote: usize, end: &str) -> Vec<String> {
    let mut expected = vec![
        "BEGIN ReadWrite",
        "SELECT c_discount",
        "SELECT i_id",
        "SELECT d_next_o_id",
        "UPDATE district",
        "INSERT INTO orders",
        "INSERT INTO new_order",
    ];
    expected.extend(["SELECT s_i_id"].repeat(remote + usize::from(remote < lines)));
    expected.extend(["UPDATE stock"].repeat(lines));
    expected.extend(["INSERT INTO order_line", end]);
    expected.into_iter().map(String::from).collect()
}

#[test]
fn orders_are_worked_on_line_by_line() {
    let mut terminal = Terminal::of(&tpcc(with(only("new_order", 3), "rollback_percent", 0.0)));
    let (mut twice, mut remote, mut filled_up) = (0, 0, 0);
    for _ in 0..RUNS {
        let calls = terminal.run();
        let order = Order::read(&calls);
        assert_eq!(order.lines.len(), order.size);
        assert_eq!(order.all_local, i64::from(order.remote() == 0));
        order.check();
        assert_eq!(outline(&calls), statements(order.size, order.remote(), "COMMIT"));
        twice += u32::from(order.has_an_item_twice());
        remote += u32::from(order.remote() > 0);
        filled_up += order.updates.iter().filter(|update| update[0] + update[1] > 100).count();
    }
    assert!(twice > 5 && remote > 300 && filled_up > 1000, "{twice}, {remote}, {filled_up}");
}

#[test]
fn an_order_with_an_unknown_item_is_rolled_back_after_the_work() {
    let mut terminal = Terminal::of(&tpcc(with(only("new_order", 2), "rollback_percent", 100.0)));
    for _ in 0..2000 {
        assert_eq!(terminal.draw(), 0);
        let (ending, calls) = terminal.execute().unwrap();
        assert_eq!(ending, Ending::RolledBack);
        let order = Order::read(&calls);
        // The last line names it, and all the others are worked on.
        assert_eq!(
            order.asked_items.iter().position(|item| *item == NO_ITEM),
            Some(order.size - 1)
        );
        assert_eq!(order.lines.len(), order.size - 1);
        order.check();
        assert_eq!(outline(&calls), statements(order.size - 1, order.remote(), "ROLLBACK"));
    }
    assert_eq!(terminal.fact("rollback_share"), Fact::Share { part: 2000, whole: 2000 });
}

#[test]
fn one_order_in_a_hundred_is_rolled_back() {
    let mut terminal = Terminal::of(&tpcc(only("new_order", 1)));
    let mut rolled_back = 0;
    for _ in 0..RUNS {
        terminal.draw();
        let (ending, calls) = terminal.execute().unwrap();
        let is_rolled_back = ending == Ending::RolledBack;
        let last = if is_rolled_back { "ROLLBACK" } else { "COMMIT" };
        assert_eq!(calls.last().unwrap().sql, last);
        assert_eq!(
            calls.iter().filter(|call| ["ROLLBACK", "COMMIT"].contains(&&*call.sql)).count(),
            1
        );
        rolled_back += u64::from(is_rolled_back);
    }
    assert_share(rolled_back, RUNS, 0.01);
    assert_eq!(terminal.fact("rollback_share"), Fact::Share { part: rolled_back, whole: RUNS });
    assert_eq!(terminal.fact("new_orders"), Fact::Count(RUNS));
}

#[test]
fn the_order_has_the_number_that_its_district_gave() {
    let mut terminal = Terminal::of(&tpcc(with(only("new_order", 1), "rollback_percent", 0.0)));
    terminal.server.on("SELECT d_next_o_id", |_| vec![row(["4711", "0.0000"])]);
    let calls = terminal.run();
    let [customer, lock, update] = [1, 3, 4].map(|index| &calls[index]);
    assert!(lock.sql.ends_with(" FOR UPDATE"), "{}", lock.sql);
    assert_eq!(lock.parameters, update.parameters);
    assert!(update.sql.contains("SET d_next_o_id = d_next_o_id + 1 WHERE"), "{}", update.sql);
    let order = the(&calls, "INSERT INTO orders").ints();
    assert_eq!(order[0], 4711);
    // Warehouse, district, customer.
    assert_eq!(customer.ints(), [order[2], order[1], order[3]]);
    assert_eq!(the(&calls, "INSERT INTO new_order").ints(), order[..3]);
}

#[test]
fn stock_is_locked_where_a_server_has_locks_on_rows() {
    for (dialect, lock) in [
        (Dialect::MySql, " FOR UPDATE"),
        (Dialect::PostgreSql, " FOR UPDATE"),
        (Dialect::Sqlite, ""),
    ] {
        let options = with(only("new_order", 2), "rollback_percent", 0.0);
        let mut terminal = Terminal::of(&tpcc_on(dialect, options));
        let calls: Vec<_> = (0..100).flat_map(|_| terminal.run()).collect();
        let stock: Vec<_> = calls.iter().filter(|call| call.is("SELECT s_i_id")).collect();
        // At home and elsewhere.
        assert!(stock.iter().any(|call| call.parameters.len() == 2));
        for call in stock {
            assert_eq!(call.sql.contains(" FOR UPDATE"), !lock.is_empty());
            assert!(call.sql.ends_with(lock), "{}", call.sql);
            let update = "s_ytd = s_ytd + ?, s_order_cnt = s_order_cnt + 1, \
                          s_remote_cnt = s_remote_cnt + ? WHERE s_w_id = ? AND s_i_id = ?";
            assert!(calls.iter().any(|call| call.sql.ends_with(update)));
        }
    }
}

#[test]
fn the_total_has_discount_and_taxes() {
    let mut terminal = Terminal::of(&tpcc(with(only("new_order", 1), "rollback_percent", 0.0)));
    terminal.server.on("SELECT c_discount", |_| vec![row(["0.2500", "0.1999"])]);
    terminal.server.on("SELECT d_next_o_id", |_| vec![row(["3001", "0.0001"])]);
    for _ in 0..100 {
        let order = Order::read(&terminal.run());
        let lines: i64 = order.lines.iter().map(|line| price(line.item) * line.quantity).sum();
        // × (1 − 0.25) × (1 + 0.2), a part of a cent left out.
        assert_eq!(terminal.shown("total"), [(lines * 9 / 10).to_string()]);
    }
}

#[test]
fn the_brand_is_b_where_item_and_stock_are_original() {
    let mut terminal = Terminal::of(&tpcc(with(only("new_order", 3), "rollback_percent", 0.0)));
    let data = |is_original| if is_original { "xORIGINALy" } else { "xORIGINAy" };
    let distinct = |numbers: &[i64]| {
        let mut items = numbers.to_vec();
        items.sort_unstable();
        items.dedup();
        items
    };
    terminal.server.on("SELECT i_id", move |call| {
        let items = distinct(&call.ints()).into_iter();
        items.map(|item| row([&item.to_string(), "1.00", data(item % 2 == 0), "name"])).collect()
    });
    terminal.server.on("SELECT s_i_id", move |call| {
        let items = distinct(&call.ints()[1..]).into_iter();
        items.map(|item| stock_row((1, item), 50, data(item % 3 == 0))).collect()
    });
    let mut brands = BTreeMap::new();
    for _ in 0..1000 {
        let order = Order::read(&terminal.run());
        let expected: Vec<_> =
            order.lines.iter().map(|line| if line.item % 6 == 0 { "'B'" } else { "'G'" }).collect();
        assert_eq!(terminal.shown("brand"), expected);
        for brand in expected {
            *brands.entry(brand).or_insert(0) += 1;
        }
    }
    assert_eq!(brands.len(), 2);
}

#[test]
fn what_is_missing_in_the_tables_is_named_and_nothing_is_left_to_be_sent() {
    for (start, expected) in [
        ("SELECT c_discount", "there is no customer "),
        ("SELECT d_next_o_id", "there is no district "),
        ("SELECT i_id", "there is no item "),
        ("SELECT s_i_id", "there is no stock of item "),
    ] {
        for together in [false, true] {
            let options = with(only("new_order", 1), "rollback_percent", 0.0);
            let mut terminal = Terminal::of(&tpcc(options));
            terminal.server.together = together;
            terminal.server.on(start, |call| {
                // All items but the last one's stock.
                let numbers = call.ints();
                let there = &numbers[1.min(numbers.len() - 1)..numbers.len() - 1];
                let there = there.iter().filter(|item| **item != numbers[numbers.len() - 1]);
                let rows = there.map(|item| stock_row((1, *item), 50, "data"));
                if call.is("SELECT s_i_id") { rows.collect() } else { Vec::new() }
            });
            terminal.draw();
            let error = terminal.execute().unwrap_err();
            assert!(error.to_string().starts_with(expected), "{error}");
        }
    }
}
