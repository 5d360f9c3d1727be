//! Takes messages out of a stream of bytes that may be torn anywhere.

use super::{Malformed, tag};
use crate::stream::LONGEST_KEPT_BYTES;

/// Its first byte, and the length that counts itself.
const HEADER_BYTES: usize = 5;

/// No server sends a larger message: it does not allocate more at once.
const LARGEST_MESSAGE: usize = 1 << 30;

/// What is done with the bytes of the message that is not complete yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Torn {
    /// There is no such message.
    Nothing,
    /// They are kept.
    Kept,
    /// They are a row that nobody looks at.
    Skipped,
}

/// Messages that lie whole in the input are given in place; only a torn one is copied, and not even
/// that if it is a row that nobody looks at.
#[derive(Debug)]
pub(crate) struct Deframer {
    torn: Torn,
    header: [u8; HEADER_BYTES],
    header_length: usize,
    /// Bytes of the present message that are still to come.
    body_left: usize,
    /// The torn message as far as it has come, or the last one that was given out.
    payload: Vec<u8>,
}

impl Deframer {
    pub fn new() -> Self {
        Self {
            torn: Torn::Nothing,
            header: [0; HEADER_BYTES],
            header_length: 0,
            body_left: 0,
            payload: Vec::new(),
        }
    }

    /// The next message's first byte and what is behind its length, if all of it has arrived.
    #[inline]
    pub fn next<'s, 'i: 's>(
        &'s mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<(u8, &'s [u8])>, Malformed> {
        if self.torn == Torn::Nothing
            && let Some((header, body)) = input.split_first_chunk::<HEADER_BYTES>()
            && let Some((payload, rest)) = body.split_at_checked(body_length(*header)?)
        {
            *input = rest;
            return Ok(Some((header[0], payload)));
        }
        self.next_torn(input)
    }

    #[cold]
    fn next_torn(&mut self, input: &mut &[u8]) -> Result<Option<(u8, &[u8])>, Malformed> {
        if self.torn == Torn::Nothing {
            self.torn = Torn::Kept;
            self.header_length = 0;
            self.payload.clear();
        }
        if !self.advance(input)? {
            return Ok(None);
        }
        self.torn = Torn::Nothing;
        Ok(Some((self.header[0], &self.payload)))
    }

    /// Skips rows and returns how many began. Stops before the first message that is not a row, and
    /// before one of which too little has arrived to tell.
    #[inline]
    pub fn skip_rows(&mut self, input: &mut &[u8]) -> Result<u64, Malformed> {
        let mut rows = 0;
        if self.torn == Torn::Skipped && self.advance(input)? {
            self.torn = Torn::Nothing;
        }
        if self.torn != Torn::Nothing {
            return Ok(rows);
        }
        while let Some((header, body)) = input.split_first_chunk::<HEADER_BYTES>() {
            if header[0] != tag::DATA_ROW {
                break;
            }
            rows += 1;
            let length = body_length(*header)?;
            let Some(rest) = body.get(length..) else {
                self.torn = Torn::Skipped;
                self.header_length = HEADER_BYTES;
                self.body_left = length - body.len();
                *input = &[];
                break;
            };
            *input = rest;
        }
        Ok(rows)
    }

    /// Takes input for the torn message; true when it is complete.
    fn advance(&mut self, input: &mut &[u8]) -> Result<bool, Malformed> {
        if self.header_length < HEADER_BYTES {
            let wanted = (HEADER_BYTES - self.header_length).min(input.len());
            let (taken, rest) = input.split_at(wanted);
            self.header[self.header_length..self.header_length + wanted].copy_from_slice(taken);
            self.header_length += wanted;
            *input = rest;
            if self.header_length < HEADER_BYTES {
                return Ok(false);
            }
            self.body_left = body_length(self.header)?;
        }
        if self.torn == Torn::Kept && self.payload.len() + self.body_left > LONGEST_KEPT_BYTES {
            return Err(Malformed("a row or message is longer than 64 MiB"));
        }
        let available = self.body_left.min(input.len());
        let (body, rest) = input.split_at(available);
        if self.torn == Torn::Kept {
            self.payload.extend_from_slice(body);
        }
        *input = rest;
        self.body_left -= available;
        Ok(self.body_left == 0)
    }
}

