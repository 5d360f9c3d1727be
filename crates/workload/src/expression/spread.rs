//! Random integers from a range, spread as pgbench's manual says.

use random::Stream;

/// Below it, a bell would be cut where it is still high.
const SMALLEST_GAUSSIAN: f64 = 2.0;
const ZIPFIAN: std::ops::RangeInclusive<f64> = 1.001..=1000.0;

/// How a range is drawn from.
#[derive(Clone, Copy)]
pub(super) enum Spread {
    Uniform,
    Gaussian(f64),
    Exponential(f64),
    Zipfian(f64),
}

impl Spread {
    /// Draws an integer from `low` to `high`.
    pub fn draw(self, low: i64, high: i64, stream: &mut Stream) -> Result<i64, String> {
        if low > high {
            return Err("empty range given to random".to_owned());
        }
        let count = high.checked_sub(low).and_then(|span| span.checked_add(1));
        let count = count.ok_or("random range is too large")?;
        Ok(low + self.offset(count, stream)?)
    }

    #[allow(clippy::cast_possible_truncation)] // It is below the count.
    fn offset(self, count: i64, stream: &mut Stream) -> Result<i64, String> {
        let share = match self {
            Self::Uniform => return Ok(stream.below(count.cast_unsigned()).cast_signed()),
            Self::Zipfian(exponent) => {
                if !ZIPFIAN.contains(&exponent) {
                    return Err(format!(
                        "zipfian parameter must be in range [1.001, 1000] (not {exponent})"
                    ));
                }
                return Ok(zipfian(count, exponent, stream) - 1);
            }
            Self::Gaussian(parameter) => {
                if parameter.is_nan() || parameter < SMALLEST_GAUSSIAN {
                    return Err(format!("gaussian parameter must be at least 2 (not {parameter})"));
                }
                gaussian(parameter, stream)
            }
            Self::Exponential(parameter) => {
                if parameter.is_nan() || parameter <= 0.0 {
                    return Err(format!(
                        "exponential parameter must be greater than zero (not {parameter})"
                    ));
                }
                exponential(parameter, stream)
            }
        };
        Ok(((count as f64 * share) as i64).min(count - 1))
    }
}

/// A standard normal draw (Box and Muller's way) within `parameter` of the middle, carried to [0, 1).
fn gaussian(parameter: f64, stream: &mut Stream) -> f64 {
    loop {
        let radius = (-2.0 * (1.0 - stream.unit()).ln()).sqrt();
        let draw = radius * (std::f64::consts::TAU * stream.unit()).sin();
        if (-parameter..parameter).contains(&draw) {
            return (draw + parameter) / (2.0 * parameter);
        }
    }
}

/// An exponential draw cut at `parameter`, carried to [0, 1).
fn exponential(parameter: f64, stream: &mut Stream) -> f64 {
    let cut = (-parameter).exp();
    let uniform = 1.0 - stream.unit();
    -(cut + (1.0 - cut) * uniform).ln() / parameter
}

/// A rank from 1 to `ranks` by rejection (Devroye, "Non-Uniform Random Variate Generation", 1986,
/// chapter X.6): nothing is computed beforehand, because each call may have another range.
#[allow(clippy::cast_possible_truncation)] // It is at most the number of ranks.
fn zipfian(ranks: i64, exponent: f64, stream: &mut Stream) -> i64 {
    let bound = 2_f64.powf(exponent - 1.0);
    if ranks <= 1 {
        return 1;
    }
    loop {
        let (first, second) = (stream.unit(), stream.unit());
        let rank = first.powf(-1.0 / (exponent - 1.0)).floor();
        let ratio = (1.0 + 1.0 / rank).powf(exponent - 1.0);
        let is_accepted = second * rank * (ratio - 1.0) / (bound - 1.0) <= ratio / bound;
        if is_accepted && rank <= ranks as f64 {
            return rank as i64;
        }
    }
}
