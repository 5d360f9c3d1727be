//! The texts of the columns c and pad: groups of eleven digits, joined by hyphens.

use random::Stream;

/// Digits in one group.
const GROUP_DIGITS: usize = 11;

/// A text of ten groups, for the column c.
pub(super) type C = Filler<119>;

/// A text of five groups, for the column pad.
pub(super) type Pad = Filler<59>;

/// A text of a fixed length, drawn in place.
#[derive(Clone, Debug)]
pub(super) struct Filler<const LENGTH: usize>([u8; LENGTH]);

impl<const LENGTH: usize> Default for Filler<LENGTH> {
    fn default() -> Self {
        Self([b'-'; LENGTH])
    }
}

impl<const LENGTH: usize> Filler<LENGTH> {
    /// Draw new digits. The hyphens stay.
    #[inline]
    pub(super) fn draw(&mut self, stream: &mut Stream) {
        for group in self.0.chunks_mut(GROUP_DIGITS + 1) {
            stream.fill_digits(&mut group[..GROUP_DIGITS]);
        }
    }

    /// The text.
    ///
    /// # Panics
    ///
    /// Never: digits and hyphens are ASCII.
    #[inline]
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("digits and hyphens are ASCII")
    }
}

impl<const LENGTH: usize> AsRef<str> for Filler<LENGTH> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}
