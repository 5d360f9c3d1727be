//! Walks the answer to a statement as its bytes arrive.
//!
//! Rows that nobody looks at are stepped over by their length; a row that is looked at is given to
//! the sink in place.

use contract::{Discard, Executed, RowSink, SqlError};

use super::column::Column;
use super::deframer::{Deframer, ends_rows};
use super::row::{BinaryRow, TextRow};
use super::status::{ServerStatus, Success, server_error};
use super::{ERROR, FILE_REQUEST, Fields, HEADER_BYTES, Malformed, OK};
use crate::network;
use crate::sql::{Repeated, Sent};

/// How fields are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The text protocol: answers to queries.
    Text,
    /// The binary protocol: answers to prepared statements.
    Binary,
}

/// A statement that succeeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub executed: Executed,
    pub status: ServerStatus,
    pub warnings: u16,
}

pub(crate) type Answer = network::Answer<Reply>;

/// What was agreed with the server about answers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Agreed {
    /// Nothing stands between columns and rows, and rows end with an OK packet.
    pub deprecate_eof: bool,
    /// Columns are sent only if they differ from what was sent before.
    pub cache_metadata: bool,
}

/// No server has more columns in a table or an answer.
const MOST_COLUMNS: u64 = 65_535;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Head,
    Columns { left: u64 },
    EndOfColumns,
    Rows,
}

/// Reads one answer after another.
pub(crate) struct ReplyReader {
    agreed: Agreed,
    deframer: Deframer,
    stage: Stage,
    format: Format,
    rows: u64,
    /// Whether the statement has returned a result set already.
    has_returned: bool,
    /// Whether a result set may be followed by another of the same statement: a procedure returns as
    /// many as it has SELECTs, and ends without one.
    may_return_more: bool,
    /// The sink's error: the rest of the answer must be read before it can be told.
    pub(super) failure: Option<SqlError>,
    /// What the server said behind an answer without being asked.
    shutdown_notice: Option<SqlError>,
}

impl ReplyReader {
    pub fn new(agreed: Agreed) -> Self {
        Self {
            agreed,
            deframer: Deframer::new(),
            stage: Stage::Head,
            format: Format::Text,
            rows: 0,
            has_returned: false,
            may_return_more: true,
            failure: None,
            shutdown_notice: None,
        }
    }

    /// Why the server ended the connection, if it said so behind its last answer.
    pub fn take_shutdown_notice(&mut self) -> Option<SqlError> {
        self.shutdown_notice.take()
    }

    /// What was agreed with the server.
    pub fn agreed(&self) -> Agreed {
        self.agreed
    }

    /// Starts an answer whose first packet has this number.
    #[inline]
    pub fn start(&mut self, format: Format, sequence: u8) {
        self.deframer.restart(sequence);
        self.format = format;
        self.failure = None;
        self.start_statement(true);
    }

    /// Starts the answer to a statement, of which it is known whether it may have several result sets.
    #[inline]
    fn start_statement(&mut self, may_return_more: bool) {
        self.stage = Stage::Head;
        self.rows = 0;
        self.has_returned = false;
        self.may_return_more = may_return_more;
    }

    /// The number of the next packet, whoever sends it.
    pub fn sequence(&self) -> u8 {
        self.deframer.sequence()
    }

    /// Takes what has arrived; `columns` are those of the statement as known so far.
    #[inline]
    pub fn feed<S: RowSink>(
        &mut self,
        mut input: &[u8],
        columns: &mut Vec<Column>,
        sink: &mut S,
    ) -> Result<Option<Answer>, SqlError> {
        let answer = self.walk::<S>(&mut input, columns, sink)?;
        if answer.is_some() && !input.is_empty() {
            self.read_unasked(input)?;
        }
        match self.failure.take_if(|_| answer.is_some()) {
            Some(failure) => Err(failure),
            None => Ok(answer),
        }
    }

    /// Takes what has arrived of the answers to several statements that were sent as one text, and
    /// says when they are complete. `results` and `status` are those of all that succeeded so far.
    pub fn feed_batch<S: RowSink>(
        &mut self,
        mut input: &[u8],
        sent: &mut Sent<'_, impl Repeated<Column = Column>>,
        sink: &mut S,
        results: &mut Vec<Executed>,
        status: &mut ServerStatus,
    ) -> Result<Option<()>, SqlError> {
        self.may_return_more = sent.is_call(results.len());
        while let Some(answer) = self
            .walk_next(&mut input, sent, results.len(), sink)
            .map_err(|error| self.failure.take().unwrap_or(error))?
        {
            let Answer::Done(reply) = answer else {
                return Err(Malformed("it asks for a file that was not offered").into());
            };
            results.push(reply.executed);
            *status = reply.status;
            if !reply.status.has_more_results() {
                if !input.is_empty() {
                    self.read_unasked(input)?;
                }
                return self.failure.take().map_or(Ok(Some(())), Err);
            }
            self.start_statement(sent.is_call(results.len()));
        }
        Ok(None)
    }

