//! The tables as statements, in each dialect.

use contract::Dialect;

use super::options::SysbenchOptions;

/// The columns of a table, in the order in which rows are written.
pub(super) const COLUMNS: [&str; 4] = ["id", "k", "c", "pad"];

/// The name of table number `table`, counted from 0.
pub(super) fn table_name(table: u64) -> String {
    format!("sbtest{}", table + 1)
}

/// The name of the index on the column k of table number `table`, counted from 0.
fn index_name(table: u64) -> String {
    format!("k_{}", table + 1)
}

/// The statement that makes a table, without its secondary index.
pub(super) fn create_table(options: &SysbenchOptions, dialect: Dialect, table: u64) -> String {
    let id = match (dialect, options.auto_inc) {
        (Dialect::MySql, true) => "INTEGER NOT NULL AUTO_INCREMENT",
        (Dialect::PostgreSql, true) => "SERIAL",
        // In SQLite an integer primary key numbers itself without being told.
        (Dialect::Sqlite, true) | (_, false) => "INTEGER NOT NULL",
    };
    let engine = match dialect {
        Dialect::MySql => format!(" ENGINE={}", options.mysql_storage_engine),
        Dialect::Sqlite | Dialect::PostgreSql => String::new(),
    };
    format!(
        "CREATE TABLE {} (id {id}, k INTEGER DEFAULT '0' NOT NULL, \
         c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, \
         PRIMARY KEY (id)){engine}",
        table_name(table)
    )
}

/// The statements for a table that has its rows: the index on k, then the optimizer's statistics,
/// which a bulk load leaves out of date.
pub(super) fn finish_table(options: &SysbenchOptions, dialect: Dialect, table: u64) -> Vec<String> {
    let name = table_name(table);
    let mut statements = Vec::new();
    if options.create_secondary {
        statements.push(format!("CREATE INDEX {} ON {name} (k)", index_name(table)));
    }
    statements.push(match dialect {
        Dialect::MySql => format!("ANALYZE TABLE {name}"),
        Dialect::Sqlite | Dialect::PostgreSql => format!("ANALYZE {name}"),
    });
    statements
}

/// The query that counts the secondary indexes of a table: one where the load came to its end.
pub(super) fn count_indexes(dialect: Dialect, table: u64) -> String {
    let (name, index) = (table_name(table), index_name(table));
    match dialect {
        Dialect::MySql => format!(
            "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = DATABASE() \
             AND table_name = '{name}' AND index_name = '{index}'"
        ),
        Dialect::Sqlite => format!(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'index' \
             AND tbl_name = '{name}' AND name = '{index}'"
        ),
        Dialect::PostgreSql => format!(
            "SELECT COUNT(*) FROM pg_indexes WHERE schemaname = CURRENT_SCHEMA \
             AND tablename = '{name}' AND indexname = '{index}'"
        ),
    }
}
