//! Events as JSON: what a generator tells the world, one line each.

use std::time::{SystemTime, UNIX_EPOCH};

use contract::{
    Asked, Change, Dialect, Fact, Isolation, Ledger, Pipelining, Question, Questions,
    StatementCount, Verb, Writes,
};
use engine::{
    ClientSample, Event, HostSample, HostTotal, IntervalSample, LateSample, Phase, RunEnd,
    TransactionSample,
};
use eventloop::Timestamp;
use histogram::Histogram;
use loader::{LoadEvent, TableCheck};
use serde_json::{Map, Value, json};

/// So often nobody is interrupted between two clocks.
const CLOCK_READINGS: usize = 5;

/// Who has to do something about an error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ErrorKind {
    /// Whoever wrote the plan.
    Input,
    /// Whoever runs the server.
    Server,
    /// The author of the statement that the server refuses.
    Statement,
    /// Whoever wrote dbdyno.
    Internal,
}

/// An error in the form of an event.
pub(crate) fn error(kind: ErrorKind, message: &str) -> Value {
    let kind = match kind {
        ErrorKind::Input => "input",
        ErrorKind::Server => "server",
        ErrorKind::Statement => "statement",
        ErrorKind::Internal => "internal",
    };
    json!({"event": "error", "kind": kind, "message": message})
}

/// Writes the events of one trial: intervals need the names of the transactions, and the start of
/// the window.
pub(crate) struct RunEvents {
    transactions: Vec<String>,
    /// The SQL of the statements.
    dialect: Dialect,
    /// The number of the generator, where it is one of several.
    generator_index: Option<u64>,
    /// It is known before the first interval.
    window_start: Timestamp,
    /// The same where the window was not brought forward: the warm-up counts from there.
    planned_start: Timestamp,
}

impl RunEvents {
    pub fn new(transactions: Vec<String>, dialect: Dialect, generator_index: Option<u64>) -> Self {
        let (window_start, planned_start) = Default::default();
        Self { transactions, dialect, generator_index, window_start, planned_start }
    }

    /// One event.
    pub fn write(&mut self, event: &Event) -> Value {
        let mut written = self.write_whole(event);
        if let Some(index) = self.generator_index {
            written["generator_index"] = index.into();
            if let Event::End(end) = event {
                written["merging"] = write_merging(end);
            }
        }
        written
    }

    fn write_whole(&mut self, event: &Event) -> Value {
        match event {
            Event::Connected { clients, elapsed_s, server_version, session, pipelining } => json!({
                "event": "connected",
                "clients": clients,
                "elapsed_s": elapsed_s,
                "server_version": server_version,
                "session": session.map(|session| json!({
                    "isolation": session.isolation.map(Isolation::name),
                    "autocommit": session.autocommit,
                })),
                "pipelining": pipelining.as_ref().map(pipelining_words),
            }),
            Event::Started { window_start } => {
                (self.window_start, self.planned_start) = (*window_start, *window_start);
                json!({"event": "started", "window_start": write_window_start(*window_start)})
            }
            Event::WindowMoved { index, window_start } => {
                self.window_start = *window_start;
                let window_start = write_window_start(*window_start);
                json!({"event": "window_moved", "index": index, "window_start": window_start})
            }
            Event::WindowKept { index, reason } => {
                json!({"event": "window_kept", "index": index, "reason": reason})
            }
            Event::Interval(sample) => self.interval(sample),
            Event::End(end) => run_end(end, self.dialect),
        }
    }

