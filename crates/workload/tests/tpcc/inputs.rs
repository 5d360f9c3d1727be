//! What transactions have for input: clauses 2.1.6 and 2.4.1 to 2.8.1.

use std::collections::BTreeSet;

use contract::{Client, Fact, Workload};
use serde_json::json;

use super::{Terminal, assert_distributed, assert_share, assert_uniform, only, the, tpcc, with};
use crate::call::{Call, draw_next};

const RUNS: usize = 5_000;

/// The share of each result of `NURand`, by counting all pairs of draws.
fn nurand_shares(a: u64, low: u64, high: u64, c: u64) -> Vec<f64> {
    let range = high - low + 1;
    let mut counts = vec![0_u32; usize::try_from(range).unwrap()];
    for first in 0..=a {
        for second in low..=high {
            counts[usize::try_from(((first | second) + c) % range).unwrap()] += 1;
        }
    }
    let all = ((a + 1) * range) as f64;
    counts.into_iter().map(|count| f64::from(count) / all).collect()
}

/// The constant C of the run for a range of numbers.
fn constant(terminal: &Terminal, range: &str) -> u64 {
    let whole = format!("{:?}", terminal.client);
    let (_, rest) = whole.split_once(&format!("NuRand {{ {range}, c: ")).unwrap_or_else(|| {
        panic!("nothing is drawn with {range}: {whole}");
    });
    rest.split(' ').next().unwrap().parse().unwrap()
}

/// The number of a last name, by its syllables.
fn name_number(name: &str) -> i64 {
    let syllables =
        ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];
    let (mut rest, mut number) = (name, 0);
    for _ in 0..3 {
        // PRI is no beginning of PRES.
        let digit = syllables.iter().position(|syllable| rest.starts_with(syllable)).unwrap();
        rest = &rest[syllables[digit].len()..];
        number = number * 10 + i64::try_from(digit).unwrap();
    }
    assert_eq!(rest, "");
    number
}

fn runs(terminal: &mut Terminal, count: usize) -> Vec<Vec<Call>> {
    (0..count).map(|_| terminal.run()).collect()
}

#[test]
fn customers_and_names_follow_nurand_with_the_constants_of_the_run() {
    let mut terminal = Terminal::of(&tpcc(only("payment", 1)));
    let payments = runs(&mut terminal, 3 * RUNS);
    let c = constant(&terminal, "a: 1023, low: 1, high: 3000");
    let ids: Vec<i64> = payments
        .iter()
        .filter(|calls| !calls.iter().any(|call| call.is("SELECT c_id FROM")))
        .map(|calls| the(calls, "SELECT c_credit").int(2))
        .collect();
    assert_distributed(&ids, 1, &nurand_shares(1023, 1, 3000, c));
    let names: Vec<i64> = payments
        .iter()
        .flatten()
        .filter(|call| call.is("SELECT c_id FROM"))
        .map(|call| name_number(&call.parameters[2]))
        .collect();
    let c = constant(&terminal, "a: 255, low: 0, high: 999");
    assert_eq!(terminal.fact("c_last"), Fact::Text(c.to_string()));
    assert_distributed(&names, 0, &nurand_shares(255, 0, 999, c));

    let mut terminal = Terminal::of(&tpcc(only("new_order", 1)));
    let ids: Vec<i64> = runs(&mut terminal, RUNS).iter().map(|calls| calls[1].int(2)).collect();
    let c = constant(&terminal, "a: 1023, low: 1, high: 3000");
    assert_distributed(&ids, 1, &nurand_shares(1023, 1, 3000, c));
}

