//! New names for what is declared, everywhere at once.

use super::analysis::Analysis;
use super::index::{NameIndex, NameUse};
use crate::diag::{Edit, Fix, Severity};
use crate::model::Constants;
use crate::source::{SourceFile, Span};
use crate::syntax::lexer::lex;
use crate::syntax::token::{Token, is_keyword};

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
    let meant = |index: &NameIndex| index.uses.iter().map(|it: &NameUse| it.symbols.clone()).collect::<Vec<_>>();
    (meant(before.index()) != meant(after.index())).then(|| "another name would be meant somewhere".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = "guard below(limit : int) := load < limit;
guard between(load : int) := load > 1 & below(load);
guard idle() := load = 0;
guard never() := other > 0;
agent A
    local: load : int
    init: load = 0
    receive-guard: chan = *
    repeat: a: {below(3)} *! (true)()[load := load + 1]
agent B
    local: load : int, rest : int
    init: load = 0 & rest = 0
    receive-guard: chan = *
    repeat: b: {between(rest) & load < 3} *? [load := rest]
agent C
    local: load : int, other : int
    init: load = 0 & other = 0
    receive-guard: chan = *
    repeat: c: {idle()} *? [load := 1, other := 2]
system = A(one, true) || B(two, true) || C(three, true)
SPEC G (one-load < 9 & two-load < 9 & three-load < 9);
";

    /// The text with another name for what stands first behind some text.
    fn renamed(behind: &str, old: &str, name: &str) -> Result<String, String> {
        let analysis = Analysis::new(SourceFile::new("m.rcp", MODEL), None, &Constants::new());
        let start = MODEL.find(behind).expect("it is there");
        let offset = start + MODEL[start..].find(old).expect("it follows");
        let edits = rename(&analysis, offset as u32, name)?;
        Ok(Fix { title: String::new(), edits }.apply(MODEL))
    }

    #[test]
    fn a_local_is_renamed_in_the_guards_that_read_it_and_in_all_agents_that_call_them() {
        let expected = MODEL
            .replace(":= load < limit", ":= work < limit")
            .replace("local: load : int\n", "local: work : int\n")
            .replace("local: load : int, rest", "local: work : int, rest")
            .replace(
                "init: load = 0\n    receive-guard: chan = *\n    repeat: a",
                "init: work = 0\n    receive-guard: chan = *\n    repeat: a",
            )
            .replace("load = 0 & rest", "work = 0 & rest")
            .replace("[load := load + 1]", "[work := work + 1]")
            .replace("load < 3} *? [load := rest]", "work < 3} *? [work := rest]")
            .replace("one-load", "one-work")
            .replace("two-load", "two-work");
        for (behind, old) in
            [("agent A", "load"), ("agent B", "load"), ("one-load", "load"), (":= load < limit", "load")]
        {
            assert_eq!(renamed(behind, old, "work").as_deref(), Ok(expected.as_str()), "{behind}");
        }
    }

    #[test]
    fn what_other_agents_and_parameters_are_called_stays() {
        let of_third = renamed("agent C", "load", "work").unwrap();
        assert!(
            of_third.contains("idle() := work = 0") && of_third.contains("three-work") && of_third.contains("one-load")
        );
        let parameter = renamed("between(load", "load", "most").unwrap();
        assert!(parameter.contains("between(most : int) := most > 1 & below(most)") && parameter.contains("two-load"));
        // No agent calls this guard.
        let uncalled = renamed("agent C", "other", "spare").unwrap();
        assert!(uncalled.contains("never() := spare > 0") && uncalled.contains("spare := 2"));
    }

    #[test]
    fn a_name_that_a_parameter_of_the_guard_hides_is_refused() {
        let why = renamed("agent A", "load", "limit").unwrap_err();
        assert!(why.contains("`limit` would change what the file says"), "{why}");
    }
}
