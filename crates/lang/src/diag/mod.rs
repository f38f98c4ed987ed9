//! Diagnostics as data: what is wrong, where, and what to do about it.
//!
//! Passes push [`Diagnostic`]s into [`Diagnostics`] and go on; none is printed here. [`render`] is the
//! only module that knows how they look on a terminal.

mod fix;
pub mod json;
pub mod nearest;
pub mod render;
mod shown;

use crate::source::Span;
pub use fix::{Edit, Fix};
use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file may well mean what it says, or it may be unintended.
    Note,
    /// The file means something, but perhaps not what its author thinks.
    Warning,
    /// The file has no meaning; no verdict is given for it.
    Error,
}

/// A place with a remark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The message for it.
    pub message: String,
}

/// One finding about a source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Stable identifier of the kind of finding.
    pub code: Code,
    /// The headline: one sentence without a full stop.
    pub message: String,
    /// The main place.
    pub span: Span,
    /// The remark at the main place (may be empty).
    pub label: String,
    /// Further places that explain the finding.
    pub related: Vec<Label>,
    /// The advice on it.
    pub help: Option<String>,
    /// Changes of the text that do so, where it is plain how.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A finding with its headline and main place.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        let (message, label) = (message.into(), String::new());
        Diagnostic { code, message, span, label, related: Vec::new(), help: None, fixes: Vec::new() }
    }

    /// Adds the remark at the main place.
    pub fn label(mut self, message: impl Into<String>) -> Diagnostic {
        self.label = message.into();
        self
    }

    /// Adds a further place.
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.related.push(Label { span, message: message.into() });
        self
    }

    /// Adds what to do.
    pub fn help(mut self, message: impl Into<String>) -> Diagnostic {
        self.help = Some(message.into());
        self
    }

    /// Adds a fix.
    pub fn fix(mut self, title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Diagnostic {
        self.fixes.push(Fix { title: title.into(), edits: edits.into_iter().collect() });
        self
    }

    /// How bad it is: decided by the code.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// The findings about one file, in the order of discovery until [`Diagnostics::sorted`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(list: I) -> Diagnostics {
        Diagnostics { list: list.into_iter().collect() }
    }
}

impl Diagnostics {
    /// None yet.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// The one at a place in the order of discovery.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut Diagnostic> {
        self.list.get_mut(index)
    }

    /// Adds all of another list.
    pub fn extend(&mut self, other: Diagnostics) {
        self.list.extend(other.list);
    }

    /// Drops notes: those that only say what may be unintended.
    pub fn drop_notes(&mut self) {
        self.list.retain(|finding| finding.severity() != Severity::Note);
    }

    /// True if any is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity() == Severity::Error)
    }

    /// True if there are none at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All, in the order of discovery.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// All, by place; several at one place stay in the order of discovery, repetitions are dropped.
    pub fn sorted(mut self) -> Diagnostics {
        self.list.sort_by_key(|d| (d.span.start, d.span.end));
        self.list.dedup();
        self
    }
}

/// The beginning of a text, for messages that quote it: at most so many characters, with dots if it goes on.
pub fn excerpt(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)*) => {
        /// The kinds of findings. `E....` are errors, `W....` warnings, `N....` notes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Code {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Code {
            /// All codes, in the order of their numbers.
            pub const ALL: &[Code] = &[$(Code::$name),*];

            /// The stable text of the code, as in `E0201`.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)*
                }
            }

            /// The general meaning of the code.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Code::$name => concat!($($doc),+).trim_ascii(),)*
                }
            }

            /// Its page of the book, in Markdown: what is wrong, a model with it, and the same model corrected.
            pub fn page(self) -> &'static str {
                match self {
                    $(Code::$name => include_str!(concat!("../../../../docs/diagnostics/", $text, ".md")),)*
                }
            }
        }
    };
}

