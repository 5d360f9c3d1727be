//! TPC-C: what each transaction asks and writes, what it has for input, and what the tables hold,
//! held against the specification, revision 5.11.

#[path = "../call/mod.rs"]
mod call;

mod delivery;
mod inputs;
mod new_order;
mod payment;
mod population;
mod reading;
mod retries;
mod schemas;
mod server;
mod table;
mod texts;

use call::{Call, at_once, draw_next};
use contract::{Client, Dialect, Ending, Fact, SqlError, Workload};
use serde_json::{Value as Json, json};
use server::Server;
use workload::tpcc::{Tpcc, TpccClient};

const KINDS: [&str; 5] = ["new_order", "payment", "order_status", "delivery", "stock_level"];

/// A workload with options, all others at their defaults.
fn tpcc_on(dialect: Dialect, options: Json) -> Tpcc {
    Tpcc::new(serde_json::from_value(options).unwrap(), dialect).unwrap()
}

fn tpcc(options: Json) -> Tpcc {
    tpcc_on(Dialect::MySql, options)
}

/// Options of so many warehouses, of which only one kind of transaction is asked.
fn only(kind: &str, warehouses: u64) -> Json {
    let mut mix = json!({});
    for name in KINDS {
        mix[name] = json!(if name == kind { 1.0 } else { 0.0 });
    }
    json!({"warehouses": warehouses, "mix": mix})
}

/// Options, and another.
fn with(mut options: Json, name: &str, value: impl Into<Json>) -> Json {
    options[name] = value.into();
    options
}

/// A terminal and its server.
struct Terminal {
    client: TpccClient,
    server: Server,
}

impl Terminal {
    /// The first of a workload's terminals.
    fn of(workload: &Tpcc) -> Self {
        Self::with_seed(workload, 42)
    }

    fn with_seed(workload: &Tpcc, seed: u64) -> Self {
        let client = workload.client(seed, 0, 4);
        // The dialect was told before.
        Self { client, server: Server::new(workload.statements(Dialect::Sqlite)) }
    }

    /// Draws the next transaction; its kind.
    fn draw(&mut self) -> usize {
        draw_next(&mut self.client)
    }

    fn execute(&mut self) -> Result<(Ending, Vec<Call>), SqlError> {
        let ending = at_once(self.client.execute(&mut self.server));
        let calls = self.server.take();
        Ok((ending?, calls))
    }

    /// Draws a transaction and carries it out; what it asked.
    fn run(&mut self) -> Vec<Call> {
        self.draw();
        self.execute().unwrap().1
    }

    fn fact(&self, name: &str) -> Fact {
        let facts = self.client.facts();
        facts.iter().find(|(found, _)| *found == name).unwrap().1.clone()
    }

    /// Numbers that a terminal would show, by the names of their fields.
    fn shown(&self, field: &str) -> Vec<String> {
        let whole = format!("{:?}", self.client);
        let start = format!(" {field}: ");
        let values = whole.split(&start).skip(1);
        values.map(|rest| rest.split([',', ' ']).next().unwrap().to_owned()).collect()
    }
}

/// The first words of statements, up to the table.
fn outline(calls: &[Call]) -> Vec<String> {
    calls.iter().map(|call| outline_of(&call.sql)).collect()
}

fn outline_of(sql: &str) -> String {
    let words: Vec<&str> = sql.split([' ', ',']).collect();
    let count = match words[0] {
        "SELECT" | "UPDATE" | "BEGIN" => 2,
        "INSERT" | "DELETE" => 3,
        _ => 1,
    };
    words[..count].join(" ")
}

/// The only statement that begins so.
fn the<'a>(calls: &'a [Call], start: &str) -> &'a Call {
    let mut found = calls.iter().filter(|call| call.is(start));
    let first = found.next().unwrap_or_else(|| panic!("no {start} in {:?}", outline(calls)));
    assert_eq!(found.next(), None);
    first
}

/// Whether a count is as likely as not more than four deviations from what is expected of so many
/// tries.
#[track_caller]
fn assert_share(count: u64, tries: u64, expected: f64) {
    let deviation = (tries as f64 * expected * (1.0 - expected)).sqrt();
    let distance = (count as f64 - tries as f64 * expected).abs();
    assert!(distance <= 4.0 * deviation, "{count} of {tries}, expected {expected}");
}

/// Numbers from `low` to `high`, each as often as the others: Pearson's statistic within four of its
/// deviations.
#[track_caller]
fn assert_uniform(numbers: &[i64], low: i64, high: i64) {
    let cells = usize::try_from(high - low + 1).unwrap();
    assert_distributed(numbers, low, &vec![1.0 / cells as f64; cells]);
}

/// The same for shares that are given, from that of `low` on.
#[track_caller]
fn assert_distributed(numbers: &[i64], low: i64, shares: &[f64]) {
    let mut counts = vec![0_u32; shares.len()];
    for number in numbers {
        let cell = usize::try_from(number - low).ok().filter(|cell| *cell < counts.len());
        counts[cell.unwrap_or_else(|| panic!("{number} is out of range"))] += 1;
    }
    let mut statistic = 0.0;
    let mut cells = 0.0;
    for (count, share) in counts.iter().zip(shares).filter(|(_, share)| **share > 0.0) {
        let expected = share * numbers.len() as f64;
        statistic += (f64::from(*count) - expected).powi(2) / expected;
        cells += 1.0;
    }
    let (mean, deviation) = (cells - 1.0, (2.0 * (cells - 1.0_f64)).sqrt());
    let distance = (statistic - mean).abs();
    assert!(distance <= 4.0 * deviation.max(1.5), "{statistic} with {cells} cells");
}
