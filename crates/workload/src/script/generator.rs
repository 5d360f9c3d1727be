//! Draws the values of variables.

use std::fmt::Write;

use contract::RowWriter;
use random::Stream;

use super::datum::Datum;
use super::variable::{Constant, Variable};

/// Where a sequence is for one of those who draw from it, and how far it goes each time: all of them
/// together give each number once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub next: u64,
    pub step: u64,
}

impl Turn {
    #[inline]
    fn take(&mut self) -> i64 {
        let taken = self.next;
        self.next += self.step;
        taken.cast_signed()
    }
}

impl Variable {
    /// Draws a value. `turn` is this variable's own.
    #[inline]
    pub fn draw(&self, stream: &mut Stream, turn: &mut Turn, datum: &mut Datum) {
        match self {
            Self::Int { low, distribution } => {
                *datum = Datum::Int(low.wrapping_add(distribution.draw(stream).cast_signed()));
            }
            Self::Decimal { low, distribution, decimals } => {
                let units = low.wrapping_add(distribution.draw(stream).cast_signed());
                write_decimal(datum.empty_text(), units, *decimals);
            }
            Self::Text { shortest, longest, alphabet } => {
                let length = stream.between((*shortest).into(), (*longest).into());
                let text = datum.empty_text();
                for _ in 0..length {
                    text.push(alphabet[below(stream, alphabet.len())]);
                }
            }
            Self::Sequence { first } => *datum = Datum::Int(first.wrapping_add(turn.take())),
            Self::Group { first, rows_each } => {
                let group = turn.take().cast_unsigned() / rows_each;
                *datum = Datum::Int(first.wrapping_add(group.cast_signed()));
            }
            Self::Choice(choice) => {
                let index = if choice.len() == 1 { 0 } else { below(stream, choice.len()) };
                choice[index].put_into(datum);
            }
        }
    }
}

#[inline]
#[allow(clippy::cast_possible_truncation)] // It is below a length.
fn below(stream: &mut Stream, bound: usize) -> usize {
    stream.below(bound as u64) as usize
}

/// `units` of 10^-decimals.
fn write_decimal(text: &mut String, units: i64, decimals: u32) {
    let scale = 10_u64.pow(decimals);
    let (sign, size) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    let width = decimals as usize;
    // Writing to memory does not fail.
    let _ = match decimals {
        0 => write!(text, "{units}"),
        _ => write!(text, "{sign}{}.{:0width$}", size / scale, size % scale),
    };
}

impl Constant {
    /// Makes it a variable's value.
    pub(crate) fn put_into(&self, datum: &mut Datum) {
        match self {
            Self::Null => *datum = Datum::Null,
            Self::Bool(value) => *datum = Datum::Bool(*value),
            Self::Int(value) => *datum = Datum::Int(*value),
            Self::Double(value) => *datum = Datum::Double(*value),
            Self::Text(text) => datum.empty_text().push_str(text),
        }
    }
}