codes! {
    /// A character that starts no token.
    UnknownCharacter = "E0101",
    /// A number that is too large for its place.
    NumberTooLarge = "E0102",
    /// A comment that is never closed.
    UnclosedComment = "E0103",
    /// Something else was expected here.
    UnexpectedToken = "E0104",
    /// An opening bracket without its closing one, or the reverse.
    UnbalancedBracket = "E0105",
    /// Nesting beyond what the tool reads.
    NestingTooDeep = "E0106",
    /// A construct of the other dialect.
    WrongDialect = "E0107",
    /// Comparisons do not chain.
    ChainedComparison = "E0108",
    /// A comment at a spec that begins like a name or an expectation, but is none.
    MalformedDirective = "E0109",

    /// A name that is declared twice in one scope.
    DuplicateName = "E0201",
    /// A name that nothing declares.
    UnknownName = "E0202",
    /// A name of the wrong kind, as in a variable where an agent is needed.
    WrongKindOfName = "E0203",
    /// A name that cannot be used in this place.
    NotAllowedHere = "E0204",
    /// An agent without a relabelling for a property variable that it may be asked for.
    MissingRelabelling = "E0205",
    /// A guard called with another number of arguments.
    WrongNumberOfArguments = "E0206",
    /// A guard that is defined by itself.
    RecursiveGuard = "E0207",
    /// An expansion (guards, quantifiers, property variables) beyond what the tool handles.
    ExpansionTooLarge = "E0208",

    /// An expression of another type than its place needs.
    TypeMismatch = "E0301",
    /// A constant outside of the range that it is assigned to.
    OutOfRange = "E0302",
    /// A division by something else than a non-zero constant.
    InvalidDivisor = "E0303",
    /// A range without any value.
    EmptyRange = "E0304",

    /// Initial conditions that no state satisfies.
    NoInitialState = "E0501",

    /// Operators that are usually grouped otherwise.
    AmbiguousGrouping = "W0101",
    /// A `rep` followed by `;` or `+` without parentheses.
    AmbiguousRep = "W0102",
    /// A command that can never run.
    UnreachableCommand = "W0201",
    /// A declaration that nothing uses.
    Unused = "W0202",
    /// A message variable that is read, but that no possible partner assigns.
    NeverAssigned = "W0203",
    /// An agent without a receive guard listens to every channel.
    OmittedReceiveGuard = "W0204",
    /// A name that hides another one.
    HiddenName = "W0205",
    /// In the condition of a family, an `index` that is not the number of the member.
    HiddenIndex = "W0206",
    /// A guard that is called like a word of specs.
    HiddenWord = "W0207",
    /// A supply that meets other gets in the paper's reading.
    OtherReading = "W0208",
    /// A comparison that can never hold, or always does.
    ConstantComparison = "W0301",
    /// A product of two non-constants, for which engines may answer unknown.
    NonlinearProduct = "W0302",
    /// A property variable that is compared by `!=` outside of `exists(..)` and `forall(..)`.
    UnquantifiedInequality = "W0303",
    /// A comment that reads like a directive for a spec, but belongs to none.
    StrayDirective = "W0401",
    /// An assumption without a spec below it.
    IdleAssumption = "W0402",
    /// An initial state from which no step is possible.
    StuckAtOnce = "W0501",
    /// Assumptions that no run satisfies.
    Contradiction = "W0505",
    /// Clauses that ask nothing: none says which states are bad.
    NothingAsked = "W0506",
    /// Clauses without an initial state.
    NothingReachable = "W0507",
    /// A state without a successor in ISPL, on which verdicts depend that can differ from those of MCMAS.
    NoSuccessor = "W0508",
    /// Values from the command line for which no state is initial.
    NoInitialStateForValues = "W0509",
    /// A line of an evolution in ISPL that can leave the domain of its variable, and is not taken then.
    LineLeavesDomain = "W0510",
    /// Sizes of a family from which on no state is initial.
    NoInitialStateOfLarger = "W0511",
    /// A reachable state from which no step is possible.
    GetsStuck = "N0502",
    /// A local that no initial condition mentions.
    FreeLocal = "N0503",
    /// A command that no run takes.
    CommandNeverTaken = "N0504",
}

impl Code {
    /// How bad it is: as the letter says.
    pub fn severity(self) -> Severity {
        match self.as_str().as_bytes()[0] {
            b'E' => Severity::Error,
            b'W' => Severity::Warning,
            _ => Severity::Note,
        }
    }
}
