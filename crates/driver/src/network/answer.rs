//! What a server answers that does not refuse.

/// An answer, or its first half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer<Reply> {
    /// All is done.
    Done(Reply),
    /// The server wants the rows of the statement; the answer goes on after them.
    RowsWanted,
}
