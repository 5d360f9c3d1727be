//! Ranks from 1 to n with probabilities proportional to r^-0.8, by rejection-inversion.
//!
//! The method is that of Hörmann and Derflinger, "Rejection-Inversion to Generate Variates from
//! Monotone Discrete Distributions" (1996), with the names of that paper: h is the continuous hat,
//! H its integral. It needs one uniform draw, one fifth power and rarely a second try, whatever n.

use crate::Stream;

/// sysbench's default exponent.
const EXPONENT: f64 = 0.8;
/// 1 / (1 − exponent), an integer for this exponent, so that a power needs no logarithm.
const INVERSE_POWER: i32 = 5;

/// Ranks from 1 to a highest one, ready to draw from.
#[derive(Clone, Debug)]
pub(crate) struct Zipfian {
    ranks: f64,
    integral_first: f64,
    integral_last: f64,
    accepted_distance: f64,
}

impl Zipfian {
    /// The distribution of the ranks 1 to `ranks`.
    pub(crate) fn new(ranks: u64) -> Self {
        let ranks = ranks as f64;
        Self {
            ranks,
            integral_first: hat_integral(1.5) - 1.0,
            integral_last: hat_integral(ranks + 0.5),
            accepted_distance: 2.0 - hat_integral_inverse(hat_integral(2.5) - hat(2.0)),
        }
    }

    /// Draw one rank.
    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        loop {
            let height =
                self.integral_last + stream.unit() * (self.integral_first - self.integral_last);
            let place = hat_integral_inverse(height);
            let rank = (place + 0.5).floor().clamp(1.0, self.ranks);
            // The first test accepts nearly always; the second is the exact one.
            if rank - place <= self.accepted_distance
                || height >= hat_integral(rank + 0.5) - hat(rank)
            {
                return rank as u64;
            }
        }
    }
}

/// h(x) = x^-exponent.
#[inline]
fn hat(x: f64) -> f64 {
    x.powf(-EXPONENT)
}

/// H(x) = (x^(1 − exponent) − 1) / (1 − exponent).
#[inline]
fn hat_integral(x: f64) -> f64 {
    (x.powf(1.0 - EXPONENT) - 1.0) / (1.0 - EXPONENT)
}

/// The x for which H(x) is `height`.
#[inline]
fn hat_integral_inverse(height: f64) -> f64 {
    (1.0 + height * (1.0 - EXPONENT)).powi(INVERSE_POWER)
}
