//! Answers as servers send them, torn and damaged.

use contract::{Collect, Discard, ErrorClass, Row};

use super::super::column::tests::definition;
use super::*;

/// Puts payloads into numbered packets.
pub(crate) fn packets(first: u8, payloads: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (payload, sequence) in payloads.iter().zip(first..) {
        bytes.extend_from_slice(&u32::try_from(payload.len()).unwrap().to_le_bytes()[..3]);
        bytes.push(sequence);
        bytes.extend_from_slice(payload);
    }
    bytes
}

const ALL_AGREED: [Agreed; 3] = [
    Agreed { deprecate_eof: false, cache_metadata: false },
    Agreed { deprecate_eof: true, cache_metadata: false },
    Agreed { deprecate_eof: true, cache_metadata: true },
];

const IN_TRANSACTION: u16 = 0x0003;

/// A result set with an integer and a string in each row.
fn result_set(agreed: Agreed, format: Format, sends_columns: bool, rows: u8) -> Vec<u8> {
    let mut payloads = vec![vec![2]];
    if agreed.cache_metadata {
        payloads[0].push(sends_columns.into());
    }
    if sends_columns {
        payloads.push(definition(8, 0, 0));
        payloads.push(definition(253, 0, 0));
    }
    if !agreed.deprecate_eof {
        payloads.push(vec![0xfe, 0, 0, 3, 0]);
    }
    for row in 0..rows {
        payloads.push(match format {
            Format::Text => [b"\x02-", &[b'0' + row][..], b"\x04text"].concat(),
            Format::Binary => [b"\0\0", &i64::from(row).to_le_bytes()[..], b"\x04text"].concat(),
        });
    }
    let [low, high] = IN_TRANSACTION.to_le_bytes();
    payloads.push(if agreed.deprecate_eof {
        vec![0xfe, 0, 0, low, high, 1, 0]
    } else {
        vec![0xfe, 1, 0, low, high]
    });
    packets(1, &payloads)
}

