//! Which files a batch is about: in one order, whatever the order of arguments and folders.

use crate::cli::io::input::keep;
use crate::cli::io::replace::MODEL_EXTENSION;
use crate::language::Language;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use walkdir::WalkDir;

/// Per file, or per place that has none: nothing, or why it cannot be used.
pub type UsableFiles = BTreeMap<String, Result<(), String>>;

#[derive(Debug, Default)]
struct FoundFiles {
    named: UsableFiles,
    /// Their places: a file that is named in several ways counts once, by the first of its names.
    places: HashSet<PathBuf>,
}

/// The kinds of files that are looked for in folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKinds {
    /// Models in our language.
    Models,
    /// These, and models in ISPL.
    Agents,
    /// All that can be verified: these, models in ISPL, and systems of clauses.
    Verifiable,
}

impl FileKinds {
    fn is_it(self, path: &Path) -> bool {
        match Language::of_name(path) {
            Some(Language::Rcp) => true,
            Some(Language::Ispl) => self != FileKinds::Models,
            Some(Language::Vmt) => self == FileKinds::Verifiable,
            // Anything that is no file is refused later, unopened: a pipe keeps its reader waiting.
            Some(Language::Chc) => self == FileKinds::Verifiable && (!path.is_file() || has_clauses(path)),
            None => false,
        }
    }

    fn endings(self) -> String {
        match self {
            FileKinds::Models => format!(".{MODEL_EXTENSION}"),
            FileKinds::Agents => format!(".{MODEL_EXTENSION}, .ispl"),
            FileKinds::Verifiable => format!(".{MODEL_EXTENSION}, .ispl, .vmt, or .smt2 and has clauses"),
        }
    }
}

/// True if a file in SMT-LIB has Horn clauses: others lie beside models, queries of certificates, say.
fn has_clauses(path: &Path) -> bool {
    const TELLING: u64 = 1 << 16;
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(TELLING).read_to_end(&mut head));
    let dense: String = String::from_utf8_lossy(&head).split_whitespace().collect();
    read.is_ok() && ["(set-logicHORN)", "(declare-rel"].iter().any(|&beginning| dense.contains(beginning))
}

/// The files that the arguments name, in their order.
pub fn collect(paths: &[PathBuf], wanted: FileKinds) -> UsableFiles {
    let mut files = FoundFiles::default();
    paths.iter().for_each(|path| collect_from(path, wanted, &mut files));
    files.named
}

/// The files of a folder, without those that links in it lead to.
pub fn collect_inside(folder: &Path, wanted: FileKinds) -> UsableFiles {
    let mut files = FoundFiles::default();
    collect_folder(folder, wanted, false, &mut files);
    files.named
}

fn collect_from(path: &Path, wanted: FileKinds, files: &mut FoundFiles) {
    match path.to_str() {
        _ if path.is_dir() => collect_folder(path, wanted, true, files),
        Some(pattern) if !path.exists() && pattern.contains(['*', '?', '[']) => collect_pattern(pattern, files),
        _ => add(path, Ok(()), files),
    }
}

fn collect_folder(folder: &Path, wanted: FileKinds, follow_links: bool, files: &mut FoundFiles) {
    let mut found = false;
    for entry in WalkDir::new(folder).follow_links(follow_links).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.depth() > 0 && entry.path_is_symlink() && !follow_links => {}
            Ok(entry) if entry.path().is_dir() => {}
            Ok(entry) if wanted.is_it(entry.path()) => {
                found = true;
                add(entry.path(), Ok(()), files);
            }
            Ok(_) => {}
            Err(error) => {
                found = true;
                let place = error.path().unwrap_or(folder).to_owned();
                let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
                add(&place, Err(format!("cannot read it: {why}")), files);
            }
        }
    }
    if !found {
        add(folder, Err(format!("the folder has no file that ends with {}", wanted.endings())), files);
    }
}

fn collect_pattern(pattern: &str, files: &mut FoundFiles) {
    let place = Path::new(pattern);
    let entries = match glob::glob(pattern) {
        Ok(entries) => entries,
        Err(error) => return add(place, Err(format!("the pattern makes no sense: {error}")), files),
    };
    let mut found = false;
    for entry in entries {
        match entry {
            Ok(path) if path.is_dir() => continue,
            Ok(path) => add(&path, Ok(()), files),
            Err(error) => add(error.path(), Err(format!("cannot read it: {}", error.error())), files),
        }
        found = true;
    }
    if !found {
        add(place, Err("no file fits the pattern".to_owned()), files);
    }
}

fn add(path: &Path, usable: Result<(), String>, files: &mut FoundFiles) {
    // `./x` and `x` are one file.
    let path: PathBuf = path.components().filter(|part| *part != Component::CurDir).collect();
    let usable = match path.to_str() {
        // A pipe, say, keeps its reader waiting.
        Some(_) if path.exists() && !path.is_dir() && !path.is_file() => Err("it is no regular file".to_owned()),
        Some(_) => {
            keep(&path);
            usable
        }
        None => Err("the name is no UTF-8 text: rename the file".to_owned()),
    };
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
    if files.places.insert(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())) {
        files.named.insert(path.display().to_string(), usable);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_order_and_no_repetition() {
        let collect =
            |paths: &[&str]| collect(&paths.iter().map(PathBuf::from).collect::<Vec<_>>(), FileKinds::Verifiable);
        let once = collect(&["specs"]);
        assert!(once.len() > 40 && once.values().all(Result::is_ok), "{once:?}");
        assert_eq!(collect(&["./specs/bank.rcp", "specs", "specs/**/*.rcp"]), once);
        let absolute = std::path::absolute("specs").expect("there is a working directory");
        assert_eq!(collect(&["specs", absolute.to_str().expect("a UTF-8 path")]), once);
        let pattern = collect(&["specs/*lock*.rcp", "specs/[xyz]*.rcp", "src/cli", "specs/**a"]);
        let usable: Vec<_> = pattern.iter().filter(|(_, usable)| usable.is_ok()).map(|(path, _)| path).collect();
        assert_eq!(usable, ["specs/ticket_lock.rcp"]);
        assert_eq!(pattern.len(), 4, "{pattern:?}");
    }
}
