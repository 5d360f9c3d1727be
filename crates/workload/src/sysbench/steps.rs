//! The statements of a transaction with their input, drawn once and executed as often as is wanted.

use contract::{Connection, Executed, RowSink, SqlError, Value};

use super::filler::{C, Pad};
use super::groups::Shape;
use super::keys::Keys;
use crate::exchange::Exchange;

/// One repetition of a group: its (first) prepared statement and its input.
///
/// All memory is allocated with it: drawing overwrites the input of the last transaction.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) statement: usize,
    input: Input,
}

/// Parameters, one variant for each [`Shape`] but where two have the same.
#[derive(Debug)]
enum Input {
    Key(i64),
    Range { first: i64, last: i64, rows: u64 },
    Text(Box<(C, i64)>),
    Replacement(Box<Row>),
    NewRow { row: Box<Row>, with_id: bool },
    Points(Vec<Value<'static>>),
    Ranges { bounds: Vec<Value<'static>>, delta: i64 },
}

/// A row to be written.
#[derive(Debug, Default)]
struct Row {
    id: i64,
    k: i64,
    c: C,
    pad: Pad,
}

impl Step {
    /// A step whose input is not drawn yet; `range_size` is the number of rows in a range of ids.
    pub(super) fn new(shape: Shape, range_size: u64) -> Self {
        let values = |count: u64| vec![Value::Null; usize::try_from(count).unwrap_or(usize::MAX)];
        let input = match shape {
            Shape::Key => Input::Key(0),
            Shape::Range => Input::Range { first: 0, last: 0, rows: range_size },
            Shape::Text => Input::Text(Box::default()),
            Shape::Replacement => Input::Replacement(Box::default()),
            Shape::NewRow => Input::NewRow { row: Box::default(), with_id: false },
            Shape::NewRowWithId => Input::NewRow { row: Box::default(), with_id: true },
            Shape::Points(count) => Input::Points(values(count)),
            Shape::Ranges { count, delta } => {
                Input::Ranges { bounds: values(2 * count), delta: delta.cast_signed() }
            }
        };
        Self { statement: 0, input }
    }

    /// Draws the input of the next transaction.
    #[inline]
    pub(super) fn draw(&mut self, keys: &mut Keys) {
        match &mut self.input {
            Input::Key(id) => *id = keys.access(),
            Input::Range { first, last, rows } => {
                *first = keys.access();
                // The last id may lie beyond the table; such a range has fewer rows.
                *last = *first + rows.cast_signed() - 1;
            }
            Input::Text(input) => {
                input.1 = keys.access();
                input.0.draw(&mut keys.stream);
            }
            Input::Replacement(row) => {
                row.id = keys.access();
                row.draw(keys);
            }
            Input::NewRow { row, with_id } => {
                if *with_id {
                    row.id = keys.unique_id();
                }
                row.draw(keys);
            }
            Input::Points(values) => {
                values.fill_with(|| Value::Int(keys.access()));
            }
            Input::Ranges { bounds, delta } => {
                for pair in bounds.chunks_exact_mut(2) {
                    let first = keys.access();
                    pair.copy_from_slice(&[Value::Int(first), Value::Int(first + *delta)]);
                }
            }
        }
    }

    /// Sends one repetition; what its last statement did, where that is known at once. `sink` is given
    /// the rows only then.
    #[inline]
    pub(super) async fn send<C: Connection, S: RowSink>(
        &self,
        exchange: &mut Exchange<'_, C>,
        sink: &mut S,
    ) -> Result<Option<Executed>, SqlError> {
        let statement = self.statement;
        match &self.input {
            Input::Key(id) => exchange.send(statement, &[Value::Int(*id)], sink).await,
            Input::Range { first, last, .. } => {
                let parameters = [Value::Int(*first), Value::Int(*last)];
                exchange.send(statement, &parameters, sink).await
            }
            Input::Text(input) => {
                let (c, id) = &**input;
                let parameters = [Value::Text(c.as_str()), Value::Int(*id)];
                exchange.send(statement, &parameters, sink).await
            }
            Input::Replacement(row) => {
                exchange.send(statement, &[Value::Int(row.id)], sink).await?;
                exchange.send(statement + 1, &row.parameters(), sink).await
            }
            Input::NewRow { row, with_id } => {
                let parameters = row.parameters();
                let parameters = if *with_id { &parameters[..] } else { &parameters[1..] };
                exchange.send(statement, parameters, sink).await
            }
            Input::Points(values) | Input::Ranges { bounds: values, .. } => {
                exchange.send(statement, values, sink).await
            }
        }
    }
}

impl Step {
    /// The row that a statement changes, and the text that it gives to c.
    pub(super) fn row(&self) -> Option<(i64, Option<&C>)> {
        match &self.input {
            Input::Key(id) => Some((*id, None)),
            Input::Text(input) => Some((input.1, Some(&input.0))),
            Input::Replacement(row) | Input::NewRow { row, .. } => Some((row.id, Some(&row.c))),
            Input::Range { .. } | Input::Points(_) | Input::Ranges { .. } => None,
        }
    }

    /// How many statements there are.
    pub(super) fn statement_count(&self) -> usize {
        if matches!(self.input, Input::Replacement(_)) { 2 } else { 1 }
    }
}

impl Row {
    #[inline]
    fn draw(&mut self, keys: &mut Keys) {
        self.k = keys.value();
        self.c.draw(&mut keys.stream);
        self.pad.draw(&mut keys.stream);
    }

    #[inline]
    fn parameters(&self) -> [Value<'_>; 4] {
        let (c, pad) = (Value::Text(self.c.as_str()), Value::Text(self.pad.as_str()));
        [Value::Int(self.id), Value::Int(self.k), c, pad]
    }
}