    fn interval(&self, sample: &IntervalSample) -> Value {
        let transactions: Map<String, Value> = self
            .transactions
            .iter()
            .zip(&sample.transactions)
            .map(|(name, transaction)| (name.clone(), write_transaction(transaction)))
            .collect();
        let errors: Vec<Value> = sample
            .errors
            .iter()
            .map(|(key, error)| {
                json!({
                    "class": key.class.name(),
                    "code": key.code,
                    "sqlstate": key.sqlstate,
                    "count": error.count,
                    "sample": error.sample,
                })
            })
            .collect();
        let is_warmup = sample.span.phase == Phase::Warmup;
        let zero = if is_warmup { self.planned_start } else { self.window_start };
        let mut event = json!({
            "event": "interval",
            "phase": sample.span.phase.name(),
            "index": sample.span.index,
            "start_s": sample.span.start.seconds_from(zero),
            "duration_s": sample.span.end.since(sample.span.start) as f64 / 1e9,
            "transactions": transactions,
            "statements": {
                "read": sample.statements.read,
                "write": sample.statements.write,
                "other": sample.statements.other,
                "unchanged": sample.statements.unchanged,
            },
            "round_trips": sample.statements.round_trips,
            "unread_s": sample.statements.unread_ns as f64 / 1e9,
            "live_clients": sample.levels.live_clients,
            "waiting": sample.levels.waiting,
            "running": sample.levels.running,
            "reconnects": sample.reconnects,
            "renewals": sample.planned_reconnects.count,
            "renewal_s": sample.planned_reconnects.seconds,
            "errors": errors,
            "longest_gap_s": sample.longest_gap_s,
            "generator": write_health(sample),
        });
        if !sample.late.is_empty() {
            let write = |late| write_late(late, &self.transactions);
            event["late"] = sample.late.iter().map(write).collect();
        }
        if !sample.clients.is_empty() {
            event["clients"] = write_clients(&sample.clients);
        }
        if !sample.hosts.is_empty() {
            event["hosts"] = sample.hosts.iter().map(write_host).collect();
        }
        event
    }
}

/// The start of the window by both clocks, and which machine's, since which boot, the monotonic one is.
fn write_window_start(window_start: Timestamp) -> Value {
    json!({
        "unix_ns": wall_clock_ns(window_start),
        "monotonic_ns": window_start.0,
        "boot_id": boot_id(),
    })
}

/// Of several readings of both clocks, the one in which they were read closest together.
fn wall_clock_ns(time: Timestamp) -> u64 {
    let read = || {
        let before = Timestamp::now();
        let wall_ns =
            SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |wall| wall.as_nanos());
        (Timestamp::now().since(before), u64::try_from(wall_ns).unwrap_or(0), before)
    };
    let readings = (0..CLOCK_READINGS).map(|_| read());
    let (_, wall_ns, now) = readings.min_by_key(|(gap_ns, ..)| *gap_ns).unwrap_or_default();
    wall_ns.saturating_sub(now.since(time)).saturating_add(time.since(now))
}

fn boot_id() -> Option<String> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned())
}

fn write_host(sample: &HostSample) -> Value {
    json!({
        "host": sample.host,
        "transactions": sample.transactions,
        "live_clients": sample.live_clients,
    })
}

fn write_host_total(total: &HostTotal) -> Value {
    json!({
        "host": total.count.host,
        "connections": total.count.connections,
        "failed_attempts": total.count.failed_attempts,
        "last_failure": total.count.last_failure,
        "transactions": total.transactions,
        "statements": total.statements,
    })
}

fn write_transaction(sample: &TransactionSample) -> Value {
    let mut object = Map::new();
    for (name, count) in [
        ("scheduled", sample.scheduled),
        ("committed", sample.committed),
        ("rolled_back", sample.rolled_back),
        ("failed", sample.failed),
        ("dropped", sample.dropped),
        ("in_flight", sample.in_flight),
        ("retries", sample.retries),
        ("first_attempt_aborts", sample.first_attempt_aborts),
    ] {
        object.insert(name.to_owned(), count.into());
    }
    for (name, histogram) in [
        ("response", &sample.response),
        ("service", &sample.service),
        ("lag", &sample.lag),
        ("turnaround", &sample.turnaround),
    ] {
        insert_histogram(&mut object, name, histogram);
    }
    if !sample.failed_response.is_empty() {
        insert_histogram(&mut object, "failed_response", &sample.failed_response.to_histogram());
    }
    object.into()
}

