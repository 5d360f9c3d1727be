//! What a statement costs the client: many connections of one loop execute prepared statements as
//! fast as the server answers, and user and system CPU time are divided by their number.
//!
//! ```text
//! cargo run --release --example ping -- URL CONNECTIONS SECONDS [point_select|read_write]
//! ```
//!
//! Pin it and the server to cores of their own (`taskset -c 1`), or they measure one another. The
//! table `sbtest1` is made if it is not there.

use std::cell::Cell;
use std::error::Error;
use std::rc::Rc;
use std::time::{Duration, Instant};

use contract::{
    Access, BulkMethod, Connection, Discard, Driver, Limits, RowSource, RowWriter, SqlError,
    Statement, Value,
};
use driver::Protocol;
use driver::mysql::{MysqlConnection, MysqlDriver};
use eventloop::{EventLoop, Handle, Timestamp};

const ROWS: i64 = 100_000;

const LIMITS: Limits =
    Limits { connect: Duration::from_secs(30), statement: Duration::from_mins(1) };

/// The statements of sysbench's `oltp_read_write`, in its order.
const STATEMENTS: &[&str] = &[
    "SELECT c FROM sbtest1 WHERE id=?",
    "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?",
    "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?",
    "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
    "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
    "UPDATE sbtest1 SET k=k+1 WHERE id=?",
    "UPDATE sbtest1 SET c=? WHERE id=?",
    "DELETE FROM sbtest1 WHERE id=?",
    "INSERT INTO sbtest1 (id, k, c, pad) VALUES (?, ?, ?, ?)",
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, connections, seconds, rest @ ..] = &arguments[..] else {
        return Err("usage: ping URL CONNECTIONS SECONDS [point_select|read_write]".into());
    };
    let connections: usize = connections.parse()?;
    let duration = Duration::from_secs_f64(seconds.parse()?);
    let is_read_write = rest.first().is_some_and(|script| script == "read_write");
    let driver = MysqlDriver::from_url(url, None, Protocol::Prepared)?;
    let mut event_loop = EventLoop::new()?;
    let shared = Rc::new(Shared::default());
    for index in 0..connections {
        let client =
            client(driver.clone(), event_loop.handle(), Rc::clone(&shared), index, is_read_write);
        event_loop.spawn(async move {
            if let Err(error) = client.await {
                eprintln!("{error}");
                std::process::exit(1);
            }
        });
    }
    while shared.ready.get() < connections {
        event_loop.turn(Timestamp(u64::MAX))?;
    }
    measure(&mut event_loop, &shared, duration)
}

#[derive(Default)]
struct Shared {
    ready: Cell<usize>,
    statements: Cell<u64>,
    stop: Cell<bool>,
}

fn measure(
    event_loop: &mut EventLoop,
    shared: &Shared,
    duration: Duration,
) -> Result<(), Box<dyn Error>> {
    let end = Instant::now() + Duration::from_secs(1);
    while Instant::now() < end {
        event_loop.turn(Timestamp(u64::MAX))?;
    }
    let (statements, cpu, start) = (shared.statements.get(), cpu_seconds()?, Instant::now());
    while start.elapsed() < duration {
        event_loop.turn(Timestamp(u64::MAX))?;
    }
    let elapsed = start.elapsed();
    let statements = (shared.statements.get() - statements) as f64;
    let (user, system) = cpu_seconds()?;
    println!(
        "{:.0} statements/s, per statement {:.2} µs user, {:.2} µs system",
        statements / elapsed.as_secs_f64(),
        (user - cpu.0) / statements * 1e6,
        (system - cpu.1) / statements * 1e6,
    );
    shared.stop.set(true);
    while event_loop.live_tasks() > 0 {
        event_loop.turn(Timestamp(u64::MAX))?;
    }
    Ok(())
}

