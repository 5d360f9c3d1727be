//! The distributions of keys that sysbench users know, each with sysbench's own formula.
//!
//! In all skewed ones the hot keys are neighbours, so they share pages; that is sysbench's way and is
//! kept, because figures are to be comparable. [`Distribution::hottest`] names these keys, so that a
//! workload can count what share of its real draws fell on them.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Deserialize;

use crate::Stream;
use crate::zipfian::Zipfian;

/// The share of accesses that goes to the hot centre of `special`, in percent.
const SPECIAL_HOT_ACCESS_PERCENT: f64 = 75.0;
/// The share of keys that makes the hot centre of `special`, in percent.
const SPECIAL_HOT_KEY_PERCENT: f64 = 1.0;
/// Uniform draws that are averaged to approach a normal distribution.
const GAUSSIAN_DRAWS: u32 = 12;
/// The share of keys that gets the rest of the accesses in `pareto`: 20 % of keys get 80 %.
const PARETO_SHARE: f64 = 0.2;

/// The name of a distribution, as an experiment file spells it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DistributionKind {
    /// Each key equally likely.
    #[default]
    Uniform,
    /// A bell around the middle: the mean of twelve uniform draws.
    Gaussian,
    /// sysbench's default: three accesses in four go to about 1 % of the keys, in the middle.
    Special,
    /// The first 20 % of keys get 80 % of the accesses, and so on within them.
    Pareto,
    /// The probability of the key of rank r is proportional to r^-0.8.
    Zipfian,
}

impl fmt::Display for DistributionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::Uniform => "uniform",
            Self::Gaussian => "gaussian",
            Self::Special => "special",
            Self::Pareto => "pareto",
            Self::Zipfian => "zipfian",
        })
    }
}

/// A distribution over a range of keys, ready to draw from.
#[derive(Clone, Debug)]
pub struct Distribution {
    low: u64,
    high: u64,
    shape: Shape,
}

/// What a draw needs to know, computed once.
#[derive(Clone, Debug)]
enum Shape {
    Uniform,
    Gaussian,
    Special(Special),
    Pareto { exponent: f64 },
    Zipfian(Zipfian),
}

/// `special` as offsets from the lowest key: `start + U × width` for a U in [0.25, 1).
#[derive(Clone, Debug)]
struct Special {
    start: f64,
    width: f64,
}

impl Distribution {
    /// A distribution of keys from `low` to `high`, both included.
    ///
    /// # Panics
    ///
    /// When `low` is above `high`.
    pub fn new(kind: DistributionKind, low: u64, high: u64) -> Self {
        assert!(low <= high, "the range of keys {low}..={high} is empty");
        let distance = (high - low) as f64;
        let shape = match kind {
            DistributionKind::Uniform => Shape::Uniform,
            DistributionKind::Gaussian => Shape::Gaussian,
            DistributionKind::Special => Shape::Special(Special {
                start: distance / 2.0 - distance * SPECIAL_HOT_KEY_PERCENT / 200.0,
                width: distance * SPECIAL_HOT_KEY_PERCENT / 100.0 + 1.0,
            }),
            DistributionKind::Pareto => {
                Shape::Pareto { exponent: PARETO_SHARE.ln() / (1.0 - PARETO_SHARE).ln() }
            }
            DistributionKind::Zipfian => Shape::Zipfian(Zipfian::new(high - low + 1)),
        };
        Self { low, high, shape }
    }

    /// Draw one key.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let keys = (self.high - self.low + 1) as f64;
        match &self.shape {
            Shape::Uniform => stream.between(self.low, self.high),
            Shape::Gaussian => self.at(mean_of_uniform(stream) * keys),
            Shape::Special(special) => self.at(special.draw(stream, keys - 1.0)),
            Shape::Pareto { exponent } => self.at(stream.unit().powf(*exponent) * keys),
            Shape::Zipfian(zipfian) => self.low + zipfian.draw(stream) - 1,
        }
    }

    /// The key at an offset from the lowest; rounding may not lead beyond the highest.
    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn at(&self, offset: f64) -> u64 {
        (self.low + offset as u64).min(self.high)
    }

    /// The neighbouring keys, `fraction` of all and at least one, that get the most accesses.
    ///
    /// Where all are equal these are the first.
    ///
    /// # Panics
    ///
    /// When `fraction` is not in [0, 1].
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn hottest(&self, fraction: f64) -> RangeInclusive<u64> {
        assert!((0.0..=1.0).contains(&fraction), "a fraction lies in [0, 1], this is {fraction}");
        let keys = self.high - self.low + 1;
        let wanted = ((keys as f64 * fraction).round() as u64).max(1);
        let centred = (keys - wanted) / 2;
        let offset = match &self.shape {
            Shape::Uniform | Shape::Pareto { .. } | Shape::Zipfian(_) => 0,
            Shape::Gaussian => centred,
            Shape::Special(special) => special.hottest_start(wanted, centred),
        };
        self.low + offset..=self.low + offset + wanted - 1
    }
}

impl Special {
    /// One uniform draw decides between the centre and the bell, and in the centre it is also the
    /// place: so it is sysbench's, and so a quarter of the centre's width is never drawn from it.
    #[inline]
    fn draw(&self, stream: &mut Stream, distance: f64) -> f64 {
        let uniform = stream.unit();
        if uniform < 1.0 - SPECIAL_HOT_ACCESS_PERCENT / 100.0 {
            mean_of_uniform(stream) * distance
        } else {
            self.start + uniform * self.width
        }
    }

    /// The offset of the hottest `wanted` keys: all of the centre, or nothing but the centre, and
    /// with that as near to the middle of the bell as can be.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn hottest_start(&self, wanted: u64, centred: u64) -> u64 {
        let never = 1.0 - SPECIAL_HOT_ACCESS_PERCENT / 100.0;
        let first = (self.start + self.width * never) as u64;
        let after_last = (self.start + self.width).ceil() as u64;
        let bound = after_last.saturating_sub(wanted);
        centred.clamp(first.min(bound), first.max(bound))
    }
}

/// The mean of twelve uniform draws, in [0, 1).
#[inline]
fn mean_of_uniform(stream: &mut Stream) -> f64 {
    let sum: f64 = (0..GAUSSIAN_DRAWS).map(|_| stream.unit()).sum();
    sum / f64::from(GAUSSIAN_DRAWS)
}
