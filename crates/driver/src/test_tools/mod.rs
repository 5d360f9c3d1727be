//! Tools of this crate's tests. Nothing of them is in a build that is shipped.

pub(crate) mod damage;
mod memory;
