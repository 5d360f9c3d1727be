//! The log of transactions: a line for each that ended, for those who want to see every single one.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};

use contract::{ErrorClass, SqlError};
use eventloop::Timestamp;

use crate::timeline::Phase;

/// The columns. Times are seconds from the start of the window; those of the warm-up are negative.
const HEADER: &str =
    "client,transaction,scheduled_s,start_s,end_s,handled_s,ending,phase,retries,note\n";

/// A worker hands on its lines when there are so many bytes of them.
const BUFFER_BYTES: usize = 1 << 16;

/// The file, which all workers share.
pub(crate) struct LogFile {
    file: Mutex<File>,
    kinds: Vec<String>,
}

impl LogFile {
    /// Begins a new file; one that is there already is not touched.
    pub fn create(path: &Path, kinds: Vec<String>) -> io::Result<Self> {
        let mut file = File::create_new(path)?;
        file.write_all(HEADER.as_bytes())?;
        Ok(Self { file: Mutex::new(file), kinds })
    }

    fn append(&self, lines: &[u8]) -> Result<(), SqlError> {
        let mut file = self.file.lock().unwrap_or_else(|_| unreachable!("nobody panics with it"));
        file.write_all(lines).map_err(|error| {
            let message = format!("the log of transactions can't be written: {error}");
            SqlError::driver(ErrorClass::ResourceExhausted, message)
        })
    }
}

/// A transaction that ended, or was dropped before anybody began it.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// None where it was dropped.
    pub client: Option<usize>,
    pub kind: usize,
    pub scheduled: Timestamp,
    /// None where it was dropped.
    pub start: Option<Timestamp>,
    pub end: Timestamp,
    /// When the client could go on.
    pub handled: Timestamp,
    /// How it ended, in a word.
    pub ending: &'a str,
    /// The phase in which it is counted.
    pub phase: Phase,
    /// Attempts after the first.
    pub retries: u32,
    /// What its client says of it, without commas and quotes.
    pub note: &'a str,
}

impl Line<'static> {
    /// The line of a transaction that nobody will begin.
    pub fn dropped(kind: usize, scheduled: Timestamp, end: Timestamp, phase: Phase) -> Self {
        let (client, start, note) = (None, None, "");
        let handled = end;
        Self {
            client,
            kind,
            scheduled,
            start,
            end,
            handled,
            ending: "dropped",
            phase,
            retries: 0,
            note,
        }
    }
}

/// One worker's lines. A line is in the file whole or not at all; they are in order of time for each
/// worker, but not for all of them.
pub(crate) struct TransactionLog {
    out: Arc<LogFile>,
    window_start: Timestamp,
    lines: Vec<u8>,
}

impl TransactionLog {
    pub fn new(out: Arc<LogFile>, window_start: Timestamp) -> Self {
        Self { out, window_start, lines: Vec::with_capacity(BUFFER_BYTES + 1000) }
    }

    pub fn write(&mut self, line: &Line<'_>) -> Result<(), SqlError> {
        self.push(line).unwrap_or_else(|_| unreachable!("memory takes what is written"));
        if self.lines.len() < BUFFER_BYTES { Ok(()) } else { self.flush() }
    }

    /// Hands on what is left.
    pub fn flush(&mut self) -> Result<(), SqlError> {
        let result = self.out.append(&self.lines);
        self.lines.clear();
        result
    }

    fn push(&mut self, line: &Line<'_>) -> io::Result<()> {
        let Line { client, kind, scheduled, start, end, handled, ending, phase, retries, note } =
            *line;
        if let Some(client) = client {
            write!(self.lines, "{client}")?;
        }
        write!(self.lines, ",{},", self.out.kinds[kind])?;
        self.push_time(scheduled)?;
        if let Some(start) = start {
            self.push_time(start)?;
        } else {
            self.lines.push(b',');
        }
        self.push_time(end)?;
        self.push_time(handled)?;
        writeln!(self.lines, "{ending},{},{retries},{note}", phase.name())
    }

    fn push_time(&mut self, time: Timestamp) -> io::Result<()> {
        let nanoseconds = time.0.cast_signed() - self.window_start.0.cast_signed();
        let microseconds = nanoseconds.div_euclid(1000);
        let sign = if microseconds < 0 { "-" } else { "" };
        let size = microseconds.unsigned_abs();
        write!(self.lines, "{sign}{}.{:06},", size / 1_000_000, size % 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_from_the_start_of_the_window() {
        let directory = std::env::temp_dir().join(format!("dbdyno-log-{}", std::process::id()));
        let file = LogFile::create(&directory, vec!["pay".into(), "buy".into()]).unwrap();
        assert!(LogFile::create(&directory, Vec::new()).is_err(), "nothing is overwritten");
        let at = |microseconds: u64| Timestamp(microseconds * 1000);
        let mut log = TransactionLog::new(Arc::new(file), at(5_000_000));
        let (scheduled, start, end) = (at(4_999_999), Some(at(5_000_000)), at(6_200_003));
        let begun = Line {
            client: Some(7),
            kind: 1,
            scheduled,
            start,
            end,
            handled: at(6_200_007),
            ending: "committed",
            phase: Phase::Window,
            retries: 2,
            note: "o_id=3",
        };
        log.write(&begun).unwrap();
        let dropped = Line { client: None, start: None, kind: 0, retries: 0, note: "", ..begun };
        log.write(&Line { ending: "dropped", ..dropped }).unwrap();
        log.flush().unwrap();
        let text = std::fs::read_to_string(&directory).unwrap();
        std::fs::remove_file(&directory).unwrap();
        let lines = "7,buy,-0.000001,0.000000,1.200003,1.200007,committed,window,2,o_id=3\n\
                     ,pay,-0.000001,,1.200003,1.200007,dropped,window,0,\n";
        assert_eq!(text, format!("{HEADER}{lines}"));
    }
}
