//! The answers to several commands that were sent one behind the other.

use contract::{Executed, RowSink, SqlError};

use super::column::Column;
use super::reply::{Answer, Format, ReplyReader};
use super::{Malformed, ServerStatus};
use crate::sql::{Repeated, Sent};

/// No answer to a command is shorter. That is an OK packet with its header, one byte each for the rows
/// changed and the last inserted id, status and warnings; an error has a number, an SQLSTATE and a
/// message, and a result set has two packets at least.
const SHORTEST_ANSWER_BYTES: usize = 11;

/// What came back so far.
#[derive(Default)]
pub(crate) struct PipelineReplies {
    expected: usize,
    /// For each command that was answered what it did; None where it failed.
    succeeded: Vec<Option<Executed>>,
    /// Bytes of the answer that is being read.
    read_bytes: usize,
    first_error: Option<SqlError>,
}

impl PipelineReplies {
    /// Starts over: so many commands are sent.
    pub fn expect(&mut self, commands: usize) {
        self.expected = commands;
        self.succeeded.clear();
        self.read_bytes = 0;
        self.first_error = None;
    }

    /// For each command that was answered what it did; None where it failed.
    pub fn succeeded(&self) -> &[Option<Executed>] {
        &self.succeeded
    }

    /// How many bytes are yet to come if every answer is as short as can be. Where rows are on their
    /// way nobody knows how many follow, so that the next byte of theirs is all that is sure.
    pub fn missing_bytes(&self) -> usize {
        let unanswered = self.expected - self.succeeded.len();
        if unanswered == 0 {
            return 0;
        }
        let of_this_one = SHORTEST_ANSWER_BYTES.saturating_sub(self.read_bytes).max(1);
        of_this_one + (unanswered - 1) * SHORTEST_ANSWER_BYTES
    }

    fn answered(&mut self, executed: Option<Executed>) {
        self.succeeded.push(executed);
        self.read_bytes = 0;
    }
}

impl ReplyReader {
    /// Takes what has arrived of the answers, and says when all are there; the error is then the
    /// first of those that were answered, for the others may be its consequence.
    pub fn feed_pipeline<S: RowSink>(
        &mut self,
        mut input: &[u8],
        sent: &mut Sent<'_, impl Repeated<Column = Column>>,
        sink: &mut S,
        replies: &mut PipelineReplies,
        status: &mut ServerStatus,
    ) -> Result<Option<()>, SqlError> {
        loop {
            let before = input.len();
            let walked = self.walk_next(&mut input, sent, replies.succeeded.len(), sink);
            replies.read_bytes += before - input.len();
            match walked {
                Ok(None) => return Ok(None),
                Ok(Some(Answer::Done(reply))) => {
                    replies.answered(Some(reply.executed));
                    *status = reply.status;
                    if let Some(failure) = self.failure.take() {
                        replies.first_error.get_or_insert(failure);
                    }
                }
                Ok(Some(Answer::RowsWanted)) => {
                    return Err(Malformed("it asks for a file that was not offered").into());
                }
                // Nothing follows: the server goes, or what it says can't be followed.
                Err(error) if error.class().ends_connection() => return Err(error),
                Err(error) => {
                    replies.answered(None);
                    replies.first_error.get_or_insert(error);
                }
            }
            if replies.succeeded.len() == replies.expected {
                break;
            }
            self.start(Format::Binary, 1);
        }
        if !input.is_empty() {
            self.read_unasked(input)?;
        }
        replies.first_error.take().map_or(Ok(Some(())), Err)
    }
}

#[cfg(test)]
mod tests {
    use contract::{Discard, ErrorClass};

    use super::super::reply::Agreed;
    use super::super::reply::tests::packets;
    use super::*;
    use crate::network::FirstColumns;
    use crate::sql::{Answers, Queued};

    const DONE: &[u8] = &[0, 1, 0, 3, 0, 0, 0];
    const DUPLICATE: &[u8] = b"\xff\x26\x04#23000Duplicate entry";
    const SHUT_DOWN: &[u8] = b"\xff\x1d\x04#08S01Server shutdown in progress";

    /// Each answer begins with packet number 1.
    fn answers(payloads: &[&[u8]]) -> Vec<u8> {
        payloads.iter().flat_map(|payload| packets(1, &[payload.to_vec()])).collect()
    }

    fn feed(
        pieces: &[&[u8]],
        expected: usize,
    ) -> (Result<Option<()>, SqlError>, Vec<Option<Executed>>) {
        let (outcome, replies) = feed_all(pieces, expected);
        (outcome, replies.succeeded)
    }

    fn feed_all(
        pieces: &[&[u8]],
        expected: usize,
    ) -> (Result<Option<()>, SqlError>, PipelineReplies) {
        let mut reader = ReplyReader::new(Agreed::default());
        let mut replies = PipelineReplies::default();
        let mut status = ServerStatus::default();
        replies.expect(expected);
        let queued = vec![Queued::Statement(0); expected];
        let mut sent = Sent { queued: &queued, statements: &mut [Answers::default()] };
        reader.start(Format::Binary, 1);
        let mut outcome = Ok(None);
        for piece in pieces {
            let sink = &mut Discard;
            outcome = reader.feed_pipeline(piece, &mut sent, sink, &mut replies, &mut status);
            if !matches!(outcome, Ok(None)) {
                break;
            }
        }
        (outcome, replies)
    }

    #[test]
    fn all_answers_are_read_wherever_they_are_torn_and_the_first_error_is_told() {
        let bytes = answers(&[DONE, DUPLICATE, DONE, SHUT_DOWN]);
        let whole = answers(&[DONE, DUPLICATE, DONE]).len();
        for cut in 0..whole {
            let (outcome, succeeded) = feed(&[&bytes[..cut], &bytes[cut..whole]], 3);
            assert_eq!(outcome.unwrap_err().class(), ErrorClass::DuplicateKey, "cut at {cut}");
            let one = Some(Executed::Affected(1));
            assert_eq!(succeeded, [one, None, one]);
        }
    }