/// Times to be added to an interval that was written before; kinds without any are left out.
fn write_late(sample: &LateSample, names: &[String]) -> Value {
    let mut transactions = Map::new();
    for (name, times) in names.iter().zip(&sample.transactions) {
        let mut object = Map::new();
        for (name, histogram) in [
            ("response", &times.response),
            ("service", &times.service),
            ("lag", &times.lag),
            ("turnaround", &times.turnaround),
            ("failed_response", &times.failed_response),
        ] {
            if !histogram.is_empty() {
                insert_histogram(&mut object, name, &histogram.to_histogram());
            }
        }
        if !object.is_empty() {
            transactions.insert(name.clone(), object.into());
        }
    }
    json!({"index": sample.index, "phase": sample.phase.name(), "transactions": transactions})
}

/// Two lists, by client.
fn write_clients(clients: &[ClientSample]) -> Value {
    let list = |of: fn(&ClientSample) -> u64| clients.iter().map(of).collect::<Vec<_>>();
    json!({
        "transactions": list(|client| client.transactions),
        "response_ns": list(|client| client.response_ns),
        "turnaround_ns": list(|client| client.turnaround_ns),
    })
}

fn write_health(sample: &IntervalSample) -> Value {
    let health = &sample.generator;
    let mut object = Map::new();
    for (name, value) in [
        ("user_s", health.user_s),
        ("system_s", health.system_s),
        ("busiest_worker_share", health.busiest_worker_share),
        ("run_queue_delay_s", health.run_queue_delay_s),
        ("longest_pause_s", health.pauses.longest_ns as f64 / 1e9),
        ("paused_s", health.pauses.total_ns as f64 / 1e9),
        ("napped_s", health.loop_counts.napped_ns as f64 / 1e9),
    ] {
        object.insert(name.to_owned(), value.into());
    }
    for (name, count) in [
        ("naps", health.loop_counts.naps),
        ("voluntary_switches", health.voluntary_switches),
        ("involuntary_switches", health.involuntary_switches),
        ("clock_clamps", health.loop_counts.clock_clamps),
    ] {
        object.insert(name.to_owned(), count.into());
    }
    insert_histogram(&mut object, "loop_lag", &health.loop_lag);
    object.into()
}

/// Values beyond the range stand beside the histogram, and only where there are any.
fn insert_histogram(object: &mut Map<String, Value>, name: &str, histogram: &Histogram) {
    object.insert(name.to_owned(), histogram.encode().into());
    if histogram.overflow() > 0 {
        object.insert(format!("{name}_overflow"), histogram.overflow().into());
    }
}

fn run_end(end: &RunEnd, dialect: Dialect) -> Value {
    let mut facts = Map::new();
    let mut ledger = None;
    for (name, fact) in &end.facts {
        let value = match fact {
            Fact::Text(text) => text.clone().into(),
            Fact::Count(count) => (*count).into(),
            // A number of JSON's has no more than 53 bits for certain.
            Fact::Hash(sum) => format!("{sum:016x}").into(),
            Fact::Share { whole: 0, .. } => Value::Null,
            Fact::Share { part, whole } => (*part as f64 / *whole as f64).into(),
            Fact::Ledger(acknowledged) => {
                ledger = Some(write_ledger(acknowledged));
                continue;
            }
        };
        facts.insert((*name).to_owned(), value);
    }
    let statements = end.statements.iter().map(|count| write_statement(count, dialect));
    let mut event = json!({
        "event": "end",
        "status": end.status.name(),
        "reason": end.reason,
        "elapsed_s": end.elapsed_s,
        "statements": statements.collect::<Vec<_>>(),
        "facts": facts,
        "kernel_timestamps": end.kernel_timestamps,
    });
    if !end.hosts.is_empty() {
        event["hosts"] = end.hosts.iter().map(write_host_total).collect();
    }
    if let Some(ledger) = ledger {
        event["ledger"] = ledger;
    }
    event
}

