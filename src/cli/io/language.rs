//! The language of a file that a command reads: `--language` decides, else the content, else the name.

use crate::cli::io::input;
use crate::cli::io::out::shown;
use crate::horn::Format;
use crate::language::{Language, TELLING};
use crate::source::SourceFile;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

static CHOSEN: OnceLock<Language> = OnceLock::new();

/// Makes the choice for every file that is read from now on.
pub fn choose(language: Option<Language>) {
    if let Some(language) = language {
        let _ = CHOSEN.set(language);
    }
}

/// The choice as arguments for a process that reads the same files.
pub fn arguments() -> Vec<String> {
    CHOSEN.get().map(|language| format!("--language={}", language.name())).into_iter().collect()
}

/// The language of a file; of one that cannot be read, what its name says.
pub fn of_file(path: &Path) -> Language {
    if let Some(language) = CHOSEN.get() {
        return *language;
    }
    if input::is_standard_input(path) {
        return input::read(path).map_or(Language::Rcp, |source| of(&source));
    }
    let mut head = Vec::new();
    // Those who read a path that is no regular file refuse it.
    if path.is_file()
        && let Ok(file) = File::open(path)
    {
        // Whatever arrived says something.
        let _ = file.take(TELLING as u64).read_to_end(&mut head);
    }
    of_text(path, &head)
}

/// The language of what a file contains, which need not be a text.
pub fn of_text(path: &Path, bytes: &[u8]) -> Language {
    CHOSEN.get().copied().unwrap_or_else(|| Language::of(path, &String::from_utf8_lossy(bytes)))
}

/// The language of a text that was read.
pub fn of(source: &SourceFile) -> Language {
    CHOSEN.get().copied().unwrap_or_else(|| Language::of(Path::new(source.name()), source.text()))
}

/// How clauses in a file are written, if it has clauses.
pub fn of_clauses(path: &Path) -> Option<Format> {
    Format::of(of_file(path))
}

/// The note about a file with errors whose language is a guess: its name does not say it, nor does the command.
pub fn guess(source: &SourceFile) -> Option<String> {
    let (language, path) = (of(source), Path::new(source.name()));
    let says = path.extension().is_some_and(|extension| extension == language.extension());
    let is_guess = CHOSEN.get().is_none() && !says;
    is_guess.then(|| {
        let why = match Language::of_text(source.text()) {
            Some(found) if found == language => "as it begins like that",
            _ if Language::of_name(path) == Some(language) => "as its name says",
            _ => "as nothing says otherwise",
        };
        format!("note: {} was read as {}, {why}; `--language` decides", shown(path), language.words())
    })
}
