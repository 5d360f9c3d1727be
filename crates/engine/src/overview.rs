//! What only the coordinator can tell of an interval: what all workers have in common.

use std::collections::BTreeMap;

use eventloop::Timestamp;

use crate::gaps::{Gaps, Slots};
use crate::pauses::{Pause, Pauses};
use crate::sample::IntervalSample;
use crate::timeline::Timeline;

/// How long the coordinator waits for reports at a time. That it does not come back in time is how
/// a pause of the whole generator is found, whatever its workers are doing: one that asks a database
/// which blocks is not paused.
pub(crate) const TICK: std::time::Duration = std::time::Duration::from_millis(10);

/// Watches a trial while its intervals come in.
pub(crate) struct Overview {
    timeline: Timeline,
    gaps: Gaps,
    /// The coordinator's own, of intervals that are not handed out yet.
    pauses: BTreeMap<i64, Pauses>,
}

impl Overview {
    pub fn new(timeline: Timeline) -> Self {
        let gaps = Gaps::new(Slots::new(timeline.interval_ns()));
        Self { timeline, gaps, pauses: BTreeMap::new() }
    }

    /// When the window begins.
    pub fn window_start(&self) -> Timestamp {
        self.timeline.window_start
    }

    /// Takes over that the window begins earlier.
    pub fn follow(&mut self, timeline: Timeline) {
        self.timeline = timeline;
    }

    /// Says that the coordinator has waited for a report, at most for a [`TICK`], after it had worked
    /// for as long as it took.
    pub fn waited(&mut self, before: Timestamp, now: Timestamp) {
        let pause = Pause::between(before, now, TICK);
        for (index, pauses) in pause.iter().flat_map(|pause| pause.by_interval(&self.timeline)) {
            self.pauses.entry(index).or_default().add(pauses);
        }
    }

    /// Fills in what is known of the next interval once all workers have reported it.
    pub fn complete(&mut self, sample: &mut IntervalSample) {
        let longest_gap_ns = self.gaps.next(&sample.span, sample.completions);
        sample.longest_gap_s = longest_gap_ns as f64 / 1e9;
        if let Some(pauses) = self.pauses.remove(&sample.span.index) {
            sample.generator.pauses.merge(pauses);
        }
    }
}