/// What takes to add facts of several generators up: parts and wholes, and which are sums of hashes.
fn write_merging(end: &RunEnd) -> Value {
    let (mut shares, mut hashes) = (Map::new(), Vec::new());
    for (name, fact) in &end.facts {
        match fact {
            Fact::Share { part, whole } => {
                shares.insert((*name).to_owned(), json!([part, whole]));
            }
            Fact::Hash(_) => hashes.push(*name),
            Fact::Text(_) | Fact::Count(_) | Fact::Ledger(_) => {}
        }
    }
    json!({"shares": shares, "hashes": hashes})
}

fn write_ledger(ledger: &Ledger) -> Value {
    let changes: Map<String, Value> =
        ledger.changes.iter().map(|(name, change)| (name.clone(), write_change(change))).collect();
    json!({"changes": changes, "writes": ledger.writes.as_ref().map(write_writes)})
}

/// What is unknown is null where it has no bound.
fn write_change(change: &Change) -> Value {
    let is_bounded = change.unknown_high < i64::MAX && change.unknown_low > i64::MIN;
    let unknown = is_bounded.then_some([change.unknown_low, change.unknown_high]);
    json!({"acknowledged": change.acknowledged, "unknown": unknown})
}

fn write_writes(writes: &Writes) -> Value {
    let rows: Vec<Value> = writes
        .certain()
        .map(|(key, value)| json!({"table": key.table, "id": key.id, "value": value}))
        .collect();
    json!({"rows": rows, "ambiguous": writes.ambiguous()})
}

/// How a ledger can be asked of a server.
pub(crate) fn questions(questions: &Questions) -> Value {
    let rows = questions
        .rows
        .as_ref()
        .map(|rows| json!({"tables": rows.tables, "key": rows.key, "value": rows.value}));
    json!({
        "amounts": questions.amounts.iter().map(write_question).collect::<Vec<_>>(),
        "rows": rows,
        "left_out": questions.left_out,
        "writes": questions.writes,
    })
}

fn write_question(question: &Question) -> Value {
    let mut written = json!({
        "name": question.name,
        "title": question.title,
        "source": question.source,
        "reads_whole": question.reads_whole,
    });
    match &question.asked {
        Asked::Sum(queries) => written["sum"] = json!(queries),
        Asked::Newer { tables, key } => written["newer"] = json!({"tables": tables, "key": key}),
    }
    written
}

fn write_statement(count: &StatementCount, dialect: Dialect) -> Value {
    let verb = Verb::of(&count.sql, dialect);
    let mut written = json!({
        "sql": count.sql,
        "verb": verb.name(),
        "executions": count.executions,
        "rows": count.rows,
        "affected": count.affected,
    });
    // Others, such as BEGIN, have no rows to find.
    if count.without_rows > 0 && (verb == Verb::Select || verb.writes()) {
        written["without_rows"] = json!(count.without_rows);
    }
    written
}

/// Whether statements share round trips, and why not where they were to.
fn pipelining_words(pipelining: &Pipelining) -> Value {
    match pipelining {
        Pipelining::Off => json!({"used": false, "refusal": null}),
        Pipelining::On => json!({"used": true, "refusal": null}),
        Pipelining::Refused(reason) => json!({"used": false, "refusal": reason}),
    }
}

/// What was found of a dataset.
pub(crate) fn verified(check: TableCheck) -> Value {
    let mut event = json!({"event": "verified", "complete": check == TableCheck::Complete});
    if check == TableCheck::Incomplete {
        event["message"] =
            "the dataset is there in part only, for its loading was cut short: load \
                            it again to go on where it was, or drop it"
                .into();
    }
    event
}

/// An event of the loader.
pub(crate) fn load(event: &LoadEvent) -> Value {
    match event {
        LoadEvent::Loading { rows, rows_total, elapsed_s } => json!({
            "event": "loading", "rows": rows, "rows_total": rows_total, "elapsed_s": elapsed_s,
        }),
        LoadEvent::Loaded { rows, resumed_rows, elapsed_s, index_s, method, refusals } => json!({
            "event": "loaded",
            "rows": rows,
            "resumed_rows": resumed_rows,
            "elapsed_s": elapsed_s,
            "index_s": index_s,
            "method": method.name(),
            "refusals": refusals,
        }),
    }
}
