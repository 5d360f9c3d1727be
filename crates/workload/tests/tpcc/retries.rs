//! A transaction that is carried out again: the same statements with the same parameters, however
//! far it came before; and the same again where statements travel together.

use contract::{Client, Dialect, Fact, Outcome, Timestamp};
use serde_json::json;

use super::server::row;
use super::{KINDS, Terminal, only, tpcc, tpcc_on, with};

fn terminal(kind: &str) -> Terminal {
    // Some orders are rolled back, some lines and customers are remote.
    let mut terminal = Terminal::of(&tpcc(with(only(kind, 3), "rollback_percent", 30.0)));
    terminal.server.on("SELECT c_credit", |_| vec![row(["BC", "-10.00"])]);
    terminal
}

#[test]
fn a_retry_asks_the_same_again() {
    for kind in KINDS {
        let mut terminal = terminal(kind);
        let mut drawn = Vec::new();
        for _ in 0..50 {
            terminal.draw();
            let first = terminal.execute().unwrap();
            assert_eq!(terminal.execute().unwrap(), first, "{kind}");
            drawn.push(first);
        }
        assert!(drawn.iter().any(|other| *other != drawn[0]), "{kind}");
    }
}

#[test]
fn a_retry_forgets_how_far_the_transaction_came() {
    for together in [false, true] {
        for kind in KINDS {
            let (mut unlucky, mut other) = (terminal(kind), terminal(kind));
            unlucky.server.together = together;
            for _ in 0..5 {
                unlucky.draw();
                other.draw();
                let facts = unlucky.client.facts();
                let (now, mut failures) = (Timestamp::default(), 0);
                let executed = loop {
                    unlucky.server.fails_after = Some(failures);
                    if let Ok(executed) = unlucky.execute() {
                        break executed;
                    }
                    unlucky.client.settled(Outcome::Undone, now, now);
                    assert_eq!(unlucky.client.facts(), facts);
                    failures += 1;
                };
                unlucky.client.settled(Outcome::Acknowledged, now, now);
                assert!(failures >= 3, "{kind}");
                assert_eq!(executed, other.execute().unwrap(), "{kind}");
            }
        }
    }
}

#[test]
fn what_failed_is_not_counted_as_input() {
    let mut terminal = terminal("new_order");
    terminal.draw();
    terminal.server.fails_after = Some(3);
    assert!(terminal.execute().is_err());
    assert_eq!(terminal.fact("new_orders"), Fact::Count(0));
    terminal.execute().unwrap();
    assert_eq!(terminal.fact("new_orders"), Fact::Count(1));
}

#[test]
fn statements_that_travel_together_are_the_same_ones() {
    for dialect in [Dialect::MySql, Dialect::PostgreSql] {
        statements_are_the_same_ones(dialect);
    }
}

fn statements_are_the_same_ones(dialect: Dialect) {
    let workload = tpcc_on(dialect, json!({"warehouses": 3, "rollback_percent": 20.0}));
    let [mut alone, mut together, mut pipelining] = [(); 3].map(|()| Terminal::of(&workload));
    together.server.together = true;
    pipelining.server.pipelines = true;
    for terminal in [&mut alone, &mut together, &mut pipelining] {
        // A district without new orders, and one of which it is said only at first.
        let asked = std::cell::Cell::new(0);
        terminal.server.on("SELECT no_o_id", move |call| {
            asked.set(asked.get() + i64::from(call.int(1) == 5));
            let is_empty = call.int(1) == 3 || (call.int(1) == 5 && asked.get() % 2 == 1);
            if is_empty { Vec::new() } else { vec![row([2101 + call.int(1)])] }
        });
        terminal.server.on("SELECT MIN(no_o_id)", |call| match call.int(1) {
            5 => vec![row([2106])],
            _ => vec![vec![None]],
        });
    }
    for _ in 0..500 {
        let kind = alone.draw();
        let expected = alone.client.facts();
        let outcome = alone.execute().unwrap();
        for other in [&mut together, &mut pipelining] {
            assert_eq!(other.draw(), kind);
            assert_eq!(other.client.facts(), expected);
            assert_eq!(other.execute().unwrap(), outcome, "{}", KINDS[kind]);
        }
    }
}

#[test]
fn together_they_need_fewer_round_trips() {
    const RUNS: u32 = 20;
    // BEGIN and COMMIT count as round trips, unless they travel with other statements.
    for (kind, together, pipelining) in
        [("new_order", 3, 5), ("payment", 3, 5), ("order_status", 4, 5), ("delivery", 3, 5)]
    {
        let mut trips = [0, 0, 0];
        for (trips, number) in trips.iter_mut().zip(0..) {
            let mut terminal = Terminal::of(&tpcc(only(kind, 1)));
            terminal.server.together = number == 1;
            terminal.server.pipelines = number == 2;
            for _ in 0..RUNS {
                terminal.draw();
                super::at_once(terminal.client.execute(&mut terminal.server)).unwrap();
                *trips += terminal.server.round_trips;
                terminal.server.take();
            }
        }
        assert!(trips[0] >= 5 * RUNS, "{kind}: {trips:?}");
        assert!(trips[1] <= together * RUNS, "{kind}: {trips:?}");
        assert!(trips[2] <= pipelining * RUNS, "{kind}: {trips:?}");
    }
}
