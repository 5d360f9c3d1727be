//! One worker's measurements: completions count in the interval in which their answer arrived, and
//! their times belong to the one for which they were scheduled.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use contract::{SqlError, StatementCounters};
use eventloop::{LoopCounts, Timestamp};

use crate::completion::Completion;
use crate::gaps::Slots;
use crate::health::HealthMeter;
use crate::hosts::HostSample;
use crate::late::LateTimes;
use crate::live::{LiveInterval, RecorderDimensions};
use crate::pauses::Pause;
use crate::sample::{IntervalSample, Levels, PlannedReconnects, count_error};
use crate::timeline::{Phase, Timeline};
use crate::timetable::Timetable;

/// How long an interval stays open after its end, for answers that arrived before the end and are
/// read after it. An answer that is read later still is counted in the oldest open interval.
const GRACE: Duration = Duration::from_millis(100);

/// Records one worker's load. Open intervals are few: the present one and perhaps the one before.
pub(crate) struct Recorder {
    timetable: Arc<Timetable>,
    /// As it was when the newest interval was opened, which is right up to that one's end.
    timeline: Timeline,
    slots: Slots,
    dimensions: RecorderDimensions,
    open: VecDeque<LiveInterval>,
    /// Scheduled and not ended, by kind, over everything that was flushed.
    in_flight: Vec<u64>,
    health: HealthMeter,
    levels: Levels,
    loop_counts: LoopCounts,
    /// The names of the hosts, where there are several, and the clients of each.
    hosts: Vec<String>,
    live_by_host: Vec<u64>,
}

impl Recorder {
    pub fn new(
        timetable: Arc<Timetable>,
        dimensions: RecorderDimensions,
        hosts: Vec<String>,
    ) -> Self {
        let timeline = timetable.timeline();
        let first = LiveInterval::new(timeline.locate(timeline.go), dimensions);
        Self {
            slots: Slots::new(timeline.interval_ns()),
            timetable,
            timeline,
            dimensions,
            open: VecDeque::from([first]),
            in_flight: vec![0; dimensions.kinds],
            health: HealthMeter::start(),
            levels: Levels::default(),
            loop_counts: LoopCounts::default(),
            live_by_host: vec![0; hosts.len()],
            hosts,
        }
    }

    /// Counts a transaction that is due.
    #[inline]
    pub fn scheduled(&mut self, kind: usize, time: Timestamp) {
        self.interval_at(time).transactions[kind].scheduled += 1;
    }

    /// Records a transaction that ended well.
    #[inline]
    pub fn completed(&mut self, completion: &Completion, counters: StatementCounters) {
        let slots = self.slots;
        let interval = self.interval_at(completion.end);
        interval.statements.add(counters);
        interval.loop_lag.record(completion.handled.since(completion.end));
        interval.completions.mark(slots.of(completion.end.since(interval.span.start)));
        if let Some(client) = interval.clients.get_mut(completion.client) {
            client.transactions += 1;
            client.response_ns += completion.response_ns();
            client.turnaround_ns += completion.turnaround_ns();
        }
        let transaction = &mut interval.transactions[completion.kind];
        transaction.count(completion.ending);
        if interval.span.start <= completion.scheduled {
            transaction.record(completion);
        } else {
            self.record_elsewhere(completion);
        }
    }

    /// Records the times of a transaction that ended in a later interval than it was scheduled for.
    #[cold]
    fn record_elsewhere(&mut self, completion: &Completion) {
        let Completion { kind, scheduled, end, .. } = *completion;
        if let Some(interval) = self.open_at(scheduled) {
            interval.transactions[kind].record(completion);
        } else {
            self.late(kind, scheduled, end).record(completion);
        }
    }

    /// The interval to which a past instant belongs, where it is still open.
    fn open_at(&mut self, time: Timestamp) -> Option<&mut LiveInterval> {
        let time = time.max(self.timeline.go);
        self.open.iter_mut().find(|interval| interval.contains(time))
    }

    /// Where the times go of a transaction that has ended, and was scheduled for an interval that is
    /// closed.
    fn late(&mut self, kind: usize, scheduled: Timestamp, end: Timestamp) -> &mut LateTimes {
        let span = self.timeline.locate(scheduled);
        self.interval_at(end).late(&span, kind)
    }

