//! A dataset that can be resumed, and that cuts its own load short where a test wants it to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use contract::{Chunk, Dataset, Dialect, RowSource, RowWriter, Verification};

pub const CHUNK_ROWS: u64 = 10_000;
const NOTE_CHUNKS: u64 = 12;
pub const TAGS: u64 = 100;
pub const ROWS: u64 = NOTE_CHUNKS * CHUNK_ROWS + TAGS;

/// What cuts a load short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Never,
    /// It is asked to stop while it sends this chunk of those that it sends.
    StopAt(u32),
    /// It panics in the midst of this chunk, and leaves its transactions as they are.
    PanicAt(u32),
    /// The second table can't be made.
    SecondTable,
    /// The last statement of all fails.
    LastStatement,
    /// The last statement of all is none that the server knows, which cuts nothing short.
    UnknownStatement,
}

/// `notes` without a key and `tags`, to which they refer. Rows are numbered from zero in each.
pub struct Notes {
    pub name: &'static str,
    pub cut: Cut,
    pub stop: Arc<AtomicBool>,
    pub chunks_begun: AtomicU32,
}

impl Notes {
    pub fn cut(cut: Cut) -> Self {
        Self { name: "it's", cut, stop: Arc::default(), chunks_begun: AtomicU32::new(0) }
    }
}

impl Dataset for Notes {
    fn fingerprint(&self) -> String {
        format!("{} notes={NOTE_CHUNKS} \\ ü", self.name)
    }

    fn is_resumable(&self) -> bool {
        true
    }

    fn tables(&self) -> Vec<String> {
        vec!["tags".to_owned(), "notes".to_owned()]
    }

    fn create(&self, _: Dialect) -> Vec<String> {
        let second = if self.cut == Cut::SecondTable { "NONSENSE" } else { "TABLE" };
        vec![
            "CREATE TABLE tags (id INT NOT NULL)".to_owned(),
            format!("CREATE {second} notes (number INT, tag INT NOT NULL)"),
        ]
    }

    fn chunks(&self) -> Vec<Chunk> {
        let tags = Chunk { table: 0, first: 0, rows: TAGS };
        let note = |chunk| Chunk { table: 1, first: chunk * CHUNK_ROWS, rows: CHUNK_ROWS };
        std::iter::once(tags).chain((0..NOTE_CHUNKS).map(note)).collect()
    }

    fn rows(&self, chunk: &Chunk) -> Box<dyn RowSource> {
        let number = self.chunks_begun.fetch_add(1, Ordering::Relaxed);
        if self.cut == Cut::StopAt(number) {
            self.stop.store(true, Ordering::Relaxed);
        }
        // A chunk may be begun anew, as after a deadlock: then it counts once more.
        let panics = matches!(self.cut, Cut::PanicAt(at) if number >= at);
        Box::new(Numbers {
            table: chunk.table,
            next: chunk.first,
            end: chunk.first + chunk.rows,
            panic_at: panics.then_some(chunk.first + chunk.rows / 2),
        })
    }

    fn table_of(&self, chunk: &Chunk) -> String {
        // Without rows that would count as begun.
        ["tags", "notes"][chunk.table].to_owned()
    }

    fn finish(&self, dialect: Dialect) -> Vec<Vec<Vec<String>>> {
        let key = match dialect {
            Dialect::Sqlite => "CREATE UNIQUE INDEX tags_id ON tags (id)",
            _ => "ALTER TABLE tags ADD PRIMARY KEY (id)",
        };
        // It refers to the key, so that it must come after it.
        let reference = match dialect {
            Dialect::Sqlite => "CREATE INDEX notes_number ON notes (number)",
            _ => "ALTER TABLE notes ADD CONSTRAINT tagged FOREIGN KEY (tag) REFERENCES tags (id)",
        };
        let last = match (self.cut, dialect) {
            (Cut::LastStatement, _) => "DROP TABLE nothing_there",
            (Cut::UnknownStatement, _) => "NONSENSE",
            (_, Dialect::MySql) => "ANALYZE TABLE notes",
            _ => "ANALYZE notes",
        };
        let stage = |lists: &[&str]| lists.iter().map(|sql| vec![(*sql).to_owned()]).collect();
        vec![
            stage(&[key, "CREATE INDEX notes_tag ON notes (tag)"]),
            stage(&[reference]),
            stage(&[last]),
        ]
    }

    fn drop(&self, _: Dialect) -> Vec<String> {
        ["notes", "tags"].map(|table| format!("DROP TABLE IF EXISTS {table}")).to_vec()
    }

    fn verifications(&self, _: Dialect) -> Vec<Verification> {
        let count = |table: &str, column, rows: u64| Verification {
            table: table.to_owned(),
            sql: format!("SELECT COUNT(*), COUNT(DISTINCT {column}) FROM {table}"),
            expected: vec![rows.to_string(); 2],
        };
        vec![count("tags", "id", TAGS), count("notes", "number", ROWS - TAGS)]
    }
}

struct Numbers {
    table: usize,
    next: u64,
    end: u64,
    panic_at: Option<u64>,
}

impl RowSource for Numbers {
    fn table(&self) -> &str {
        ["tags", "notes"][self.table]
    }

    fn columns(&self) -> &[&'static str] {
        [&["id"][..], &["number", "tag"]][self.table]
    }

    fn next(&mut self, row: &mut dyn RowWriter) -> bool {
        assert!(self.panic_at != Some(self.next), "cut short in the midst of a chunk");
        if self.next == self.end {
            return false;
        }
        row.int(self.next.cast_signed());
        if self.table == 1 {
            row.int((self.next % TAGS).cast_signed());
        }
        self.next += 1;
        true
    }
}
