//! How the generator itself fares: the CPU, the waiting for a CPU and the context switches of one
//! worker thread.

use eventloop::{LoopCounts, Timestamp};

use crate::pauses::Pauses;
use crate::sample::GeneratorHealth;

#[derive(Clone, Copy, Default)]
struct Reading {
    time: Timestamp,
    user_s: f64,
    system_s: f64,
    run_queue_delay_s: f64,
    voluntary_switches: u64,
    involuntary_switches: u64,
}

impl Reading {
    fn take() -> Self {
        // SAFETY: all zeroes is a valid rusage, and the kernel writes only within the struct.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage);
            usage
        };
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        Self {
            time: Timestamp::now(),
            user_s: seconds(usage.ru_utime),
            system_s: seconds(usage.ru_stime),
            run_queue_delay_s: run_queue_delay_s().unwrap_or(0.0),
            voluntary_switches: usage.ru_nvcsw.unsigned_abs(),
            involuntary_switches: usage.ru_nivcsw.unsigned_abs(),
        }
    }
}

/// The time that this thread was ready to run and had no CPU, since it was made: the second field of
/// `schedstat`. Kernels without it (`CONFIG_SCHED_INFO`) have no such figure.
fn run_queue_delay_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

/// Reads the calling thread's own counters, and gives the differences between laps.
pub(crate) struct HealthMeter {
    last: Reading,
}

impl HealthMeter {
    pub fn start() -> Self {
        Self { last: Reading::take() }
    }

    /// What happened since the last lap. What only the loop and its clients know is left empty.
    pub fn lap(&mut self) -> GeneratorHealth {
        let reading = Reading::take();
        let last = std::mem::replace(&mut self.last, reading);
        let elapsed_s = reading.time.since(last.time) as f64 / 1e9;
        let user_s = reading.user_s - last.user_s;
        let system_s = reading.system_s - last.system_s;
        GeneratorHealth {
            user_s,
            system_s,
            busiest_worker_share: if elapsed_s > 0.0 {
                (user_s + system_s) / elapsed_s
            } else {
                0.0
            },
            run_queue_delay_s: reading.run_queue_delay_s - last.run_queue_delay_s,
            voluntary_switches: reading.voluntary_switches - last.voluntary_switches,
            involuntary_switches: reading.involuntary_switches - last.involuntary_switches,
            pauses: Pauses::default(),
            loop_counts: LoopCounts::default(),
            loop_lag: histogram::Histogram::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_thread_is_seen_to_be_busy_and_a_sleeping_one_is_not() {
        let mut meter = HealthMeter::start();
        std::thread::sleep(std::time::Duration::from_millis(50));
        let asleep = meter.lap();
        let mut sum = 0_u64;
        let until = eventloop::thread_cpu_time() + std::time::Duration::from_millis(50);
        while eventloop::thread_cpu_time() < until {
            sum = std::hint::black_box(sum + 1);
        }
        let busy = meter.lap();
        assert!(busy.user_s + busy.system_s > asleep.user_s + asleep.system_s);
        assert!(asleep.voluntary_switches >= 1);
    }
}
