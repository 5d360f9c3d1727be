//! The texts of the population: random letters and digits, or the words of a real text.

use random::Stream;

use super::words::WordReader;

/// The syllables of last names: TPC-C, clause 4.3.2.3.
const SYLLABLES: [&str; 10] =
    ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// What stands somewhere in the data of a tenth of all items and stock (clause 4.3.3.1).
pub(in crate::tpcc) const ORIGINAL: &str = "ORIGINAL";

/// What random strings are made of: sixty-four characters, so that six random bits choose one.
const ALPHABET: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-";

/// Writes the last name with this number, of three digits (clause 4.3.2.3).
pub(in crate::tpcc) fn put_last_name(name: &mut String, number: u64) {
    name.clear();
    for digit in [number / 100, number / 10 % 10, number % 10] {
        name.push_str(SYLLABLES[usize::try_from(digit).unwrap_or(0)]);
    }
}

/// Makes texts, one at a time.
#[derive(Debug)]
pub(super) struct Texts {
    pub stream: Stream,
    words: Option<WordReader>,
    text: String,
}

impl Texts {
    pub fn new(stream: Stream, words: Option<WordReader>) -> Self {
        Self { stream, words, text: String::with_capacity(1024) }
    }

    /// Random letters and digits, or words: an a-string of clause 4.3.2.2.
    pub fn any(&mut self, shortest: u64, longest: u64) -> &str {
        self.draw(shortest, longest);
        &self.text
    }

    /// The same, with ORIGINAL somewhere in it in one case of ten.
    pub fn data(&mut self, shortest: u64, longest: u64) -> &str {
        self.draw(shortest, longest);
        if self.stream.below(10) == 0 {
            let characters = self.text.chars().count();
            let start = self.stream.below((characters.saturating_sub(ORIGINAL.len()) + 1) as u64);
            self.overwrite(usize::try_from(start).unwrap_or(0), ORIGINAL);
        }
        &self.text
    }

    /// Random letters and digits, also where other texts are words: codes, not prose.
    pub fn letters(&mut self, length: u64) -> &str {
        self.text.clear();
        self.put_letters(length);
        &self.text
    }

    /// Two capitals: a state.
    pub fn state(&mut self) -> &str {
        self.text.clear();
        for _ in 0..2 {
            let letter = b'A' + u8::try_from(self.stream.below(26)).unwrap_or(0);
            self.text.push(char::from(letter));
        }
        &self.text
    }

    /// Digits: a telephone number.
    pub fn digits(&mut self, length: usize) -> &str {
        let mut digits = [0; 16];
        self.stream.fill_digits(&mut digits[..length]);
        self.text.clear();
        self.text.extend(digits[..length].iter().map(|digit| char::from(*digit)));
        &self.text
    }

    /// Four digits and 11111: clause 4.3.2.7.
    pub fn zip(&mut self) -> &str {
        self.digits(4);
        self.text.push_str("11111");
        &self.text
    }

    /// A last name by its number.
    pub fn last_name(&mut self, number: u64) -> &str {
        put_last_name(&mut self.text, number);
        &self.text
    }

    fn draw(&mut self, shortest: u64, longest: u64) {
        let length = self.stream.between(shortest, longest);
        self.text.clear();
        match &mut self.words {
            Some(words) => words.put(&mut self.text, shortest, length),
            None => self.put_letters(length),
        }
    }

    fn put_letters(&mut self, length: u64) {
        let mut left = length;
        while left > 0 {
            let mut bits = self.stream.bits();
            for _ in 0..left.min(10) {
                self.text.push(char::from(ALPHABET[usize::try_from(bits & 63).unwrap_or(0)]));
                bits >>= 6;
            }
            left = left.saturating_sub(10);
        }
    }

    /// Puts `word` in the place of as many characters.
    fn overwrite(&mut self, start: usize, word: &str) {
        let mut bounds = self.text.char_indices().map(|(at, _)| at).chain([self.text.len()]);
        let from = bounds.nth(start).unwrap_or(0);
        let to = bounds.nth(word.len() - 1).unwrap_or(self.text.len());
        self.text.replace_range(from..to, word);
    }
}

#[cfg(test)]
mod tests {
    use random::Purpose;

    use super::*;

    fn texts() -> Texts {
        Texts::new(Stream::new(1, Purpose::Load, 0), None)
    }

    #[test]
    fn last_names_are_syllables() {
        let mut name = String::new();
        for (number, expected) in [(0, "BARBARBAR"), (371, "PRICALLYOUGHT"), (999, "EINGEINGEING")]
        {
            put_last_name(&mut name, number);
            assert_eq!(name, expected);
        }
    }

    #[test]
    fn random_strings_have_all_lengths_of_their_range_and_a_tenth_is_original() {
        let mut texts = texts();
        let mut lengths = std::collections::BTreeSet::new();
        let mut originals = 0;
        for _ in 0..10_000 {
            let data = texts.data(26, 50);
            lengths.insert(data.len());
            originals += u32::from(data.contains(ORIGINAL));
        }
        assert!(lengths.into_iter().eq(26..=50));
        assert!((880..1120).contains(&originals), "{originals}");
    }

    #[test]
    fn codes_have_their_form() {
        let mut texts = texts();
        assert_eq!(texts.letters(24).len(), 24);
        assert!(texts.state().bytes().all(|letter| letter.is_ascii_uppercase()));
        assert_eq!(texts.digits(16).len(), 16);
        let zip = texts.zip();
        assert!(zip.len() == 9 && zip.ends_with("11111"), "{zip}");
    }
}
