//! The file of results while it grows: a line as soon as something is known, so that a run that is killed has lost
//! nothing; in its proper order at the end. One run at a time writes it.

use crate::cli::io::out::shown;
use crate::cli::io::replace::{Replacement, is_stream};
use crate::limits::lock;
use crate::report::record::Record;
use crate::report::results;
use anyhow::{Context, Result, bail};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The right to write a file of results. It ends with the process, if not before.
#[derive(Debug)]
pub struct JournalLock {
    path: PathBuf,
    file: Option<File>,
    /// True if there was no file before.
    is_new: bool,
}

impl JournalLock {
    /// Takes the right; fails if another run has it.
    pub fn take(path: &Path) -> Result<JournalLock> {
        let new = |file, is_new| JournalLock { path: path.to_owned(), file, is_new };
        if is_stream(path) {
            return Ok(new(None, false));
        }
        loop {
            let is_new = !path.exists();
            let file = OpenOptions::new().append(true).create(true).open(path).with_context(|| cannot_write(path))?;
            // Some file systems have no locks.
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                bail!("another run is writing {}; wait for its end, or name another file", shown(path));
            }
            if is_at(&file, path) {
                return Ok(new(Some(file), is_new));
            }
        }
    }
}

/// True if the path still means this file: another run may have put a new one there in the meantime.
fn is_at(file: &File, path: &Path) -> bool {
    let place = |of: io::Result<fs::Metadata>| of.map(|metadata| (metadata.dev(), metadata.ino())).ok();
    place(file.metadata()) == place(fs::metadata(path))
}

impl Drop for JournalLock {
    fn drop(&mut self) {
        let is_empty = self.file.as_ref().is_some_and(|file| file.metadata().is_ok_and(|metadata| metadata.len() == 0));
        if self.is_new && is_empty {
            // Nothing came of it. If the file stays, it is no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A file of results that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<Result<File>>,
}

impl Journal {
    /// Replaces the file by one with these records, and keeps it open for more.
    pub fn open<'r>(mut lock: JournalLock, kept: impl IntoIterator<Item = &'r Record>) -> Result<Journal> {
        let path = lock.path.clone();
        let file = replace(&path, kept)?;
        lock.is_new = false;
        Ok(Journal { path, file: Mutex::new(Ok(file)) })
    }

    /// Adds a record. An error is reported at the end: answers are worth more than their file.
    pub fn add(&self, record: &Record) {
        let mut guard = lock(&self.file);
        if let Ok(file) = guard.as_mut()
            && let Err(error) = results::write(file, record)
        {
            *guard = Err(error).with_context(|| cannot_write(&self.path));
        }
    }

    /// Brings the file into its proper order. Whatever went wrong before, then the file has everything.
    pub fn finish(self, records: impl IntoIterator<Item = Record>) -> Result<()> {
        let file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        if is_stream(&self.path) {
            return file.map(drop);
        }
        replace(&self.path, results::index(records).values()).map(drop)
    }
}

/// At every time, the path names a whole file that is locked: the old one or the new one. A device or a pipe is only
/// written to.
fn replace<'r>(path: &Path, records: impl IntoIterator<Item = &'r Record>) -> Result<File> {
    let write = || -> io::Result<File> {
        if is_stream(path) {
            return OpenOptions::new().append(true).open(path);
        }
        let new = Replacement::begin(path)?;
        // No other process knows it yet, so only file systems without locks refuse.
        let _ = new.file.try_lock();
        let mut out = BufWriter::new(&new.file);
        records.into_iter().try_for_each(|record| results::write(&mut out, record))?;
        out.flush()?;
        drop(out);
        let file = new.file.try_clone()?;
        new.commit()?;
        Ok(file)
    };
    write().with_context(|| cannot_write(path))
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", shown(path))
}
