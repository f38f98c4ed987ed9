//! Results as a page of its own.
use super::record::Record;
use std::io::{self, Write};
/// Writes.
pub fn write(out: &mut dyn Write, records: &[Record]) -> io::Result<()> {
    writeln!(out, "{}", records.len())
}
