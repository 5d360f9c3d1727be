//! One client: draws the input of a transaction, then carries it out as often as it is told to.

use std::ops::RangeInclusive;
use std::sync::Arc;

use contract::{Client, Connection, Discard, Ending, Executed, Fact, SqlError, Value};
use random::{Distribution, DistributionKind, Purpose, Stream};

use super::filler::{C, Pad};
use super::groups::Shape;
use super::options::SysbenchOptions;
use super::scripts::Body;

/// The share of the rows whose share of the accesses is measured.
const HOTTEST: f64 = 0.01;

/// One virtual user of a sysbench script.
///
/// All memory is allocated with the client: drawing overwrites the steps of the last transaction.
#[derive(Debug)]
pub struct SysbenchClient {
    body: Arc<Body>,
    tables: u64,
    range_size: u64,
    distribution: DistributionKind,
    keys: Keys,
    steps: Vec<Step>,
    rows_read: u64,
}

/// Draws row ids, and counts how many of them are among the hottest 1 % of a table.
#[derive(Debug)]
struct Keys {
    stream: Stream,
    distribution: Distribution,
    hottest: RangeInclusive<u64>,
    drawn: u64,
    drawn_hottest: u64,
}

/// One repetition of a group: its (first) prepared statement and its input.
#[derive(Debug)]
struct Step {
    statement: usize,
    input: Input,
}

/// Parameters, one variant for each [`Shape`].
#[derive(Debug)]
enum Input {
    Key(i64),
    Range(i64, i64),
    Text(Box<(C, i64)>),
    Replacement(Box<Row>),
}

/// A row that takes the place of the one with the same id.
#[derive(Debug, Default)]
struct Row {
    id: i64,
    k: i64,
    c: C,
    pad: Pad,
}

impl SysbenchClient {
    pub(super) fn new(options: &SysbenchOptions, body: Arc<Body>, seed: u64, index: u64) -> Self {
        let steps = body
            .parts
            .iter()
            .flat_map(|part| std::iter::repeat_n(part.group.shape(), part.repetitions))
            .map(|shape| Step { statement: 0, input: Input::new(shape) })
            .collect();
        Self {
            body,
            tables: options.tables,
            range_size: options.range_size,
            distribution: options.distribution,
            keys: Keys::new(options, seed, index),
            steps,
            rows_read: 0,
        }
    }
}

impl Client for SysbenchClient {
    fn draw(&mut self) -> usize {
        let mut steps = self.steps.iter_mut();
        for part in &self.body.parts {
            // One table for all repetitions of a group, as sysbench draws it.
            let table = to_index(self.keys.stream.below(self.tables));
            let statement = table * self.body.statements_per_table + part.first_statement;
            for step in steps.by_ref().take(part.repetitions) {
                step.statement = statement;
                step.input.draw(&mut self.keys, self.range_size);
            }
        }
        0
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        if let Some(access) = self.body.transaction {
            connection.begin(access).await?;
        }
        for step in &self.steps {
            if let Executed::Rows(rows) = step.execute(connection).await? {
                self.rows_read += rows;
            }
        }
        if self.body.transaction.is_some() {
            connection.commit().await?;
        }
        Ok(Ending::Committed)
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        let hottest = Fact::Share { part: self.keys.drawn_hottest, whole: self.keys.drawn };
        vec![
            ("distribution", Fact::Text(self.distribution.to_string())),
            ("hottest_1_percent_share", hottest),
            ("rows_read", Fact::Count(self.rows_read)),
        ]
    }
}

impl Step {
    /// Carry out one repetition; what its last statement did is the answer.
    async fn execute<C: Connection>(&self, connection: &mut C) -> Result<Executed, SqlError> {
        match &self.input {
            Input::Key(id) => {
                connection.execute(self.statement, &[Value::Int(*id)], &mut Discard).await
            }
            Input::Range(first, last) => {
                let parameters = [Value::Int(*first), Value::Int(*last)];
                connection.execute(self.statement, &parameters, &mut Discard).await
            }
            Input::Text(input) => {
                let (c, id) = &**input;
                let parameters = [Value::Text(c.as_str()), Value::Int(*id)];
                connection.execute(self.statement, &parameters, &mut Discard).await
            }
            Input::Replacement(row) => {
                let id = Value::Int(row.id);
                connection.execute(self.statement, &[id], &mut Discard).await?;
                let (c, pad) = (Value::Text(row.c.as_str()), Value::Text(row.pad.as_str()));
                let parameters = [id, Value::Int(row.k), c, pad];
                connection.execute(self.statement + 1, &parameters, &mut Discard).await
            }
        }
    }
}

impl Input {
    fn new(shape: Shape) -> Self {
        match shape {
            Shape::Key => Self::Key(0),
            Shape::Range => Self::Range(0, 0),
            Shape::Text => Self::Text(Box::default()),
            Shape::Replacement => Self::Replacement(Box::default()),
        }
    }

    #[inline]
    fn draw(&mut self, keys: &mut Keys, range_size: u64) {
        match self {
            Self::Key(id) => *id = keys.row(),
            Self::Range(first, last) => {
                *first = keys.row();
                // The last id may lie beyond the table; such a range has fewer rows.
                *last = *first + range_size.cast_signed() - 1;
            }
            Self::Text(input) => {
                input.1 = keys.row();
                input.0.draw(&mut keys.stream);
            }
            Self::Replacement(row) => {
                row.id = keys.row();
                row.k = keys.value();
                row.c.draw(&mut keys.stream);
                row.pad.draw(&mut keys.stream);
            }
        }
    }
}

impl Keys {
    fn new(options: &SysbenchOptions, seed: u64, index: u64) -> Self {
        let distribution = Distribution::new(options.distribution, 1, options.table_size);
        Self {
            stream: Stream::new(seed, Purpose::Inputs, index),
            hottest: distribution.hottest(HOTTEST),
            distribution,
            drawn: 0,
            drawn_hottest: 0,
        }
    }

    /// The id of a row that will be accessed.
    #[inline]
    fn row(&mut self) -> i64 {
        let id = self.distribution.draw(&mut self.stream);
        self.drawn += 1;
        self.drawn_hottest += u64::from(self.hottest.contains(&id));
        id.cast_signed()
    }

    /// A value for the column k: drawn like an id, but no access to a row.
    #[inline]
    fn value(&mut self) -> i64 {
        self.distribution.draw(&mut self.stream).cast_signed()
    }
}

/// A number of tables or statements, which fits any machine's index.
#[inline]
#[allow(clippy::cast_possible_truncation)]
fn to_index(number: u64) -> usize {
    number as usize
}
