//! A statement that one connection executes many times.

use std::time::Duration;

use contract::SqlError;

use super::connection::{answer_within, send};
use super::errors;
use super::packet::{
    Agreed, Column, Execute, HEADER_BYTES, PreparedReader, PreparedStatement, command, finish,
};
use crate::sql::{ExecutionCounters, Repeated, Syntax, Template};
use crate::stream::Stream;

/// A statement that can be executed.
pub(super) struct ReadyStatement {
    pub sql: String,
    pub form: Form,
    /// The columns of its answers, as far as they are known.
    pub columns: Vec<Column>,
    pub count: ExecutionCounters,
}

impl Repeated for ReadyStatement {
    type Column = Column;

    fn columns(&mut self) -> &mut Vec<Column> {
        &mut self.columns
    }

    fn count(&mut self) -> &mut ExecutionCounters {
        &mut self.count
    }
}

/// How it is sent.
pub(super) enum Form {
    /// By the number under which the server knows it.
    Prepared(Execute),
    /// As text.
    Text(Template),
}

impl Form {
    /// How many parameters it takes.
    #[inline]
    pub fn parameters(&self) -> usize {
        match self {
            Self::Prepared(execute) => execute.parameters(),
            Self::Text(template) => template.parameters(),
        }
    }
}

impl ReadyStatement {
    /// A statement for the text protocol: the server is told nothing yet.
    pub fn text(sql: &str) -> Self {
        let form = Form::Text(Template::new(sql, Syntax::MySql));
        Self { sql: sql.to_owned(), form, columns: Vec::new(), count: ExecutionCounters::default() }
    }

    /// Has the server prepare a statement.
    pub async fn prepare(
        sql: &str,
        stream: &mut Stream,
        agreed: Agreed,
        limit: Duration,
    ) -> Result<Self, SqlError> {
        let mut packet = vec![0; HEADER_BYTES];
        packet.push(command::STATEMENT_PREPARE);
        packet.extend_from_slice(sql.as_bytes());
        let answer = finish(&mut packet, 0);
        send(stream, &packet)?;
        let mut reader = PreparedReader::new(agreed, answer);
        let deadline = stream.handle().turn_time() + limit;
        let outcome = stream.receive(deadline, |bytes| reader.feed(bytes).transpose()).await;
        let PreparedStatement { number, parameters, columns } = match outcome {
            Ok(answer) => {
                answer.map_err(|error: SqlError| error.while_doing(&format!("preparing {sql}")))?
            }
            Err(error) => return Err(errors::from_stream(&error, &answer_within(limit))),
        };
        let form = Form::Prepared(Execute::new(number, parameters));
        Ok(Self { sql: sql.to_owned(), form, columns, count: ExecutionCounters::default() })
    }

    /// Has the server prepare it again, once all were closed: another server may give the numbers of
    /// the old ones to new ones. What it did so far still counts.
    pub async fn prepare_anew(
        &mut self,
        stream: &mut Stream,
        agreed: Agreed,
        limit: Duration,
    ) -> Result<(), SqlError> {
        if matches!(self.form, Form::Text(_)) {
            return Ok(());
        }
        let again = Self::prepare(&self.sql, stream, agreed, limit).await?;
        (self.form, self.columns) = (again.form, again.columns);
        Ok(())
    }

    /// Has the server forget it, to which there is no answer.
    pub fn close(&self, stream: &mut Stream) -> Result<(), SqlError> {
        let Form::Prepared(execute) = &self.form else { return Ok(()) };
        let mut packet = vec![0; HEADER_BYTES];
        packet.push(command::STATEMENT_CLOSE);
        packet.extend_from_slice(&execute.statement());
        finish(&mut packet, 0);
        send(stream, &packet)
    }
}
