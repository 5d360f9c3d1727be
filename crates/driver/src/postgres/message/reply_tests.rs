//! Answers as servers send them, torn and damaged.

use contract::{Collect, Discard, ErrorClass, Row};

use super::*;

fn message(tag: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len() + 4).unwrap();
    [&[tag], &length.to_be_bytes()[..], payload].concat()
}

/// The description of an integer and a string.
fn columns() -> Vec<u8> {
    let column = |name: &str, type_number: u32| {
        [name.as_bytes(), &[0; 7], &type_number.to_be_bytes(), &[0; 8]].concat()
    };
    message(tag::ROW_DESCRIPTION, &[vec![0, 2], column("id", 23), column("text", 25)].concat())
}

fn row(number: u8) -> Vec<u8> {
    let fields = [&[0, 2, 0, 0, 0, 2, b'-', b'0' + number][..], &[0, 0, 0, 4], b"text"];
    message(tag::DATA_ROW, &fields.concat())
}

fn ready(status: u8) -> Vec<u8> {
    message(tag::READY_FOR_QUERY, &[status])
}

fn complete(command: &str) -> Vec<u8> {
    message(tag::COMMAND_COMPLETE, format!("{command}\0").as_bytes())
}

fn error(sqlstate: &str) -> Vec<u8> {
    let fields = format!("SERROR\0VERROR\0C{sqlstate}\0Mno, {sqlstate}\0\0");
    message(tag::ERROR_RESPONSE, fields.as_bytes())
}

fn notice() -> Vec<u8> {
    message(tag::NOTICE_RESPONSE, b"SNOTICE\0VNOTICE\0C00000\0Mby the way\0\0")
}

/// The answer to a query of three rows, in the middle of a transaction.
fn text_answer() -> Vec<u8> {
    [columns(), row(0), notice(), row(1), row(2), complete("SELECT 3"), ready(b'T')].concat()
}

/// The answer to the same, prepared: the columns are known.
fn prepared_answer() -> Vec<u8> {
    let bound = message(tag::BIND_COMPLETE, b"");
    let setting = message(tag::PARAMETER_STATUS, b"TimeZone\0UTC\0");
    [bound, row(0), row(1), setting, row(2), complete("SELECT 3"), ready(b'T')].concat()
}

