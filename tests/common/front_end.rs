//! What must hold of the front end on any text; for the fuzz target and the seeded tests.

use rcheck_smt::diag::render::{Look, render};
use rcheck_smt::diag::Code;
use rcheck_smt::escape::acts;
use rcheck_smt::model;
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::token::{self, Token};
use rcheck_smt::syntax::{self, Dialect, Parsed, pretty};

/// Reads a text in each dialect: nothing panics, the findings are inside of the text and can be shown,
/// there is a model unless there are errors, and a text without syntax errors survives formatting.
pub fn check(text: &str) {
    for dialect in [None, Some(Dialect::Modern), Some(Dialect::Classic)] {
        let source = SourceFile::new("m", text);
        let parsed = syntax::parse(&source, dialect);
        let (model, found) = model::elaborate(&parsed.model);
        let mut diagnostics = parsed.diagnostics.clone();
        diagnostics.extend(found);
        for diagnostic in diagnostics.iter() {
            let related = diagnostic.related.iter().map(|label| label.span);
            for span in related.chain([diagnostic.span]) {
                assert!(text.get(span.range()).is_some(), "{span:?} is no place in {text:?}");
            }
        }
        let mut shown = Vec::new();
        render(&source, &diagnostics, Look::default(), &mut shown).expect("writing to memory");
        let shown = String::from_utf8(shown).expect("it is text");
        assert!(shown.chars().all(|c| c == '\n' || !acts(c)), "{shown:?} of {text:?}");
        assert!(model.is_some() || diagnostics.has_errors(), "no model and no error: {text:?}");
        if !parsed.diagnostics.has_errors() {
            check_format(&source, &parsed);
        }
    }
}

/// Whether `ch` or `k-name` may stand for `chan` or `k-myself`, which formatting writes out.
fn has_classic_names(source: &SourceFile, parsed: &Parsed) -> bool {
    let tokens = token::lex(source).tokens;
    let is_name = |token: Token| matches!(token, Token::Ident("ch" | "name"));
    parsed.model.dialect == Dialect::Classic && tokens.iter().any(|(token, _)| is_name(*token))
}

/// Formatting keeps the model, and formats its own result to itself.
fn check_format(source: &SourceFile, parsed: &Parsed) {
    let formatted = SourceFile::new("m", pretty::format(source, parsed));
    let again = syntax::parse(&formatted, None);
    let shown = || format!("{}\n{}\n{:?}", source.text(), formatted.text(), again.diagnostics);
    assert!(!again.diagnostics.iter().any(|d| d.code != Code::StrayDirective), "{}", shown());
    let mut expected = parsed.model.clone();
    expected.dialect = Dialect::Modern;
    assert!(has_classic_names(source, parsed) || again.model == expected, "{}", shown());
    assert_eq!(pretty::format(&formatted, &again), formatted.text(), "{}", source.text());
}
