//! A server with the answers that a population gives, and whatever a test would have in their
//! place. It writes down all that it is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use contract::{
    Access, BulkMethod, Connection, ErrorClass, Executed, Request, Row, RowSink, RowSource,
    SqlError, Statement, StatementCount, StatementCounters, Value,
};
use eventloop::Timestamp;

use crate::call::Call;

/// Rows of an answer in text form; None is NULL.
pub type Rows = Vec<Vec<Option<String>>>;

type Answer = Box<dyn Fn(&Call) -> Rows>;

pub struct Server {
    pub calls: Vec<Call>,
    /// Whether statements are handed over together, BEGIN and COMMIT with them.
    pub together: bool,
    /// Whether writes are.
    pub pipelines: bool,
    /// How often the answer was waited for.
    pub round_trips: u32,
    /// After so many more statements that are waited for, one meets a deadlock.
    pub fails_after: Option<usize>,
    statements: Rc<[Statement]>,
    queue: Vec<Call>,
    answers: BTreeMap<&'static str, Answer>,
}

/// Rows of one column or several, from what can be written.
pub fn row<T: ToString>(fields: impl IntoIterator<Item = T>) -> Vec<Option<String>> {
    fields.into_iter().map(|field| Some(field.to_string())).collect()
}

/// The price of an item in cents, other for each.
pub fn price(item: i64) -> i64 {
    100 + item % 9901
}

/// The price of an item as a server writes it.
pub fn decimal(cents: i64) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// How much there is of an item in a warehouse: 10 to 100.
pub fn in_stock(warehouse: i64, item: i64) -> i64 {
    10 + (7 * warehouse + item) % 91
}

pub fn dist_info(warehouse: i64, district: i64, item: i64) -> String {
    format!("{:24}", format!("w{warehouse} d{district} i{item}"))
}

/// A row of stock as New-Order reads it: with the texts of all districts.
pub fn stock_row((warehouse, item): (i64, i64), quantity: i64, data: &str) -> Vec<Option<String>> {
    let texts = (1..=10).map(|district| dist_info(warehouse, district, item));
    row([item.to_string(), quantity.to_string(), data.into()].into_iter().chain(texts))
}

impl Server {
    pub fn new(statements: Rc<[Statement]>) -> Self {
        let mut server = Self {
            calls: Vec::new(),
            together: false,
            pipelines: false,
            round_trips: 0,
            fails_after: None,
            statements,
            queue: Vec::new(),
            answers: BTreeMap::new(),
        };
        server
            .on("SELECT c_discount, w_tax", |_| vec![row(["0.1000", "0.0500", "BARBARBAR", "GC"])]);
        server.on("SELECT d_next_o_id", |_| vec![row(["3001", "0.0700"])]);
        server.on("SELECT i_id", |call| {
            let items: BTreeSet<i64> = call.ints().into_iter().collect();
            let there = items.into_iter().filter(|item| *item <= 100_000);
            there
                .map(|item| row([item.to_string(), decimal(price(item)), "abc".into(), "n".into()]))
                .collect()
        });
        server.on("SELECT s_i_id", |call| {
            let numbers = call.ints();
            let warehouse = numbers[0];
            let items: BTreeSet<i64> = numbers[1..].iter().copied().collect();
            let stock = |item| stock_row((warehouse, item), in_stock(warehouse, item), "abc");
            items.into_iter().map(stock).collect()
        });
        server.on("SELECT w_name", |_| vec![row(["WNAME", "DNAME"])]);
        server.on("SELECT c_id FROM", |_| vec![row([17])]);
        server.on("SELECT c_id, c_balance", |_| vec![row(["17", "-10.00"])]);
        server.on("SELECT c_credit", |_| vec![row(["GC", "-10.00"])]);
        server.on("SELECT c_data", |_| vec![row(["old"])]);
        server.on("SELECT o_id", |_| vec![row([2999])]);
        server.on("SELECT ol_i_id", |_| vec![row(["1", "12.50"])]);
        server.on("SELECT no_o_id", |call| vec![row([2101 + call.int(1)])]);
        server.on("SELECT MIN(no_o_id)", |_| vec![vec![None]]);
        server.on("SELECT o_d_id", delivered);
        server.on("SELECT COUNT(DISTINCT", |_| vec![row([3])]);
        server
    }

    /// Answers statements that begin so.
    pub fn on(&mut self, start: &'static str, answer: impl Fn(&Call) -> Rows + 'static) {
        self.answers.insert(start, Box::new(answer));
    }

    /// What was asked since this was last called.
    pub fn take(&mut self) -> Vec<Call> {
        assert!(self.queue.is_empty(), "{:?} was never sent", self.queue);
        self.round_trips = 0;
        std::mem::take(&mut self.calls)
    }

    fn wait(&mut self) -> Result<(), SqlError> {
        self.round_trips += 1;
        if let Some(left) = &mut self.fails_after {
            if *left == 0 {
                self.fails_after = None;
                return Err(SqlError::driver(ErrorClass::Deadlock, "on purpose"));
            }
            *left -= 1;
        }
        Ok(())
    }

    fn command(&mut self, sql: String) {
        self.calls.push(Call::new(sql, &[]));
    }

