//! Formulas that users type, read by the front end of the project in the context of the model's file.

use super::command::{ABOUT_CONDITIONS, ABOUT_CONDITIONS_OF_ISPL};
use crate::diag::{Diagnostics, render};
use crate::ispl;
use crate::model::formula::StateLeaf;
use crate::model::written::Written;
use crate::model::{Constants, Expr, Formula, Model, elaborate};
use crate::source::{SourceFile, Span};
use crate::syntax::{self, Dialect};
use std::ops::Range;

/// Reads formulas over the names of one file.
#[derive(Clone, Debug)]
pub struct ConditionReader {
    /// The file, followed by the keyword of one more spec, or, in ISPL, by nothing.
    text: String,
    file: String,
    /// Nothing if the file is in ISPL.
    dialect: Option<Dialect>,
    /// The values of the constants of the model.
    constants: Constants,
    specs: usize,
}

/// The subject of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// A state, and at most the step to it.
    State,
    /// The step from a state.
    Step,
}

/// A formula without temporal operators.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) formula: Formula,
    pub(super) about: About,
    /// Warnings about it, shown at its place; usually none.
    pub(super) warnings: String,
}

impl ConditionReader {
    /// For the file of a model.
    pub fn new(source: &SourceFile, dialect: Dialect, model: &Model) -> ConditionReader {
        let file = source.name().to_owned();
        let constants = model.literals();
        let dialect = model.joint.is_none().then_some(dialect);
        let keyword = if dialect.is_some() { "SPEC " } else { "" };
        ConditionReader {
            text: format!("{}\n{keyword}", source.text()),
            file,
            dialect,
            constants,
            specs: model.specs.len(),
        }
    }

    pub(super) fn file(&self) -> &str {
        &self.file
    }

    pub(super) fn about_conditions(&self) -> &'static str {
        if self.dialect.is_some() { ABOUT_CONDITIONS } else { ABOUT_CONDITIONS_OF_ISPL }
    }

    /// The condition in a part of a line, or what is wrong with it, shown at its place.
    pub(super) fn condition(&self, model: &Model, line: &str, range: Range<usize>) -> Result<Condition, String> {
        let (formula, warnings) = self.formula(line, range)?;
        match about(model, &formula) {
            Some(about) => Ok(Condition { formula, about, warnings }),
            None => {
                Err("a condition is about one state or one step, so it has no temporal operators, and nothing about \
                a further step behind an observation\n"
                    .to_owned())
            }
        }
    }

    /// A Boolean expression over the state, if the text is one; quantifiers are written out.
    pub fn expression(&self, text: &str) -> Option<Expr<StateLeaf>> {
        self.formula(text, 0..text.len()).ok().and_then(|(formula, _)| formula.as_state_expr())
    }

    fn formula(&self, line: &str, range: Range<usize>) -> Result<(Formula, String), String> {
        let written = &line[range.clone()];
        let Some(dialect) = self.dialect else { return self.of_ispl(line, range) };
        // `<<O>>` alone means `<<O>> true`.
        let body = if written.ends_with(['>', ']']) { " true" } else { "" };
        let combined = SourceFile::new("command", format!("{}{written}{body}", self.text));
        let mut parsed = syntax::parse(&combined, Some(dialect));
        parsed.model.give(&self.constants).expect("the constants of the model are those of the file");
        // They are about runs.
        parsed.model.assumptions.clear();
        let (model, found) = elaborate(&parsed.model);
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(found);
        let shown = self.explain(&diagnostics, line, range);
        match model {
            Some(mut model) if !diagnostics.has_errors() && model.specs.len() == self.specs + 1 => {
                Ok((model.specs.swap_remove(self.specs).formula, shown))
            }
            _ if shown.is_empty() => Err("this is no single formula".to_owned()),
            _ => Err(shown),
        }
    }

    fn of_ispl(&self, line: &str, range: Range<usize>) -> Result<(Formula, String), String> {
        let combined = SourceFile::new("command", format!("{}{}", self.text, &line[range.clone()]));
        let (formula, found) = ispl::condition(&combined, self.text.len());
        let shown = self.explain(&found, line, range);
        formula.map(|formula| (formula, shown.clone())).ok_or(shown)
    }

    /// The findings about the condition, shown in the line that the user typed.
    fn explain(&self, diagnostics: &Diagnostics, line: &str, range: Range<usize>) -> String {
        let first = self.text.len();
        let moved = |span: Span| {
            let place = |at: u32| (at as usize - first + range.start).min(range.end);
            Span::new(place(span.start), place(span.end.max(span.start)))
        };
        let mut shown = Diagnostics::new();
        for diagnostic in diagnostics.iter().filter(|it| it.span.start as usize >= first) {
            let mut diagnostic = diagnostic.clone();
            diagnostic.span = moved(diagnostic.span);
            diagnostic.related.retain(|related| related.span.start as usize >= first);
            diagnostic.related.iter_mut().for_each(|related| related.span = moved(related.span));
            shown.push(diagnostic);
        }
        let mut out = Vec::new();
        let source = SourceFile::new("command", line);
        let look = render::Look { colour: true, width: None };
        render::render(&source, &shown, look, &mut out).expect("writing to memory works");
        String::from_utf8(out).expect("findings are text")
    }
}

/// The subject of the formula; nothing if it looks further than one step.
fn about(model: &Model, formula: &Formula) -> Option<About> {
    let parts = match formula.written() {
        Written::Atom(_) => return Some(About::State),
        Written::Label(instance, edge) => {
            return Some(if model.is_receive(instance, edge) { About::State } else { About::Step });
        }
        Written::Possible(_, body) | Written::Necessary(_, body) => {
            return (about(model, body)? == About::State).then_some(About::Step);
        }
        Written::Not(inner) => vec![inner],
        Written::And(list) | Written::Or(list) => list,
        Written::Implies(left, right) | Written::Iff(left, right) => vec![left, right],
        Written::Observed(_)
        | Written::Next(_)
        | Written::Finally(_)
        | Written::Globally(_)
        | Written::Until(..)
        | Written::WeakUntil(..)
        | Written::Release(..)
        | Written::Branching(_) => return None,
    };
    let parts = parts.into_iter().map(|part| about(model, part)).collect::<Option<Vec<_>>>()?;
    Some(if parts.contains(&About::Step) { About::Step } else { About::State })
}
