//! Each distribution against its formula and against the shares known of sysbench.

use random::DistributionKind::{self, Gaussian, Pareto, Special, Uniform, Zipfian};
use random::{Distribution, Purpose, Skew, Stream};

const ALL: [DistributionKind; 5] = [Uniform, Gaussian, Special, Pareto, Zipfian];
const DRAWS: u64 = 500_000;

/// How often each of the keys 1 to `keys` was drawn.
fn draw_counts(kind: DistributionKind, keys: u64) -> Vec<u64> {
    draw_counts_of(&Distribution::new(kind, &Skew::default(), 1, keys), keys)
}

fn draw_counts_of(distribution: &Distribution, keys: u64) -> Vec<u64> {
    let mut stream = Stream::new(11, Purpose::Inputs, 0);
    let mut counts = vec![0; usize::try_from(keys).unwrap()];
    for _ in 0..DRAWS {
        counts[usize::try_from(distribution.draw(&mut stream)).unwrap() - 1] += 1;
    }
    counts
}

/// The share of draws in the first `keys` of some counts.
fn share(counts: &[u64]) -> f64 {
    counts.iter().sum::<u64>() as f64 / DRAWS as f64
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected}");
}

/// The largest difference between the drawn and the expected cumulative share (Kolmogorov and
/// Smirnov); 1.95 / √draws is exceeded by chance once in a thousand times.
fn assert_follows(kind: DistributionKind, keys: u64, cumulative: impl Fn(f64) -> f64) {
    assert_skew_follows(kind, &Skew::default(), keys, cumulative);
}

fn assert_skew_follows(
    kind: DistributionKind,
    skew: &Skew,
    keys: u64,
    cumulative: impl Fn(f64) -> f64,
) {
    let mut below = 0;
    let mut largest: f64 = 0.0;
    let distribution = Distribution::new(kind, skew, 1, keys);
    for (index, count) in draw_counts_of(&distribution, keys).iter().enumerate() {
        below += count;
        let difference = below as f64 / DRAWS as f64 - cumulative((index + 1) as f64);
        largest = largest.max(difference.abs());
    }
    assert!(largest < 1.95 / (DRAWS as f64).sqrt(), "{kind} over {keys} keys: {largest}");
}

/// The distribution function of the mean of twelve uniform draws, by the formula of Irwin and Hall.
fn bell(mean: f64) -> f64 {
    let sum = (mean * 12.0).clamp(0.0, 12.0);
    let mut term = 1.0 / (1..=12).map(f64::from).product::<f64>();
    let mut total = 0.0;
    for lower in 0..=12 {
        let lower = f64::from(lower);
        if lower > sum {
            break;
        }
        total += term * (sum - lower).powi(12);
        term *= -(12.0 - lower) / (lower + 1.0);
    }
    total
}

#[test]
fn uniform_and_gaussian_follow_their_formulae() {
    for keys in [10, 1000, 10_007] {
        assert_follows(Uniform, keys, |key| key / keys as f64);
        assert_follows(Gaussian, keys, |key| bell(key / keys as f64));
    }
}

#[test]
fn special_follows_its_formula() {
    for keys in [100, 1000, 10_000] {
        let distance = (keys - 1) as f64;
        let width = distance / 100.0 + 1.0;
        let start = distance / 2.0 - distance / 200.0 + 0.25 * width;
        assert_follows(Special, keys, |key| {
            let centre = ((key - start) / (0.75 * width)).clamp(0.0, 1.0);
            0.75 * centre + 0.25 * bell(key / distance)
        });
    }
}

#[test]
fn pareto_follows_its_formula() {
    let power = 0.8_f64.ln() / 0.2_f64.ln();
    for keys in [10, 1000, 10_000] {
        assert_follows(Pareto, keys, |key| (key / keys as f64).powf(power));
    }
}

/// The share of the keys up to each, where key r has the weight r^-exponent.
fn zipfian_shares(keys: u64, exponent: f64) -> Vec<f64> {
    let weights: Vec<f64> = (1..=keys).map(|rank| (rank as f64).powf(-exponent)).collect();
    let total: f64 = weights.iter().sum();
    let mut sum = 0.0;
    weights
        .iter()
        .map(|weight| {
            sum += weight;
            sum / total
        })
        .collect()
}

#[test]
fn zipfian_follows_its_formula_with_any_exponent() {
    for zipfian_exponent in [0.8, 0.0, 0.3, 0.5, 0.99, 1.0, 1.0 + 1e-12, 1.2, 2.0] {
        let skew = Skew { zipfian_exponent, ..Skew::default() };
        for keys in [1, 2, 3, 10, 1000, 10_000] {
            let cumulative = zipfian_shares(keys, zipfian_exponent);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            assert_skew_follows(Zipfian, &skew, keys, |key| cumulative[key as usize - 1]);
        }
    }
}

#[test]
fn pareto_and_special_follow_their_parameters() {
    for pareto_h in [0.05, 0.5, 0.7] {
        let skew = Skew { pareto_h, ..Skew::default() };
        let power = (1.0 - pareto_h).ln() / pareto_h.ln();
        assert_skew_follows(Pareto, &skew, 1000, |key| (key / 1000.0).powf(power));
    }
    for (special_percent, special_residual) in [(5.0, 60.0), (20.0, 90.0)] {
        let skew = Skew { special_percent, special_residual, ..Skew::default() };
        let (keys, hot) = (10_000, special_residual / 100.0);
        let distance = (keys - 1) as f64;
        let width = distance * special_percent / 100.0 + 1.0;
        let start = (distance - distance * special_percent / 100.0) / 2.0 + (1.0 - hot) * width;
        assert_skew_follows(Special, &skew, keys, |key| {
            let centre = ((key - start) / (hot * width)).clamp(0.0, 1.0);
            hot * centre + (1.0 - hot) * bell(key / distance)
        });
    }
}

