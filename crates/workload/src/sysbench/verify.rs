//! What can be asked of a table to tell whether it holds what was loaded.
//!
//! A script that writes changes rows itself, so that less can be asked of its tables than of those
//! that are only read: the same questions are asked before a trial and after it.

use contract::{Dialect, Verification};

use super::options::{Content, SysbenchOptions};
use super::schema::{count_indexes, table_name};
use super::script::Fate;

/// The questions about one table that need none of its rows.
pub(super) fn verify_table(
    options: &SysbenchOptions,
    dialect: Dialect,
    table: u64,
) -> Vec<Verification> {
    let name = table_name(table);
    if options.content() != Content::Rows {
        // It is there, with the columns that it should have.
        let sql = format!("SELECT COUNT(*) FROM {name} WHERE id IS NULL OR k IS NULL");
        return vec![Verification { table: name, sql, expected: vec!["0".into()] }];
    }
    let index = u64::from(options.create_secondary).to_string();
    vec![
        extent(&name, options.table_size, options.script.fate_of_rows()),
        Verification { sql: count_indexes(dialect, table), table: name, expected: vec![index] },
    ]
}

/// Which ids there are.
fn extent(table: &str, table_size: u64, fate: Fate) -> Verification {
    let all_ids = vec![table_size.to_string(), "1".into(), table_size.to_string()];
    let (sql, expected) = match fate {
        Fate::Kept | Fate::Changed => {
            (format!("SELECT COUNT(*), MIN(id), MAX(id) FROM {table}"), all_ids)
        }
        Fate::Joined => {
            let among = format!("WHERE id BETWEEN 1 AND {table_size}");
            (format!("SELECT COUNT(*), MIN(id), MAX(id) FROM {table} {among}"), all_ids)
        }
        Fate::Removed => {
            let others = format!("WHERE id < 1 OR id > {table_size}");
            (format!("SELECT COUNT(*) FROM {table} {others}"), vec!["0".into()])
        }
    };
    Verification { table: table.into(), sql, expected }
}