#[inline]
fn body_length(header: [u8; HEADER_BYTES]) -> Result<usize, Malformed> {
    let [_, a, b, c, d] = header;
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    match length.checked_sub(4) {
        None => Err(Malformed("a message is shorter than its own length")),
        Some(_) if length > LARGEST_MESSAGE => {
            Err(Malformed("a message is larger than any server may send"))
        }
        Some(body) => Ok(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(tag: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len() + 4).unwrap().to_be_bytes();
        [&[tag], &length[..], payload].concat()
    }

    /// All messages of `bytes`, given in pieces of `step` bytes.
    fn messages(bytes: &[u8], step: usize) -> Vec<(u8, Vec<u8>)> {
        let mut deframer = Deframer::new();
        let mut found = Vec::new();
        for mut piece in bytes.chunks(step) {
            while let Some((tag, payload)) = deframer.next(&mut piece).unwrap() {
                found.push((tag, payload.to_vec()));
            }
        }
        found
    }

    #[test]
    fn messages_are_whole_wherever_they_were_torn() {
        let expected = [
            (b'2', vec![]),
            (b'D', vec![7; 300]),
            (b'C', b"SELECT 1\0".to_vec()),
            (b'Z', vec![73]),
        ];
        let bytes: Vec<u8> =
            expected.iter().flat_map(|(tag, payload)| message(*tag, payload)).collect();
        for step in 1..=bytes.len() {
            assert_eq!(messages(&bytes, step), expected, "{step}");
        }
    }

    #[test]
    fn rows_are_skipped_wherever_they_were_torn() {
        let bytes = [
            message(b'D', &[1; 40]),
            message(b'D', &[]),
            message(b'D', &[2; 9]),
            message(b'C', b"SELECT 3\0"),
        ]
        .concat();
        for step in 1..=bytes.len() {
            let mut deframer = Deframer::new();
            let (mut rows, mut rest) = (0, Vec::new());
            for mut piece in bytes.chunks(step) {
                loop {
                    rows += deframer.skip_rows(&mut piece).unwrap();
                    match deframer.next(&mut piece).unwrap() {
                        Some((tag, _)) if tag == tag::DATA_ROW => rows += 1,
                        Some((tag, _)) => rest.push(tag),
                        None => break,
                    }
                }
            }
            assert_eq!((rows, rest), (3, vec![b'C']), "{step}");
        }
    }

    #[test]
    fn a_length_is_not_believed() {
        for length in [0_u32, 3, (1 << 30) + 1, u32::MAX] {
            let bytes = [&b"D"[..], &length.to_be_bytes(), b"xx"].concat();
            assert!(Deframer::new().next(&mut &bytes[..]).is_err(), "{length}");
            assert!(Deframer::new().skip_rows(&mut &bytes[..]).is_err(), "{length}");
            let mut torn = Deframer::new();
            assert_eq!(torn.next(&mut &bytes[..3]), Ok(None));
            assert!(torn.next(&mut &bytes[3..]).is_err(), "{length}");
        }
        let longest = u32::try_from(LONGEST_KEPT_BYTES).unwrap() + 4;
        let begun = |length: u32| [&b"D"[..], &length.to_be_bytes(), b"xx"].concat();
        let mut huge = Deframer::new();
        assert_eq!(huge.next(&mut &begun(longest)[..]), Ok(None));
        assert!(huge.payload.capacity() < 1000);
        assert!(Deframer::new().next(&mut &begun(longest + 1)[..]).is_err());
        assert_eq!(Deframer::new().skip_rows(&mut &begun(longest + 1)[..]), Ok(1));
    }
}
