//! A statement that one connection executes many times.

use contract::{SqlError, first_word};

use super::wire_format::WireFormat;
use crate::sql::{ExecutionCounters, Repeated, Template};

/// A statement that can be executed.
pub(crate) struct ReadyStatement<P: WireFormat> {
    /// As the workload wrote it.
    pub sql: String,
    pub form: Form<P>,
    /// The columns of its answers, as far as they are known.
    pub columns: Vec<P::Column>,
    pub count: ExecutionCounters,
    is_call: bool,
}

/// How it is sent.
pub(crate) enum Form<P: WireFormat> {
    /// As what the server has prepared.
    Prepared(P::Prepared),
    /// As text.
    Text(Template),
}

impl<P: WireFormat> ReadyStatement<P> {
    /// A statement for the text protocol: the server is told nothing yet.
    pub fn text(sql: &str) -> Self {
        Self::new(sql, Form::Text(Template::new(sql, P::DIALECT)), Vec::new())
    }

    /// A statement that the server has prepared.
    pub fn prepared(sql: &str, prepared: P::Prepared, columns: Vec<P::Column>) -> Self {
        Self::new(sql, Form::Prepared(prepared), columns)
    }

    fn new(sql: &str, form: Form<P>, columns: Vec<P::Column>) -> Self {
        let is_call = first_word(sql, P::DIALECT).eq_ignore_ascii_case("call");
        let count = ExecutionCounters::default();
        Self { sql: sql.to_owned(), form, columns, count, is_call }
    }

    /// Whether the server knows it by a name or number.
    pub fn is_prepared(&self) -> bool {
        matches!(self.form, Form::Prepared(_))
    }

    #[inline]
    fn parameters(&self) -> usize {
        match &self.form {
            Form::Prepared(prepared) => P::parameters(prepared),
            Form::Text(template) => template.parameters(),
        }
    }
}

/// The statement with this index, if it takes so many parameters.
#[inline]
pub(crate) fn ready_statement<P: WireFormat>(
    statements: &mut [ReadyStatement<P>],
    index: usize,
    parameters: usize,
) -> Result<&mut ReadyStatement<P>, SqlError> {
    let Some(ready) = statements.get_mut(index) else {
        return Err(SqlError::not_prepared(index));
    };
    let wanted = ready.parameters();
    if parameters != wanted {
        return Err(SqlError::wrong_parameters(&ready.sql, wanted, parameters));
    }
    Ok(ready)
}

impl<P: WireFormat> Repeated for ReadyStatement<P> {
    type Column = P::Column;

    fn columns(&mut self) -> &mut Vec<P::Column> {
        &mut self.columns
    }

    fn count(&mut self) -> &mut ExecutionCounters {
        &mut self.count
    }

    fn is_call(&self) -> bool {
        self.is_call
    }
}
