//! The engine as it runs in earnest: real threads, real time, a real server on a real socket. What
//! its figures are is tested in virtual time.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use contract::{
    Access, BulkMethod, Connection, Dialect, Driver, ErrorClass, Executed, Limits, RowSink,
    RowSource, SqlError, Statement, StatementCount, StatementCounters, Value,
};
use engine::{Commands, Event, IntervalSample, Options, RunEnd, RunError, Status, run};
use eventloop::{Handle, Registration, Timestamp};

#[path = "scripted/mod.rs"]
mod scripted;

use scripted::OneStatement;
use scripted::outcome::options;

/// Answers each byte with one.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || echo(stream.unwrap()));
        }
    });
    address
}

fn echo(mut stream: TcpStream) {
    stream.set_nodelay(true).unwrap();
    let mut byte = [0];
    while stream.read_exact(&mut byte).is_ok() && stream.write_all(&byte).is_ok() {}
}

/// Without an address it neither takes connections nor refuses them, and needs no file for that.
struct EchoDriver(Option<SocketAddr>);

struct EchoConnection {
    stream: TcpStream,
    handle: Handle,
    _registration: Registration,
    last_arrival: Timestamp,
    counters: StatementCounters,
    executions: u64,
}

impl Driver for EchoDriver {
    type Connection = EchoConnection;
    const BLOCKING: bool = false;

    fn dialect(&self) -> Dialect {
        Dialect::MySql
    }

    async fn connect(&self, handle: &Handle, _: Limits) -> Result<EchoConnection, SqlError> {
        let Some(address) = self.0 else { return std::future::pending().await };
        let stream = TcpStream::connect(address).map_err(|error| lost(&error))?;
        stream.set_nodelay(true).unwrap();
        stream.set_nonblocking(true).unwrap();
        Ok(EchoConnection {
            _registration: handle.register(&stream).unwrap(),
            stream,
            handle: handle.clone(),
            last_arrival: Timestamp::default(),
            counters: StatementCounters::default(),
            executions: 0,
        })
    }
}

impl Connection for EchoConnection {
    fn server_version(&self) -> &'static str {
        "echo"
    }

    async fn prepare(&mut self, _: &Rc<[Statement]>) -> Result<(), SqlError> {
        Ok(())
    }

    async fn execute<S: RowSink>(
        &mut self,
        _: usize,
        _: &[Value<'_>],
        _: &mut S,
    ) -> Result<Executed, SqlError> {
        self.executions += 1;
        self.stream.write_all(b"?").map_err(|error| lost(&error))?;
        self.handle.set_deadline(Timestamp(u64::MAX));
        let (handle, stream) = (self.handle.clone(), &mut self.stream);
        let read = || {
            handle.with_read_buffer(|_| match stream.read(&mut [0]) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => None,
                Err(error) => Some(Err(lost(&error))),
                Ok(_) => Some(Ok(())),
            })
        };
        handle.park_until(read).await?;
        self.last_arrival = Timestamp::now();
        self.counters.count(Executed::Rows(1));
        Ok(Executed::Rows(1))
    }

    async fn query<S: RowSink>(&mut self, _: &str, _: &mut S) -> Result<Executed, SqlError> {
        Ok(Executed::Affected(0))
    }

    async fn begin(&mut self, _: Access) -> Result<(), SqlError> {
        Ok(())
    }

    async fn commit(&mut self) -> Result<(), SqlError> {
        Ok(())
    }

    async fn rollback(&mut self) -> Result<(), SqlError> {
        Ok(())
    }

    async fn load(
        &mut self,
        _: &mut dyn RowSource,
        method: BulkMethod,
    ) -> Result<(u64, BulkMethod), SqlError> {
        Ok((0, method))
    }

    fn last_arrival(&self) -> Timestamp {
        self.last_arrival
    }

    fn has_kernel_timestamps(&self) -> bool {
        false
    }

    fn take_counters(&mut self) -> StatementCounters {
        std::mem::take(&mut self.counters)
    }

    fn take_statement_counts(&mut self) -> Vec<StatementCount> {
        let executions = std::mem::take(&mut self.executions);
        vec![StatementCount { sql: "?".to_owned(), executions, ..StatementCount::default() }]
    }

    async fn close(self) {}
}

fn lost(error: &std::io::Error) -> SqlError {
    SqlError::driver(ErrorClass::ConnectionLost, error.to_string())
}

fn run_in_earnest(
    options: Options,
    stop: &Arc<AtomicBool>,
) -> Result<(Vec<IntervalSample>, RunEnd), RunError> {
    let (mut intervals, mut end) = (Vec::new(), None);
    let (driver, workload) = (EchoDriver(Some(serve())), OneStatement { log: Arc::default() });
    let commands = Commands { stop: Arc::clone(stop), ..Commands::default() };
    run(driver, workload, options, &commands, &mut |event| match event {
        Event::Connected { .. }
        | Event::Started { .. }
        | Event::WindowMoved { .. }
        | Event::WindowKept { .. } => {}
        Event::Interval(sample) => intervals.push(*sample),
        Event::End(last) => end = Some(last),
    })?;
    Ok((intervals, end.expect("every run has an end")))
}

#[test]
fn workers_on_threads_of_their_own_come_to_an_end_together() {
    // Nobody is given up, however long the machine keeps the server.
    let mut patient = options();
    patient.limits.drain = Duration::from_mins(1);
    let (intervals, end) = run_in_earnest(patient, &Arc::default()).unwrap();
    assert_eq!(end.status, Status::Completed);
    let committed: u64 = intervals.iter().map(|i| i.transactions[0].committed).sum();
    assert!(committed > 0);
    assert_eq!(end.statements[0].executions, committed);
}

#[test]
fn a_flag_that_another_thread_raises_stops_a_trial() {
    let (stop, begin) = (Arc::new(AtomicBool::new(false)), Instant::now());
    let raise = Arc::clone(&stop);
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        raise.store(true, Ordering::Relaxed);
    });
    let long = Options { duration: Duration::from_hours(1), ..options() };
    let (_, end) = run_in_earnest(long, &stop).unwrap();
    stopper.join().unwrap();
    assert_eq!(end.status, Status::Interrupted);
    assert!(begin.elapsed() < Duration::from_mins(1));
}

/// Runs by itself in a process of its own, for what it takes away is taken from all threads.
#[test]
fn a_worker_that_can_not_be_made_ends_the_trial_with_its_error() {
    const ALONE: &str = "DBDYNO_TEST_WITHOUT_FILES";
    if std::env::var_os(ALONE).is_none() {
        let name = "a_worker_that_can_not_be_made_ends_the_trial_with_its_error";
        let program = std::env::current_exe().unwrap();
        let alone = std::process::Command::new(program)
            .args(["--exact", name, "--nocapture"])
            .env(ALONE, "1")
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&alone.stderr);
        assert!(alone.status.success(), "{told}");
        return;
    }
    // Enough for the first worker's epoll and two timers, and for no other's. One of those that are
    // counted is the folder itself.
    let files = std::fs::read_dir("/proc/self/fd").unwrap().count() as u64;
    let limit = rustix::process::Rlimit { current: Some(files + 3), maximum: Some(files + 3) };
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_mins(1));
        eprintln!("the trial waits for ever");
        std::process::exit(1);
    });
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    let many = Options { workers: 4, ..options() };
    let workload = OneStatement { log: Arc::default() };
    match run(EchoDriver(None), workload, many, &Commands::default(), &mut |_| {}) {
        Err(RunError::System(error)) => assert_eq!(error.raw_os_error(), Some(libc::EMFILE)),
        other => panic!("{other:?}"),
    }
}
