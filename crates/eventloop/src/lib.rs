//! One epoll loop a thread: tasks, readiness, timers, deadlines, and the clock.
//!
//! Made for load generation, where a task is a client with exactly one socket. There are no wakers
//! and no queues between threads: a task may wait only for what this loop offers (its socket, a
//! timer, being woken by another task of the same loop), so the token of an event *is* the task to
//! poll. A poll without cause is harmless; every wait checks its own condition.
//!
//! Not a general runtime: no work stealing, one registered socket a task.

mod alarm;
mod clock;
mod event_loop;
mod handle;
mod line;
mod naps;
mod poller;
mod semaphore;
#[cfg(feature = "simulation")]
pub mod simulation;
mod wait;
mod waiting;

pub use alarm::SWEEP_PERIOD;
pub use clock::{Timestamp, WallOffset, thread_cpu_time};
pub use event_loop::EventLoop;
pub use handle::{Handle, LoopCounts, Registration, TaskId};
pub use line::{Line, Wait};
pub use semaphore::{Permit, Semaphore};
pub use wait::{Park, Sleep, Yield};
pub use waiting::Waiting;
