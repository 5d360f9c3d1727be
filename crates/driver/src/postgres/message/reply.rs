//! Walks the answer to what was sent, up to the server's word that it is ready for more.
//!
//! Rows that nobody looks at are stepped over by their length; a row that is looked at is given to
//! the sink in place.

#[path = "reply_batch.rs"]
mod batch;

use contract::{ErrorClass, Executed, RowSink, SqlError};

use super::row::{Column, DataRow};
use super::{Deframer, Fields, Malformed, server_error, tag};
use crate::network;

/// What was sent, done without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    /// What the last statement did; None where none was executed.
    pub executed: Option<Executed>,
    /// How many parameters the statement takes that was described.
    pub parameters: u16,
    /// Whether it returns rows, of which each may have no column at all.
    pub returns_rows: bool,
    /// COMMIT was answered with ROLLBACK.
    pub rolled_back: bool,
}

pub(crate) type Answer = network::Answer<Reply>;

/// Reads one answer after another.
#[derive(Debug)]
pub(crate) struct ReplyReader {
    deframer: Deframer,
    reply: Reply,
    /// So many statements of the text that was sent came to their end.
    completed: usize,
    rows: u64,
    in_transaction: bool,
    /// The first error, which can be told only when the answer has come to its end.
    failure: Option<SqlError>,
    /// Why the server ends the connection, said beside the answers.
    shutdown_notice: Option<SqlError>,
}

const NOTHING_YET: Reply =
    Reply { executed: None, parameters: 0, returns_rows: false, rolled_back: false };

impl ReplyReader {
    pub fn new() -> Self {
        Self {
            deframer: Deframer::new(),
            reply: NOTHING_YET,
            completed: 0,
            rows: 0,
            in_transaction: false,
            failure: None,
            shutdown_notice: None,
        }
    }

    /// Starts an answer; with `returns_rows` its columns are known.
    #[inline]
    pub fn start(&mut self, returns_rows: bool) {
        self.reply = Reply { returns_rows, ..NOTHING_YET };
        self.completed = 0;
        self.rows = 0;
        self.failure = None;
    }

    /// Whether the last answer left a transaction open, be it one that failed.
    pub fn in_transaction(&self) -> bool {
        self.in_transaction
    }

    /// What the server said before it ended the connection.
    pub fn take_shutdown_notice(&mut self) -> Option<SqlError> {
        self.shutdown_notice.take()
    }

    /// Takes what has arrived; `columns` are those of the statement as known so far.
    #[inline]
    pub fn feed<S: RowSink>(
        &mut self,
        mut input: &[u8],
        columns: &mut Vec<Column>,
        sink: &mut S,
    ) -> Result<Option<Answer>, SqlError> {
        let answer = self.walk(&mut input, columns, sink)?;
        if answer.is_none() {
            return Ok(None);
        }
        if !input.is_empty() {
            self.walk_unasked(&mut input)?;
        }
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => Ok(answer),
        }
    }

    #[inline]
    fn walk<S: RowSink>(
        &mut self,
        input: &mut &[u8],
        columns: &mut Vec<Column>,
        sink: &mut S,
    ) -> Result<Option<Answer>, SqlError> {
        loop {
            if !S::READS {
                self.rows += self.deframer.skip_rows(input)?;
            }
            let Some((tag, payload)) = self.deframer.next(input)? else { return Ok(None) };
            match tag {
                tag::BIND_COMPLETE | tag::PARSE_COMPLETE | tag::CLOSE_COMPLETE | tag::NO_DATA => {}
                tag::DATA_ROW => {
                    self.rows += 1;
                    if S::READS && self.failure.is_none() {
                        self.failure = sink.row(&DataRow { payload, columns }).err();
                    }
                }
                tag::COMMAND_COMPLETE => {
                    self.reply.rolled_back = payload == b"ROLLBACK\0";
                    let affected = affected(payload);
                    self.complete(affected);
                }
                tag::READY_FOR_QUERY => {
                    self.in_transaction = matches!(payload, b"T" | b"E");
                    return Ok(Some(Answer::Done(self.reply)));
                }
                tag::ROW_DESCRIPTION => {
                    Column::parse_all(payload, columns)?;
                    self.reply.returns_rows = true;
                    self.rows = 0;
                    sink.rows_of(self.completed);
                }
                tag::PARAMETER_DESCRIPTION => self.reply.parameters = Fields(payload).u16()?,
                tag::EMPTY_QUERY_RESPONSE => self.reply.executed = Some(Executed::Affected(0)),
                tag::COPY_IN_RESPONSE => return Ok(Some(Answer::RowsWanted)),
                tag::ERROR_RESPONSE => {
                    let error = server_error(payload);
                    self.fail(error)?;
                }
                _ => self.shutdown_notice = unasked(tag, payload)?.or(self.shutdown_notice.take()),
            }
        }
    }

    #[inline]
    fn complete(&mut self, affected: u64) {
        let rows = std::mem::take(&mut self.rows);
        self.completed += 1;
        self.reply.executed = Some(if std::mem::take(&mut self.reply.returns_rows) {
            Executed::Rows(rows)
        } else {
            Executed::Affected(affected)
        });
    }

    /// Keeps the first error of an answer; one that ends the connection also ends the answer.
    #[cold]
    fn fail(&mut self, error: SqlError) -> Result<(), SqlError> {
        if error.class().ends_connection() {
            return Err(error);
        }
        self.failure.get_or_insert(error);
        Ok(())
    }

    /// What a server may say between two answers.
    #[cold]
    fn walk_unasked(&mut self, input: &mut &[u8]) -> Result<(), SqlError> {
        while let Some((tag, payload)) = self.deframer.next(input)? {
            self.shutdown_notice = unasked(tag, payload)?.or(self.shutdown_notice.take());
        }
        Ok(())
    }
}

/// Something that belongs to no answer; given back if it is why the server ends the connection.
#[cold]
fn unasked(tag: u8, payload: &[u8]) -> Result<Option<SqlError>, Malformed> {
    match tag {
        tag::ERROR_RESPONSE => Ok(Some(server_error(payload))),
        // A server that crashes, or stops at once, says so in a mere notice.
        tag::NOTICE_RESPONSE => {
            let notice = server_error(payload);
            Ok(Some(notice).filter(|notice| notice.class() == ErrorClass::ConnectionLost))
        }
        tag::PARAMETER_STATUS | tag::NOTIFICATION_RESPONSE => Ok(None),
        _ => Err(Malformed("a message came that was not asked for")),
    }
}

/// The number at the end of a command's tag: `UPDATE 3`, `INSERT 0 1`. `BEGIN` has none.
#[inline]
fn affected(payload: &[u8]) -> u64 {
    let tag = payload.strip_suffix(b"\0").unwrap_or(payload);
    let digits = tag.rsplit(|byte| *byte == b' ').next().unwrap_or(tag);
    digits
        .iter()
        .try_fold(0_u64, |number, byte| {
            let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
            number.checked_mul(10)?.checked_add(digit)
        })
        .unwrap_or(0)
}

#[cfg(test)]
#[path = "reply_tests.rs"]
pub(crate) mod tests;
