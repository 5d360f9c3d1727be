//! A statement that one connection executes many times.

use bytes::BytesMut;
use postgres_protocol::message::frontend;

use super::message::{Bind, Column};
use crate::sql::{ExecutionCounters, Repeated, Template};

/// A statement that can be executed.
pub(super) struct ReadyStatement {
    /// As the workload wrote it.
    pub sql: String,
    pub form: Form,
    /// The columns of its answers, as far as they are known.
    pub columns: Vec<Column>,
    pub returns_rows: bool,
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
    /// By the name under which the server knows it.
    Prepared(Bind),
    /// As text.
    Text(Template),
}

impl Form {
    /// How many parameters it takes.
    #[inline]
    pub fn parameters(&self) -> usize {
        match self {
            Self::Prepared(bind) => bind.parameters(),
            Self::Text(template) => template.parameters(),
        }
    }
}

/// The name of a connection's statement with this index.
pub(super) fn name(index: usize) -> String {
    format!("s{index}")
}

/// The messages that have the server prepare a statement and describe it.
pub(super) fn preparation(name: &str, sql: &str) -> std::io::Result<BytesMut> {
    let mut out = BytesMut::new();
    frontend::parse(name, sql, [], &mut out)?;
    frontend::describe(b'S', name, &mut out)?;
    frontend::sync(&mut out);
    Ok(out)
}

/// The messages that have the server forget statements.
pub(super) fn close_messages(statements: usize) -> std::io::Result<BytesMut> {
    let mut out = BytesMut::new();
    for index in 0..statements {
        frontend::close(b'S', &name(index), &mut out)?;
    }
    frontend::sync(&mut out);
    Ok(out)
}
