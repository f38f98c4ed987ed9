//! ISPL, the language of MCMAS: from its text to a [`Model`] whose agents act all at once.
//!
//! [`token`] (logos), [`parser`] (by recursive descent: each section ends where its `end` stands, so that one mistake hides no
//! other), [`ast`], [`elaborate`]. Everything that is wrong is reported, in every section; the model is missing iff there are
//! errors. `docs/ispl.md` says what of the language is read, and what differs from MCMAS.

mod ast;
mod elaborate;
mod parser;
mod token;

use crate::diag::{Code, Diagnostic, Diagnostics, Severity};
use crate::limits::{join, spawn};
use crate::model::{self, Constants, Formula, Model};
use crate::source::{SourceFile, Span};
use crate::syntax::ast::Spec;
use crate::syntax::token::one_line;
use crate::syntax::{Comment, directive};
use ast::File;
use std::thread;

/// How many errors one file gets, and how many findings beside them; a file that has more is not a model.
const MAX_FINDINGS: usize = 100;

/// Reads a file. The model is missing iff there are errors.
pub fn read(source: &SourceFile) -> (Option<Model>, Diagnostics) {
    read_with(source, &Constants::new())
}

/// The same with a choice: [`crate::model::ConstantName::Uniform`] alone.
pub fn read_with(source: &SourceFile, chosen: &Constants) -> (Option<Model>, Diagnostics) {
    with_room(|| file(source, chosen))
}

/// Does something on a stack of its own: texts may be nested deeply, and what reads them recurses.
fn with_room<R: Send>(read: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| join(spawn(scope, read)))
}

fn file(source: &SourceFile, chosen: &Constants) -> (Option<Model>, Diagnostics) {
    let mut found = Diagnostics::new();
    let (tokens, comments) = token::lex(source, &mut found);
    let file = parser::parse(source, &tokens, &mut found);
    let specs = named(source, &file, &comments, &mut found);
    let mut model = elaborate::elaborate(&file, &specs, chosen, &mut found);
    for spec in model.iter_mut().flat_map(|model| &mut model.specs) {
        spec.text = Some(one_line(source, spec.span));
    }
    if model.is_none() && !found.has_errors() {
        // No command goes on in silence, and none says that all is well.
        let message = "this file cannot be read, and the reason was not recorded";
        let finding = Diagnostic::new(Code::UnexpectedToken, Span::new(0, 0), message);
        found.push(finding.help("please report it: this is a fault of the tool"));
    }
    let found = found.sorted();
    (model.filter(|_| !found.has_errors()), found)
}

/// Reads a condition that stands in a text behind a file without errors: like one of `Evaluation`, and over the propositions
/// that are declared there. It is missing iff there are errors.
pub fn condition(source: &SourceFile, from: usize) -> (Option<Formula>, Diagnostics) {
    with_room(|| condition_behind(source, from))
}

fn condition_behind(source: &SourceFile, from: usize) -> (Option<Formula>, Diagnostics) {
    let mut found = Diagnostics::new();
    let (tokens, _) = token::lex(source, &mut found);
    let end = tokens.partition_point(|(_, span)| (span.start as usize) < from);
    let mut before = tokens[..end].to_vec();
    before.push((token::Token::End, Span::new(from, from)));
    let file = parser::parse(source, &before, &mut found);
    let read = parser::condition(source, &tokens[end..], &mut found);
    let formula = read.and_then(|condition| elaborate::condition(&file, condition, &mut found));
    (formula.filter(|_| !found.has_errors()), found)
}

/// The part of a file that every verdict depends on, as a text: all but comments, white space, and the section with these specs
/// of it.
pub fn system(source: &SourceFile, specs: &[model::Spec]) -> String {
    let (tokens, _) = token::lex(source, &mut Diagnostics::new());
    let ends = specs.first().zip(specs.last()).map(|(first, last)| (first.span.start, last.span.end));
    let is_kept = |span: &Span| ends.is_none_or(|(start, end)| span.end <= start || end <= span.start);
    let kept: Vec<&str> =
        tokens.iter().filter(|(_, span)| is_kept(span)).map(|(_, span)| source.slice(*span)).collect();
    kept.join(" ")
}

/// The formulas with the names and expectations that comments give them.
fn named(source: &SourceFile, file: &File, comments: &[Comment], found: &mut Diagnostics) -> Vec<Spec> {
    let places: Vec<_> = file.formulae.iter().map(|item| item.span).collect();
    let mut tree = directive::unnamed(&places);
    let mut wrong = Diagnostics::new();
    directive::attach(source, comments, &mut tree, &mut wrong);
    directive::repeated_names(&tree.specs).into_iter().for_each(|finding| wrong.push(finding));
    for finding in wrong.iter() {
        // Comments begin in another way here.
        let help = finding.help.as_ref().map(|help| help.replace("`//", "`--"));
        add(found, Diagnostic { help, ..finding.clone() });
    }
    tree.specs
}

/// Adds a finding, unless there are [`MAX_FINDINGS`] of its kind already: warnings hide no error.
fn add(diagnostics: &mut Diagnostics, diagnostic: Diagnostic) {
    let is_error = |finding: &Diagnostic| finding.severity() == Severity::Error;
    let alike = |finding: &&Diagnostic| is_error(finding) == is_error(&diagnostic);
    if diagnostics.iter().filter(alike).nth(MAX_FINDINGS - 1).is_none() {
        diagnostics.push(diagnostic);
    }
}
