//! The text form: `HdrHistogram`'s V2 encoding in base64, as its interval logs carry it.
//!
//! The overflow is no part of that encoding; it travels beside the text.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use thiserror::Error;

use crate::{HIGHEST_NS, Histogram, LOWEST_NS, SIGNIFICANT_DIGITS};

/// Why a text is no histogram of ours.
#[derive(Debug, Error)]
pub enum DecodeError {
    /// The text is not base64.
    #[error("the histogram is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// The bytes are not `HdrHistogram`'s V2 encoding.
    #[error("the histogram is not in HdrHistogram's V2 encoding: {0}")]
    Encoding(#[from] hdrhistogram::serialization::DeserializeError),
    /// The histogram has another range or precision, so its counters mean other values.
    #[error(
        "the histogram covers {low} to {high} with {digits} significant digits; \
         expected {LOWEST_NS} to {HIGHEST_NS} with {SIGNIFICANT_DIGITS}"
    )]
    Range {
        /// Its lowest discernible value.
        low: u64,
        /// Its highest trackable value.
        high: u64,
        /// Its significant decimal digits.
        digits: u8,
    },
}

impl Histogram {
    /// `HdrHistogram`'s V2 encoding, compressed, in base64: `HISTFAAA…`. Without the overflow.
    ///
    /// # Panics
    ///
    /// Never: writing to memory does not fail.
    pub fn encode(&self) -> String {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.values, &mut bytes)
            .expect("writing to memory does not fail");
        BASE64_STANDARD.encode(bytes)
    }

    /// Read what [`Histogram::encode`] wrote, or the same without compression.
    pub fn decode(text: &str, overflow: u64) -> Result<Self, DecodeError> {
        let bytes = BASE64_STANDARD.decode(text)?;
        let values: hdrhistogram::Histogram<u64> =
            Deserializer::new().deserialize(&mut bytes.as_slice())?;
        let (low, high, digits) = (values.low(), values.high(), values.sigfig());
        if (low, high, digits) != (LOWEST_NS, HIGHEST_NS, SIGNIFICANT_DIGITS) {
            return Err(DecodeError::Range { low, high, digits });
        }
        Ok(Self { values, overflow })
    }
}
