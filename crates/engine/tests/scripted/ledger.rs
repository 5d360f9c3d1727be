//! A workload of several statements and kinds, whose clients keep a book of their own on what they
//! have done: the engine's figures must agree with it.

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use contract::{Client, Connection, Dialect, Discard, Ending, Fact, SqlError, Statement, Workload};
use random::{Purpose, Stream};

pub const BEGIN: usize = 0;
pub const WORK: usize = 1;
pub const COMMIT: usize = 2;
pub const ROLLBACK: usize = 3;
pub const READ: usize = 4;

pub const STATEMENTS: [&str; 5] = ["BEGIN", "work", "COMMIT", "ROLLBACK", "read"];

/// The statements that are the last of a transaction.
pub const LAST: [usize; 3] = [COMMIT, ROLLBACK, READ];

pub const KINDS: [&str; 3] = ["read", "write", "undo"];

/// What clients saw end well, by kind.
#[derive(Clone, Debug, Default)]
pub struct Book {
    pub ended_well: [u64; 3],
    pub attempts: u64,
}

#[derive(Clone, Default)]
pub struct Kept(pub Arc<Mutex<Book>>);

pub struct KeptClient {
    book: Arc<Mutex<Book>>,
    random: Stream,
    kind: usize,
    ended_well: u64,
}

fn kind_of(stream: &mut Stream) -> usize {
    usize::try_from(stream.below(3)).unwrap()
}

impl Workload for Kept {
    type Client = KeptClient;

    fn transactions(&self) -> Vec<String> {
        KINDS.map(str::to_owned).to_vec()
    }

    fn statements(&self, _: Dialect) -> Rc<[Statement]> {
        STATEMENTS.iter().map(|sql| Statement { sql: (*sql).to_owned() }).collect()
    }

    fn chooser(&self, seed: u64) -> Box<dyn FnMut() -> usize + Send> {
        let mut stream = Stream::new(seed, Purpose::Kinds, 0);
        Box::new(move || kind_of(&mut stream))
    }

    fn client(&self, seed: u64, index: u64, _: u64) -> KeptClient {
        let random = Stream::new(seed, Purpose::Inputs, index);
        KeptClient { book: Arc::clone(&self.0), random, kind: 0, ended_well: 0 }
    }
}

impl Client for KeptClient {
    fn choose(&mut self) -> usize {
        kind_of(&mut self.random)
    }

    fn draw(&mut self, kind: usize) {
        self.kind = kind;
    }

    async fn execute<C: Connection>(&mut self, connection: &mut C) -> Result<Ending, SqlError> {
        self.book.lock().unwrap().attempts += 1;
        let (statements, ending): (&[usize], _) = match self.kind {
            0 => (&[READ], Ending::Committed),
            1 => (&[BEGIN, WORK, WORK, COMMIT], Ending::Committed),
            _ => (&[BEGIN, WORK, ROLLBACK], Ending::RolledBack),
        };
        for statement in statements {
            connection.execute(*statement, &[], &mut Discard).await?;
        }
        self.ended_well += 1;
        self.book.lock().unwrap().ended_well[self.kind] += 1;
        Ok(ending)
    }

    fn facts(&self) -> Vec<(&'static str, Fact)> {
        vec![("ended_well", Fact::Count(self.ended_well))]
    }
}
