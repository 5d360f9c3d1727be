//! The distributions of keys that sysbench users know, each with sysbench's own formula.
//!
//! In all skewed ones the hot keys are neighbours, so they share pages; that is sysbench's way and
//! the default, because figures are to be comparable. Where keys are scrambled, a draw has a *rank*,
//! as sysbench would draw it, and a place of its own somewhere in the range.
//! [`Distribution::hottest`] names the hottest ranks, so that a workload can count what share of its
//! real draws fell on them.

use std::fmt;
use std::ops::RangeInclusive;

use serde::Deserialize;

use crate::Stream;
use crate::permutation::Permutation;
use crate::zipfian::Zipfian;

/// Uniform draws that are averaged to approach a normal distribution.
const GAUSSIAN_DRAWS: u32 = 12;

/// How uneven a distribution is: sysbench's parameters by its names, with its defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skew {
    /// The exponent of `zipfian`, 0 or above.
    pub zipfian_exponent: f64,
    /// The share of keys that gets the rest of the accesses in `pareto`, above 0 and below 1: with
    /// 0.2, 20 % of keys get 80 % of accesses.
    pub pareto_h: f64,
    /// The share of keys that makes the hot centre of `special`, in percent.
    pub special_percent: f64,
    /// The share of accesses that goes to the hot centre of `special`, in percent.
    pub special_residual: f64,
    /// Whether keys that are neighbours by rank are scattered over the range.
    pub scrambled: bool,
}

impl Default for Skew {
    fn default() -> Self {
        Self {
            zipfian_exponent: 0.8,
            pareto_h: 0.2,
            special_percent: 1.0,
            special_residual: 75.0,
            scrambled: false,
        }
    }
}

impl Skew {
    /// A distribution in words: its name, and the parameters of its own that are not the default.
    #[allow(clippy::float_cmp)] // They are what was written, not what was computed.
    pub fn describe(&self, kind: DistributionKind) -> String {
        let default = Self::default();
        let parameters = match kind {
            DistributionKind::Zipfian if self.zipfian_exponent != default.zipfian_exponent => {
                format!("({})", self.zipfian_exponent)
            }
            DistributionKind::Pareto if self.pareto_h != default.pareto_h => {
                format!("({})", self.pareto_h)
            }
            DistributionKind::Special
                if (self.special_percent, self.special_residual)
                    != (default.special_percent, default.special_residual) =>
            {
                format!("({}, {})", self.special_percent, self.special_residual)
            }
            _ => String::new(),
        };
        let scrambled = if self.scrambled { " scrambled" } else { "" };
        format!("{kind}{parameters}{scrambled}")
    }
}

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
    /// The probability of the key of rank r is proportional to r^-exponent.
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
    scramble: Option<Permutation>,
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

/// `special` as offsets from the lowest key: `start + U × width` for a U in [`never`, 1).
#[derive(Clone, Debug)]
struct Special {
    never: f64,
    start: f64,
    width: f64,
}

impl Distribution {
    /// A distribution of keys from `low` to `high`, both included.
    ///
    /// # Panics
    ///
    /// When `low` is above `high`.
    pub fn new(kind: DistributionKind, skew: &Skew, low: u64, high: u64) -> Self {
        assert!(low <= high, "the range of keys {low}..={high} is empty");
        let distance = (high - low) as f64;
        let shape = match kind {
            DistributionKind::Uniform => Shape::Uniform,
            DistributionKind::Gaussian => Shape::Gaussian,
            DistributionKind::Special => Shape::Special(Special {
                never: 1.0 - skew.special_residual / 100.0,
                start: distance / 2.0 - distance * skew.special_percent / 200.0,
                width: distance * skew.special_percent / 100.0 + 1.0,
            }),
            DistributionKind::Pareto => {
                Shape::Pareto { exponent: skew.pareto_h.ln() / (1.0 - skew.pareto_h).ln() }
            }
            DistributionKind::Zipfian => {
                Shape::Zipfian(Zipfian::new(high - low + 1, skew.zipfian_exponent))
            }
        };
        let scramble = skew.scrambled.then(|| Permutation::new(high - low + 1));
        Self { low, high, shape, scramble }
    }

    /// Draw one key.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        self.key(self.draw_rank(stream))
    }

    /// The key of a rank.
    #[inline]
    pub fn key(&self, rank: u64) -> u64 {
        match &self.scramble {
            None => rank,
            Some(scramble) => self.low + scramble.place(rank - self.low),
        }
    }

    /// Draw one rank: the key itself, unless keys are scrambled.
    #[inline]
    pub fn draw_rank(&self, stream: &mut Stream) -> u64 {
        match &self.shape {
            Shape::Uniform => stream.between(self.low, self.high),
            _ => self.draw_skewed(stream),
        }
    }

    /// The same for all shapes, apart because it is long: `draw_rank` is compiled into its callers.
    fn draw_skewed(&self, stream: &mut Stream) -> u64 {
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

    /// The neighbouring ranks, `fraction` of all and at least one, that get the most accesses.
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
    /// place: so it is sysbench's, and so a part of the centre's width (a quarter, unless it was set
    /// otherwise) is never drawn from it.
    #[inline]
    fn draw(&self, stream: &mut Stream, distance: f64) -> f64 {
        let uniform = stream.unit();
        if uniform < self.never {
            mean_of_uniform(stream) * distance
        } else {
            self.start + uniform * self.width
        }
    }

    /// The offset of the hottest `wanted` keys: all of the centre, or nothing but the centre, and
    /// with that as near to the middle of the bell as can be.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn hottest_start(&self, wanted: u64, centred: u64) -> u64 {
        let first = (self.start + self.width * self.never) as u64;
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
