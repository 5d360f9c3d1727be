//! Walks the answers to several statements that were sent with one Sync behind them.

use super::{DataRow, ReplyReader, affected, tag, unasked};
use crate::postgres::message::{Column, Fields, server_error};
use crate::sql::{Repeated, Sent};
use contract::{Executed, RowSink, SqlError};

impl ReplyReader {
    /// Takes what has arrived, and says when the server is ready for more. `returns_rows` is known
    /// for each statement; `results` are what those did that were carried out so far.
    pub fn feed_batch<S: RowSink>(
        &mut self,
        mut input: &[u8],
        returns_rows: &[bool],
        sent: &mut Sent<'_, impl Repeated<Column = Column>>,
        sink: &mut S,
        results: &mut Vec<Executed>,
    ) -> Result<Option<()>, SqlError> {
        loop {
            if !S::READS {
                self.rows += self.deframer.skip_rows(&mut input)?;
            }
            let Some((tag, payload)) = self.deframer.next(&mut input)? else { return Ok(None) };
            match tag {
                tag::BIND_COMPLETE | tag::PARSE_COMPLETE | tag::NO_DATA => {}
                tag::DATA_ROW => {
                    self.rows += 1;
                    if S::READS
                        && self.failure.is_none()
                        && let Some((statement, columns)) = sent.statement(results.len())
                    {
                        sink.rows_of(statement);
                        self.failure = sink.row(&DataRow { payload, columns }).err();
                    }
                }
                tag::ROW_DESCRIPTION => {
                    if let Some((_, columns)) = sent.statement(results.len()) {
                        Column::parse_all(payload, columns)?;
                    }
                }
                tag::COMMAND_COMPLETE | tag::EMPTY_QUERY_RESPONSE => {
                    let rows = std::mem::take(&mut self.rows);
                    let has_rows = returns_rows.get(results.len()).copied().unwrap_or(false);
                    let affected = affected(payload);
                    results.push(if has_rows {
                        Executed::Rows(rows)
                    } else {
                        Executed::Affected(affected)
                    });
                }
                tag::READY_FOR_QUERY => {
                    self.in_transaction = matches!(payload, b"T" | b"E");
                    break;
                }
                tag::PARAMETER_DESCRIPTION => drop(Fields(payload).u16()?),
                tag::ERROR_RESPONSE => {
                    let error = server_error(payload);
                    self.fail(error)?;
                }
                _ => self.shutdown_notice = unasked(tag, payload)?.or(self.shutdown_notice.take()),
            }
        }
        if !input.is_empty() {
            self.walk_unasked(&mut input)?;
        }
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(Some(())),
        }
    }
}
