//! The scripts by name, and what each does to the tables.

use serde::Deserialize;

/// A script of sysbench's, by its name there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Script {
    /// Selects by key and range, updates, one delete and one insert: 20 statements.
    OltpReadWrite,
    /// The selects of `oltp_read_write`: 16 statements.
    OltpReadOnly,
    /// The writes of `oltp_read_write`: 6 statements.
    OltpWriteOnly,
    /// One select by key.
    OltpPointSelect,
    /// One update of the indexed column.
    OltpUpdateIndex,
    /// One update of a column without index.
    OltpUpdateNonIndex,
    /// One insert of a row.
    OltpInsert,
    /// One delete by key. Rows do not come back: the tables drain.
    OltpDelete,
    /// One row more; rows are sent many at a time, to a table for each client.
    BulkInsert,
    /// One select of all rows with one of some values of k.
    SelectRandomPoints,
    /// One count of the rows with k in one of some ranges.
    SelectRandomRanges,
}

/// What happens to the rows that were loaded, as far as a look at the tables can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// They stay as they are.
    Kept,
    /// All their ids stay.
    Changed,
    /// More come.
    Joined,
    /// Some go.
    Removed,
}

impl Script {
    /// The name in experiment files and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::OltpReadWrite => "oltp_read_write",
            Self::OltpReadOnly => "oltp_read_only",
            Self::OltpWriteOnly => "oltp_write_only",
            Self::OltpPointSelect => "oltp_point_select",
            Self::OltpUpdateIndex => "oltp_update_index",
            Self::OltpUpdateNonIndex => "oltp_update_non_index",
            Self::OltpInsert => "oltp_insert",
            Self::OltpDelete => "oltp_delete",
            Self::BulkInsert => "bulk_insert",
            Self::SelectRandomPoints => "select_random_points",
            Self::SelectRandomRanges => "select_random_ranges",
        }
    }

    /// What it does to the rows that were loaded.
    pub(super) fn fate_of_rows(self) -> Fate {
        match self {
            Self::OltpReadOnly
            | Self::OltpPointSelect
            | Self::SelectRandomPoints
            | Self::SelectRandomRanges => Fate::Kept,
            Self::OltpReadWrite
            | Self::OltpWriteOnly
            | Self::OltpUpdateIndex
            | Self::OltpUpdateNonIndex => Fate::Changed,
            Self::OltpInsert | Self::BulkInsert => Fate::Joined,
            Self::OltpDelete => Fate::Removed,
        }
    }

    /// Whether each client keeps to a part of the table of its own.
    pub(super) fn draws_from_slices(self) -> bool {
        matches!(self, Self::SelectRandomPoints | Self::SelectRandomRanges)
    }
}
