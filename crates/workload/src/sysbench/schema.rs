//! The tables as statements, in each dialect.

use contract::Dialect;

use super::options::{Content, SysbenchOptions};

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

/// The name of the index on the column id, where that is no primary key.
fn id_index_name(table: u64) -> String {
    format!("xid_{}", table + 1)
}

/// The statement that makes a table, without its secondary index.
pub(super) fn create_table(options: &SysbenchOptions, dialect: Dialect, table: u64) -> String {
    let is_bulk = options.content() == Content::BulkTables;
    let id = match dialect {
        Dialect::MySql if options.auto_inc && !is_bulk => "INTEGER NOT NULL AUTO_INCREMENT",
        Dialect::PostgreSql if options.auto_inc && !is_bulk => "SERIAL",
        // In SQLite an integer primary key numbers itself without being told.
        _ => "INTEGER NOT NULL",
    };
    let texts = if is_bulk {
        ""
    } else {
        ", c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL"
    };
    let key = match dialect {
        _ if !options.secondary => ", PRIMARY KEY (id)".into(),
        // A number that counts itself must have its index from the first row on.
        Dialect::MySql => format!(", KEY {} (id)", id_index_name(table)),
        Dialect::Sqlite | Dialect::PostgreSql => String::new(),
    };
    let engine = match dialect {
        Dialect::MySql => format!(" ENGINE={}", options.mysql_storage_engine),
        Dialect::Sqlite | Dialect::PostgreSql => String::new(),
    };
    let more = match options.create_table_options.as_str() {
        "" => String::new(),
        text => format!(" {text}"),
    };
    let name = table_name(table);
    format!(
        "CREATE TABLE {name} (id {id}, k INTEGER DEFAULT '0' NOT NULL{texts}{key}){engine}{more}"
    )
}

/// The statements that make the indexes of a table that has its rows.
pub(super) fn make_indexes(options: &SysbenchOptions, dialect: Dialect, table: u64) -> Vec<String> {
    let name = table_name(table);
    let mut statements = Vec::new();
    if options.secondary && dialect != Dialect::MySql {
        statements.push(format!("CREATE INDEX {} ON {name} (id)", id_index_name(table)));
    }
    if options.create_secondary && options.content() != Content::BulkTables {
        statements.push(format!("CREATE INDEX {} ON {name} (k)", index_name(table)));
    }
    if dialect == Dialect::PostgreSql && options.auto_inc && options.content() == Content::Rows {
        // Ids that were given don't count as taken.
        let last = options.table_size;
        statements.push(format!("SELECT SETVAL(PG_GET_SERIAL_SEQUENCE('{name}', 'id'), {last})"));
    }
    statements
}

/// The statement that renews the optimizer's statistics of a table, which a bulk load leaves out of date.
pub(super) fn analyse_table(dialect: Dialect, table: u64) -> String {
    let name = table_name(table);
    match dialect {
        Dialect::MySql => format!("ANALYZE TABLE {name}"),
        Dialect::Sqlite | Dialect::PostgreSql => format!("ANALYZE {name}"),
    }
}

/// The query that counts the secondary indexes of a table: one where the load came to its end.
pub(super) fn count_indexes(dialect: Dialect, table: u64) -> String {
    let (name, index) = (table_name(table), index_name(table));
    match dialect {
        Dialect::MySql => format!(
            "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = DATABASE() \
             AND table_name = '{name}' AND index_name = '{index}'"
        ),
        Dialect::Sqlite => {
            format!("SELECT COUNT(*) FROM pragma_index_list('{name}') WHERE name = '{index}'")
        }
        Dialect::PostgreSql => format!(
            "SELECT COUNT(*) FROM pg_indexes WHERE schemaname = CURRENT_SCHEMA \
             AND tablename = '{name}' AND indexname = '{index}'"
        ),
    }
}
