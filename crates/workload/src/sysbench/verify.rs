//! What can be asked of a table to tell whether it holds what was loaded.
//!
//! A script that writes changes rows itself, so that less can be asked of its tables than of those
//! that are only read: the same questions are asked before a trial and after it.

use contract::{Chunk, Dialect, Verification};

use super::dataset::{CHUNK_ROWS, SysbenchDataset};
use super::options::Content;
use super::schema::{count_indexes, table_name};
use super::scripts::Fate;

/// The questions about one table.
pub(super) fn verify_table(
    dataset: &SysbenchDataset,
    dialect: Dialect,
    table: u64,
) -> Vec<Verification> {
    let options = &dataset.options;
    let name = table_name(table);
    if options.content() != Content::Rows {
        // It is there, with the columns that it should have.
        let sql = format!("SELECT COUNT(*) FROM {name} WHERE id IS NULL OR k IS NULL");
        return vec![Verification { table: name, sql, expected: vec!["0".into()] }];
    }
    let index = u64::from(options.create_secondary).to_string();
    let mut questions = vec![
        extent(&name, options.table_size, options.script.fate_of_rows()),
        Verification { sql: count_indexes(dialect, table), table: name, expected: vec![index] },
    ];
    if options.script.fate_of_rows() == Fate::Kept {
        let last_chunk = (options.table_size - 1) / CHUNK_ROWS * CHUNK_ROWS + 1;
        for first in [1, last_chunk] {
            questions.push(content(dataset, &dataset.chunk(table, first)));
        }
    }
    questions
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

/// The first row of a chunk, which no other seed, size or distribution has.
fn content(dataset: &SysbenchDataset, chunk: &Chunk) -> Verification {
    let mut rows = dataset.chunk_rows(chunk);
    let k = rows.draw();
    Verification {
        // Some servers give CHAR columns back with the blanks that fill them up.
        sql: format!(
            "SELECT k, RTRIM(c), RTRIM(pad) FROM {} WHERE id = {}",
            rows.table, chunk.first
        ),
        table: rows.table,
        expected: vec![k.to_string(), rows.c.as_str().into(), rows.pad.as_str().into()],
    }
}
