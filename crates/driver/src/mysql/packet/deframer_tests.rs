//! Packets are the same wherever the stream is torn.

use super::*;

fn frame(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&length[..3], &[sequence], payload].concat()
}

/// Packets larger than a frame, as a server sends them.
fn frames(mut sequence: u8, mut payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let (piece, rest) = payload.split_at(payload.len().min(LONGEST_FRAME));
        bytes.extend(frame(sequence, piece));
        sequence = sequence.wrapping_add(1);
        payload = rest;
        if piece.len() < LONGEST_FRAME {
            return bytes;
        }
    }
}

fn collect(deframer: &mut Deframer, pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut packets = Vec::new();
    for piece in pieces {
        let mut input = *piece;
        while let Some(packet) = deframer.next(&mut input).unwrap() {
            packets.push(packet.to_vec());
        }
        assert!(input.is_empty());
    }
    packets
}

#[test]
fn packets_are_the_same_wherever_the_stream_is_torn() {
    let bytes = [frame(1, b"first"), frame(2, b""), frame(3, b"third")].concat();
    for tear in 0..=bytes.len() {
        let mut deframer = Deframer::new();
        deframer.restart(1);
        let (head, tail) = bytes.split_at(tear);
        let packets = collect(&mut deframer, &[head, tail]);
        assert_eq!(packets, [&b"first"[..], b"", b"third"], "torn at {tear}");
    }
}

#[test]
fn a_packet_longer_than_a_frame_is_put_together() {
    for length in [LONGEST_FRAME - 1, LONGEST_FRAME, LONGEST_FRAME + 9] {
        let payload: Vec<u8> =
            (0..length).map(|index: usize| (index % 251).to_le_bytes()[0]).collect();
        let bytes = [frames(1, &payload), frame(2 + u8::from(length >= LONGEST_FRAME), b"x")];
        let mut deframer = Deframer::new();
        deframer.restart(1);
        let pieces: Vec<&[u8]> = bytes.iter().flat_map(|b| b.chunks(60_001)).collect();
        let packets = collect(&mut deframer, &pieces);
        assert!(packets[0] == payload, "length {length}");
        assert_eq!(packets[1], b"x");
    }
}

#[test]
fn a_row_longer_than_a_frame_counts_once_when_skipped() {
    let row = vec![0_u8; 2 * LONGEST_FRAME + 5];
    let bytes = [frames(1, &row), frame(4, b"\0small"), frame(5, b"\xfeend")].concat();
    for piece_bytes in [3, 65_536, bytes.len()] {
        // Tearing forty megabytes into threes takes too long; the ends are what matters.
        let (head, tail) = bytes.split_at(if piece_bytes == 3 { bytes.len() - 60 } else { 0 });
        let mut deframer = Deframer::new();
        deframer.restart(1);
        let mut rows = 0;
        let mut packets = Vec::new();
        for piece in head.chunks(65_536).chain(tail.chunks(piece_bytes)) {
            let mut input = piece;
            loop {
                rows += deframer.skip_rows(&mut input).unwrap();
                match deframer.next(&mut input).unwrap() {
                    Some(packet) => packets.push(packet.to_vec()),
                    None => break,
                }
            }
        }
        let torn_rows = packets.iter().filter(|packet| packet[0] == 0).count();
        assert_eq!(rows + torn_rows as u64, 2, "pieces of {piece_bytes}");
        assert_eq!(packets.last().unwrap(), b"\xfeend");
    }
}

#[test]
fn a_number_out_of_sequence_is_refused_but_for_an_error() {
    for (payload, allowed) in [(&b"\0ok"[..], false), (b"\xffgone", true)] {
        let bytes = frame(7, payload);
        for tear in 0..bytes.len() {
            let mut deframer = Deframer::new();
            deframer.restart(1);
            let (mut head, mut tail) = bytes.split_at(tear);
            assert_eq!(deframer.next(&mut head), Ok(None));
            assert_eq!(deframer.next(&mut tail).is_ok(), allowed);
        }
    }
}

#[test]
fn a_packet_is_kept_up_to_a_limit_and_skipped_beyond_it() {
    let frame = [&[0xff, 0xff, 0xff][..], &[0], &vec![b'x'; LONGEST_FRAME]].concat();
    let frames = LONGEST_KEPT_BYTES.div_ceil(LONGEST_FRAME) + 1;
    let (mut kept, mut skipped) = (Deframer::new(), Deframer::new());
    let mut outcome = Ok(());
    for number in 0..u8::try_from(frames).unwrap() {
        let mut frame = frame.clone();
        frame[3] = number;
        outcome = outcome.and_then(|()| kept.next(&mut &frame[..]).map(drop));
        skipped.skip_rows(&mut &frame[..]).unwrap();
    }
    assert_eq!(outcome, Err(Malformed("a row or message is longer than 64 MiB")));
}