    fn call(&self, statement: usize, parameters: &[Value<'_>]) -> Call {
        Call::prepared(&self.statements[statement].sql, parameters)
    }

    fn answer(&mut self, call: Call) -> Rows {
        let found = self.answers.iter().find(|(start, _)| call.is(start));
        let rows = found.map_or(Vec::new(), |(_, answer)| answer(&call));
        assert!(found.is_some() || !call.is("SELECT"), "no answer to {}", call.sql);
        self.calls.push(call);
        rows
    }

    fn carry_out<S: RowSink>(&mut self, call: Call, sink: &mut S) -> Result<Executed, SqlError> {
        let reads = call.is("SELECT");
        let rows = self.answer(call);
        for fields in &rows {
            sink.row(&Fields(fields))?;
        }
        Ok(if reads { Executed::Rows(rows.len() as u64) } else { Executed::Affected(1) })
    }
}

/// Customer 1000 + d of each district gets an order of d × 1.11.
fn delivered(call: &Call) -> Rows {
    let orders = &call.ints()[1..];
    // The last district first: no server promises an order.
    let there = (1..=10_i64).rev().zip(orders.iter().rev()).filter(|(_, order)| **order != 0);
    there
        .map(|(district, _)| {
            row([district.to_string(), (1000 + district).to_string(), decimal(district * 111)])
        })
        .collect()
}

struct Fields<'a>(&'a [Option<String>]);

impl Row for Fields<'_> {
    fn columns(&self) -> usize {
        self.0.len()
    }

    fn int(&self, column: usize) -> Result<Option<i64>, SqlError> {
        let parse = |text: &String| text.parse().map_err(|_| no_integer(text));
        self.0[column].as_ref().map(parse).transpose()
    }

    fn text(&self, column: usize, text: &mut String) -> Result<bool, SqlError> {
        text.push_str(self.0[column].as_deref().unwrap_or(""));
        Ok(self.0[column].is_some())
    }
}

fn no_integer(text: &str) -> SqlError {
    SqlError::driver(ErrorClass::Protocol, format!("{text} is no integer"))
}

impl Connection for Server {
    fn server_version(&self) -> &'static str {
        "test"
    }

    async fn prepare(&mut self, statements: &Rc<[Statement]>) -> Result<(), SqlError> {
        self.statements = Rc::clone(statements);
        Ok(())
    }

    async fn execute<S: RowSink>(
        &mut self,
        statement: usize,
        parameters: &[Value<'_>],
        sink: &mut S,
    ) -> Result<Executed, SqlError> {
        assert!(self.queue.is_empty(), "sent before what was queued");
        self.wait()?;
        let call = self.call(statement, parameters);
        self.carry_out(call, sink)
    }

    async fn query<S: RowSink>(&mut self, sql: &str, _: &mut S) -> Result<Executed, SqlError> {
        panic!("not prepared: {sql}")
    }

    async fn begin(&mut self, access: Access) -> Result<(), SqlError> {
        self.wait()?;
        self.command(format!("BEGIN {access:?}"));
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), SqlError> {
        assert!(self.queue.is_empty(), "committed before what was queued");
        self.wait()?;
        self.command("COMMIT".into());
        Ok(())
    }

    async fn rollback(&mut self) -> Result<(), SqlError> {
        self.wait()?;
        self.command("ROLLBACK".into());
        Ok(())
    }

    fn sends_batches(&self) -> bool {
        self.together
    }

    fn pipelines(&self) -> bool {
        self.pipelines
    }

    fn queue(&mut self, request: Request<'_>) -> Result<(), SqlError> {
        let is_statement = matches!(request, Request::Execute { .. });
        assert!(self.together || is_statement, "what follows an error is carried out too");
        self.queue.push(match request {
            Request::Begin(access) => Call::new(format!("BEGIN {access:?}"), &[]),
            Request::Execute { statement, parameters } => self.call(statement, parameters),
            Request::Commit => Call::new("COMMIT", &[]),
        });
        Ok(())
    }

    async fn flush<S: RowSink>(
        &mut self,
        sink: &mut S,
        results: &mut Vec<Executed>,
    ) -> Result<(), SqlError> {
        assert!(!self.queue.is_empty(), "nothing to be sent");
        results.clear();
        let queue = std::mem::take(&mut self.queue);
        // One wait for all.
        self.wait()?;
        for call in queue {
            let is_command = ["BEGIN", "COMMIT"].iter().any(|command| call.is(command));
            if is_command {
                self.calls.push(call);
                continue;
            }
            sink.rows_of(results.len());
            results.push(self.carry_out(call, sink)?);
        }
        Ok(())
    }

    async fn load(
        &mut self,
        _: &mut dyn RowSource,
        _: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        unreachable!("a client never loads")
    }

    fn last_arrival(&self) -> Timestamp {
        Timestamp::default()
    }

    fn has_kernel_timestamps(&self) -> bool {
        false
    }

    fn take_counters(&mut self) -> StatementCounters {
        StatementCounters::default()
    }

    fn take_statement_counts(&mut self) -> Vec<StatementCount> {
        Vec::new()
    }

    async fn close(self) {}
}
