//! Texts: what is read, what is refused and in which words, and what formatting keeps.

#[path = "../common/mod.rs"]
mod common;

mod families;
mod fixes;
mod integers;
mod ispl;
mod newcomer;
mod papers;
mod point_to_point;
mod semantics;
mod syntax;
mod syntax_precedence;
mod syntax_robust;

use rcheck_smt::diag::{Code, Diagnostic, Severity};
use rcheck_smt::model::{Constants, Model, elaborate};
use rcheck_smt::source::SourceFile;
use rcheck_smt::syntax::parse;

/// All findings: their codes, the text that they point at, and all that they say.
fn findings(text: &str, constants: &Constants) -> Vec<(Code, String, String)> {
    let source = SourceFile::new("m.rcp", text);
    let mut parsed = parse(&source, None);
    parsed.model.give(constants).expect("the constants are declared");
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(elaborate(&parsed.model).1);
    let diagnostics = diagnostics.sorted();
    let finding = |finding: &Diagnostic| {
        let help = finding.help.as_deref().unwrap_or_default();
        let said = format!("{}; {}; {help}", finding.message, finding.label);
        (finding.code, source.slice(finding.span).to_owned(), said)
    };
    diagnostics.iter().map(finding).collect()
}

/// The model, or the errors: the text that they point at, and all that they say.
fn read(text: &str, constants: &Constants) -> Result<Model, Vec<(String, String)>> {
    let source = SourceFile::new("m.rcp", text);
    let mut parsed = parse(&source, None);
    parsed.model.give(constants).expect("the constants are declared");
    let (model, found) = elaborate(&parsed.model);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(found);
    let diagnostics = diagnostics.sorted();
    let errors = diagnostics.iter().filter(|finding| finding.severity() == Severity::Error);
    let errors: Vec<(String, String)> = errors
        .map(|error| {
            let help = error.help.as_deref().unwrap_or_default();
            (source.slice(error.span).to_owned(), format!("{}; {}; {help}", error.message, error.label))
        })
        .collect();
    if errors.is_empty() { Ok(model.expect("there are no errors")) } else { Err(errors) }
}