    /// Walks the answer in this place among those to statements that were sent together.
    pub(super) fn walk_next<S: RowSink>(
        &mut self,
        input: &mut &[u8],
        sent: &mut Sent<'_, impl Repeated<Column = Column>>,
        place: usize,
        sink: &mut S,
    ) -> Result<Option<Answer>, SqlError> {
        match sent.statement(place) {
            Some((statement, columns)) => {
                sink.rows_of(statement);
                self.walk(input, columns, sink)
            }
            None => self.walk(input, &mut Vec::new(), &mut Discard),
        }
    }

    /// Looks at what follows the end of the answers. A server that shuts down may say so there; this
    /// changes nothing of what it has answered. Where too little has arrived to tell, the next
    /// answer does.
    #[cold]
    pub(super) fn read_unasked(&mut self, rest: &[u8]) -> Result<(), Malformed> {
        match rest.split_first_chunk::<HEADER_BYTES>() {
            Some((_, payload @ [ERROR, ..])) => self.shutdown_notice = Some(server_error(payload)),
            None | Some((_, [])) => {}
            Some(_) => return Err(Malformed("there is more behind the end of the answer")),
        }
        Ok(())
    }

    #[inline]
    pub(super) fn walk<S: RowSink>(
        &mut self,
        input: &mut &[u8],
        columns: &mut Vec<Column>,
        sink: &mut S,
    ) -> Result<Option<Answer>, SqlError> {
        loop {
            if !S::READS && self.stage == Stage::Rows {
                self.rows += self.deframer.skip_rows(input)?;
            }
            let Some(payload) = self.deframer.next(input)? else { return Ok(None) };
            let Some(&first) = payload.first() else {
                return Err(Malformed("empty packet").into());
            };
            if first == ERROR {
                return Err(server_error(payload));
            }
            match self.stage {
                Stage::Head if first == OK => {
                    let rows = self.has_returned.then_some(self.rows);
                    return done_without_rows(payload, rows).map(Some);
                }
                Stage::Head if first == FILE_REQUEST => return Ok(Some(Answer::RowsWanted)),
                Stage::Head => self.stage = head(self.agreed, payload, columns)?,
                Stage::Columns { left } => {
                    if S::READS || self.agreed.cache_metadata {
                        columns.push(Column::parse(payload)?);
                    }
                    self.stage = after_columns(self.agreed, left - 1);
                }
                Stage::EndOfColumns => self.stage = Stage::Rows,
                Stage::Rows if ends_rows(first, payload.len()) => {
                    let reply = done_with_rows(self.agreed, payload, self.rows)?;
                    if !self.may_return_more || !reply.status.has_more_results() {
                        return Ok(Some(Answer::Done(reply)));
                    }
                    self.has_returned = true;
                    self.stage = Stage::Head;
                }
                Stage::Rows => {
                    self.rows += 1;
                    if S::READS && self.failure.is_none() {
                        self.failure = give(self.format, payload, columns, sink).err();
                    }
                }
            }
        }
    }
}

/// The end of a statement; `rows` are those that it has returned in result sets before.
fn done_without_rows(payload: &[u8], rows: Option<u64>) -> Result<Answer, SqlError> {
    let Success { affected, status, warnings } = Success::parse(payload)?;
    let executed = rows.map_or(Executed::Affected(affected), Executed::Rows);
    Ok(Answer::Done(Reply { executed, status, warnings }))
}

fn done_with_rows(agreed: Agreed, payload: &[u8], rows: u64) -> Result<Reply, SqlError> {
    let success = if agreed.deprecate_eof {
        Success::parse(payload)?
    } else {
        Success::parse_end_of_file(payload)?
    };
    let Success { status, warnings, .. } = success;
    Ok(Reply { executed: Executed::Rows(rows), status, warnings })
}

/// The head of a result set: how many columns there are, and whether they follow.
fn head(agreed: Agreed, payload: &[u8], columns: &mut Vec<Column>) -> Result<Stage, Malformed> {
    let mut fields = Fields(payload);
    let count = fields.length()?;
    if count == 0 || count > MOST_COLUMNS {
        return Err(Malformed("a result set has an impossible number of columns"));
    }
    if !agreed.cache_metadata || fields.u8()? != 0 {
        columns.clear();
        return Ok(Stage::Columns { left: count });
    }
    if columns.len() as u64 != count {
        return Err(Malformed("columns are left out that were never sent"));
    }
    Ok(after_columns(agreed, 0))
}

fn after_columns(agreed: Agreed, left: u64) -> Stage {
    match left {
        0 if agreed.deprecate_eof => Stage::Rows,
        0 => Stage::EndOfColumns,
        left => Stage::Columns { left },
    }
}

fn give<S: RowSink>(
    format: Format,
    payload: &[u8],
    columns: &[Column],
    sink: &mut S,
) -> Result<(), SqlError> {
    match format {
        Format::Text => sink.row(&TextRow { payload, columns }),
        Format::Binary => sink.row(&BinaryRow { payload, columns }),
    }
}

#[cfg(test)]
#[path = "reply_tests.rs"]
pub(crate) mod tests;