#[test]
fn items_follow_nurand_too() {
    let mut terminal = Terminal::of(&tpcc(with(only("new_order", 1), "rollback_percent", 0.0)));
    let orders = runs(&mut terminal, RUNS);
    let c = i64::try_from(constant(&terminal, "a: 8191, low: 1, high: 100000")).unwrap();
    let items = orders.iter().flat_map(|calls| {
        let lines = &the(calls, "INSERT INTO order_line").parameters;
        lines.chunks_exact(9).map(|line| line[4].parse::<i64>().unwrap()).collect::<Vec<_>>()
    });
    // Both draws as they were mixed. What exceeds the range begins again at its start, where numbers
    // are therefore mixed; from 32768 to 98303 all low bits are those of two uniform draws.
    let mixed: Vec<i64> = items
        .map(|item| (item - 1 - c).rem_euclid(100_000))
        .filter(|mixed| (32_768..98_304).contains(mixed))
        .collect();
    assert!(mixed.len() > 5 * RUNS);
    for bit in 0..17 {
        let set = mixed.iter().filter(|number| *number >> bit & 1 == 1).count() as u64;
        // Thirteen bits have a second chance to be set; those above are the blocks 4 to 11.
        match bit {
            0..13 => assert_share(set, mixed.len() as u64, 0.75),
            _ => assert_share(set, mixed.len() as u64, 0.5),
        }
    }
}

