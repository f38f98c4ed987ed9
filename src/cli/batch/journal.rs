//! The file of results while it grows: a line as soon as something is known, so that a run that is killed has lost
//! nothing; in its proper order at the end.

use crate::report::record::Record;
use crate::report::results;
use anyhow::{Context, Result};
use std::fs::{self, File, OpenOptions};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A file of results that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<Result<File>>,
}

impl Journal {
    /// Replaces the file by one with these records, and opens it for more.
    pub fn open<'r>(path: &Path, kept: impl IntoIterator<Item = &'r Record>) -> Result<Journal> {
        // The place of the file, should the path be a link to it.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        replace(&path, kept)?;
        let file = OpenOptions::new().append(true).open(&path).with_context(|| cannot_write(&path))?;
        Ok(Journal { path, file: Mutex::new(Ok(file)) })
    }

    /// Adds a record. What goes wrong is told at the end: answers are worth more than their file.
    pub fn add(&self, record: &Record) {
        let mut guard = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Ok(file) = guard.as_mut()
            && let Err(error) = results::write(file, record)
        {
            *guard = Err(error).with_context(|| cannot_write(&self.path));
        }
    }

    /// Brings the file into its proper order.
    pub fn finish(self, records: impl IntoIterator<Item = Record>) -> Result<()> {
        self.file.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())?;
        replace(&self.path, results::index(records).values())
    }
}

/// At every time, the path names a whole file: the old one or the new one. A device or a pipe is only written to.
fn replace<'r>(path: &Path, records: impl IntoIterator<Item = &'r Record>) -> Result<()> {
    if path.exists() && !path.is_file() {
        return Ok(());
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let write = || -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(&new)?);
        records.into_iter().try_for_each(|record| results::write(&mut file, record))?;
        file.into_inner()?.sync_all()?;
        fs::rename(&new, path)
    };
    write().with_context(|| cannot_write(path))
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}