fn feed<S: RowSink>(
    agreed: Agreed,
    format: Format,
    pieces: &[&[u8]],
    sink: &mut S,
) -> Result<Option<Answer>, SqlError> {
    let mut reader = ReplyReader::new(agreed);
    // What preparing told, for when columns are left out.
    let mut columns = vec![
        Column::parse(&definition(8, 0, 0)).unwrap(),
        Column::parse(&definition(253, 0, 0)).unwrap(),
    ];
    reader.start(format, 1);
    for piece in pieces {
        if let Some(answer) = reader.feed(piece, &mut columns, sink)? {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}

fn done(executed: Executed, status: u16, warnings: u16) -> Answer {
    Answer::Done(Reply { executed, status: ServerStatus(status), warnings })
}

#[test]
fn a_result_set_is_the_same_wherever_it_is_torn() {
    let expected = done(Executed::Rows(3), IN_TRANSACTION, 1);
    for agreed in ALL_AGREED {
        for (format, sends_columns) in
            [(Format::Text, true), (Format::Binary, true), (Format::Binary, !agreed.cache_metadata)]
        {
            let bytes = result_set(agreed, format, sends_columns, 3);
            for tear in 0..=bytes.len() {
                let (head, tail) = bytes.split_at(tear);
                let answer = feed(agreed, format, &[head, tail], &mut Discard).unwrap();
                assert_eq!(answer, Some(expected), "torn at {tear}");
                let mut rows = Collect::default();
                let answer = feed(agreed, format, &[head, tail], &mut rows).unwrap();
                assert_eq!(answer, Some(expected), "torn at {tear}");
                let sign = if format == Format::Text { "-" } else { "" };
                for (index, row) in rows.rows.iter().enumerate() {
                    assert_eq!(*row, [Some(format!("{sign}{index}")), Some("text".into())]);
                }
            }
            let bytewise: Vec<&[u8]> = bytes.chunks(1).collect();
            let answer = feed(agreed, format, &bytewise, &mut Discard).unwrap();
            assert_eq!(answer, Some(expected));
        }
    }
}

#[test]
fn columns_are_remembered_until_they_are_sent_again() {
    let agreed = Agreed { deprecate_eof: true, cache_metadata: true };
    let mut reader = ReplyReader::new(agreed);
    let mut columns = Vec::new();
    let with = result_set(agreed, Format::Binary, true, 1);
    let without = result_set(agreed, Format::Binary, false, 1);
    reader.start(Format::Binary, 1);
    let error = reader.feed(&without, &mut columns, &mut Discard).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Protocol);
    for bytes in [&with, &without, &without, &with] {
        reader.start(Format::Binary, 1);
        let mut rows = Collect::default();
        reader.feed(bytes, &mut columns, &mut rows).unwrap().unwrap();
        assert_eq!(rows.rows, [[Some("0".to_owned()), Some("text".to_owned())]]);
    }
}

#[test]
fn statements_without_rows_and_refusals_are_told_apart() {
    let agreed = ALL_AGREED[1];
    let ok = packets(1, &[b"\0\x05\0\x02\0\0\0".to_vec()]);
    let answer = feed(agreed, Format::Binary, &[&ok], &mut Discard).unwrap();
    assert_eq!(answer, Some(done(Executed::Affected(5), 2, 0)));
    let file = packets(1, &[b"\xfbrows".to_vec()]);
    let answer = feed(agreed, Format::Text, &[&file], &mut Discard).unwrap();
    assert_eq!(answer, Some(Answer::RowsWanted));
    let deadlock = packets(1, &[b"\xff\xbd\x04#40001Deadlock".to_vec()]);
    let error = feed(agreed, Format::Text, &[&deadlock], &mut Discard).unwrap_err();
    assert_eq!((error.class(), error.code()), (ErrorClass::Deadlock, 1213));
}

#[test]
fn an_error_among_the_rows_ends_the_answer() {
    let agreed = ALL_AGREED[1];
    let mut bytes = result_set(agreed, Format::Binary, true, 2);
    bytes.truncate(bytes.len() - 11);
    bytes.extend(packets(6, &[b"\xff\x25\x05#70100Query execution was interrupted".to_vec()]));
    for tear in 0..bytes.len() {
        let pieces = [&bytes[..tear], &bytes[tear..]];
        let error = feed(agreed, Format::Binary, &pieces, &mut Discard).unwrap_err();
        assert_eq!(error.code(), 1317);
    }
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
    let bytes = result_set(ALL_AGREED[1], Format::Binary, true, 3);
    let mut sink = Refuse(0);
    let last = bytes.len() - 1;
    let mut reader = ReplyReader::new(ALL_AGREED[1]);
    let mut columns = Vec::new();
    reader.start(Format::Binary, 1);
    assert!(reader.feed(&bytes[..last], &mut columns, &mut sink).unwrap().is_none());
    let error = reader.feed(&bytes[last..], &mut columns, &mut sink).unwrap_err();
    assert_eq!((error.message(), sink.0), ("no", 1));
}

#[test]
fn a_packet_behind_the_answer_is_refused() {
    let mut bytes = result_set(ALL_AGREED[1], Format::Binary, true, 1);
    bytes.extend([1, 0, 0, 9, 0]);
    let error = feed(ALL_AGREED[1], Format::Binary, &[&bytes], &mut Discard).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Protocol);
}

#[test]
fn damaged_answers_do_no_harm() {
    let kind = |round: usize| (ALL_AGREED[round % 3], [Format::Text, Format::Binary][round % 2]);
    crate::test_tools::damage::damaged_answers_do_no_harm(
        &[0, 0xfb, 0xfc, 0xfd, 0xfe, 0xff],
        |round| result_set(kind(round).0, kind(round).1, round % 5 != 0, 3),
        |round, pieces| {
            let (agreed, format) = kind(round);
            let collected = feed(agreed, format, &pieces, &mut Collect::default());
            let discarded = feed(agreed, format, &pieces, &mut Discard);
            [collected, discarded].map(|outcome| outcome.map(|answer| answer.is_some()))
        },
    );
}
