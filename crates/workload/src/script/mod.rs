//! Transactions that somebody wrote as statements: the part that families of such workloads share.
//!
//! A family reads what was written, finds what is wrong with it, and makes a [`Script`] of it; what
//! is here carries scripts out and loads their data.

mod client;
mod control;
mod dataset;
mod datum;
mod effect;
mod expected;
mod failure;
mod fingerprint;
mod generator;
mod ledger;
mod mistake;
mod parameters;
mod placeholders;
mod program;
mod round_trips;
mod rows;
mod setup;
mod state;
mod steps;
mod take_over;
mod variable;
mod waiting;

use std::rc::Rc;
use std::sync::Arc;

use contract::{Dialect, Questions, Statement, Verb, Workload};
use random::{Purpose, Stream};

use crate::expression::Scalar;

use ledger::{Accounting, statements};

pub use client::ScriptClient;
pub use dataset::ScriptDataset;
pub use expected::WrittenError;
pub use mistake::{Mistake, Part};
pub use program::NoRow;
pub use setup::{Check, SetupStep};
pub use variable::{Constant, VariableOptions};

pub(crate) use control::Control;
pub(crate) use expected::ExpectedErrors;
pub(crate) use placeholders::{Piece, cut};
pub(crate) use program::{
    Fetch, FetchedRows, Initial, Length, Program, Queued, Script, Slot, Step, TextPiece, access,
    is_prepared, shares_round_trips,
};
pub(crate) use setup::{Fill, Setup};
pub(crate) use variable::Variable;

/// Transactions and their data, for servers of one dialect.
#[derive(Clone, Debug)]
pub struct ScriptWorkload {
    script: Arc<Script>,
    accounting: Arc<Accounting>,
    setup: Setup,
    leaves_open: bool,
}

impl ScriptWorkload {
    pub(crate) fn new(script: Script, setup: Setup, dialect: Dialect) -> Self {
        let accounting = Arc::new(Accounting::new(&script, dialect));
        let leaves_open =
            statements(&script).iter().any(|(_, _, sql, _)| Verb::of(sql, dialect).leaves_open());
        Self { script: Arc::new(script), accounting, setup, leaves_open }
    }

    /// The tables that the set-up makes, as this seed fills them.
    pub fn dataset(&self, seed: u64) -> ScriptDataset {
        ScriptDataset::new(self.setup.clone(), seed)
    }
}

impl Workload for ScriptWorkload {
    type Client = ScriptClient;

    fn transactions(&self) -> Vec<String> {
        self.script.programs.iter().map(|program| program.name.clone()).collect()
    }

    fn statements(&self, _: Dialect) -> Rc<[Statement]> {
        self.script.statements.as_slice().into()
    }

    fn leaves_transactions_open(&self) -> bool {
        self.leaves_open
    }

    fn chooser(&self, seed: u64) -> Box<dyn FnMut() -> usize + Send> {
        let (script, mut stream) = (Arc::clone(&self.script), Stream::new(seed, Purpose::Kinds, 0));
        Box::new(move || script.choose(&mut stream))
    }

    fn questions(&self) -> Questions {
        self.accounting.questions.clone()
    }

    fn client(&self, seed: u64, index: u64, clients: u64) -> ScriptClient {
        let (script, accounting) = (Arc::clone(&self.script), Arc::clone(&self.accounting));
        ScriptClient::new(script, accounting, seed, index, clients)
    }
}

/// A value as it stands in a statement's text.
pub(crate) fn in_text(value: Scalar) -> String {
    let mut text = String::new();
    datum::Datum::from(value).write_text(&mut text);
    text
}
