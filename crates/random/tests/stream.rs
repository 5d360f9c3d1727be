//! Streams: stable for ever, apart from each other, and uniform.

use random::{Purpose, Stream};

/// Computed with an implementation of splitmix64 and xoshiro256++ that shares no code with this one.
const GOLDEN: [(u64, Purpose, u64, [u64; 2]); 6] = [
    (42, Purpose::Load, 0, [0xad24_bfaf_2948_9080, 0xd591_40d4_5da8_03ee]),
    (42, Purpose::Inputs, 0, [0x8fe8_5f14_c272_dd84, 0xb637_971b_5a56_582f]),
    (42, Purpose::Inputs, 1, [0x0a9d_5ae4_6fec_55db, 0x7de7_d621_06be_08d1]),
    (43, Purpose::Inputs, 0, [0x8306_e44a_6c72_765d, 0x06a9_daf6_c6b5_f6a0]),
    (0, Purpose::Arrivals, 0, [0x1eb6_cd85_524e_d26e, 0x5d88_6704_39c0_8896]),
    (u64::MAX, Purpose::Backoff, u64::MAX, [0x0c70_a632_f31b_70c9, 0x13ec_c324_b699_991f]),
];

#[test]
fn first_values_never_change() {
    for (seed, purpose, index, expected) in GOLDEN {
        let mut stream = Stream::new(seed, purpose, index);
        assert_eq!([stream.bits(), stream.bits()], expected, "{seed} {purpose:?} {index}");
    }
}

#[test]
fn draws_never_change() {
    let mut stream = Stream::new(42, Purpose::Load, 7);
    let drawn: Vec<u64> = (0..8).map(|_| stream.below(1000)).collect();
    assert_eq!(drawn, [850, 852, 868, 839, 952, 10, 709, 42]);

    let mut digits = [0; 32];
    Stream::new(42, Purpose::Load, 7).fill_digits(&mut digits);
    assert_eq!(&digits, b"85087140739740088527666478815627");
}

#[test]
fn digits_fill_slices_of_any_length() {
    for length in 0..40 {
        let mut digits = vec![b'?'; length];
        Stream::new(1, Purpose::Load, 0).fill_digits(&mut digits);
        assert!(digits.iter().all(u8::is_ascii_digit), "{length}: {digits:?}");
    }
}

/// Chi-square divided by its degrees of freedom, less 1, in standard deviations.
fn chi_square_deviation(counts: &[u64], expected: f64) -> f64 {
    let freedom = (counts.len() - 1) as f64;
    let sum: f64 = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
    (sum - freedom) / (2.0 * freedom).sqrt()
}

#[test]
fn integers_are_uniform_and_reach_both_ends() {
    let mut stream = Stream::new(5, Purpose::Inputs, 0);
    for bound in [2, 7, 10, 1000] {
        let mut counts = vec![0; usize::try_from(bound).unwrap()];
        for _ in 0..bound * 1000 {
            counts[usize::try_from(stream.between(1, bound)).unwrap() - 1] += 1;
        }
        let deviation = chi_square_deviation(&counts, 1000.0);
        assert!(deviation.abs() < 4.0, "bound {bound}: {deviation} standard deviations");
    }
}

#[test]
fn a_bound_that_does_not_divide_the_range_has_no_favourites() {
    // Of 2⁶⁴ draws, a plain product would give each third number of this bound twice as many as its
    // neighbours: 1/2 of all instead of 1/3.
    let bound = 3 << 62;
    let mut stream = Stream::new(5, Purpose::Inputs, 0);
    let third = (0..30_000).filter(|_| stream.below(bound).is_multiple_of(3)).count();
    assert!((9_600..10_400).contains(&third), "{third} of 30000");
}

#[test]
fn digits_are_uniform_at_every_place() {
    let mut stream = Stream::new(6, Purpose::Load, 0);
    let mut counts = [[0_u64; 10]; 16];
    for _ in 0..10_000 {
        let mut digits = [0; 16];
        stream.fill_digits(&mut digits);
        for (count, digit) in counts.iter_mut().zip(digits) {
            count[usize::from(digit - b'0')] += 1;
        }
    }
    for (place, count) in counts.iter().enumerate() {
        let deviation = chi_square_deviation(count, 1000.0);
        assert!(deviation.abs() < 4.0, "place {place}: {deviation} standard deviations");
    }
}

#[test]
fn unit_is_uniform_and_exponential_has_its_mean_and_its_tail() {
    let mut stream = Stream::new(7, Purpose::Arrivals, 0);
    let draws = 200_000;
    let mut counts = vec![0; 100];
    for _ in 0..draws {
        let unit = stream.unit();
        assert!((0.0..1.0).contains(&unit));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let cell = (unit * 100.0) as usize;
        counts[cell] += 1;
    }
    assert!(chi_square_deviation(&counts, f64::from(draws) / 100.0).abs() < 4.0);

    let gaps: Vec<f64> = (0..draws).map(|_| stream.exponential(3.0)).collect();
    let mean = gaps.iter().sum::<f64>() / f64::from(draws);
    let beyond = gaps.iter().filter(|gap| **gap > 9.0).count() as f64 / f64::from(draws);
    assert!((mean - 3.0).abs() < 0.03, "mean {mean}");
    assert!((beyond - (-3.0_f64).exp()).abs() < 0.002, "share beyond three means {beyond}");
    assert!(gaps.iter().all(|gap| *gap >= 0.0));
}

#[test]
#[should_panic(expected = "the range 5..=4 is empty")]
fn an_empty_range_is_refused() {
    Stream::new(1, Purpose::Inputs, 0).between(5, 4);
}
