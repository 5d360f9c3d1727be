//! The Rust side as Python sees it. Every class here has its stub in `python/dbdyno/_native.pyi`.

use pyo3::prelude::*;

mod check;
mod histogram;
mod parquet;
mod run;
mod session;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::check::check_workload;
    #[pymodule_export]
    use crate::check::ledger_questions;
    #[pymodule_export]
    use crate::histogram::PyHistogram;
    #[pymodule_export]
    use crate::parquet::parquet_size;
    #[pymodule_export]
    use crate::run::PyRun;
    #[pymodule_export]
    use crate::session::PySession;
}
