//! Which New-Orders a server has acknowledged, written down by each terminal, so that it can be seen
//! whether they are there after a crash: clause 3.5.

use std::fs::{File, create_dir_all};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The log of one terminal: a line `warehouse,district,order` for each order.
#[derive(Debug)]
pub(super) struct OrderLog {
    out: BufWriter<File>,
}

impl OrderLog {
    /// Begins the log of terminal number `index` in a directory.
    pub fn create(directory: &str, index: u64) -> io::Result<Self> {
        create_dir_all(directory)?;
        let file = File::create(Path::new(directory).join(format!("{index}.csv")))?;
        Ok(Self { out: BufWriter::new(file) })
    }

    /// Writes an order down whose commit was acknowledged.
    pub fn acknowledged(
        &mut self,
        (warehouse, district, order): (i64, i64, i64),
    ) -> io::Result<()> {
        writeln!(self.out, "{warehouse},{district},{order}")
    }
}