/// Reads one answer; columns that are known need not come with it.
fn feed<S: RowSink>(
    reader: &mut ReplyReader,
    knows_columns: bool,
    pieces: &[&[u8]],
    sink: &mut S,
) -> Result<Option<Answer>, SqlError> {
    let mut known = Vec::new();
    if knows_columns {
        Column::parse_all(&columns()[5..], &mut known).unwrap();
    }
    reader.start(knows_columns);
    for piece in pieces {
        if let Some(answer) = reader.feed(piece, &mut known, sink)? {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}

fn executed(bytes: &[u8]) -> Result<Option<Executed>, SqlError> {
    match feed(&mut ReplyReader::new(), false, &[bytes], &mut Discard)? {
        Some(Answer::Done(reply)) => Ok(reply.executed),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_is_the_same_wherever_it_is_torn() {
    let done = Reply { executed: Some(Executed::Rows(3)), ..NOTHING_YET };
    let expected_rows: Vec<_> =
        (0..3).map(|row| [Some(format!("-{row}")), Some("text".to_owned())]).collect();
    for (bytes, knows_columns) in [(text_answer(), false), (prepared_answer(), true)] {
        // One reader for all answers: none may leave anything behind.
        let mut reader = ReplyReader::new();
        let bytewise: Vec<&[u8]> = bytes.chunks(1).collect();
        let torn = (0..=bytes.len()).map(|tear| vec![&bytes[..tear], &bytes[tear..]]);
        for pieces in torn.chain([bytewise]) {
            let answer = feed(&mut reader, knows_columns, &pieces, &mut Discard).unwrap();
            assert_eq!(answer, Some(Answer::Done(done)), "{}", pieces[0].len());
            assert!(reader.in_transaction());
            let mut rows = Collect::default();
            let answer = feed(&mut reader, knows_columns, &pieces, &mut rows).unwrap();
            assert_eq!(answer, Some(Answer::Done(done)), "{}", pieces[0].len());
            assert_eq!(rows.rows, expected_rows, "{}", pieces[0].len());
        }
    }
}

#[test]
fn statements_without_rows_say_what_they_changed() {
    for (command, affected) in [
        ("INSERT 0 5", 5),
        ("UPDATE 18446744073709551615", u64::MAX),
        ("DELETE 0", 0),
        ("COPY 7", 7),
        ("CREATE TABLE", 0),
        ("BEGIN", 0),
        ("", 0),
        ("UPDATE 18446744073709551616", 0),
    ] {
        let bytes = [complete(command), ready(b'I')].concat();
        assert_eq!(executed(&bytes).unwrap(), Some(Executed::Affected(affected)), "{command}");
    }
    let empty = [message(tag::EMPTY_QUERY_RESPONSE, b""), ready(b'I')].concat();
    assert_eq!(executed(&empty).unwrap(), Some(Executed::Affected(0)));
    assert_eq!(executed(&ready(b'I')).unwrap(), None);
}

#[test]
fn of_several_statements_the_last_counts() {
    let two = [columns(), row(0), row(1), complete("SELECT 2"), complete("UPDATE 4"), ready(b'I')];
    assert_eq!(executed(&two.concat()).unwrap(), Some(Executed::Affected(4)));
    let two = [complete("UPDATE 4"), columns(), row(0), complete("SELECT 1"), ready(b'I')];
    assert_eq!(executed(&two.concat()).unwrap(), Some(Executed::Rows(1)));
}

#[test]
fn what_was_described_is_told() {
    let bytes = [
        message(tag::PARSE_COMPLETE, b""),
        message(tag::PARAMETER_DESCRIPTION, b"\0\x02\0\0\0\x17\0\0\0\x17"),
        columns(),
        ready(b'I'),
    ];
    let expected = Reply { parameters: 2, returns_rows: true, ..NOTHING_YET };
    let mut reader = ReplyReader::new();
    let answer = feed(&mut reader, false, &[&bytes.concat()], &mut Discard).unwrap();
    assert_eq!(answer, Some(Answer::Done(expected)));
    let commit = [complete("ROLLBACK"), ready(b'I')].concat();
    let Some(Answer::Done(reply)) = feed(&mut reader, false, &[&commit], &mut Discard).unwrap()
    else {
        panic!("rows are wanted");
    };
    assert!(reply.rolled_back);
}

#[test]
fn the_answer_to_copy_has_two_ends() {
    let mut reader = ReplyReader::new();
    let wanted = message(tag::COPY_IN_RESPONSE, b"\0\0\0");
    let answer = feed(&mut reader, false, &[&wanted], &mut Discard).unwrap();
    assert_eq!(answer, Some(Answer::RowsWanted));
    let bytes = [complete("COPY 7"), ready(b'I')].concat();
    let Some(Answer::Done(reply)) = reader.feed(&bytes, &mut Vec::new(), &mut Discard).unwrap()
    else {
        panic!("rows are wanted twice");
    };
    assert_eq!(reply.executed, Some(Executed::Affected(7)));
}

#[test]
fn the_first_error_is_told_when_the_answer_has_ended() {
    let bytes = [columns(), row(0), error("40P01"), error("25P02"), ready(b'E')].concat();
    for tear in 0..bytes.len() {
        let mut reader = ReplyReader::new();
        let pieces = [&bytes[..tear], &bytes[tear..]];
        let error = feed(&mut reader, false, &pieces, &mut Discard).unwrap_err();
        assert_eq!((error.class(), error.sqlstate()), (ErrorClass::Deadlock, "40P01"));
        assert!(reader.in_transaction(), "a failed transaction is one");
        assert_eq!(feed(&mut reader, false, &pieces[..1], &mut Discard).unwrap(), None);
    }
}

#[test]
fn an_error_that_ends_the_connection_ends_the_answer() {
    let bytes = [columns(), row(0), error("57P01")].concat();
    let error = feed(&mut ReplyReader::new(), false, &[&bytes], &mut Discard).unwrap_err();
    assert_eq!((error.class(), error.sqlstate()), (ErrorClass::ConnectionLost, "57P01"));
}

#[test]
fn an_error_of_the_sink_is_told_after_the_whole_answer_was_read() {
    struct Refuse(u32);
    impl RowSink for Refuse {
        const READS: bool = true;
        fn row(&mut self, _: &dyn Row) -> Result<(), SqlError> {
            self.0 += 1;
            Err(SqlError::driver(ErrorClass::Other, "no"))
        }
    }
    let bytes = text_answer();
    let (mut sink, mut reader) = (Refuse(0), ReplyReader::new());
    let last = bytes.len() - 1;
    assert_eq!(feed(&mut reader, false, &[&bytes[..last]], &mut sink).unwrap(), None);
    let error = reader.feed(&bytes[last..], &mut Vec::new(), &mut sink).unwrap_err();
    assert_eq!((error.message(), sink.0), ("no", 1));
}

#[test]
fn what_is_said_beside_the_answers_is_heard() {
    let shutdown_notice = |bytes: &[u8]| {
        let mut reader = ReplyReader::new();
        feed(&mut reader, false, &[bytes], &mut Discard).unwrap();
        reader.take_shutdown_notice().map(|error| error.sqlstate().to_owned())
    };
    let done = text_answer();
    assert_eq!(shutdown_notice(&[done.clone(), notice()].concat()), None);
    assert_eq!(shutdown_notice(&[done.clone(), error("57P01")].concat()).as_deref(), Some("57P01"));
    let crash = message(tag::NOTICE_RESPONSE, b"SWARNING\0VWARNING\0C57P02\0Mcrash\0\0");
    for bytes in [&[&crash[..], &done], &[&done[..], &crash]] {
        assert_eq!(shutdown_notice(&bytes.concat()).as_deref(), Some("57P02"));
    }
    // Another that comes behind does not hide it.
    assert_eq!(shutdown_notice(&[done, crash, notice()].concat()).as_deref(), Some("57P02"));
}

#[test]
fn messages_that_were_not_asked_for_are_refused() {
    for bytes in [
        [text_answer(), row(0)].concat(),
        [text_answer(), ready(b'I')].concat(),
        message(b'H', b"\0\0\0"),
        message(b'?', b""),
    ] {
        let mut reader = ReplyReader::new();
        let error = feed(&mut reader, false, &[&bytes], &mut Discard).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Protocol);
    }
}

#[test]
fn damaged_answers_do_no_harm() {
    crate::test_tools::damage::damaged_answers_do_no_harm(
        b"\0\x01\x05\xff12CDEGINSTZ",
        |round| match round % 3 {
            0 => text_answer(),
            1 => prepared_answer(),
            _ => [columns(), row(0), error("40001"), ready(b'E')].concat(),
        },
        |round, pieces| {
            let knows_columns = round % 3 == 1;
            let mut rows = Collect::default();
            let collected = feed(&mut ReplyReader::new(), knows_columns, &pieces, &mut rows);
            let text: usize = rows.rows.iter().flatten().flatten().map(String::len).sum();
            // A byte that is no text becomes a character of three.
            assert!(text <= 3 * pieces.concat().len());
            let discarded = feed(&mut ReplyReader::new(), knows_columns, &pieces, &mut Discard);
            [collected, discarded].map(|outcome| outcome.map(|answer| answer.is_some()))
        },
    );
}