#[test]
fn scrambled_keys_are_as_hot_as_their_ranks_and_nobodys_neighbours() {
    let skew = Skew { scrambled: true, ..Skew::default() };
    for kind in [Zipfian, Pareto, Special] {
        let (plain, scattered) =
            [Skew::default(), skew].map(|skew| Distribution::new(kind, &skew, 1, 10_000)).into();
        let (ranks, keys) = (draw_counts_of(&plain, 10_000), draw_counts_of(&scattered, 10_000));
        let at = |rank: usize| {
            usize::try_from(scattered.key(u64::try_from(rank + 1).unwrap())).unwrap() - 1
        };
        assert!(ranks.iter().enumerate().all(|(rank, count)| keys[at(rank)] == *count), "{kind}");
        let hottest = plain.hottest(0.01);
        let rows =
            usize::try_from(hottest.start() - 1).unwrap()..usize::try_from(*hottest.end()).unwrap();
        assert!(share(&keys[rows]) < 0.05, "{kind}: the hot keys lie together still");
    }
}

#[test]
fn a_distribution_is_described_by_what_is_not_the_default() {
    let skew = Skew {
        zipfian_exponent: 0.99,
        pareto_h: 0.3,
        special_percent: 5.0,
        special_residual: 60.0,
        scrambled: true,
    };
    for (kind, default, other) in [
        (Uniform, "uniform", "uniform scrambled"),
        (Zipfian, "zipfian", "zipfian(0.99) scrambled"),
        (Pareto, "pareto", "pareto(0.3) scrambled"),
        (Special, "special", "special(5, 60) scrambled"),
    ] {
        assert_eq!(Skew::default().describe(kind), default);
        assert_eq!(skew.describe(kind), other);
    }
}

#[test]
fn shares_are_those_measured_on_sysbench() {
    // Draws on the fewest keys that get three in four: 9 of 1,000 and 75 of 10,000.
    for (keys, hot) in [(1_000, 9), (10_000, 75)] {
        let mut counts = draw_counts(Special, keys);
        counts.sort_unstable_by(|left, right| right.cmp(left));
        assert!(share(&counts[..hot]) >= 0.745, "{keys}: {}", share(&counts[..hot]));
        assert!(share(&counts[..hot - 1]) < 0.75, "{keys}: {}", share(&counts[..hot - 1]));
    }
    // First key, first 1 %, first 20 %.
    for (kind, keys, expected) in [
        (Pareto, 10_000, [0.28, 0.53, 0.80]),
        (Pareto, 1_000_000, [0.15, 0.53, 0.80]),
        (Zipfian, 10_000, [0.037, 0.30, 0.68]),
        (Zipfian, 1_000_000, [0.013, 0.36, 0.71]),
    ] {
        let counts = draw_counts(kind, keys);
        for (first, expected) in [1, counts.len() / 100, counts.len() / 5].into_iter().zip(expected)
        {
            assert_near(share(&counts[..first]), expected, 0.006);
        }
    }
}

#[test]
fn the_hottest_keys_are_the_best_window_of_neighbours() {
    for kind in ALL {
        for (keys, fraction) in [(1000, 0.01), (1000, 0.05), (1000, 0.2), (10_000, 0.01)] {
            let counts = draw_counts(kind, keys);
            let hottest = Distribution::new(kind, &Skew::default(), 1, keys).hottest(fraction);
            let (first, last) = hottest.clone().into_inner();
            let window = usize::try_from(last - first + 1).unwrap();
            assert_near(window as f64, keys as f64 * fraction, 0.5);
            let best = counts.windows(window).map(share).fold(0.0, f64::max);
            let found = share(&counts[usize::try_from(first).unwrap() - 1..][..window]);
            // The best of many equal windows is best by chance; that is worth this little.
            assert_near(found, best, 0.002);
        }
    }
}

#[test]
fn every_key_is_in_the_range_even_where_it_is_tiny() {
    let mut stream = Stream::new(3, Purpose::Inputs, 0);
    for kind in ALL {
        for (low, high) in [(1, 1), (1, 2), (1, 3), (5, 8), (100, 150), (7, 4_000_000_000)] {
            let distribution = Distribution::new(kind, &Skew::default(), low, high);
            for _ in 0..2000 {
                let key = distribution.draw(&mut stream);
                assert!((low..=high).contains(&key), "{kind} {low}..={high} gave {key}");
            }
            for fraction in [0.0, 0.01, 0.5, 1.0] {
                let (first, last) = distribution.hottest(fraction).into_inner();
                assert!(low <= first && first <= last && last <= high, "{kind} {low}..={high}");
            }
        }
    }
}

#[test]
fn draws_never_change() {
    let drawn = ALL.map(|kind| {
        let mut stream = Stream::new(42, Purpose::Inputs, 0);
        let distribution = Distribution::new(kind, &Skew::default(), 1, 100_000);
        [(); 3].map(|()| distribution.draw(&mut stream))
    });
    let expected = [
        [56_214, 71_179, 76_860],
        [59_970, 60_865, 47_104],
        [50_063, 50_212, 50_269],
        [1_570, 8_612, 14_984],
        [2_756, 534, 241],
    ];
    assert_eq!(drawn, expected);
}
