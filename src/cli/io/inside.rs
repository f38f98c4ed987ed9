//! Files inside of a folder that is open: links are followed nowhere on the way, so that a file that is swapped for a link
//! later leads to an error and not to another place.

use crate::cli::io::replace;
use nix::fcntl::{AtFlags, OFlag, openat, renameat};
use nix::sys::stat::{Mode, SFlag, fstatat};
use nix::unistd::{UnlinkatFlags, unlinkat};
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLockReadGuard};

/// A folder that is open.
#[derive(Clone, Debug)]
pub struct Folder {
    handle: Arc<OwnedFd>,
    place: PathBuf,
}

/// A file in such a folder, which need not exist any more.
#[derive(Clone, Debug)]
pub struct Inside {
    folder: Folder,
    /// The way from the folder to the file: names only.
    way: PathBuf,
}

/// A file that is open to be replaced.
#[derive(Debug)]
pub struct Change<'i> {
    folder: File,
    name: &'i OsStr,
    old: File,
    _writing: RwLockReadGuard<'static, ()>,
}

impl Folder {
    /// Opens a folder.
    pub fn open(path: &Path) -> io::Result<Folder> {
        let place = fs::canonicalize(path)?;
        let handle = Arc::new(OwnedFd::from(File::open(&place)?));
        Ok(Folder { handle, place })
    }

    /// A file in it.
    /// It is an error if it is not inside of the folder.
    pub fn file(&self, path: &Path) -> io::Result<Inside> {
        let place = fs::canonicalize(path)?;
        match place.strip_prefix(&self.place) {
            Ok(way) => Ok(Inside { folder: self.clone(), way: way.to_owned() }),
            Err(_) => Err(io::Error::other("a link leads out of the folder")),
        }
    }
}

impl Inside {
    /// The place of the file.
    pub fn place(&self) -> PathBuf {
        self.folder.place.join(&self.way)
    }

    /// Opens the file, if it is a regular one.
    /// It is an error if a link or something else is in its place.
    pub fn open(&self) -> io::Result<File> {
        let (folder, name) = self.parent()?;
        open_regular(&folder, name)
    }

    /// Opens the file to replace it. All who do so wait for each other, also those of other processes.
    ///
    /// # Errors
    /// Those of [`Inside::open`].
    pub fn change(&self) -> io::Result<Change<'_>> {
        let writing = replace::writing();
        let (folder, name) = self.parent()?;
        // Some file systems have no locks.
        let _ = folder.lock();
        let old = open_regular(&folder, name)?;
        Ok(Change { folder, name, old, _writing: writing })
    }

    /// The folder of the file, and the name of the file in it.
    fn parent(&self) -> io::Result<(File, &OsStr)> {
        let mut folder = open_at(&*self.folder.handle, ".", OFlag::O_RDONLY | OFlag::O_DIRECTORY)?;
        let mut names = self.way.components().map(|part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(io::Error::from(ErrorKind::InvalidInput)),
        });
        let last = names.next_back().unwrap_or(Err(ErrorKind::InvalidInput.into()))?;
        for name in names {
            folder = open_at(&folder, name?, OFlag::O_RDONLY | OFlag::O_DIRECTORY)?;
        }
        Ok((File::from(folder), last))
    }
}

impl Change<'_> {
    /// The file as it is.
    pub fn old(&self) -> &File {
        &self.old
    }

    /// Replaces the file by one with another content.
    ///
    /// # Errors
    /// Those of the system.
    pub fn replace(self, content: &[u8]) -> io::Result<()> {
        // Replacing the old file takes the right to write it.
        open_at(&self.folder, self.name, OFlag::O_WRONLY | OFlag::O_NONBLOCK)?;
        let new = New::create(&self.folder)?;
        new.write(content, &self.old.metadata()?)?;
        new.take_place_of(self.name)
    }
}

/// Opens a regular file of a folder.
fn open_regular(folder: &File, name: &OsStr) -> io::Result<File> {
    // A pipe would keep the thread waiting for a writer.
    let file = File::from(open_at(folder, name, OFlag::O_RDONLY | OFlag::O_NONBLOCK)?);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is no regular file any more")),
    }
}

/// Opens a file of a folder, but no link.
fn open_at(folder: impl AsFd, name: impl AsRef<OsStr>, how: OFlag) -> io::Result<OwnedFd> {
    let how = how | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    openat(&folder, name.as_ref(), how, Mode::empty()).map_err(|error| {
        let status = fstatat(&folder, name.as_ref(), AtFlags::AT_SYMLINK_NOFOLLOW);
        match status.is_ok_and(|it| SFlag::from_bits_truncate(it.st_mode) & SFlag::S_IFMT == SFlag::S_IFLNK) {
            true => io::Error::other("it is a link now, and links are not followed"),
            false => error.into(),
        }
    })
}

/// A file that is made beside the place that it will take. Without [`New::take_place_of`] it goes.
struct New<'p> {
    folder: &'p File,
    file: File,
    name: String,
    done: bool,
}

impl New<'_> {
    fn create(folder: &File) -> io::Result<New<'_>> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!(".rcheck-smt-{}-{number}.new", std::process::id());
            let how = OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            match openat(folder, name.as_str(), how, Mode::S_IRUSR | Mode::S_IWUSR).map_err(io::Error::from) {
                Ok(file) => return Ok(New { folder, file: file.into(), name, done: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Writes the content, with the permissions and, as far as possible, the owner of the old file.
    fn write(&self, content: &[u8], old: &Metadata) -> io::Result<()> {
        let own = self.file.metadata()?;
        if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
            let _ = fchown(&self.file, Some(old.uid()), Some(old.gid()));
        }
        self.file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))?;
        (&self.file).write_all(content)?;
        self.file.sync_all()
    }

    fn take_place_of(mut self, name: &OsStr) -> io::Result<()> {
        renameat(self.folder, self.name.as_str(), self.folder, name)?;
        self.done = true;
        Ok(())
    }
}

impl Drop for New<'_> {
    fn drop(&mut self) {
        if !self.done {
            // The error is told already.
            let _ = unlinkat(self.folder, self.name.as_str(), UnlinkatFlags::NoRemoveDir);
        }
    }
}
