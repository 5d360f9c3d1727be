//! A trial: starts the workers, and hears them to their end.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use contract::{Driver, Workload};
use eventloop::{Timestamp, thread_cpu_time};

use crate::context::{Message, NOT_TOLD, Shared};
use crate::coordinator::Coordinator;
use crate::event::Event;
use crate::options::Options;
use crate::run_error::{RunError, unsupported};
use crate::transaction_log::LogFile;
use crate::worker::run_worker;

/// A tenth of a worker's weight: enough to end in time where workers leave no CPU idle.
const BEHIND_WORKERS: i32 = 10;

/// What a run can be told from outside while it is under way.
#[derive(Clone, Debug)]
pub struct Commands {
    /// Set to end it early.
    pub stop: Arc<AtomicBool>,
    /// When the load begins, in nanoseconds of the monotonic clock; zero until that is known. None: as
    /// soon as all clients are ready.
    pub start_at: Option<Arc<AtomicU64>>,
    /// The interval of the warm-up with which the window is to begin, by its index; `i64::MAX` until
    /// that is known. Events tell what came of it.
    pub window_at: Arc<AtomicI64>,
}

impl Default for Commands {
    fn default() -> Self {
        let window_at = Arc::new(AtomicI64::new(NOT_TOLD));
        Self { stop: Arc::default(), start_at: None, window_at }
    }
}

/// Runs one trial, and hands out what happens as it happens.
pub fn run<D: Driver, W: Workload>(
    driver: D,
    workload: W,
    options: Options,
    commands: &Commands,
    emit: &mut dyn FnMut(Event),
) -> Result<(), RunError> {
    let shared = Arc::new(prepare(driver, workload, options, commands)?);
    let (receiver, threads) = start_workers(&shared)?;
    let_workers_go_first();
    let mut coordinator = Coordinator::new(&shared, Timestamp::now());
    let heard = hear(&mut coordinator, &receiver, emit);
    if heard.is_err() {
        shared.stop.store(true, Ordering::Relaxed);
    }
    if let Err(RunError::Stuck(_)) = heard {
        // Who does not end can't be waited for.
        return heard;
    }
    join(threads)?;
    heard?;
    emit(Event::End(coordinator.end()));
    Ok(())
}

/// Gives the calling thread, which merges what workers tell, a lower weight than theirs. Where they have
/// one CPU, its work of some milliseconds at each interval's end would keep statements waiting for a
/// whole time slice.
fn let_workers_go_first() {
    // Linux changes the weight of a thread, and not of its process. Where it may not, it stays as it is.
    let _ = rustix::process::nice(BEHIND_WORKERS);
}

/// What workers share, before there are any.
pub(crate) fn prepare<D: Driver, W: Workload>(
    driver: D,
    workload: W,
    options: Options,
    commands: &Commands,
) -> Result<Shared<D, W>, RunError> {
    if let Some(reason) = unsupported(&workload, &options) {
        return Err(RunError::Unsupported(reason.to_owned()));
    }
    let clients = options.own_clients().len();
    let workers = if D::BLOCKING { clients } else { options.workers.min(clients) };
    let log = open_log(&options, &workload.transactions())?;
    let Commands { stop, start_at, window_at } = commands.clone();
    let go = AtomicU64::new(0);
    let allowance = AtomicU64::new(options.own_transactions());
    let fatal = OnceLock::new();
    let claims = OnceLock::new();
    let timetable = OnceLock::new();
    Ok(Shared {
        driver,
        workload,
        options,
        workers,
        go,
        stop,
        start_at,
        window_at,
        timetable,
        allowance,
        claims,
        log,
        fatal,
    })
}

/// Hands the coordinator what the workers tell, until all of them have ended.
fn hear<D: Driver, W: Workload>(
    coordinator: &mut Coordinator<'_, D, W>,
    receiver: &Receiver<Message>,
    emit: &mut dyn FnMut(Event),
) -> Result<(), RunError> {
    let mut awake = Awake::since_now();
    loop {
        let message = receiver.recv_timeout(coordinator.pause());
        let last = std::mem::replace(&mut awake, Awake::since_now());
        // What it has worked since is no pause, but being stopped in the middle of work is one.
        coordinator.waited(last.time + awake.worked_since(last), awake.time);
        match message {
            Ok(message) => coordinator.take(message, Timestamp::now(), emit)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        coordinator.look(Timestamp::now(), emit)?;
    }
}

/// When a thread woke up, by the clock and by its own CPU time.
#[derive(Clone, Copy)]
struct Awake {
    time: Timestamp,
    cpu: Duration,
}

impl Awake {
    fn since_now() -> Self {
        Self { time: Timestamp::now(), cpu: thread_cpu_time() }
    }

    fn worked_since(self, earlier: Self) -> Duration {
        self.cpu.saturating_sub(earlier.cpu)
    }
}

fn open_log(options: &Options, kinds: &[String]) -> Result<Option<Arc<LogFile>>, RunError> {
    let Some(path) = &options.transaction_log else { return Ok(None) };
    let log = LogFile::create(path, kinds.to_vec());
    let log =
        log.map_err(|error| RunError::TransactionLog { path: path.display().to_string(), error });
    log.map(|log| Some(Arc::new(log)))
}

type Worker = JoinHandle<std::io::Result<()>>;

fn start_workers<D: Driver, W: Workload>(
    shared: &Arc<Shared<D, W>>,
) -> std::io::Result<(Receiver<Message>, Vec<Worker>)> {
    let (sender, receiver) = channel();
    let stop = &shared.stop;
    let mut threads: Vec<Worker> = Vec::new();
    for worker in 0..shared.workers {
        let (shared, sender) = (Arc::clone(shared), sender.clone());
        let thread = std::thread::Builder::new()
            .name(format!("worker-{worker}"))
            .spawn(move || run_worker(&shared, worker, sender));
        match thread {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                // Those that are there already would wait for the others.
                stop.store(true, Ordering::Relaxed);
                for thread in threads {
                    let _ = thread.join();
                }
                return Err(error);
            }
        }
    }
    Ok((receiver, threads))
}

fn join(threads: Vec<Worker>) -> Result<(), RunError> {
    for thread in threads {
        match thread.join() {
            Ok(result) => result?,
            Err(panic) => {
                let text = panic
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                return Err(RunError::Panic(
                    text.unwrap_or_else(|| "without a message".to_owned()),
                ));
            }
        }
    }
    Ok(())
}
