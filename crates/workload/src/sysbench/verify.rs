//! What can be asked of a table to tell whether it holds what was loaded.
//!
//! A script that writes changes rows itself, so that less can be asked of its tables than of those
//! that are only read: the same questions are asked before a trial and after it.

use contract::{Dialect, Verification};

use super::options::{Content, SysbenchOptions};
use super::schema::{count_indexes, table_name};
use super::script::Fate;

/// A sample has so many ranges of ids, evenly spread over a table, the first and the last among them.
const RANGES: u64 = 20;
const IDS_PER_RANGE: u64 = 1000;

/// The questions about one table that need none of its rows.
pub(super) fn verify_table(
    options: &SysbenchOptions,
    dialect: Dialect,
    table: u64,
    is_sample: bool,
) -> Vec<Verification> {
    let name = table_name(table);
    if options.content() != Content::Rows {
        // It is there, with the columns that it should have.
        let sql = format!("SELECT COUNT(*) FROM {name} WHERE id IS NULL OR k IS NULL");
        return vec![Verification { table: name, sql, expected: vec!["0".into()] }];
    }
    let index = u64::from(options.create_secondary).to_string();
    let (size, fate) = (options.table_size, options.script.fate_of_rows());
    // An index finds the ids outside the range at once, however large the table is.
    let is_sampled = is_sample && size > RANGES * IDS_PER_RANGE && fate != Fate::Removed;
    let mut questions =
        if is_sampled { sampled_extent(&name, size) } else { vec![extent(&name, size, fate)] };
    let sql = count_indexes(dialect, table);
    questions.push(Verification { sql, table: name, expected: vec![index] });
    questions
}

/// The first id and the last of those that were loaded, and whether the ranges of a sample have all
/// of theirs. An index answers both.
fn sampled_extent(table: &str, table_size: u64) -> Vec<Verification> {
    let ends = format!("SELECT MIN(id), MAX(id) FROM {table} WHERE id BETWEEN 1 AND {table_size}");
    let ranges: Vec<String> = (0..RANGES)
        .map(|range| 1 + range * (table_size - IDS_PER_RANGE) / (RANGES - 1))
        .map(|first| format!("id BETWEEN {first} AND {}", first + IDS_PER_RANGE - 1))
        .collect();
    let within = format!("SELECT COUNT(*) FROM {table} WHERE {}", ranges.join(" OR "));
    let ask = |sql, expected| Verification { table: table.into(), sql, expected };
    vec![
        ask(ends, vec!["1".into(), table_size.to_string()]),
        ask(within, vec![(RANGES * IDS_PER_RANGE).to_string()]),
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
