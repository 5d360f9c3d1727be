//! Times that come late: a transaction's times belong to the interval for which it was scheduled,
//! and intervals are handed out in time, whether or not all of their transactions have ended.

use histogram::SparseHistogram;

use crate::completion::Completion;
use crate::timeline::{Phase, Span};

/// Times of one kind of transactions. After a long stall there may be some of many intervals at once,
/// so that they take memory only for what there is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LateTimes {
    /// End − scheduled, of those that ended well.
    pub response: SparseHistogram,
    /// End − start.
    pub service: SparseHistogram,
    /// Start − scheduled.
    pub lag: SparseHistogram,
    /// Handled − scheduled.
    pub turnaround: SparseHistogram,
    /// From scheduled to given up, of those that failed.
    pub failed_response: SparseHistogram,
}

impl LateTimes {
    /// Records one that ended well.
    pub(crate) fn record(&mut self, completion: &Completion) {
        self.response.record(completion.response_ns());
        self.service.record(completion.service_ns());
        self.lag.record(completion.lag_ns());
        self.turnaround.record(completion.turnaround_ns());
    }

    fn merge(&mut self, other: &Self) {
        let Self { response, service, lag, turnaround, failed_response } = other;
        self.response.merge(response);
        self.service.merge(service);
        self.lag.merge(lag);
        self.turnaround.merge(turnaround);
        self.failed_response.merge(failed_response);
    }
}

/// What is to be added to the times of an interval that has been handed out.
#[derive(Clone, Debug, PartialEq)]
pub struct LateSample {
    /// Its index.
    pub index: i64,
    /// Its phase.
    pub phase: Phase,
    /// By kind of transaction.
    pub transactions: Vec<LateTimes>,
}

impl LateSample {
    /// Nothing yet.
    pub(crate) fn new(span: &Span, kinds: usize) -> Self {
        let transactions = vec![LateTimes::default(); kinds];
        Self { index: span.index, phase: span.phase, transactions }
    }
}

/// The one for an interval, in a list in their order.
pub(crate) fn late_of<'a>(
    late: &'a mut Vec<LateSample>,
    span: &Span,
    kinds: usize,
) -> &'a mut LateSample {
    let place = late.binary_search_by_key(&span.index, |sample| sample.index);
    let place = place.unwrap_or_else(|place| {
        late.insert(place, LateSample::new(span, kinds));
        place
    });
    &mut late[place]
}

/// Adds what another worker has.
pub(crate) fn merge_late(into: &mut Vec<LateSample>, from: &[LateSample]) {
    for theirs in from {
        match into.binary_search_by_key(&theirs.index, |sample| sample.index) {
            Ok(place) => {
                for (mine, theirs) in into[place].transactions.iter_mut().zip(&theirs.transactions)
                {
                    mine.merge(theirs);
                }
            }
            Err(place) => into.insert(place, theirs.clone()),
        }
    }
}
