//! A user's own SQL: named transactions with weights, each a list of statements with variables.

mod compile;
mod options;

use contract::Dialect;

use crate::script::{Mistake, ScriptWorkload};

pub use options::{SqlOptions, StatementOptions, TransactionOptions};

/// Reads transactions for servers of one dialect; the mistake names the place.
pub fn read(options: &SqlOptions, dialect: Dialect) -> Result<ScriptWorkload, Mistake> {
    compile::compile(options, dialect)
}

#[cfg(test)]
mod tests {
    use contract::Workload;

    use super::*;

    fn read_one(statement: &str) -> Result<ScriptWorkload, Mistake> {
        let written = serde_json::json!({
            "transactions": {
                "t": {"statements": [{"sql": statement}, {"sql": "UPDATE c SET v = :x"}]},
            },
            "variables": {"x": {"int": [0, 1]}},
        });
        read(&serde_json::from_value(written).unwrap(), Dialect::MySql)
    }

    #[test]
    fn a_script_that_switches_autocommit_off_leaves_a_transaction_open() {
        for (statement, leaves_open) in [
            ("/* x */ SET @@autocommit = OFF", true),
            ("SET completion_type = CHAIN", true),
            ("SET autocommit = 1", false),
            ("SET sql_mode = ''", false),
        ] {
            let workload = read_one(statement).unwrap();
            assert_eq!(workload.leaves_transactions_open(), leaves_open, "{statement}");
        }
        let mistake = read_one("SET autocommit = :x").unwrap_err();
        assert!(mistake.to_string().contains("write the value"), "{mistake}");
    }
}