    /// Counts a transaction that ended well for the host that did it, where there are several.
    pub fn completed_by(&mut self, host: usize, end: Timestamp) {
        if let Some(transactions) = self.interval_at(end).hosts.get_mut(host) {
            *transactions += 1;
        }
    }

    /// Records a transaction that was given up.
    pub fn failed(
        &mut self,
        kind: usize,
        scheduled: Timestamp,
        end: Timestamp,
        counters: StatementCounters,
    ) {
        let interval = self.interval_at(end);
        interval.statements.add(counters);
        interval.transactions[kind].failed += 1;
        let response_ns = end.since(scheduled);
        if let Some(interval) = self.open_at(scheduled) {
            interval.transactions[kind].failed_response.record(response_ns);
        } else {
            self.late(kind, scheduled, end).failed_response.record(response_ns);
        }
    }

    /// The phase in which a completion at this instant is counted.
    pub fn phase_at(&mut self, time: Timestamp) -> Phase {
        self.interval_at(time).span.phase
    }

    /// Counts a time in which this worker did not run.
    pub fn paused(&mut self, pause: Pause) {
        self.interval_at(pause.to);
        for (index, pauses) in pause.by_interval(&self.timeline) {
            for interval in self.open.iter_mut().filter(|interval| interval.span.index == index) {
                interval.pauses.add(pauses);
            }
        }
    }

    /// Counts statements that belong to no transaction.
    pub fn statements(&mut self, counters: StatementCounters, time: Timestamp) {
        self.interval_at(time).statements.add(counters);
    }

    /// Counts an error, whatever becomes of its transaction.
    pub fn error(&mut self, error: &SqlError, time: Timestamp) {
        count_error(&mut self.interval_at(time).errors, error);
    }

    /// Counts a transaction whose first attempt did not succeed.
    pub fn first_attempt_abort(&mut self, kind: usize, time: Timestamp) {
        self.interval_at(time).transactions[kind].first_attempt_aborts += 1;
    }

    /// Counts one more attempt.
    pub fn retry(&mut self, kind: usize, time: Timestamp) {
        self.interval_at(time).transactions[kind].retries += 1;
    }

    /// Counts a connection made again.
    pub fn reconnected(&mut self, time: Timestamp) {
        self.interval_at(time).reconnects += 1;
    }

    /// Counts a connection made anew on purpose, which took so long.
    pub fn planned_reconnect(&mut self, began: Timestamp, time: Timestamp) {
        let interval = self.interval_at(time);
        interval.reconnects += 1;
        interval
            .planned_reconnects
            .merge(PlannedReconnects { count: 1, seconds: time.seconds_from(began) });
    }

    /// Says how things stand now, and how many clients each host has.
    pub fn set_levels(&mut self, levels: Levels, by_host: &[u64]) {
        self.levels = levels;
        self.live_by_host.copy_from_slice(by_host);
    }

    /// Takes what the loop counted; it is told with the interval that is taken next.
    pub fn add_loop_counts(&mut self, counts: LoopCounts) {
        self.loop_counts.merge(counts);
    }

    /// When the oldest open interval is due to be flushed.
    pub fn next_flush(&self) -> Timestamp {
        self.open[0].span.end + GRACE
    }

    /// Takes the oldest interval if it is due.
    pub fn flush(&mut self, now: Timestamp) -> Option<IntervalSample> {
        if now < self.next_flush() {
            return None;
        }
        self.interval_at(now);
        Some(self.take_oldest())
    }

    /// Takes every open interval: nothing more will be recorded.
    pub fn finish(mut self, now: Timestamp) -> Vec<IntervalSample> {
        self.interval_at(now);
        let mut samples = Vec::new();
        while !self.open.is_empty() {
            samples.push(self.take_oldest());
        }
        if let Some(last) = samples.last_mut() {
            last.span.end = last.span.end.min(now.max(last.span.start));
        }
        samples
    }

    /// What is scheduled and not ended by these counters, to be compared with what is really there.
    pub fn in_flight(&self, kind: usize) -> u64 {
        let mut balance = self.in_flight[kind];
        for interval in &self.open {
            balance += interval.transactions[kind].scheduled;
        }
        for interval in &self.open {
            balance -= interval.transactions[kind].ended();
        }
        balance
    }

