//! Packets on their way to the server.

use super::deframer::LONGEST_FRAME;

/// What stands before a packet's payload: its length in three bytes and its number.
pub(crate) const HEADER_BYTES: usize = 4;

/// Writes the header of a packet whose payload follows room for one, with the number
/// `sequence`; a payload that is longer than a frame is cut into frames. Returns the number that
/// the next packet will have.
#[inline]
pub(crate) fn finish(packet: &mut Vec<u8>, sequence: u8) -> u8 {
    let length = packet.len() - HEADER_BYTES;
    if length >= LONGEST_FRAME {
        return cut(packet, sequence);
    }
    packet[..HEADER_BYTES].copy_from_slice(&header(length, sequence));
    sequence.wrapping_add(1)
}

#[inline]
fn header(length: usize, sequence: u8) -> [u8; HEADER_BYTES] {
    let [a, b, c, ..] = length.to_le_bytes();
    [a, b, c, sequence]
}

#[cold]
fn cut(packet: &mut Vec<u8>, mut sequence: u8) -> u8 {
    let payload = packet.split_off(HEADER_BYTES);
    packet.clear();
    let whole = payload.chunks_exact(LONGEST_FRAME);
    // The last frame is the one that is shorter than the longest, and may be empty.
    let last = whole.remainder();
    for piece in whole.chain([last]) {
        packet.extend_from_slice(&header(piece.len(), sequence));
        packet.extend_from_slice(piece);
        sequence = sequence.wrapping_add(1);
    }
    sequence
}

/// A command that begins an exchange.
pub(crate) mod command {
    pub const QUIT: u8 = 0x01;
    pub const QUERY: u8 = 0x03;
    pub const STATEMENT_PREPARE: u8 = 0x16;
    pub const STATEMENT_EXECUTE: u8 = 0x17;
    pub const STATEMENT_CLOSE: u8 = 0x19;
}

#[cfg(test)]
mod tests {
    use super::super::Deframer;
    use super::*;

    #[test]
    fn long_payloads_come_out_of_their_frames_as_they_went_in() {
        for length in [0, 5, LONGEST_FRAME - 1, LONGEST_FRAME, 2 * LONGEST_FRAME + 1] {
            let payload: Vec<u8> =
                (0..length).map(|index: usize| (index % 253).to_le_bytes()[0]).collect();
            let mut packet = [&[0; HEADER_BYTES][..], &payload].concat();
            let next = finish(&mut packet, 0);
            assert_eq!(usize::from(next), length / LONGEST_FRAME + 1);
            let mut deframer = Deframer::new();
            deframer.restart(0);
            let mut input = &packet[..];
            assert!(deframer.next(&mut input).unwrap() == Some(&payload[..]), "length {length}");
            assert!(input.is_empty());
            assert_eq!(deframer.sequence(), next);
        }
    }
}
