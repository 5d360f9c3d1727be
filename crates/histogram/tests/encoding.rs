//! The text form: what goes out comes back, and what is not ours is refused in words.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer, V2Serializer};
use histogram::{HIGHEST_NS, Histogram};
use random::{Purpose, Stream};

fn durations(index: u64) -> Vec<u64> {
    let mut stream = Stream::new(2, Purpose::Inputs, index);
    (0..1000).map(|_| stream.bits() >> stream.between(22, 63)).collect()
}

#[test]
fn the_encoding_comes_back_as_it_was() {
    for index in 0..20 {
        let mut histogram = Histogram::new();
        for value in durations(index) {
            histogram.record(value);
        }
        histogram.record_many(u64::MAX, index);
        let text = histogram.encode();
        assert!(text.starts_with("HISTFAAA"), "{text}");
        assert_eq!(Histogram::decode(&text, index).unwrap(), histogram);
    }
}

/// What other programs write: the library's own histogram in one of its formats, in base64.
fn foreign(high: u64, digits: u8, mut serializer: impl Serializer) -> String {
    let mut values = hdrhistogram::Histogram::<u64>::new_with_bounds(1, high, digits).unwrap();
    values.record_n(12_345, 3).unwrap();
    let mut bytes = Vec::new();
    assert!(serializer.serialize(&values, &mut bytes).is_ok());
    BASE64_STANDARD.encode(bytes)
}

#[test]
fn compressed_and_uncompressed_are_read_alike() {
    let mut expected = Histogram::new();
    expected.record_many(12_345, 3);
    let plain = foreign(HIGHEST_NS, 3, V2Serializer::new());
    assert!(plain.starts_with("HISTEwAA"), "{plain}");
    assert_eq!(Histogram::decode(&plain, 0).unwrap(), expected);
    let compressed = foreign(HIGHEST_NS, 3, V2DeflateSerializer::new());
    assert_eq!(Histogram::decode(&compressed, 0).unwrap(), expected);
}

#[test]
fn what_is_not_ours_is_refused_in_words() {
    let ours = foreign(HIGHEST_NS, 3, V2DeflateSerializer::new());
    for (text, message) in [
        ("not base64!", "the histogram is not base64: Invalid symbol"),
        ("", "the histogram is not in HdrHistogram's V2 encoding: An i/o operation failed"),
        ("AAAAAAAA", "the histogram is not in HdrHistogram's V2 encoding: The cookie"),
        (
            &ours[..40],
            "the histogram is not in HdrHistogram's V2 encoding: An i/o operation failed",
        ),
        (
            &foreign(3_600_000_000, 2, V2DeflateSerializer::new()),
            "the histogram covers 1 to 3600000000 with 2 significant digits; \
             expected 1 to 7200000000000 with 3",
        ),
    ] {
        let error = Histogram::decode(text, 0).unwrap_err().to_string();
        assert!(error.starts_with(message), "{text:?} gave {error:?}");
    }
}
