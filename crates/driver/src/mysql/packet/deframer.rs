//! Takes packets out of a stream of bytes that may be torn anywhere.

use super::{END, ERROR, Malformed};
use crate::stream::LONGEST_KEPT_BYTES;

/// A frame of this length is continued in the next frame.
pub(crate) const LONGEST_FRAME: usize = 0xff_ffff;

const OUT_OF_SEQUENCE: Malformed = Malformed("packets are out of sequence");

/// What is done with the bytes of the packet that is not complete yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Torn {
    /// There is no such packet.
    Nothing,
    /// They are kept.
    Kept,
    /// They are a row that nobody looks at.
    Skipped,
}

/// Packets that lie whole in the input are given in place; only a torn one is copied, and not even
/// that if it is a row that nobody looks at.
pub(crate) struct Deframer {
    torn: Torn,
    header: [u8; 4],
    header_length: usize,
    /// Bytes of the present frame that are still to come.
    body_left: usize,
    /// Whether the present frame is continued in the next.
    continues: bool,
    /// The torn packet as far as it has come, or the last one that was given out.
    payload: Vec<u8>,
    sequence: u8,
    in_sequence: bool,
}

impl Deframer {
    pub fn new() -> Self {
        Self {
            torn: Torn::Nothing,
            header: [0; 4],
            header_length: 0,
            body_left: 0,
            continues: false,
            payload: Vec::new(),
            sequence: 0,
            in_sequence: true,
        }
    }

    /// Starts anew with the number that the next packet must have.
    #[inline]
    pub fn restart(&mut self, sequence: u8) {
        self.torn = Torn::Nothing;
        self.header_length = 0;
        self.body_left = 0;
        self.in_sequence = true;
        self.sequence = sequence;
    }

    /// The number that the next packet must have.
    pub fn sequence(&self) -> u8 {
        self.sequence
    }

    /// The next packet's payload, if all of it has arrived.
    #[inline]
    pub fn next<'s, 'i: 's>(
        &'s mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<&'s [u8]>, Malformed> {
        if self.torn == Torn::Nothing
            && let Some((header, body)) = input.split_first_chunk::<4>()
        {
            let length = frame_length(*header);
            if length < LONGEST_FRAME
                && let Some((payload, rest)) = body.split_at_checked(length)
            {
                self.in_sequence = header[3] == self.sequence;
                self.sequence = header[3].wrapping_add(1);
                *input = rest;
                return self.checked(payload).map(Some);
            }
        }
        self.next_torn(input)
    }

    #[cold]
    fn next_torn(&mut self, input: &mut &[u8]) -> Result<Option<&[u8]>, Malformed> {
        if self.torn == Torn::Nothing {
            self.torn = Torn::Kept;
            self.in_sequence = true;
            self.payload.clear();
        }
        if !self.advance(input)? {
            return Ok(None);
        }
        self.torn = Torn::Nothing;
        self.checked(&self.payload).map(Some)
    }

    /// A packet out of sequence belongs to another answer than the one waited for; only the reason
    /// for which a server ends a connection may come unasked.
    #[inline]
    fn checked<'a>(&self, payload: &'a [u8]) -> Result<&'a [u8], Malformed> {
        if self.in_sequence || payload.first() == Some(&ERROR) {
            return Ok(payload);
        }
        Err(OUT_OF_SEQUENCE)
    }

    /// Skips rows and returns how many began. Stops before the first packet that is not a row, and
    /// before one of which too little has arrived to tell.
    #[inline]
    pub fn skip_rows(&mut self, input: &mut &[u8]) -> Result<u64, Malformed> {
        let mut rows = 0;
        if self.torn == Torn::Skipped {
            self.advance_skipped(input)?;
        }
        if self.torn != Torn::Nothing {
            return Ok(rows);
        }
        while let Some([a, b, c, sequence, first]) = input.first_chunk::<5>().copied() {
            let length = frame_length([a, b, c, sequence]);
            if length == 0 || ends_rows(first, length) {
                break;
            }
            if sequence != self.sequence {
                return Err(OUT_OF_SEQUENCE);
            }
            self.sequence = sequence.wrapping_add(1);
            rows += 1;
            match input.get(4 + length..) {
                Some(rest) if length < LONGEST_FRAME => *input = rest,
                _ => {
                    self.skip_torn(length, input)?;
                    if self.torn == Torn::Skipped {
                        break;
                    }
                }
            }
        }
        Ok(rows)
    }

    #[cold]
    fn skip_torn(&mut self, length: usize, input: &mut &[u8]) -> Result<(), Malformed> {
        self.torn = Torn::Skipped;
        self.in_sequence = true;
        self.header_length = 4;
        self.body_left = length;
        self.continues = length == LONGEST_FRAME;
        *input = &input[4..];
        self.advance_skipped(input)
    }

    fn advance_skipped(&mut self, input: &mut &[u8]) -> Result<(), Malformed> {
        if self.advance(input)? {
            self.torn = Torn::Nothing;
        }
        if self.in_sequence { Ok(()) } else { Err(OUT_OF_SEQUENCE) }
    }

    /// Takes input for the torn packet; true when it is complete.
    fn advance(&mut self, input: &mut &[u8]) -> Result<bool, Malformed> {
        loop {
            if self.header_length < 4 && !self.take_header(input) {
                return Ok(false);
            }
            let available = self.body_left.min(input.len());
            let (body, rest) = input.split_at(available);
            if self.torn == Torn::Kept {
                if self.payload.len() + body.len() > LONGEST_KEPT_BYTES {
                    return Err(Malformed("a row or message is longer than 64 MiB"));
                }
                self.payload.extend_from_slice(body);
            }
            *input = rest;
            self.body_left -= available;
            if self.body_left > 0 {
                return Ok(false);
            }
            self.header_length = 0;
            if !self.continues {
                return Ok(true);
            }
        }
    }

    fn take_header(&mut self, input: &mut &[u8]) -> bool {
        let wanted = (4 - self.header_length).min(input.len());
        let (taken, rest) = input.split_at(wanted);
        self.header[self.header_length..self.header_length + wanted].copy_from_slice(taken);
        self.header_length += wanted;
        *input = rest;
        if self.header_length < 4 {
            return false;
        }
        self.body_left = frame_length(self.header);
        self.continues = self.body_left == LONGEST_FRAME;
        self.in_sequence &= self.header[3] == self.sequence;
        self.sequence = self.header[3].wrapping_add(1);
        true
    }
}

#[inline]
fn frame_length([a, b, c, _]: [u8; 4]) -> usize {
    u32::from_le_bytes([a, b, c, 0]) as usize
}

/// Whether a packet among rows is their end or an error. A row of text may begin with the same byte
/// as the end if its first field is longer than a frame.
#[inline]
pub(crate) fn ends_rows(first: u8, length: usize) -> bool {
    first == ERROR || first == END && length < LONGEST_FRAME
}

#[cfg(test)]
#[path = "deframer_tests.rs"]
mod tests;
