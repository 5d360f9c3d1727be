//! What every connection is set to before it is used, and what it says of itself afterwards.

/// How much a transaction sees of what others do meanwhile, by the names of the SQL standard. What
/// a server makes of such a name is its own: repeatable read is a snapshot in most of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// READ UNCOMMITTED
    ReadUncommitted,
    /// READ COMMITTED
    ReadCommitted,
    /// REPEATABLE READ
    RepeatableRead,
    /// SERIALIZABLE
    Serializable,
}

const ISOLATIONS: [(Isolation, &str, &str); 4] = [
    (Isolation::ReadUncommitted, "read_uncommitted", "READ UNCOMMITTED"),
    (Isolation::ReadCommitted, "read_committed", "READ COMMITTED"),
    (Isolation::RepeatableRead, "repeatable_read", "REPEATABLE READ"),
    (Isolation::Serializable, "serializable", "SERIALIZABLE"),
];

impl Isolation {
    /// The name in plans and results.
    pub fn name(self) -> &'static str {
        ISOLATIONS[self as usize].1
    }

    /// As it stands in statements.
    pub fn sql(self) -> &'static str {
        ISOLATIONS[self as usize].2
    }

    /// The level that a server calls so, however it writes it: `READ-COMMITTED`, `read committed`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace(['-', ' '], "_");
        ISOLATIONS.iter().find(|(_, known, _)| *known == name).map(|(level, _, _)| *level)
    }
}

/// What connections are for, which decides what of the server's settings is lifted for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The load: the server's settings are a part of what is measured.
    #[default]
    Load,
    /// Tables are made and filled, some with statements of the user's: no limit of the server ends it.
    Preparation,
    /// Questions of ours, whose answers must be whole and mean the same with every server.
    Administration,
}

/// What connections are set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// What they are for.
    pub purpose: Purpose,
    /// None leaves what the server has as its default.
    pub isolation: Option<Isolation>,
    /// Whether a statement outside of BEGIN and COMMIT is a transaction of its own. Without it no
    /// BEGIN is sent: the first statement opens a transaction, which lasts until COMMIT.
    pub autocommit: bool,
    /// Whether prepared statements that need nothing of each other may share a round trip, where
    /// the server takes that.
    pub pipelining: bool,
}

impl SessionOptions {
    /// Those of connections that are for something else than the load.
    pub fn for_purpose(purpose: Purpose) -> Self {
        Self { purpose, ..Self::default() }
    }
}

impl Default for SessionOptions {
    fn default() -> Self {
        let purpose = Purpose::default();
        Self { purpose, isolation: None, autocommit: true, pipelining: true }
    }
}

/// Whether prepared statements that need nothing of each other share a round trip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pipelining {
    /// Each waits for the answer to the one before.
    #[default]
    Off,
    /// They do.
    On,
    /// They would, and the server did not take it: its words.
    Refused(String),
}

/// What a connection runs with, as it was read back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionFacts {
    /// The level as it works, which need not be the one that was asked for; None where the server
    /// does not tell.
    pub isolation: Option<Isolation>,
    /// Whether a statement is a transaction of its own.
    pub autocommit: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_found_by_its_names_and_at_its_place() {
        for (index, (level, name, sql)) in ISOLATIONS.into_iter().enumerate() {
            assert_eq!(level as usize, index);
            assert_eq!((level.name(), level.sql()), (name, sql));
            for written in [name, sql, &sql.replace(' ', "-")] {
                assert_eq!(Isolation::named(written), Some(level));
            }
        }
        assert_eq!(Isolation::named("snapshot"), None);
    }
}
