//! Ranks from 1 to n with probabilities proportional to r^-exponent, by rejection-inversion.
//!
//! The method is that of Hörmann and Derflinger, "Rejection-Inversion to Generate Variates from
//! Monotone Discrete Distributions" (1996), with the names of that paper: h is the continuous hat,
//! H its integral. It needs one uniform draw, one power and rarely a second try, whatever n.

use crate::Stream;

/// Ranks from 1 to a highest one, ready to draw from.
#[derive(Clone, Debug)]
pub(crate) struct Zipfian {
    hat: Hat,
    ranks: f64,
    integral_first: f64,
    integral_last: f64,
    accepted_distance: f64,
}

impl Zipfian {
    /// The distribution of the ranks 1 to `ranks`.
    pub(crate) fn new(ranks: u64, exponent: f64) -> Self {
        let (ranks, hat) = (ranks as f64, Hat::new(exponent));
        Self {
            ranks,
            integral_first: hat.integral(1.5) - 1.0,
            integral_last: hat.integral(ranks + 0.5),
            accepted_distance: 2.0 - hat.integral_inverse(hat.integral(2.5) - hat.at(2.0)),
            hat,
        }
    }

    /// Draw one rank.
    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        loop {
            let height =
                self.integral_last + stream.unit() * (self.integral_first - self.integral_last);
            let place = self.hat.integral_inverse(height);
            let rank = (place + 0.5).floor().clamp(1.0, self.ranks);
            // The first test accepts nearly always; the second is the exact one.
            if rank - place <= self.accepted_distance
                || height >= self.hat.integral(rank + 0.5) - self.hat.at(rank)
            {
                return rank as u64;
            }
        }
    }
}

/// The continuous hat over the probabilities.
#[derive(Clone, Debug)]
struct Hat {
    exponent: f64,
    inverse: Inverse,
}

/// How the integral is turned round.
#[derive(Clone, Debug)]
enum Inverse {
    /// 1 / (1 − exponent) is a small integer, as with sysbench's default of 0.8: a power without a
    /// logarithm.
    IntegerPower(i32),
    /// Any other power.
    Power(f64),
    /// The exponent is 1, and the integral a logarithm.
    Exponential,
}

/// So near to 1, or to an integer, it is taken for one.
const NEAR: f64 = 1e-9;
const LARGEST_INTEGER_POWER: f64 = 32.0;

impl Hat {
    #[allow(clippy::cast_possible_truncation)]
    fn new(exponent: f64) -> Self {
        let power = 1.0 / (1.0 - exponent);
        let inverse = if (1.0 - exponent).abs() < NEAR {
            Inverse::Exponential
        } else if power.abs() <= LARGEST_INTEGER_POWER && (power - power.round()).abs() < NEAR {
            Inverse::IntegerPower(power.round() as i32)
        } else {
            Inverse::Power(power)
        };
        Self { exponent, inverse }
    }

    /// h(x) = x^-exponent.
    #[inline]
    fn at(&self, x: f64) -> f64 {
        x.powf(-self.exponent)
    }

    /// H(x) = (x^(1 − exponent) − 1) / (1 − exponent), or ln(x).
    #[inline]
    fn integral(&self, x: f64) -> f64 {
        match self.inverse {
            Inverse::Exponential => x.ln(),
            _ => (x.powf(1.0 - self.exponent) - 1.0) / (1.0 - self.exponent),
        }
    }

    /// The x for which H(x) is `height`.
    #[inline]
    fn integral_inverse(&self, height: f64) -> f64 {
        let base = 1.0 + height * (1.0 - self.exponent);
        match self.inverse {
            Inverse::IntegerPower(power) => base.powi(power),
            Inverse::Power(power) => base.powf(power),
            Inverse::Exponential => height.exp(),
        }
    }
}
