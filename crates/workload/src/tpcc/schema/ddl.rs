//! The statements that make the tables, in each dialect.

use contract::Dialect;

use super::{FOREIGN_KEYS, Table, TableOf};
use crate::tpcc::options::TpccOptions;

/// How wide the texts are that Terark's tpcc-mysql fills from a file.
const WIDE: [(&str, &str); 3] =
    [("i_data", "VARCHAR(500)"), ("s_data", "VARCHAR(500)"), ("c_data", "VARCHAR(1000)")];

/// Makes the statements for one set of options.
#[derive(Clone, Copy, Debug)]
pub(in crate::tpcc) struct Ddl<'a> {
    pub options: &'a TpccOptions,
    pub dialect: Dialect,
}

impl Ddl<'_> {
    /// The statements that make the tables, without what is faster to make once the rows are there.
    pub fn create(self) -> Vec<String> {
        if let Some(statements) = &self.options.create {
            return statements.clone();
        }
        let tables = self.options.schema.schema().tables;
        tables.iter().flat_map(|table| self.create_table(table)).collect()
    }

    /// The statements for tables that have their rows, in stages: keys and indexes, foreign keys, the
    /// optimizer's statistics.
    pub fn finish(self) -> Vec<Vec<Vec<String>>> {
        let tables = self.options.schema.schema().tables;
        let own = if self.options.create.is_none() { tables } else { &[] };
        let indexes = own.iter().map(|table| self.keys_and_indexes(table)).collect();
        let foreign_keys = own.iter().map(|table| self.foreign_keys(table)).collect();
        let analyze = tables.iter().map(|table| vec![self.analyze(table)]).collect();
        let stages: [Vec<Vec<String>>; 3] = [indexes, foreign_keys, analyze];
        let without_empty = |stage: Vec<Vec<String>>| -> Vec<Vec<String>> {
            stage.into_iter().filter(|list| !list.is_empty()).collect()
        };
        stages.into_iter().map(without_empty).filter(|stage| !stage.is_empty()).collect()
    }

    fn create_table(self, table: &TableOf) -> Vec<String> {
        let mut parts: Vec<String> =
            table.columns.iter().map(|name| self.column(table, name)).collect();
        // InnoDB and SQLite keep the rows in the order of the key: it has to be there before them.
        if self.dialect != Dialect::PostgreSql && !table.key.is_empty() {
            parts.push(format!("PRIMARY KEY ({})", table.key.join(", ")));
        }
        if self.dialect == Dialect::Sqlite && self.options.foreign_keys {
            parts.extend(
                self.references(table).map(|(name, key)| format!("CONSTRAINT {name} {key}")),
            );
        }
        let partitions = self.options.partitions;
        let by = partition_column(table).filter(|_| partitions > 0);
        let partitioned = match (self.dialect, by) {
            (Dialect::MySql, Some(by)) => {
                format!(" PARTITION BY HASH ({by}) PARTITIONS {partitions}")
            }
            (Dialect::PostgreSql, Some(by)) => format!(" PARTITION BY HASH ({by})"),
            _ => String::new(),
        };
        let options = match self.options.table_options.as_str() {
            "" => String::new(),
            text => format!(" {text}"),
        };
        let TableOf { name, .. } = table;
        let create = format!("CREATE TABLE {name} ({})", parts.join(", "));
        if self.dialect != Dialect::PostgreSql || by.is_none() {
            return vec![format!("{create}{options}{partitioned}")];
        }
        // In PostgreSQL it is the partitions that are stored, and so have options.
        let partition = |part| {
            format!(
                "CREATE TABLE {name}_p{part} PARTITION OF {name} \
                 FOR VALUES WITH (MODULUS {partitions}, REMAINDER {part}){options}"
            )
        };
        std::iter::once(create + &partitioned).chain((0..partitions).map(partition)).collect()
    }

    fn column(self, table: &TableOf, name: &str) -> String {
        let schema = self.options.schema.schema();
        let wide = WIDE.iter().find(|(column, _)| self.options.wide_texts && *column == name);
        let kind = wide.map_or_else(|| schema.types.of(name), |(_, wide)| wide);
        let kind = match (self.dialect, kind) {
            (Dialect::MySql, "SELF-NUMBERING") => "INTEGER AUTO_INCREMENT",
            (Dialect::PostgreSql, "SELF-NUMBERING") => "SERIAL",
            // In SQLite an integer primary key numbers itself.
            (Dialect::Sqlite, "SELF-NUMBERING") => "INTEGER",
            // Without a word, the first such column of a table is set to the time of each change.
            (Dialect::MySql, "TIMESTAMP") => "TIMESTAMP NULL DEFAULT NULL",
            (Dialect::PostgreSql, "DATETIME") => "TIMESTAMP",
            (Dialect::PostgreSql, "TINYINT") => "SMALLINT",
            _ => kind,
        };
        let required = table.key.contains(&name) || schema.required.contains(&name);
        let not_null = if required { " NOT NULL" } else { "" };
        format!("{name} {kind}{not_null}")
    }

    fn keys_and_indexes(self, table: &TableOf) -> Vec<String> {
        let mut statements = Vec::new();
        let TableOf { name, key, .. } = table;
        if self.dialect == Dialect::PostgreSql && !key.is_empty() {
            statements.push(format!("ALTER TABLE {name} ADD PRIMARY KEY ({})", key.join(", ")));
        }
        for index in self.options.chosen_indexes() {
            if index.table == table.table {
                let unique = if index.unique { "UNIQUE " } else { "" };
                let columns = index.columns.join(", ");
                statements
                    .push(format!("CREATE {unique}INDEX {} ON {name} ({columns})", index.name));
            }
        }
        statements
    }

    /// `SQLite`'s stand in the table from the start. `MySQL` is told not to look for what can't be
    /// missing, or it copies every table.
    fn foreign_keys(self, table: &TableOf) -> Vec<String> {
        if self.dialect == Dialect::Sqlite || !self.options.foreign_keys {
            return Vec::new();
        }
        let statements: Vec<String> = self
            .references(table)
            .map(|(name, key)| format!("ALTER TABLE {} ADD CONSTRAINT {name} {key}", table.name))
            .collect();
        if statements.is_empty() || self.dialect != Dialect::MySql {
            return statements;
        }
        let switch = |to: &str| format!("SET foreign_key_checks = {to}");
        [vec![switch("0")], statements, vec![switch("1")]].concat()
    }

    fn references(self, table: &TableOf) -> impl Iterator<Item = (&'static str, String)> {
        let schema = self.options.schema.schema();
        let table = table.table;
        FOREIGN_KEYS.iter().filter(move |key| key.child == table).map(move |key| {
            let reference = format!(
                "FOREIGN KEY ({}) REFERENCES {} ({})",
                key.columns.join(", "),
                schema.name(key.parent),
                schema.table(key.parent).key.join(", ")
            );
            (key.name, reference)
        })
    }

    fn analyze(self, table: &TableOf) -> String {
        match self.dialect {
            Dialect::MySql => format!("ANALYZE TABLE {}", table.name),
            Dialect::Sqlite | Dialect::PostgreSql => format!("ANALYZE {}", table.name),
        }
    }
}

/// The column with the warehouse by which a table is cut into partitions. Items belong to none, and
/// a history that numbers its rows has no key with the warehouse in it.
fn partition_column(table: &TableOf) -> Option<&'static str> {
    match table.table {
        Table::Config | Table::Item => None,
        Table::History => table.key.is_empty().then_some("h_w_id"),
        _ => table.key.first().copied(),
    }
}