    /// The second time, columns are left out that were sent the first time.
    #[test]
    fn rows_come_with_their_statement_wherever_answers_are_torn() {
        let agreed = Agreed { cache_metadata: true, ..Agreed::default() };
        let column = || super::super::column::tests::definition(3, 0, 0);
        let end = || b"\xfe\0\0\x02\0".to_vec();
        let row = |value: u8| vec![0, 0, value, 0, 0, 0];
        let rows = |has_columns: bool, values: [u8; 2]| {
            let mut payloads = vec![vec![1, u8::from(has_columns)]];
            payloads.extend(has_columns.then(column));
            payloads.extend([end(), row(values[0]), row(values[1]), end()]);
            packets(1, &payloads)
        };
        let bytes = [
            rows(true, [1, 2]),
            answers(&[DONE]),
            rows(true, [3, 4]),
            rows(false, [5, 6]),
            answers(&[DUPLICATE]),
            rows(false, [7, 8]),
        ]
        .concat();
        let queued = [0, 1, 2, 0, 1, 2].map(Queued::Statement);
        for cut in 0..bytes.len() {
            let (mut reader, mut sink) = (ReplyReader::new(agreed), FirstColumns::default());
            let (mut replies, mut status) = Default::default();
            let replies: &mut PipelineReplies = &mut replies;
            replies.expect(queued.len());
            let mut sent =
                Sent { queued: &queued, statements: &mut [(); 3].map(|()| Answers::default()) };
            reader.start(Format::Binary, 1);
            let pieces = [&bytes[..cut], &bytes[cut..]];
            let [first, second] = pieces.map(|piece| {
                reader.feed_pipeline(piece, &mut sent, &mut sink, replies, &mut status)
            });
            assert!(first.unwrap().is_none(), "cut at {cut}");
            assert_eq!(second.unwrap_err().class(), ErrorClass::DuplicateKey, "cut at {cut}");
            let of = |place, values: [i64; 2]| values.map(|value| (place, Some(value)));
            let expected = [of(0, [1, 2]), of(2, [3, 4]), of(3, [5, 6]), of(5, [7, 8])];
            assert_eq!(sink.found, expected.concat(), "cut at {cut}");
        }
    }

    #[test]
    fn a_server_that_goes_answers_no_more() {
        let (outcome, succeeded) = feed(&[&answers(&[DONE, SHUT_DOWN])], 5);
        assert_eq!(outcome.unwrap_err().class(), ErrorClass::ConnectionLost);
        assert_eq!(succeeded, [Some(Executed::Affected(1))]);
    }

    #[test]
    fn more_answers_than_commands_are_refused_and_fewer_waited_for() {
        let bytes = answers(&[DONE, DONE]);
        assert_eq!(feed(&[&bytes], 1).0.unwrap_err().class(), ErrorClass::Protocol);
        assert!(feed(&[&bytes], 3).0.unwrap().is_none());
        assert!(feed(&[&bytes], 2).0.unwrap().is_some());
    }

    /// Who waits for more than will come waits for ever.
    #[test]
    fn no_more_bytes_are_missing_than_will_come() {
        let bare_error = b"\xff\xbd\x04#40001".as_slice();
        let orders: [&[&[u8]]; 5] = [
            &[DONE, DONE, DONE],
            &[bare_error, DUPLICATE, DONE],
            &[DONE, bare_error, bare_error],
            &[b"\0\xfc\xe8\x03\0\x03\0\0\0\x05words", DONE, DUPLICATE],
            &[DUPLICATE, DUPLICATE, DUPLICATE],
        ];
        let rows = |first: &[u8]| -> Vec<u8> {
            let column = super::super::column::tests::definition(3, 0, 0);
            let end = b"\xfe\0\0\x02\0".to_vec();
            let row = b"\0\0\x07\0\0\0".to_vec();
            let set = packets(1, &[vec![1], column, end.clone(), row.clone(), row, end]);
            [answers(&[first]), set].concat()
        };
        let with_rows = [DONE, bare_error].map(|first| (rows(first), 2));
        let without = orders.map(|payloads| (answers(payloads), payloads.len()));
        for (bytes, expected) in without.into_iter().chain(with_rows) {
            for cut in 0..bytes.len() {
                let (outcome, replies) = feed_all(&[&bytes[..cut]], expected);
                assert!(outcome.unwrap().is_none());
                let (missing, rest) = (replies.missing_bytes(), bytes.len() - cut);
                assert!((1..=rest).contains(&missing), "{missing} of {rest} bytes, cut at {cut}");
            }
            assert_eq!(feed_all(&[&bytes], expected).1.missing_bytes(), 0);
        }
        // An answer like the shortest is waited for as a whole.
        let (_, replies) = feed_all(&[&answers(&[DONE])[..4]], 3);
        assert_eq!(replies.missing_bytes(), 3 * SHORTEST_ANSWER_BYTES - 4);
    }

    #[test]
    fn damaged_answers_do_no_harm() {
        crate::test_tools::damage::damaged_answers_do_no_harm(
            &[0, 0xfb, 0xfe, 0xff],
            |round| {
                answers(
                    &[&[DONE, DONE, DONE], &[DONE, DUPLICATE, DONE]][usize::from(round % 5 == 0)][..],
                )
            },
            |_, pieces| [3, 4].map(|expected| feed(&pieces, expected).0.map(|all| all.is_some())),
        );
    }
}
