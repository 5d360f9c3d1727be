//! The OLTP scripts of sysbench 1.0: same tables, same statements, same distributions of keys.
//!
//! Two things differ from the original, and both on purpose. A transaction that is retried is retried
//! with the input it had (sysbench draws a new one and so moves away from the hot row). And the
//! default distribution is uniform, not `special`, under which most of a table is never touched.

mod body;
mod bulk;
mod client;
mod dataset;
mod filler;
mod groups;
mod keys;
mod ledger;
mod options;
mod schema;
mod script;
mod steps;
mod verify;

use std::rc::Rc;
use std::sync::Arc;

use contract::{Dialect, Questions, Statement, Workload};

pub use client::SysbenchClient;
pub use dataset::SysbenchDataset;
pub use options::{InvalidOption, SysbenchOptions};
pub use script::Script;

use body::Body;
use keys::Place;

/// One script of sysbench with its options, checked and ready to run.
#[derive(Clone, Debug)]
pub struct Sysbench {
    options: SysbenchOptions,
    body: Arc<Body>,
}

impl Sysbench {
    /// Check the options; the error names the one that is wrong and says what would be right.
    pub fn new(options: SysbenchOptions) -> Result<Self, InvalidOption> {
        options.check()?;
        let body = Arc::new(Body::new(&options)?);
        Ok(Self { options, body })
    }

    /// The tables that the script runs on, as this seed fills them.
    pub fn dataset(&self, seed: u64) -> SysbenchDataset {
        SysbenchDataset::new(self.options.clone(), seed)
    }
}

impl Workload for Sysbench {
    type Client = SysbenchClient;

    fn transactions(&self) -> Vec<String> {
        vec![self.options.script.name().to_owned()]
    }

    fn statements(&self, dialect: Dialect) -> Rc<[Statement]> {
        self.body.statements(&self.options, dialect)
    }

    fn questions(&self) -> Questions {
        ledger::questions(&self.options, &self.body)
    }

    fn client(&self, seed: u64, index: u64, clients: u64) -> SysbenchClient {
        let place = Place { index, clients };
        SysbenchClient::new(&self.options, Arc::clone(&self.body), seed, place)
    }
}
