//! Transactions in flight in a worker that reports no more.

use crate::sample::IntervalSample;

/// The in-flight counts of a worker at its last report. A worker that has ended reports no more, but
/// what it gave up stays in flight: the counts are added to later intervals of the others.
#[derive(Clone, Default)]
pub(crate) struct InFlightAtLastReport {
    index: i64,
    in_flight: Vec<u64>,
}

impl InFlightAtLastReport {
    /// What this report says.
    pub fn of(sample: &IntervalSample) -> Self {
        let in_flight = sample.transactions.iter().map(|kind| kind.in_flight).collect();
        Self { index: sample.span.index, in_flight }
    }

    /// Counts it in an interval that comes after the worker's last report.
    pub fn add_to(&self, later: &mut IntervalSample) {
        if self.index < later.span.index {
            for (kind, in_flight) in later.transactions.iter_mut().zip(&self.in_flight) {
                kind.in_flight += in_flight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use eventloop::Timestamp;

    use super::*;
    use crate::timeline::{Phase, Span};

    fn sample(index: i64, in_flight: u64) -> IntervalSample {
        let (start, end) = (Timestamp::default(), Timestamp::default());
        let mut sample = IntervalSample::new(Span { index, phase: Phase::Drain, start, end }, 1);
        sample.transactions[0].in_flight = in_flight;
        sample
    }

    #[test]
    fn what_was_given_up_stays_in_flight_in_later_intervals_and_counts_once_in_its_own() {
        let given_up = InFlightAtLastReport::of(&sample(0, 8));
        for (index, expected) in [(0, 3), (1, 11), (5, 11)] {
            let mut of_another = sample(index, 3);
            given_up.add_to(&mut of_another);
            assert_eq!(of_another.transactions[0].in_flight, expected, "interval {index}");
        }
    }
}
