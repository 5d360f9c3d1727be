//! TPC-C, revision 5.11: its tables, its population, its five transactions.
//!
//! Not a TPC result: pacing is a choice, and nobody audits. The transactions are the specification's
//! in every point that other programs leave out: rollbacks come after the work, remote warehouses are
//! never home, the constants of load and run keep their distance, each counter is kept.

mod account;
mod choices;
mod client;
mod conformance;
mod constants;
mod mix;
mod options;
mod pace;
mod population;
mod reading;
mod scale;
mod schema;
mod terminal;
mod transactions;

use std::rc::Rc;

use contract::{Dialect, Probe, Statement, Workload};
use random::{Purpose, Stream};

pub use choices::{DeliveryMode, Home, Isolations, Pacing, Weights};
pub use client::TpccClient;
pub use options::{InvalidTpccOption, TpccOptions};
pub use population::TpccDataset;
pub use schema::SchemaName;

use client::DELIVERY_DEFERRED;
use mix::{Kind, Mix};
use pace::Pace;
use population::TextFile;
use terminal::Terminal;
use transactions::{Writing, statements};

/// TPC-C with its options, checked and ready to run.
#[derive(Clone, Debug)]
pub struct Tpcc {
    options: TpccOptions,
    text: Option<TextFile>,
    dialect: Dialect,
}

impl Tpcc {
    /// Checks the options; the error names the one that is wrong and says what would be right.
    pub fn new(options: TpccOptions, dialect: Dialect) -> Result<Self, InvalidTpccOption> {
        options.check(dialect)?;
        let open = |path: &String| {
            TextFile::open(path).map_err(|reason| InvalidTpccOption {
                field: "text",
                value: path.clone(),
                expected: format!("{reason}; give a file with words in it"),
            })
        };
        let text = options.text.as_ref().map(open).transpose()?;
        Ok(Self { options, text, dialect })
    }

    /// The tables, as this seed fills them.
    pub fn dataset(&self, seed: u64) -> TpccDataset {
        TpccDataset::new(self.options.clone(), self.text.clone(), seed)
    }

    fn writing(&self) -> Writing<'_> {
        Writing { options: &self.options, dialect: self.dialect }
    }
}

impl Workload for Tpcc {
    type Client = TpccClient;

    fn probes(&self) -> Vec<Probe> {
        transactions::probes()
    }

    fn transactions(&self) -> Vec<String> {
        let mut names: Vec<String> = Kind::ALL.iter().map(|kind| kind.name().to_owned()).collect();
        if self.options.delivery == DeliveryMode::Deferred {
            names.push(DELIVERY_DEFERRED.to_owned());
        }
        names
    }

    fn statements(&self, _: Dialect) -> Rc<[Statement]> {
        statements(self.writing()).0.into_iter().map(|sql| Statement { sql }).collect()
    }

    fn needs_closed_loop(&self) -> Option<&'static str> {
        if self.options.pacing.waits() {
            Some(
                "keying and think times give terminals a pace of their own, and a rate another: leave one out",
            )
        } else if self.options.delivery == DeliveryMode::Deferred {
            Some(
                "a deferred delivery is carried out by the terminal that queued it, in its time: \
                 with a rate, carry deliveries out at once",
            )
        } else {
            None
        }
    }

    fn chooser(&self, seed: u64) -> Box<dyn FnMut() -> usize + Send> {
        let (mut mix, mut stream) = (Mix::new(&self.options), Stream::new(seed, Purpose::Kinds, 0));
        Box::new(move || mix.draw(&mut stream) as usize)
    }

    fn client(&self, seed: u64, index: u64, clients: u64) -> TpccClient {
        let terminal = Terminal::new(&self.options, seed, index, clients);
        let (_, offsets) = statements(self.writing());
        let pace = Pace::new(self.options.pacing, seed, index);
        TpccClient::new(&self.options, (offsets, self.dialect), terminal, pace)
    }
}

#[cfg(test)]
mod testing {
    use super::TpccOptions;

    /// The defaults with so many warehouses.
    pub fn options(warehouses: u64) -> TpccOptions {
        let text = format!("{{\"warehouses\": {warehouses}}}");
        serde_json::from_str(&text).expect("what is left out has a default")
    }
}