/// User and system time of this thread. The kernel counts in hundredths of a second.
fn cpu_seconds() -> Result<(f64, f64), Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/thread-self/stat")?;
    let (_, behind_name) = stat.rsplit_once(')').ok_or("no name in /proc/thread-self/stat")?;
    let mut fields = behind_name.split_whitespace().skip(11);
    let mut seconds = || -> Result<f64, Box<dyn Error>> {
        Ok(fields.next().ok_or("/proc/thread-self/stat is too short")?.parse::<f64>()? / 100.0)
    };
    Ok((seconds()?, seconds()?))
}

async fn client(
    driver: MysqlDriver,
    handle: Handle,
    shared: Rc<Shared>,
    index: usize,
    is_read_write: bool,
) -> Result<(), SqlError> {
    let mut connection = driver.connect(&handle, LIMITS).await?;
    if index == 0 {
        make_table(&mut connection).await?;
    }
    while index > 0 && shared.ready.get() == 0 {
        handle.sleep_until(handle.turn_time() + Duration::from_millis(5)).await;
    }
    let statements: Rc<[Statement]> =
        STATEMENTS.iter().map(|sql| Statement { sql: (*sql).to_owned() }).collect();
    connection.prepare(&statements).await?;
    shared.ready.set(shared.ready.get() + 1);
    let mut ids = Ids(index as u64 + 1);
    while !shared.stop.get() {
        if is_read_write {
            match read_write(&mut connection, &mut ids, &shared.statements).await {
                Err(error) if error.class().is_retryable() => connection.rollback().await?,
                outcome => outcome?,
            }
        } else {
            connection.execute(0, &[Value::Int(ids.next())], &mut Discard).await?;
            shared.statements.set(shared.statements.get() + 1);
        }
    }
    connection.close().await;
    Ok(())
}

async fn read_write(
    connection: &mut MysqlConnection,
    ids: &mut Ids,
    statements: &Cell<u64>,
) -> Result<(), SqlError> {
    connection.begin(Access::ReadWrite).await?;
    for _ in 0..10 {
        connection.execute(0, &[Value::Int(ids.next())], &mut Discard).await?;
    }
    for range in 1..=4 {
        let first = ids.next();
        let bounds = [Value::Int(first), Value::Int(first + 99)];
        connection.execute(range, &bounds, &mut Discard).await?;
    }
    let text = "0123456789-".repeat(10);
    connection.execute(5, &[Value::Int(ids.next())], &mut Discard).await?;
    connection.execute(6, &[Value::Text(&text), Value::Int(ids.next())], &mut Discard).await?;
    let id = ids.next();
    connection.execute(7, &[Value::Int(id)], &mut Discard).await?;
    let row = [Value::Int(id), Value::Int(id), Value::Text(&text), Value::Text("pad")];
    connection.execute(8, &row, &mut Discard).await?;
    connection.commit().await?;
    statements.set(statements.get() + 20);
    Ok(())
}

/// Keys in an order that no cache guesses.
struct Ids(u64);

impl Ids {
    fn next(&mut self) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((self.0 >> 33).cast_signed()) % ROWS + 1
    }
}

async fn make_table(connection: &mut MysqlConnection) -> Result<(), SqlError> {
    let create = "CREATE TABLE sbtest1 (id INT NOT NULL PRIMARY KEY, k INT NOT NULL DEFAULT 0, \
                  c CHAR(120) NOT NULL DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', KEY (k))";
    if let Err(error) = connection.query(create, &mut Discard).await {
        return if error.code() == 1050 { Ok(()) } else { Err(error) };
    }
    connection.load(&mut Rows(0), BulkMethod::Auto).await.map(|_| ())
}

struct Rows(i64);

impl RowSource for Rows {
    fn table(&self) -> &'static str {
        "sbtest1"
    }

    fn columns(&self) -> &[&'static str] {
        &["id", "k", "c", "pad"]
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        if self.0 == ROWS {
            return false;
        }
        self.0 += 1;
        row.int(self.0);
        row.int(self.0 * 7919 % ROWS);
        row.text(&format!("{:0119}", self.0 * 104_729));
        row.text(&format!("{:059}", self.0));
        true
    }
}
