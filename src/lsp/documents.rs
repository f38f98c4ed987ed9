//! The texts that an editor has open, and what is known of each.

use super::position::{offset, span};
use super::space::StateSpace;
use super::verdicts::{Digest, QuestionKey, SpecFacts};
use crate::diag::{Diagnostic, Diagnostics};
use crate::escape;
use crate::ide::{Analysis, depends};
use crate::ispl;
use crate::language::Language;
use crate::limits::{Budget, Stop, within};
use crate::model::Model;
use crate::reading::{self, Content};
use crate::source::{SourceFile, Span};
use crate::syntax::Memory;
use lsp_types::{Position, TextDocumentContentChangeEvent, Uri};
use sha2::{Digest as _, Sha256};
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// A text that takes longer to read is given up.
pub const LONGEST_LOOK: Duration = Duration::from_secs(10);

/// The results of the front end for a text, by its language, which the text itself tells if it can.
pub enum Reading {
    /// Of a text in our language.
    Ours(Box<Analysis>),
    /// Of a file of MCMAS: its model, if it has no errors, and all findings, by place.
    Ispl(Option<Box<Model>>, Diagnostics),
    /// Of a system of clauses: all findings, by place.
    Clauses(Diagnostics),
}

/// An open text.
pub struct Document {
    /// The editor's name for it.
    pub uri: Uri,
    /// The editor's number of this version.
    pub version: i32,
    source: SourceFile,
    reading: OnceCell<Option<Reading>>,
    memory: RefCell<Memory>,
    system: OnceCell<Digest>,
    /// The findings of a closer look at this text.
    pub looked: Vec<Diagnostic>,
    /// The facts known of its specs.
    pub verdicts: HashMap<QuestionKey, SpecFacts>,
    /// The counterexample that is shown in this text.
    pub stepping: Option<Stepping>,
    /// The states that are shown, of this text.
    pub space: Option<StateSpace>,
    /// True if the editor has not heard yet what is wrong with the text.
    pub is_news: bool,
}

/// A counterexample that is shown.
#[derive(Clone, Debug)]
pub struct Stepping {
    /// The position in the run, from 0, the initial state.
    pub position: usize,
    /// The changed values of the step to there, and behind which byte to show them.
    pub changes: Vec<(u32, String)>,
}

impl Document {
    /// A text that was opened.
    pub fn new(uri: Uri, version: i32, text: String) -> Document {
        let source = SourceFile::new(name(&uri), text);
        Document {
            uri,
            version,
            source,
            reading: OnceCell::new(),
            memory: RefCell::default(),
            system: OnceCell::new(),
            looked: Vec::new(),
            verdicts: HashMap::new(),
            stepping: None,
            space: None,
            is_news: true,
        }
    }

    /// The text.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// Changes the text, piece by piece.
    pub fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let mut source = std::mem::replace(&mut self.source, SourceFile::new("", ""));
        for TextDocumentContentChangeEvent { range, text, .. } in changes {
            let new = match range {
                None => text,
                Some(range) => {
                    let place = span(&source, range).range();
                    let old = source.text();
                    [&old[..place.start], &text, &old[place.end..]].concat()
                }
            };
            source = SourceFile::new(source.name(), new);
        }
        self.source = source;
        self.version = version;
        (self.reading, self.system) = (OnceCell::new(), OnceCell::new());
        self.looked.clear();
        (self.stepping, self.space) = (None, None);
        self.is_news = true;
    }

    /// The results of the front end; nothing if that took too long.
    pub fn reading(&self) -> Option<&Reading> {
        let read = || match Language::of(Path::new(self.source.name()), self.source.text()) {
            Language::Rcp => {
                // A search that is given up loses it.
                let mut memory = self.memory.take();
                let analysis = Analysis::again(self.source.clone(), &mut memory);
                self.memory.replace(memory);
                Reading::Ours(Box::new(analysis))
            }
            language => {
                let (content, findings) = reading::read(&self.source, language);
                match language == Language::Ispl {
                    true => Reading::Ispl(content.and_then(Content::model).map(Box::new), findings),
                    false => Reading::Clauses(findings),
                }
            }
        };
        let within_limits = || within(Budget::new(Some(LONGEST_LOOK)), &Stop::new(), read).ok();
        self.reading.get_or_init(within_limits).as_ref()
    }

    /// The same of a text in our language; there is nothing of others.
    pub fn analysis(&self) -> Option<&Analysis> {
        match self.reading()? {
            Reading::Ours(analysis) => Some(analysis),
            Reading::Ispl(..) | Reading::Clauses(_) => None,
        }
    }

    /// The model, if the text has no errors.
    pub fn model(&self) -> Option<&Model> {
        match self.reading()? {
            Reading::Ours(analysis) => analysis.model.as_ref(),
            Reading::Ispl(model, _) => model.as_deref(),
            Reading::Clauses(_) => None,
        }
    }

    /// All findings, by place.
    pub fn findings(&self) -> impl Iterator<Item = &Diagnostic> {
        let findings = match self.reading() {
            Some(Reading::Ours(analysis)) => Some(&analysis.findings),
            Some(Reading::Ispl(_, findings) | Reading::Clauses(findings)) => Some(findings),
            None => None,
        };
        findings.into_iter().flat_map(Diagnostics::iter)
    }

    /// The number of specs, as far as they can be read.
    pub fn specs(&self) -> usize {
        match self.analysis() {
            Some(analysis) => analysis.parsed.model.specs.len(),
            None => self.model().map_or(0, |model| model.specs.len()),
        }
    }

    /// Where a spec stands.
    pub fn place_of_spec(&self, spec: usize) -> Option<Span> {
        match self.analysis() {
            Some(analysis) => analysis.parsed.model.specs.get(spec).map(|spec| spec.span),
            None => self.model()?.specs.get(spec).map(|spec| spec.span),
        }
    }

    /// The hash of what every verdict depends on.
    pub fn system(&self) -> Digest {
        let text = || match self.reading() {
            Some(Reading::Ours(analysis)) => depends::system(analysis),
            Some(Reading::Ispl(Some(model), _)) => ispl::system(&self.source, &model.specs),
            Some(Reading::Ispl(None, _) | Reading::Clauses(_)) | None => String::new(),
        };
        *self.system.get_or_init(|| Sha256::digest(text()).into())
    }

    /// The byte at a place.
    pub fn offset(&self, position: Position) -> u32 {
        offset(&self.source, position)
    }
}

/// The name of a text: the path of its file, if it has one.
fn name(uri: &Uri) -> String {
    path(uri).map_or_else(|| uri.as_str().to_owned(), |path| path.display().to_string())
}

/// The path of a file.
pub fn path(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().is_some_and(|scheme| scheme.as_str() == "file");
    is_file.then(|| PathBuf::from(uri.path().as_estr().decode().into_string_lossy().into_owned()))
}

/// The address of a file.
pub fn uri_of(path: &Path) -> Option<Uri> {
    Uri::from_str(&escape::uri(path.to_str()?)).ok()
}