    fn host_samples(&self, transactions: &[u64]) -> Vec<HostSample> {
        let hosts = self.hosts.iter().zip(transactions).zip(&self.live_by_host);
        hosts
            .map(|((host, transactions), live_clients)| HostSample {
                host: host.clone(),
                transactions: *transactions,
                live_clients: *live_clients,
            })
            .collect()
    }

    /// The interval to which an instant belongs; opens new ones as time goes on.
    #[inline]
    fn interval_at(&mut self, time: Timestamp) -> &mut LiveInterval {
        let newest = self.open.len() - 1;
        let span = self.open[newest].span;
        if span.start <= time && time < span.end {
            return &mut self.open[newest];
        }
        self.interval_elsewhere(time)
    }

    #[cold]
    fn interval_elsewhere(&mut self, time: Timestamp) -> &mut LiveInterval {
        while self.open[self.open.len() - 1].span.end <= time {
            let newest = &self.open[self.open.len() - 1].span;
            let (timeline, next) = self.timetable.open_next(newest);
            self.timeline = timeline;
            self.open.push_back(LiveInterval::new(next, self.dimensions));
        }
        let index = self.open.iter().rposition(|i| i.span.start <= time).unwrap_or(0);
        &mut self.open[index]
    }

    fn take_oldest(&mut self) -> IntervalSample {
        let live = self.open.pop_front().unwrap_or_else(|| unreachable!("one is always open"));
        let mut sample = IntervalSample::new(live.span, 0);
        for (kind, transaction) in live.transactions.into_iter().enumerate() {
            let in_flight = self.in_flight[kind] + transaction.scheduled - transaction.ended();
            self.in_flight[kind] = in_flight;
            sample.transactions.push(transaction.finish(in_flight));
        }
        sample.clients = live.clients;
        sample.statements = live.statements;
        sample.reconnects = live.reconnects;
        sample.planned_reconnects = live.planned_reconnects;
        sample.errors = live.errors;
        sample.late = live.late;
        sample.completions = live.completions;
        sample.levels = self.levels;
        sample.hosts = self.host_samples(&live.hosts);
        sample.generator = self.health.lap();
        sample.generator.loop_counts = std::mem::take(&mut self.loop_counts);
        sample.generator.loop_lag.merge_live(&live.loop_lag);
        sample.generator.pauses = live.pauses;
        sample
    }
}

#[cfg(test)]
mod tests {
    use contract::Ending;
    use histogram::Histogram;

    use super::*;
    use crate::sample::RunningTotals;
    use contract::ErrorClass;

    const MS: u64 = 1_000_000;

    fn at(milliseconds: u64) -> Timestamp {
        Timestamp(milliseconds * MS)
    }

    fn recorder() -> Recorder {
        let second = Duration::from_secs(1);
        let dimensions = RecorderDimensions { kinds: 1, clients: 2, hosts: 0 };
        let timeline = Timeline::new(at(1000), second, second * 2, second);
        Recorder::new(Arc::new(Timetable::new(timeline)), dimensions, Vec::new())
    }

    fn completion(scheduled: u64, start: u64, end: u64) -> Completion {
        Completion {
            client: 1,
            kind: 0,
            ending: Ending::Committed,
            scheduled: at(scheduled),
            start: at(start),
            end: at(end),
            handled: at(end + 1),
        }
    }

    #[test]
    fn an_answer_read_late_counts_where_it_arrived() {
        let mut recorder = recorder();
        recorder.scheduled(0, at(1500));
        assert!(recorder.flush(at(2050)).is_none(), "stays open for a while");
        recorder.completed(&completion(1500, 1500, 1999), StatementCounters::default());
        let warmup = recorder.flush(at(2100)).unwrap();
        assert_eq!((warmup.span.phase, warmup.span.index), (Phase::Warmup, -1));
        assert_eq!(warmup.transactions[0].committed, 1);
        assert_eq!(warmup.generator.loop_lag.count(), 1);
    }

