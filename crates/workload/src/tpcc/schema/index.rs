//! Which indexes are made: those of the schema, or those that somebody chose.

use super::{IndexOf, Schema, Table};

/// An index that is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tpcc) struct ChosenIndex {
    pub name: String,
    pub table: Table,
    pub columns: Vec<String>,
    pub unique: bool,
}

impl From<&IndexOf> for ChosenIndex {
    fn from(index: &IndexOf) -> Self {
        Self {
            name: index.name.into(),
            table: index.table,
            columns: index.columns.iter().map(|&column| column.into()).collect(),
            unique: index.unique,
        }
    }
}

impl ChosenIndex {
    /// Reads the name of one of the schema's indexes, or `table (column, …)`; the error says what
    /// would be right.
    pub fn read(text: &str, schema: &Schema) -> Result<Self, String> {
        if let Some(index) = schema.indexes.iter().find(|index| index.name == text) {
            return Ok(index.into());
        }
        let written = text.strip_suffix(')').and_then(|text| text.split_once('('));
        let Some((table, columns)) = written else {
            let names: Vec<&str> = schema.indexes.iter().map(|index| index.name).collect();
            return Err(format!(
                "give one of {}, or a table with columns: {} (o_w_id, o_entry_d)",
                names.join(", "),
                schema.name(Table::Orders)
            ));
        };
        let table = table.trim();
        let Some(of) = schema.tables.iter().find(|candidate| candidate.name == table) else {
            return Err(format!("this schema has no table {table}"));
        };
        let columns: Vec<String> = columns.split(',').map(|name| name.trim().into()).collect();
        match columns.iter().find(|name| !of.columns.contains(&name.as_str())) {
            Some(missing) => Err(format!("the table {table} has no column {missing}")),
            None => Ok(Self {
                name: format!("{table}_{}", columns.join("_")),
                table: of.table,
                columns,
                unique: false,
            }),
        }
    }
}
