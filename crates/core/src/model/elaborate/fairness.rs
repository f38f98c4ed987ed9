//! Abilities and deeds of agents in formulas: `enabled(x)`, `acts(x)`, `weak(x)` and `strong(x)` (`docs/fairness.md`).

use super::context::Context;
use super::expression::hidden_member;
use super::formula::Formulas;
use super::names::{Meaning, Member};
use super::scopes::misplaced;
use crate::diag::{Code, Diagnostic};
use crate::model::fairness::{Actor, Fairness};
use crate::model::{Expr, Formula};
use crate::source::Span;
use crate::syntax::ast::{self, ExprKind, Part};

/// The word by which a formula speaks of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Enabled,
    Acts,
    Treated(Fairness),
}

impl Word {
    /// The word that is called so.
    pub(super) fn named(name: &str) -> Option<Word> {
        Some(match name {
            "enabled" => Word::Enabled,
            "acts" => Word::Acts,
            "weak" => Word::Treated(Fairness::Weak),
            "strong" => Word::Treated(Fairness::Strong),
            _ => return None,
        })
    }
}

/// The report of such a word outside of formulas.
pub(super) fn not_here(name: &str, span: Span) -> Diagnostic {
    misplaced(format!("`{name}(..)` is about steps, and stands in specs and assumptions only"), span)
        .help("there, it stands outside of observations and of the arguments of guards")
}

impl Formulas<'_, '_> {
    /// The word that a call is. A guard that is called so hides it; who seems to mean the word is told that.
    pub(super) fn word_of_fairness(&mut self, callee: &ast::Ident, arguments: &[ast::Expr]) -> Option<Word> {
        let word = Word::named(&callee.name)?;
        let symbol = self.context.globals.get(&callee.name);
        let Some(symbol) = symbol.filter(|symbol| matches!(symbol.meaning, Meaning::Guard(_))) else {
            return Some(word);
        };
        let is_actor = match arguments {
            [argument] => match (&argument.kind, self.command_named(argument)) {
                (_, Some((owner, member))) => self.scope.bindings.label(self.context, &owner, &member).is_some(),
                (ExprKind::Name(name), None) => {
                    let global = self.context.globals.get(name).map(|symbol| symbol.meaning);
                    self.scope.bindings.get(name).is_some() || matches!(global, Some(Meaning::Instance(_)))
                }
                _ => false,
            },
            _ => false,
        };
        if is_actor {
            let message =
                format!("`{}` is the guard of the file here, and says nothing of what an agent can do", callee.name);
            let hint = Diagnostic::new(Code::HiddenWord, callee.span, message).label("hides the word of specs");
            self.context
                .report(hint.related(symbol.span, "declared here").help("rename the guard if the word is meant"));
        }
        None
    }

    /// The formula that such a word makes of its argument.
    #[inline(never)]
    pub(super) fn fairness(
        &mut self,
        word: Word,
        callee: &ast::Ident,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Formula> {
        let [argument] = arguments else {
            let message = format!("`{}` takes one argument, not {}", callee.name, arguments.len());
            let diagnostic = Diagnostic::new(Code::TypeMismatch, span, message).label("whom is it about?");
            self.context.report(diagnostic.help(form(&callee.name)));
            return None;
        };
        let actor = self.actor(callee, argument)?;
        self.count(2 * actor.commands(self.model).len())?;
        Some(match word {
            Word::Enabled => Formula::Atom(Expr::Leaf(actor.enabled())),
            Word::Acts => actor.acts(self.model),
            Word::Treated(fairness) => actor.is_treated(fairness, self.model),
        })
    }

    /// The instance, the quantified variable or the command that an argument names.
    fn actor(&mut self, callee: &ast::Ident, argument: &ast::Expr) -> Option<Actor> {
        if let Some((owner, member)) = self.command_named(argument) {
            return self.command(callee, (&owner, &member), argument.span);
        }
        let ExprKind::Name(name) = &argument.kind else {
            let diagnostic =
                Diagnostic::new(Code::WrongKindOfName, argument.span, "this is no agent, and does not act");
            self.context
                .report(diagnostic.label("expected an instance or one of its commands").help(form(&callee.name)));
            return None;
        };
        let owner = ast::Ident { name: name.clone(), span: argument.span };
        let (instance, _) = self.scope.bindings.owner(self.context, &owner)?;
        Some(Actor::Instance(instance))
    }

    /// The parts of `i-l`.
    fn command_named(&self, argument: &ast::Expr) -> Option<(ast::Ident, ast::Ident)> {
        match &argument.kind {
            ExprKind::Member { owner, member } => Some((owner.clone(), member.clone())),
            _ => hidden_member(self.context, &self.scope, argument),
        }
    }

    fn command(
        &mut self,
        callee: &ast::Ident,
        (owner, member): (&ast::Ident, &ast::Ident),
        span: Span,
    ) -> Option<Actor> {
        let (instance, _) = self.scope.bindings.owner(self.context, owner)?;
        let names = self.context.names_of(instance)?;
        match names.members.get(&member.name).map(|symbol| (symbol.meaning, symbol.span)) {
            Some((Member::Label(edge), declaration)) if self.model.is_receive(instance, edge) => {
                let message = format!("`{}` is a receive, which needs a sender", member.name);
                let diagnostic =
                    Diagnostic::new(Code::WrongKindOfName, span, message).label("expected another command");
                let help = "what is enabled and acts are sends, gets and supplies";
                self.context.report(diagnostic.related(declaration, "the receive").help(help));
                None
            }
            Some((Member::Label(edge), declaration)) => {
                self.context.mark_used(declaration);
                Some(Actor::Command(instance, edge))
            }
            Some((Member::Local(_), declaration)) => {
                let message = format!("`{}` is a local, not the label of a command", member.name);
                let diagnostic = Diagnostic::new(Code::WrongKindOfName, span, message).label("expected a command");
                self.context.report(diagnostic.related(declaration, "declared here").help(form(&callee.name)));
                None
            }
            None if self.context.is_unread(&member.name) => None,
            None => {
                let agent = self.context.instances[instance.index()]?;
                let what = format!("command of `{}`", self.context.tree.agents[agent.index()].name.name);
                let candidates = names.members.names(|member| matches!(member, Member::Label(_)));
                let unknown = Context::unknown(&member.name, member.span, &what, candidates);
                self.context.report_unknown(&member.name, &[Part::Members(agent.index())], unknown);
                None
            }
        }
    }
}

/// How such a word is written.
fn form(word: &str) -> String {
    format!(
        "write `{word}(i)` for an instance or a quantified variable `i`, or `{word}(i-l)` for its command labelled `l`"
    )
}
