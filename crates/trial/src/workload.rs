//! From a plan to a workload: the one place where workloads are named.

use contract::{Dataset, Dialect, Questions, Workload};
use serde::Deserialize;
use workload::pgbench::{self, PgbenchOptions};
use workload::script::{Mistake, ScriptWorkload};
use workload::sql::{self, SqlOptions};
use workload::sysbench::{InvalidOption, Sysbench, SysbenchOptions};
use workload::tpcc::{InvalidTpccOption, Tpcc, TpccOptions};

/// A workload that can't be carried out as it is written.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// An option of sysbench's is wrong.
    #[error(transparent)]
    Sysbench(#[from] InvalidOption),
    /// An option of TPC-C is wrong.
    #[error(transparent)]
    Tpcc(#[from] InvalidTpccOption),
    /// Something that somebody wrote is wrong.
    #[error(transparent)]
    Written(#[from] Mistake),
}

/// A workload by its family, as a plan has it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum WorkloadPlan {
    Sysbench(SysbenchOptions),
    Sql(SqlOptions),
    Pgbench(PgbenchOptions),
    Tpcc(TpccOptions),
}

/// A workload that can be carried out.
pub(crate) enum AnyWorkload {
    Sysbench(Sysbench),
    Script(ScriptWorkload),
    Tpcc(Tpcc),
}

impl WorkloadPlan {
    /// The workload, for servers of one dialect.
    pub fn build(self, dialect: Dialect) -> Result<AnyWorkload, WorkloadError> {
        Ok(match self {
            Self::Sysbench(options) => AnyWorkload::Sysbench(Sysbench::new(options)?),
            Self::Sql(options) => AnyWorkload::Script(sql::read(&options, dialect)?),
            Self::Tpcc(options) => AnyWorkload::Tpcc(Tpcc::new(options, dialect)?),
            Self::Pgbench(options) => AnyWorkload::Script(pgbench::read(&options, dialect)?),
        })
    }
}

impl AnyWorkload {
    /// Its data, as a seed fills them.
    pub fn dataset(&self, seed: u64) -> Box<dyn Dataset> {
        with_workload!(self, workload => Box::new(workload.dataset(seed)))
    }

    /// How what its clients say in their ledgers can be asked of a server.
    pub fn questions(&self) -> Questions {
        with_workload!(self, workload => workload.questions())
    }
}

/// Calls a function that is generic over workloads with the one that there is.
macro_rules! with_workload {
    ($any:expr, $workload:ident => $call:expr) => {
        match $any {
            $crate::workload::AnyWorkload::Sysbench($workload) => $call,
            $crate::workload::AnyWorkload::Script($workload) => $call,
            $crate::workload::AnyWorkload::Tpcc($workload) => $call,
        }
    };
}

pub(crate) use with_workload;