impl Datum {
    /// Writes it as a field of a row.
    pub(crate) fn write_field(&self, row: &mut dyn RowWriter) {
        match self {
            Self::Unset | Self::Null => row.null(),
            Self::Int(value) => row.int(*value),
            Self::Bool(value) => row.int(i64::from(*value)),
            Self::Double(value) => row.text(&value.to_string()),
            Self::Text(text) => row.text(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use random::Purpose;
    use serde_json::{Value, json};

    use super::*;
    use crate::script::variable::VariableOptions;

    const DRAWS: usize = 100_000;

    fn variable(options: Value) -> Variable {
        let options: VariableOptions = serde_json::from_value(options).unwrap();
        options.build().unwrap()
    }

    fn draws(options: Value, count: usize) -> Vec<Datum> {
        let variable = variable(options);
        let mut stream = Stream::new(1, Purpose::Inputs, 0);
        let mut turn = Turn { next: 0, step: 1 };
        (0..count)
            .map(|_| {
                let mut datum = Datum::Unset;
                variable.draw(&mut stream, &mut turn, &mut datum);
                datum
            })
            .collect()
    }

    fn ints(options: Value) -> Vec<i64> {
        draws(options, DRAWS)
            .into_iter()
            .map(|datum| match datum {
                Datum::Int(value) => value,
                other => panic!("{other:?} is no integer"),
            })
            .collect()
    }

    /// The share of draws for which something is so, with four standard errors of room.
    fn assert_share(shares: usize, expected: f64, what: &str) {
        let share = shares as f64 / DRAWS as f64;
        let room = 4.0 * (expected * (1.0 - expected) / DRAWS as f64).sqrt();
        assert!((share - expected).abs() <= room, "{what}: {share}, not {expected} ± {room}");
    }

    #[test]
    fn integers_keep_to_their_range_below_zero_too() {
        let drawn = ints(json!({"int": [-2, 2]}));
        for value in -2..=2 {
            let count = drawn.iter().filter(|drawn| **drawn == value).count();
            assert_share(count, 0.2, &format!("{value}"));
        }
    }

    #[test]
    fn skewed_integers_follow_their_law() {
        let zipfian =
            json!({"int": [101, 110], "distribution": "zipfian", "zipfian_exponent": 1.5});
        let weights: Vec<f64> = (1..=10).map(|rank| f64::from(rank).powf(-1.5)).collect();
        let drawn = ints(zipfian);
        for (rank, weight) in weights.iter().enumerate() {
            let key = 101 + i64::try_from(rank).unwrap();
            let count = drawn.iter().filter(|drawn| **drawn == key).count();
            assert_share(count, weight / weights.iter().sum::<f64>(), &format!("key {key}"));
        }
        // 20 % of the keys get 80 % of the draws.
        let pareto = ints(json!({"int": [1, 1000], "distribution": "pareto", "pareto_h": 0.2}));
        assert_share(pareto.iter().filter(|key| **key <= 200).count(), 0.8, "pareto");
    }

    #[test]
    fn scrambled_integers_are_as_skewed_elsewhere() {
        let counts = |scrambled: bool| {
            let options =
                json!({"int": [1, 1000], "distribution": "zipfian", "scrambled": scrambled});
            let mut counts = HashMap::new();
            for key in ints(options) {
                *counts.entry(key).or_insert(0) += 1;
            }
            counts
        };
        let (plain, scrambled): (HashMap<i64, u32>, HashMap<i64, u32>) =
            (counts(false), counts(true));
        let sorted = |counts: &HashMap<i64, u32>| {
            let mut sorted: Vec<u32> = counts.values().copied().collect();
            sorted.sort_unstable();
            sorted
        };
        assert_eq!(sorted(&plain), sorted(&scrambled));
        let hottest =
            |counts: &HashMap<i64, u32>| *counts.iter().max_by_key(|(_, c)| **c).unwrap().0;
        assert_eq!(hottest(&plain), 1);
        assert_ne!(hottest(&scrambled), 1);
    }

    #[test]
    fn decimals_are_exact() {
        let drawn: HashSet<String> = draws(json!({"decimal": [-0.02, 0.01]}), 1000)
            .into_iter()
            .map(|datum| match datum {
                Datum::Text(text) => text,
                other => panic!("{other:?}"),
            })
            .collect();
        let expected = ["-0.02", "-0.01", "0.00", "0.01"].map(str::to_owned);
        assert_eq!(drawn, HashSet::from(expected));
        assert_eq!(
            draws(json!({"decimal": [12.5, 12.5], "decimals": 3}), 1),
            [Datum::Text("12.500".into())]
        );
    }

    #[test]
    fn texts_have_their_length_and_alphabet() {
        let drawn = draws(json!({"text": [2, 4], "alphabet": "aé"}), DRAWS);
        let mut by_length = [0; 5];
        for datum in drawn {
            let Datum::Text(text) = datum else { panic!("{datum:?}") };
            assert!(text.chars().all(|letter| "aé".contains(letter)), "{text}");
            by_length[text.chars().count()] += 1;
        }
        assert_eq!(by_length[..2], [0, 0]);
        for count in &by_length[2..] {
            assert_share(*count, 1.0 / 3.0, "a length");
        }
    }

    #[test]
    fn a_sequence_gives_each_number_once_whoever_draws() {
        let sequence = variable(json!({"sequence": 100}));
        let mut stream = Stream::new(1, Purpose::Inputs, 0);
        let mut datum = Datum::Unset;
        let mut drawn = Vec::new();
        for client in 0..3 {
            let mut turn = Turn { next: client, step: 3 };
            for _ in 0..10 {
                sequence.draw(&mut stream, &mut turn, &mut datum);
                let Datum::Int(value) = datum else { panic!("{datum:?}") };
                drawn.push(value);
            }
        }
        drawn.sort_unstable();
        assert_eq!(drawn, (100..130).collect::<Vec<i64>>());
    }

    #[test]
    fn a_choice_gives_all_its_values() {
        let drawn = draws(json!({"choice": ["a", 2, null]}), DRAWS);
        for value in [Datum::Text("a".into()), Datum::Int(2), Datum::Null] {
            let count = drawn.iter().filter(|drawn| **drawn == value).count();
            assert_share(count, 1.0 / 3.0, &format!("{value:?}"));
        }
    }

    #[test]
    fn what_is_no_variable_is_refused() {
        for (options, expected) in [
            (json!({}), ": must be exactly one of int,"),
            (json!({"int": [1, 2], "text": [1, 1]}), ": must be exactly one of int,"),
            (json!({"int": [2, 1]}), ".int: is [2, 1], an empty range; give the smaller"),
            (json!({"int": [i64::MIN, i64::MAX]}), ".int: is too wide a range"),
            (json!({"int": [1, 2], "alphabet": "a"}), ".alphabet: belongs to text; remove it"),
            (
                json!({"int": [1, 2], "zipfian_exponent": 1}),
                ".zipfian_exponent: belongs to distribution: zipfian; remove it",
            ),
            (
                json!({"int": [1, 2], "distribution": "pareto", "pareto_h": 1}),
                ".pareto_h: must be a number between 0 and 1",
            ),
            (json!({"text": [3, 2]}), ".text: must be a length, or the shortest"),
            (json!({"text": [1, 1], "alphabet": ""}), ".alphabet: is empty"),
            (json!({"choice": []}), ".choice: is empty; give at least one value"),
            (json!({"decimal": [0, 1e10]}), ".decimal: must be two numbers up to"),
        ] {
            let built: VariableOptions = serde_json::from_value(options.clone()).unwrap();
            let message = built.build().unwrap_err().to_string();
            assert!(message.starts_with(&format!("workload{expected}")), "{options}: {message}");
        }
    }
}
