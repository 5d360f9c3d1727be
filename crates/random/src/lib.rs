//! Everything random, from seeds: streams of numbers and the distributions of keys.
//!
//! The same seed gives the same numbers on every machine and in every version of this program, so
//! that a stored seed describes data and load for ever. Golden values in the tests hold it to that.

mod distribution;
mod nurand;
mod permutation;
mod stream;
mod zipfian;

pub use distribution::{Distribution, DistributionKind, Skew};
pub use nurand::NuRand;
pub use permutation::Permutation;
pub use stream::{Purpose, Stream};
