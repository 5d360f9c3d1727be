//! The histogram against values that are known exactly: sorted lists of what was recorded.

use histogram::{HIGHEST_NS, Histogram, LiveHistogram};
use random::{Purpose, Stream};

/// Durations from nanoseconds to the end of the range, as many in each power of ten.
fn durations(index: u64, count: usize) -> Vec<u64> {
    let mut stream = Stream::new(1, Purpose::Inputs, index);
    let mut duration = || {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let value = (stream.unit() * (HIGHEST_NS as f64).ln()).exp() as u64;
        value
    };
    (0..count).map(|_| duration()).collect()
}

fn recorded(values: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    for &value in values {
        histogram.record(value);
    }
    histogram
}

#[track_caller]
fn assert_within_precision(found: f64, exact: f64) {
    assert!((found - exact).abs() <= exact * 0.001, "found {found}, exact {exact}");
}

#[test]
fn quantiles_min_max_and_mean_are_within_a_thousandth() {
    for index in 0..5 {
        let mut values = durations(index, 1001);
        let histogram = recorded(&values);
        values.sort_unstable();
        for rank in 1..=values.len() {
            let found = histogram.quantile_ns(rank as f64 / values.len() as f64).unwrap();
            assert_within_precision(found as f64, values[rank - 1] as f64);
        }
        assert_within_precision(histogram.min_ns() as f64, values[0] as f64);
        assert_within_precision(histogram.max_ns() as f64, values[1000] as f64);
        let mean = values.iter().map(|&value| value as f64).sum::<f64>() / values.len() as f64;
        assert_within_precision(histogram.mean_ns(), mean);
        assert_eq!(histogram.count(), 1001);
    }
}

#[test]
fn quantiles_between_ranks_are_those_of_the_next_rank() {
    let histogram = recorded(&(1..=100).collect::<Vec<_>>());
    for hundredth in 1..=100 {
        // Some of these quotients times 100 are a little more than an integer.
        let quantile = hundredth as f64 / 100.0;
        assert_eq!(histogram.quantile_ns(quantile), Some(hundredth));
        assert_eq!(histogram.quantile_ns(quantile - 0.005), Some(hundredth));
    }
    assert_eq!(histogram.quantile_ns(0.0), Some(1));
}

#[test]
fn zero_is_a_value_of_its_own() {
    let histogram = recorded(&[0, 0, 0, 1]);
    assert_eq!((histogram.min_ns(), histogram.max_ns(), histogram.count()), (0, 1, 4));
    assert_eq!(histogram.quantile_ns(0.75), Some(0));
    assert_eq!(histogram.quantile_ns(0.76), Some(1));
    assert_eq!(Histogram::decode(&histogram.encode(), 0).unwrap(), histogram);
}

#[test]
fn an_empty_histogram_has_no_quantile() {
    let histogram: Histogram = Histogram::new();
    assert_eq!(histogram.count(), 0);
    assert_eq!(histogram.quantile_ns(0.5), None);
    assert_eq!(Histogram::decode(&histogram.encode(), 0).unwrap(), histogram);
}

#[test]
fn a_value_beyond_the_range_is_counted_and_larger_than_all_others() {
    let mut histogram = recorded(&[10, 20, HIGHEST_NS]);
    histogram.record(HIGHEST_NS + 1);
    histogram.record_many(u64::MAX, 4);
    assert_eq!((histogram.count(), histogram.overflow()), (8, 5));
    assert_eq!(histogram.quantile_ns(0.25), Some(20));
    assert_within_precision(histogram.quantile_ns(0.375).unwrap() as f64, HIGHEST_NS as f64);
    assert_eq!(histogram.quantile_ns(0.376), None);
    assert_eq!(histogram.quantile_ns(1.0), None);
    assert_within_precision(histogram.max_ns() as f64, HIGHEST_NS as f64);
}

#[test]
fn merging_is_recording_everything_in_one() {
    let mut merged = Histogram::new();
    let mut everything = Vec::new();
    for index in 0..10 {
        let values = durations(index, 500);
        let mut part = recorded(&values);
        part.record_many(u64::MAX, 2);
        merged.merge(&part);
        everything.extend(values);
    }
    let mut expected = recorded(&everything);
    expected.record_many(u64::MAX, 20);
    assert_eq!(merged, expected);
    assert_eq!(merged.count(), 5020);
}

#[test]
fn a_live_histogram_holds_what_a_histogram_holds() {
    let (mut live, mut direct) = (LiveHistogram::default(), Histogram::new());
    let edges = (0..50).flat_map(|power| {
        let edge = 1_u64 << power;
        [edge - 1, edge, edge + 1, edge + edge / 1024, edge + edge / 1024 - 1, edge + edge / 3]
    });
    for value in edges.chain(0..5000).chain(durations(3, 5000)) {
        live.record(value);
        direct.record(value);
    }
    assert_eq!(live.count(), direct.count());
    assert!(direct.overflow() > 0);
    let mut merged = Histogram::new();
    merged.merge_live(&live);
    assert_eq!(merged, direct);
    assert_eq!(merged.encode(), direct.encode());
    merged.merge_live(&live);
    assert_eq!(merged.count(), 2 * direct.count());
}

#[test]
fn the_largest_value_of_the_range_is_still_in_it_after_merging() {
    let mut live = LiveHistogram::default();
    for value in [HIGHEST_NS - HIGHEST_NS / 5000, HIGHEST_NS - 1, HIGHEST_NS] {
        live.record(value);
    }
    let mut merged = Histogram::new();
    merged.merge_live(&live);
    assert_eq!((merged.count(), merged.overflow()), (3, 0));
    assert_within_precision(merged.quantile_ns(1.0).unwrap() as f64, HIGHEST_NS as f64);
}
