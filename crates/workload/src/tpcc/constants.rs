//! The constants C of `NURand`, one for each use, the same for all terminals of a run.

use random::{NuRand, Purpose, Stream};

use super::scale::{CUSTOMERS, ITEMS};

/// A of `NURand` for last names, customers and items: TPC-C, clause 2.1.6.
const A_LAST: u64 = 255;
const A_CUSTOMER: u64 = 1023;
const A_ITEM: u64 = 8191;

/// The last names: all numbers of three digits.
const LAST_NAMES: u64 = 1000;

/// The distributions that a run draws from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skewed {
    pub last_name: NuRand,
    pub customer: NuRand,
    pub item: NuRand,
    /// C for last names, which the result names.
    pub c_last: u64,
}

impl Skewed {
    /// Those of the run with this seed, on data that were loaded with `c_load` for last names.
    pub(super) fn new(seed: u64, c_load: u64) -> Self {
        let mut stream = Stream::new(seed, Purpose::Constants, 0);
        let c_last = run_constant(c_load, &mut stream);
        let c_customer = stream.between(0, A_CUSTOMER);
        let c_item = stream.between(0, A_ITEM);
        Self {
            last_name: last_names(c_last),
            customer: NuRand::new(A_CUSTOMER, 1, CUSTOMERS, c_customer),
            item: NuRand::new(A_ITEM, 1, ITEMS, c_item),
            c_last,
        }
    }
}

/// The numbers of last names, with this constant.
pub(super) fn last_names(c: u64) -> NuRand {
    NuRand::new(A_LAST, 0, LAST_NAMES - 1, c)
}

/// Draws C for last names: its distance from that of the load is from 65 to 119, but neither 96 nor
/// 112 (clause 2.1.6.1), so that the names that are often asked for are not those that are often there.
fn run_constant(c_load: u64, stream: &mut Stream) -> u64 {
    loop {
        let c = stream.between(0, A_LAST);
        if is_allowed(c.abs_diff(c_load)) {
            return c;
        }
    }
}

fn is_allowed(distance: u64) -> bool {
    (65..=119).contains(&distance) && distance != 96 && distance != 112
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_load_and_run_keep_the_distance_of_the_clause() {
        let mut seen = std::collections::BTreeSet::new();
        for c_load in 0..=A_LAST {
            for seed in 0..50 {
                seen.insert(Skewed::new(seed, c_load).c_last.abs_diff(c_load));
            }
        }
        let allowed: Vec<u64> =
            (65..=119).filter(|distance| ![96, 112].contains(distance)).collect();
        assert!(seen.into_iter().eq(allowed));
    }

    #[test]
    fn all_terminals_of_a_run_share_their_constants_and_another_run_has_others() {
        let of = |seed| format!("{:?}", Skewed::new(seed, 157));
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
