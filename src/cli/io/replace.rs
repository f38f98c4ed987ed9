//! Files that are written whole or not at all: everything that the tool writes is made beside its place, and takes the
//! place when it is complete. Until then, and if something goes wrong, the old file stays as it was.

use crate::cli::io::kind::Kind;
use crate::cli::io::out::shown;
use crate::limits::lock;
use crate::source::SourceFile;
use crate::syntax;
use anyhow::{Context, Result, bail};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

/// Held while a file is written.
static WRITING: RwLock<()> = RwLock::new(());

/// The files that the command reads: device and number of each.
static INPUTS: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// Links that lead to links and so on, up to so many.
const MOST_LINKS: usize = 40;

pub const MODEL_EXTENSION: &str = "rcp";

/// Writes a file, and replaces the one that is there if that is of the same kind, and none that the command reads.
pub fn write(path: &Path, kind: Kind, content: impl AsRef<[u8]>) -> Result<()> {
    refuse_other(path, kind)?;
    rewrite(path, content)
}

/// Writes a file, even if the command has read it.
pub fn rewrite(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    put(path, content.as_ref()).with_context(|| format!("cannot write {}", shown(path)))
}

/// Fails if the path means a file that the command reads, under whatever name, or a model, or if its folder does not
/// exist: better before long work than after it.
pub fn refuse_input(path: &Path) -> Result<()> {
    refuse_place(path)?;
    if path.is_file() && is_model(path) {
        bail!("{} is a model, and would be overwritten; name another file", shown(path));
    }
    Ok(())
}

/// The same, but for models.
fn refuse_place(path: &Path) -> Result<()> {
    let Ok(metadata) = fs::metadata(path) else {
        return match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
            Some(missing) => bail!("cannot write {}: there is no folder {}", shown(path), shown(missing)),
            None => Ok(()),
        };
    };
    if metadata.is_dir() {
        bail!("{} is a folder, no file", shown(path));
    }
    if lock(&INPUTS).contains(&identity(&metadata)) {
        bail!("{} is what this command reads, and would be overwritten; name another file", shown(path));
    }
    let place = destination(path).unwrap_or_else(|_| path.to_owned());
    if metadata.file_type().is_fifo() && !place.starts_with("/proc") {
        // To open it waits for a reader.
        bail!("{} is a pipe; write to standard output, and pipe that", shown(path));
    }
    Ok(())
}

/// Fails if [`refuse_input`] does, or if there is a file of another kind than the one that is to be written: if the value of an
/// option was forgotten, the next file of the command line stands in its place, and must not be lost.
pub fn refuse_other(path: &Path, kind: Kind) -> Result<()> {
    if kind == Kind::Strategy { refuse_place(path) } else { refuse_input(path) }?;
    let head = || {
        let mut head = Vec::new();
        File::open(path).and_then(|file| file.take(Kind::TELLING).read_to_end(&mut head)).is_ok().then_some(head)
    };
    let is_file = !is_stream(path) && path.is_file();
    if is_file && head().is_some_and(|head| !kind.fits(&String::from_utf8_lossy(&head))) {
        let (shown, what) = (shown(path), kind.words());
        bail!("{shown} is no {what}, and would be overwritten; name another file, or remove it");
    }
    Ok(())
}

/// True if a file is called like a model.
pub fn is_named_like_a_model(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == MODEL_EXTENSION)
}

/// True if a file is a model, by its name or because it can be read as one.
fn is_model(path: &Path) -> bool {
    const LARGEST: u64 = 1 << 20;
    let text = || {
        let mut text = String::new();
        File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text)).is_ok().then_some(text)
    };
    let reads = |text: String| {
        // Before the parser, whose patience with other texts is long.
        let has = |word: &str| text.contains(word);
        has("agent") && has("system") && {
            let parsed = syntax::parse(&SourceFile::new(String::new(), text), None);
            !parsed.diagnostics.has_errors()
        }
    };
    is_named_like_a_model(path) || text().is_some_and(reads)
}

/// Fails if two of the files that a command is to write are the same.
pub fn refuse_repetition<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Result<()> {
    let mut places = Vec::new();
    for path in paths.into_iter().filter(|path| !is_stream(path)) {
        let place = destination(path).and_then(std::path::absolute).unwrap_or_else(|_| path.to_owned());
        if places.contains(&place) {
            bail!("{} is named for two things; name another file for one of them", shown(path));
        }
        places.push(place);
    }
    Ok(())
}

/// Remembers that the command reads this file.
pub fn keep_input(metadata: &Metadata) {
    let identity = identity(metadata);
    let mut inputs = lock(&INPUTS);
    if !inputs.contains(&identity) {
        inputs.push(identity);
    }
}

/// Keeps the process from ending while a file is written.
pub fn writing() -> RwLockReadGuard<'static, ()> {
    WRITING.read().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no file is being written, and ends the process.
pub fn exit(code: i32) -> ! {
    let _all_is_written = WRITING.write();
    std::process::exit(code)
}

fn put(path: &Path, content: &[u8]) -> io::Result<()> {
    if is_stream(path) {
        return OpenOptions::new().append(true).open(path)?.write_all(content);
    }
    let mut new = Replacement::begin(path)?;
    new.file.write_all(content)?;
    new.commit()
}

/// True if a path means something that is only written to: a device, a pipe, or a file that is open already.
pub fn is_stream(path: &Path) -> bool {
    let is_special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir());
    is_special || destination(path).is_ok_and(|place| place.starts_with("/proc"))
}

/// The place that a path leads to, if it is a link; the end need not exist.
fn destination(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&place) else { return Ok(place) };
        place = place.parent().unwrap_or(Path::new("")).join(target);
        if place.starts_with("/proc") {
            return Ok(place);
        }
    }
    Err(io::Error::other("links that lead in a circle"))
}

/// A file that is made beside the place that it will take. Without [`Replacement::commit`] it goes.
#[derive(Debug)]
pub struct Replacement {
    pub file: File,
    beside: PathBuf,
    place: PathBuf,
    done: bool,
    _writing: RwLockReadGuard<'static, ()>,
}

impl Replacement {
    /// An empty file beside the one that the path means, with the permissions and, as far as possible, the owner of that.
    pub fn begin(path: &Path) -> io::Result<Replacement> {
        let writing = writing();
        let place = destination(path)?;
        let old = match OpenOptions::new().write(true).open(&place) {
            Ok(file) => Some(file.metadata()?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let (file, beside) = create_beside(&place)?;
        let new = Replacement { file, beside, place, done: false, _writing: writing };
        old.map_or(Ok(()), |old| new.take_after(&old))?;
        Ok(new)
    }

    fn take_after(&self, old: &Metadata) -> io::Result<()> {
        let own = self.file.metadata()?;
        if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
            // Only some users may give files away; else the file belongs to who writes it.
            let _ = fchown(&self.file, Some(old.uid()), Some(old.gid()));
        }
        self.file.set_permissions(old.permissions())
    }

    /// Takes the place of the old file.
    pub fn commit(mut self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.beside, &self.place)?;
        self.done = true;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.done {
            // The error is told already.
            let _ = fs::remove_file(&self.beside);
        }
    }
}

/// A new file in the same folder; its name is short, whatever that of the place.
fn create_beside(place: &Path) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let beside = place.with_file_name(format!(".rcheck-smt-{}-{number}.new", std::process::id()));
        match File::create_new(&beside) {
            Ok(file) => return Ok((file, beside)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}