#[test]
fn the_constant_for_names_keeps_its_distance_from_that_of_the_load() {
    let mut distances = BTreeSet::new();
    for seed in 0..400 {
        for load in [0, 157, 255] {
            let workload = tpcc(json!({"warehouses": 1, "c_last_load": load}));
            let clients = [0, 1].map(|index| workload.client(seed, index, 2).facts());
            let of = |facts: &[(&'static str, Fact)]| {
                let found = facts.iter().find(|(name, _)| *name == "c_last").unwrap();
                let Fact::Text(text) = &found.1 else { panic!("{found:?}") };
                text.parse::<u64>().unwrap()
            };
            let c = of(&clients[0]);
            assert_eq!(c, of(&clients[1]), "the same for all terminals");
            distances.insert(c.abs_diff(load));
        }
    }
    let allowed = (65..=119).filter(|distance| ![96, 112].contains(distance));
    assert!(distances.into_iter().eq(allowed));
}

#[test]
fn orders_have_the_inputs_of_the_clause() {
    let mut terminal = Terminal::of(&tpcc(with(only("new_order", 5), "rollback_percent", 0.0)));
    let (mut districts, mut sizes, mut quantities) = (Vec::new(), Vec::new(), Vec::new());
    let (mut lines, mut elsewhere, mut homes) = (0, Vec::new(), BTreeSet::new());
    for calls in runs(&mut terminal, 2 * RUNS) {
        let head = the(&calls, "INSERT INTO orders").ints();
        homes.insert(head[2]);
        districts.push(head[1]);
        sizes.push(head[4]);
        for line in the(&calls, "INSERT INTO order_line").parameters.chunks_exact(9) {
            quantities.push(line[6].parse().unwrap());
            let supply: i64 = line[5].parse().unwrap();
            lines += 1;
            if supply != head[2] {
                elsewhere.push(supply);
            }
        }
    }
    assert!(homes.into_iter().eq([1]), "a terminal's home stays the same");
    assert_uniform(&districts, 1, 10);
    assert_uniform(&sizes, 5, 15);
    assert_uniform(&quantities, 1, 10);
    assert_uniform(&elsewhere, 2, 5);
    let remote = elsewhere.len() as u64;
    assert_share(remote, lines, 0.01);
    assert_eq!(terminal.fact("remote_line_share"), Fact::Share { part: remote, whole: lines });
    let orders = 2 * RUNS as u64;
    assert_eq!(terminal.fact("lines_per_order"), Fact::Share { part: lines, whole: orders });
}

#[test]
fn payments_have_the_inputs_of_the_clause() {
    let mut terminal = Terminal::of(&tpcc(only("payment", 5)));
    let (mut districts, mut amounts, mut by_name) = (Vec::new(), Vec::new(), 0);
    let (mut elsewhere, mut their_districts, mut same) = (Vec::new(), Vec::new(), 0);
    for calls in runs(&mut terminal, 2 * RUNS) {
        let place = the(&calls, "UPDATE district");
        let customer = the(&calls, "SELECT c_credit");
        assert_eq!(place.int(1), 1);
        districts.push(place.int(2));
        let (whole, cents) = place.parameters[0].split_once('.').unwrap();
        assert_eq!(cents.len(), 2);
        amounts.push(whole.parse::<i64>().unwrap() * 100 + cents.parse::<i64>().unwrap());
        by_name += u64::from(calls.iter().any(|call| call.is("SELECT c_id FROM")));
        if customer.int(0) == 1 {
            assert_eq!(customer.int(1), place.int(2), "at home he pays in his own district");
        } else {
            elsewhere.push(customer.int(0));
            their_districts.push(customer.int(1));
            same += u64::from(customer.int(1) == place.int(2));
        }
    }
    let (payments, remote) = (2 * RUNS as u64, elsewhere.len() as u64);
    assert_uniform(&districts, 1, 10);
    assert_share(remote, payments, 0.15);
    assert_uniform(&elsewhere, 2, 5);
    assert_uniform(&their_districts, 1, 10);
    assert_share(same, remote, 0.1);
    assert_share(by_name, payments, 0.6);
    assert!(amounts.iter().all(|cents| (100..=500_000).contains(cents)));
    let thousands: Vec<i64> = amounts.iter().map(|cents| (cents - 100) * 100 / 499_901).collect();
    assert_uniform(&thousands, 0, 99);
    assert_eq!(
        terminal.fact("remote_payment_share"),
        Fact::Share { part: remote, whole: payments }
    );
    let by_name = Fact::Share { part: by_name, whole: payments };
    assert_eq!(terminal.fact("payment_by_name_share"), by_name);
}

#[test]
fn order_statuses_and_deliveries_have_the_inputs_of_the_clause() {
    let mut terminal = Terminal::of(&tpcc(only("order_status", 3)));
    let asked: Vec<Call> =
        runs(&mut terminal, RUNS).into_iter().map(|calls| calls[1].clone()).collect();
    let by_name = asked.iter().filter(|call| call.sql.contains("c_last = ?")).count() as u64;
    assert_share(by_name, RUNS as u64, 0.6);
    assert!(asked.iter().all(|call| call.int(0) == 1), "a customer at home");
    assert_uniform(&asked.iter().map(|call| call.int(1)).collect::<Vec<_>>(), 1, 10);
    let expected = Fact::Share { part: by_name, whole: RUNS as u64 };
    assert_eq!(terminal.fact("order_status_by_name_share"), expected);

    let mut terminal = Terminal::of(&tpcc(only("delivery", 1)));
    let carriers: Vec<i64> =
        runs(&mut terminal, 2000).iter().map(|calls| the(calls, "UPDATE orders").int(0)).collect();
    assert_uniform(&carriers, 1, 10);
}

#[test]
fn with_one_warehouse_nothing_is_remote() {
    let mut terminal = Terminal::of(&tpcc(with(only("new_order", 1), "rollback_percent", 0.0)));
    for calls in runs(&mut terminal, 1000) {
        let lines = &the(&calls, "INSERT INTO order_line").parameters;
        assert!(lines.chunks_exact(9).all(|line| line[5] == "1"));
        assert_eq!(the(&calls, "INSERT INTO orders").int(5), 1);
    }
    let mut terminal = Terminal::of(&tpcc(only("payment", 1)));
    for calls in runs(&mut terminal, 1000) {
        assert_eq!(the(&calls, "SELECT c_credit").int(0), 1);
    }
    let none = Fact::Share { part: 0, whole: 1000 };
    assert_eq!(terminal.fact("remote_payment_share"), none);
}

#[test]
fn a_random_home_is_another_for_each_transaction() {
    let options = with(only("payment", 10), "home_warehouse", "random");
    let mut terminal = Terminal::of(&tpcc(with(options, "home_range", json!([4, 7]))));
    let (mut homes, mut customers) = (Vec::new(), BTreeSet::new());
    for calls in runs(&mut terminal, RUNS) {
        homes.push(the(&calls, "UPDATE warehouse").int(1));
        customers.insert(the(&calls, "SELECT c_credit").int(0));
    }
    assert_uniform(&homes, 4, 7);
    assert!(customers.into_iter().eq(1..=10), "a remote customer may live anywhere");
}

#[test]
fn a_fixed_home_is_a_terminals_own() {
    let workload = tpcc(with(only("stock_level", 4), "home_range", json!([2, 3])));
    let places: BTreeSet<(i64, i64)> = (0..20)
        .map(|index| {
            let mut terminal = Terminal::of(&workload);
            terminal.client = workload.client(42, index, 20);
            let asked = runs(&mut terminal, 20);
            let places: BTreeSet<_> =
                asked.iter().map(|calls| (calls[1].int(0), calls[1].int(1))).collect();
            assert_eq!(places.len(), 1);
            places.into_iter().next().unwrap()
        })
        .collect();
    // Twenty terminals: one for each district of both warehouses.
    assert!(places.into_iter().eq((2..=3).flat_map(|w| (1..=10).map(move |d| (w, d)))));
}

#[test]
fn kinds_are_drawn_by_weight_or_dealt_from_a_deck() {
    let mut counts = [0_u64; 5];
    let mut client = tpcc(json!({"warehouses": 1})).client(1, 0, 1);
    for _ in 0..100_000 {
        counts[draw_next(&mut client)] += 1;
    }
    for (count, share) in counts.into_iter().zip([0.45, 0.43, 0.04, 0.04, 0.04]) {
        assert_share(count, 100_000, share);
    }
    let workload = tpcc(json!({"warehouses": 1, "deck": true}));
    assert_eq!(workload.transactions(), super::KINDS);
    let mut client = workload.client(1, 0, 1);
    let mut decks = BTreeSet::new();
    for _ in 0..50 {
        let deck: Vec<usize> = (0..23).map(|_| draw_next(&mut client)).collect();
        let cards = |kind| deck.iter().filter(|card| **card == kind).count();
        assert_eq!([0, 1, 2, 3, 4].map(cards), [10, 10, 1, 1, 1]);
        decks.insert(deck);
    }
    assert!(decks.len() > 45, "it is shuffled each time");
}

#[test]
fn inputs_follow_from_seed_and_terminal() {
    let workload = tpcc(json!({"warehouses": 5}));
    let asked = |seed, index| {
        let mut terminal = Terminal::of(&workload);
        terminal.client = workload.client(seed, index, 10);
        runs(&mut terminal, 50)
    };
    assert_eq!(asked(1, 0), asked(1, 0));
    assert_ne!(asked(1, 0), asked(2, 0));
    assert_ne!(asked(1, 0), asked(1, 1));
}

#[test]
fn an_open_loop_has_the_same_mix_and_no_second_pace() {
    let workload = tpcc(json!({"warehouses": 1}));
    let (mut chooser, mut counts) = (workload.chooser(1), [0_u64; 5]);
    for _ in 0..100_000 {
        counts[chooser()] += 1;
    }
    for (count, share) in counts.into_iter().zip([0.45, 0.43, 0.04, 0.04, 0.04]) {
        assert_share(count, 100_000, share);
    }
    let mut cards = tpcc(json!({"warehouses": 1, "deck": true})).chooser(1);
    let deck: Vec<usize> = (0..23).map(|_| cards()).collect();
    assert_eq!(deck.iter().filter(|card| **card == 0).count(), 10);
    assert_eq!(workload.needs_closed_loop(), None);
    for refused in [
        json!({"warehouses": 1, "pacing": {"keying": 0.0, "think": 0.1}}),
        json!({"warehouses": 1, "delivery": "deferred"}),
    ] {
        assert!(tpcc(refused.clone()).needs_closed_loop().is_some(), "{refused}");
    }
}
