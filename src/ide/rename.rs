//! New names for what is declared, everywhere at once.

use super::Analysis;
use super::index::{Index, Use};
use crate::diag::{Edit, Fix, Severity};
use crate::model::Constants;
use crate::source::{SourceFile, Span};
use crate::syntax::token::{Token, is_keyword, lex};

/// The place of the name at a place, if it can be renamed.
///
/// # Errors
/// The reason why it cannot.
pub fn prepare(analysis: &Analysis, offset: u32) -> Result<Span, String> {
    if !analysis.is_whole() {
        return Err("the file has syntax errors, so that not all uses of the name are known".to_owned());
    }
    match analysis.index().at(offset) {
        Some(it) => Ok(it.span),
        None => Err("no name that the file declares stands here".to_owned()),
    }
}

/// The changes that give a name another one, which must not clash with others.
///
/// # Errors
/// Why that is not possible.
pub fn rename(analysis: &Analysis, offset: u32, name: &str) -> Result<Vec<Edit>, String> {
    prepare(analysis, offset)?;
    let index = analysis.index();
    let at = index.at(offset).ok_or("no name that the file declares stands here")?;
    let probe = SourceFile::new("", name);
    let is_name = matches!(lex(&probe).tokens[..], [(Token::Ident(text), _)] if text == name);
    if !is_name || is_keyword(name) {
        return Err(format!("`{name}` cannot be a name: names are letters, digits and `_`, and no keywords"));
    }
    let edits: Vec<Edit> = index.together(at).iter().map(|it| Edit::replace(it.span, name)).collect();
    let fix = Fix { title: String::new(), edits };
    let text = fix.apply(analysis.source.text());
    let dialect = Some(analysis.parsed.model.dialect);
    let after = Analysis::new(SourceFile::new(analysis.source.name(), text), dialect, &Constants::new());
    if let Some(why) = difference(analysis, &after) {
        return Err(format!("`{name}` would change what the file says: {why}"));
    }
    Ok(fix.edits)
}

/// An error or another meaning that a change of names brings about, if any.
fn difference(before: &Analysis, after: &Analysis) -> Option<String> {
    let errors = |analysis: &Analysis| {
        let errors = analysis.findings.iter().filter(|finding| finding.severity() == Severity::Error);
        errors.map(|finding| finding.message.clone()).collect::<Vec<_>>()
    };
    let (old, new) = (errors(before), errors(after));
    if new.len() > old.len() {
        return new.into_iter().find(|message| !old.contains(message)).or_else(|| Some("it clashes".to_owned()));
    }
    let meant = |index: &Index| index.uses.iter().map(|it: &Use| it.symbols.clone()).collect::<Vec<_>>();
    (meant(before.index()) != meant(after.index())).then(|| "another name would be meant somewhere".to_owned())
}