    #[test]
    fn times_belong_to_the_interval_of_the_schedule_and_counts_to_that_of_the_end() {
        let mut recorder = recorder();
        for scheduled in [1500, 1600, 1700] {
            recorder.scheduled(0, at(scheduled));
        }
        recorder.completed(&completion(1500, 1500, 2050), StatementCounters::default());
        let warmup = recorder.flush(at(2100)).unwrap().transactions.remove(0);
        assert_eq!((warmup.committed, warmup.response.count()), (0, 1));
        let first = recorder.flush(at(3100)).unwrap();
        assert_eq!((first.transactions[0].committed, first.late.len()), (1, 0));
        recorder.completed(&completion(1600, 2600, 3500), StatementCounters::default());
        recorder.failed(0, at(1700), at(3600), StatementCounters::default());
        let second = recorder.finish(at(3900)).remove(0);
        let counted = &second.transactions[0];
        assert_eq!((counted.committed, counted.failed, counted.response.count()), (1, 1, 0));
        let [late] = &second.late[..] else { panic!("{:?}", second.late) };
        assert_eq!((late.index, late.phase), (-1, Phase::Warmup));
        let times = &late.transactions[0];
        for (sparse, expected_ms) in [
            (&times.response, 1900),
            (&times.service, 900),
            (&times.lag, 1000),
            (&times.turnaround, 1901),
            (&times.failed_response, 1900),
        ] {
            let mut expected = Histogram::new();
            expected.record(expected_ms * MS);
            assert_eq!(sparse.to_histogram(), expected);
        }
    }

    #[test]
    fn response_service_and_lag_are_kept_apart() {
        let mut recorder = recorder();
        recorder.scheduled(0, at(2100));
        recorder.completed(&completion(2100, 2400, 2500), StatementCounters::default());
        recorder.flush(at(2100)).unwrap();
        let window = recorder.flush(at(3100)).unwrap();
        assert_eq!(window.transactions[0].turnaround.count(), 1);
        let near = |histogram: &Histogram, milliseconds: u64| {
            let value = histogram.quantile_ns(0.5).unwrap();
            value.abs_diff(milliseconds * MS) <= milliseconds * MS / 1000
        };
        assert!(near(&window.transactions[0].response, 400));
        assert!(near(&window.transactions[0].service, 100));
        assert!(near(&window.transactions[0].lag, 300));
        assert!(near(&window.transactions[0].turnaround, 401));
    }

    #[test]
    fn punctual_transactions_count_in_all_three_histograms() {
        let mut recorder = recorder();
        for (start, end) in [(1100, 1200), (1100, 1300), (1500, 1600)] {
            recorder.scheduled(0, at(1100));
            recorder.completed(&completion(1100, start, end), StatementCounters::default());
        }
        let transaction = recorder.flush(at(2100)).unwrap().transactions.remove(0);
        let of = |values_ms: [u64; 3]| {
            let mut histogram = Histogram::new();
            for value in values_ms {
                histogram.record(value * MS);
            }
            histogram
        };
        assert_eq!(transaction.response, of([100, 200, 500]));
        assert_eq!(transaction.service, of([100, 200, 100]));
        assert_eq!(transaction.lag, of([0, 0, 400]));
        assert_eq!(transaction.turnaround, of([101, 201, 501]));
    }

    #[test]
    fn in_flight_is_the_balance_at_the_end_of_each_interval() {
        let mut recorder = recorder();
        for time in [1100, 1200, 2300] {
            recorder.scheduled(0, at(time));
        }
        recorder.failed(0, at(1100), at(1900), StatementCounters::default());
        recorder.failed(0, at(1200), at(2999), StatementCounters::default());
        let error = SqlError::driver(ErrorClass::Other, "no");
        recorder.error(&error, at(1900));
        assert_eq!(recorder.in_flight(0), 1);
        let mut totals = RunningTotals::default();
        let mut in_flight = Vec::new();
        for sample in recorder.finish(at(3500)) {
            totals.add(&sample);
            in_flight.push(sample.transactions[0].in_flight);
        }
        assert_eq!(in_flight, [1, 1, 1]);
    }

    #[test]
    #[should_panic(expected = "scheduled = committed")]
    fn counters_that_contradict_each_other_are_found() {
        let mut recorder = recorder();
        recorder.scheduled(0, at(1100));
        let mut sample = recorder.flush(at(2100)).unwrap();
        sample.transactions[0].in_flight = 0;
        RunningTotals::default().add(&sample);
    }
}
