//! Damages answers, for the tests of those who read them.

use contract::SqlError;

use super::memory::most_held;

/// A test's rounds unless the environment variable `DBDYNO_DAMAGED_ANSWERS` says how many.
const ROUNDS: usize = 60_000;

/// What a reader may hold for an answer, whatever lengths stand in it.
const BYTES_HELD: usize = 16 << 10;
const BYTES_HELD_PER_BYTE: usize = 64;
/// The same for a step of signing on: a library that panics there tells the way to it, names included.
const BYTES_HELD_AT_SIGN_ON: usize = 32 << 20;

/// Reads whatever may arrive, torn anywhere: the outcome is an answer, an error or the wish for
/// more, never a panic, and never more memory than the answer is worth. `answer` makes the valid
/// answer of each round, which is damaged, with a liking for bytes that have a meaning. `read` reads
/// its pieces and says whether the answer was complete.
pub(crate) fn damaged_answers_do_no_harm(
    meaningful: &[u8],
    answer: impl Fn(usize) -> Vec<u8>,
    read: impl Fn(usize, [&[u8]; 3]) -> [Result<bool, SqlError>; 2],
) {
    let mut numbers = Numbers(42);
    let (mut answers, mut errors, mut unfinished) = (0, 0, 0);
    for round in 0..rounds() {
        let mut bytes = answer(round);
        damage(&mut bytes, meaningful, &mut numbers);
        let (head, rest) = bytes.split_at(numbers.below(bytes.len()));
        let (middle, tail) = rest.split_at(numbers.below(rest.len() + 1));
        let most = BYTES_HELD + BYTES_HELD_PER_BYTE * bytes.len();
        for outcome in modestly(most, || read(round, [head, middle, tail])) {
            match outcome {
                Ok(true) => answers += 1,
                Ok(false) => unfinished += 1,
                Err(_) => errors += 1,
            }
        }
    }
    // All three must happen, or the test does not test.
    assert!(
        answers > 1000 && errors > 1000 && unfinished > 1000,
        "{answers} {errors} {unfinished}"
    );
}

/// The same for what is read whole, such as the steps of signing on: it is taken or refused.
pub(crate) fn damaged_messages_do_no_harm<T>(
    meaningful: &[u8],
    messages: &[&[u8]],
    read: impl Fn(&[u8]) -> Result<T, SqlError>,
) {
    let mut numbers = Numbers(42);
    let mut taken = 0;
    for round in 0..rounds() {
        let mut bytes = messages[round % messages.len()].to_vec();
        damage(&mut bytes, meaningful, &mut numbers);
        taken += usize::from(modestly(BYTES_HELD_AT_SIGN_ON, || read(&bytes)).is_ok());
    }
    assert!((1000..rounds() - 1000).contains(&taken), "{taken} of {} taken", rounds());
}

fn rounds() -> usize {
    std::env::var("DBDYNO_DAMAGED_ANSWERS").map_or(ROUNDS, |rounds| rounds.parse().unwrap())
}

/// Has something read, and sees that at most so many bytes are held meanwhile.
fn modestly<T>(most: usize, read: impl FnOnce() -> T) -> T {
    let (outcome, held) = most_held(read);
    assert!(held <= most, "{held} bytes held, {most} at most");
    outcome
}

/// Changes, takes away or adds one byte to four.
fn damage(bytes: &mut Vec<u8>, meaningful: &[u8], numbers: &mut Numbers) {
    for _ in 0..=numbers.below(4) {
        let position = numbers.below(bytes.len().max(1));
        if bytes.is_empty() {
            bytes.push(0);
        }
        match numbers.below(4) {
            0 => bytes[position] = numbers.below(256).to_le_bytes()[0],
            1 => bytes[position] = meaningful[numbers.below(meaningful.len())],
            2 => drop(bytes.remove(position)),
            _ => bytes.insert(position, numbers.below(256).to_le_bytes()[0]),
        }
    }
}

/// A small generator of numbers that is the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }
}
