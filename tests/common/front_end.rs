//! Properties of the front end that hold on any text; for the fuzz target and the seeded tests.

use rcheck_smt::diag::render::{Look, render};
use rcheck_smt::diag::{Code, Diagnostics};
use rcheck_smt::escape::acts;
use rcheck_smt::ispl;
use rcheck_smt::model::{self, Model};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::ast::Global;
use rcheck_smt::syntax::lexer;
use rcheck_smt::syntax::token::Token;
use rcheck_smt::syntax::{self, Dialect, Parsed, pretty};
use std::collections::HashSet;

/// Reads a text in each dialect: nothing panics, the findings are inside of the text and can be shown,
/// there is a model unless there are errors, and a text without syntax errors survives formatting.
pub fn check(text: &str) {
    for dialect in [None, Some(Dialect::Modern), Some(Dialect::Classic)] {
        let source = SourceFile::new("m", text);
        let parsed = syntax::parse(&source, dialect);
        let (model, found) = model::elaborate(&parsed.model);
        let mut diagnostics = parsed.diagnostics.clone();
        diagnostics.extend(found);
        check_findings(&source, &diagnostics);
        assert!(model.is_some() || diagnostics.has_errors(), "no model and no error: {text:?}");
        if !parsed.diagnostics.has_errors() {
            check_format(&source, &parsed, model.filter(|_| !diagnostics.has_errors()).as_ref());
        }
    }
}

/// The same for a text in ISPL, which is not formatted.
pub fn check_ispl(text: &str) {
    let source = SourceFile::new("m.ispl", text);
    let (model, diagnostics) = ispl::read(&source);
    check_findings(&source, &diagnostics);
    assert!(model.is_some() != diagnostics.has_errors(), "a model iff there are no errors: {text:?}");
    // The end of the text as a condition on the states of what stands before it.
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let (_, diagnostics) = ispl::condition(&source, middle);
    check_findings(&source, &diagnostics);
}

/// Findings are inside of the text, and can be shown.
fn check_findings(source: &SourceFile, diagnostics: &Diagnostics) {
    let text = source.text();
    for diagnostic in diagnostics.iter() {
        let related = diagnostic.related.iter().map(|label| label.span);
        for span in related.chain([diagnostic.span]) {
            assert!(text.get(span.range()).is_some(), "{span:?} is no place in {text:?}");
        }
    }
    let mut shown = Vec::new();
    render(source, diagnostics, Look::default(), &mut shown).expect("writing to memory");
    let shown = String::from_utf8(shown).expect("it is text");
    assert!(shown.chars().all(|c| c == '\n' || !acts(c)), "{shown:?} of {text:?}");
}

/// True if `ch` or `k-name` may stand for `chan` or `k-myself`, which formatting writes out.
fn has_classic_names(source: &SourceFile, parsed: &Parsed) -> bool {
    let tokens = lexer::lex(source).tokens;
    let is_name = |token: Token| matches!(token, Token::Ident("ch" | "name"));
    parsed.model.dialect == Dialect::Classic && tokens.iter().any(|(token, _)| is_name(*token))
}

/// True if the parameter of a guard hides a constant: formatting gives it another name.
fn hides_constants(parsed: &Parsed) -> bool {
    let constants = parsed.model.globals.iter().filter_map(|global| match global {
        Global::Enum { constants, .. } => Some(constants.iter().map(|constant| constant.name.as_str())),
        _ => None,
    });
    let constants: HashSet<&str> = constants.flatten().collect();
    let hides = |global: &Global| match global {
        Global::Guard(guard) => guard.parameters.iter().any(|it| constants.contains(it.name.name.as_str())),
        _ => false,
    };
    parsed.model.dialect == Dialect::Classic && parsed.model.globals.iter().any(hides)
}

/// Formatting keeps the tree, and formats its own result to itself; what is formatted means the same.
fn check_format(source: &SourceFile, parsed: &Parsed, model: Option<&Model>) {
    let formatted = SourceFile::new("m", pretty::format(source, parsed));
    let again = syntax::parse(&formatted, None);
    let shown = || format!("{}\n{}\n{:?}", source.text(), formatted.text(), again.diagnostics);
    assert!(!again.diagnostics.iter().any(|d| d.code != Code::StrayDirective), "{}", shown());
    let mut expected = parsed.model.clone();
    expected.dialect = Dialect::Modern;
    // A directive behind something else, of which the reader was warned, may come to stand at a spec.
    let is_stray = parsed.diagnostics.iter().any(|finding| finding.code == Code::StrayDirective);
    let is_respelt = has_classic_names(source, parsed) || hides_constants(parsed) || is_stray;
    assert!(is_respelt || again.model == expected, "{}", shown());
    assert_eq!(pretty::format(&formatted, &again), formatted.text(), "{}", source.text());
    if let Some(model) = model {
        let (again, found) = model::elaborate(&again.model);
        assert!(!found.has_errors(), "{found:?}\n{}", shown());
        assert!(is_stray || again.as_ref().map(meaning) == Some(meaning(model)), "{}", shown());
    }
}

/// All that a model holds, but for places in its file, and parentheses.
fn meaning(model: &Model) -> String {
    let text = format!("{model:?}").replace("parenthesised: true", "parenthesised: false");
    let mut pieces = text.split("Span { start: ");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| text + piece.split_once('}').map_or(piece, |(_, rest)| rest))
}
