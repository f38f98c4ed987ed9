//! Other runs, knowledge and strategies in formulas: `A(f)`, `E(f)`, `K(i, f)`, `GK(g, f)`, `DK(g, f)`, `GCK(g, f)` (`docs/knowledge.md`),
//! `can(g, f)` and `could(g, f)` (`docs/strategies.md`).

use super::formula::{Formulas, Least};
use super::names::Meaning;
use super::scopes::misplaced;
use crate::diag::{Code, Diagnostic};
use crate::model::branching::{Branching, Information, Knowledge, Operator};
use crate::model::{Formula, InstanceId};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOp, ExprKind};

/// The operator that a call of one of these words is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::model) enum BranchingWord {
    All,
    Some,
    Known(Knowledge),
    Strategy(Information),
}

impl BranchingWord {
    /// The word that is called so.
    pub(in crate::model) fn named(name: &str) -> Option<BranchingWord> {
        Some(match name {
            "A" => BranchingWord::All,
            "E" => BranchingWord::Some,
            "K" => BranchingWord::Known(Knowledge::Own),
            "GK" => BranchingWord::Known(Knowledge::Everybody),
            "DK" => BranchingWord::Known(Knowledge::Distributed),
            "GCK" => BranchingWord::Known(Knowledge::Common),
            "can" => BranchingWord::Strategy(Information::Own),
            "could" => BranchingWord::Strategy(Information::Full),
            _ => return None,
        })
    }

    fn form(self) -> &'static str {
        match self {
            BranchingWord::All => "write `A(f)`: f is true on all runs from here",
            BranchingWord::Some => "write `E(f)`: f is true on some run from here",
            BranchingWord::Known(Knowledge::Own) => "write `K(i, f)` for an instance or a quantified variable `i`",
            BranchingWord::Known(_) | BranchingWord::Strategy(_) => {
                "the first argument is a group: agent types as in `Client | Server`, `Agent` for all, or instances as in `{i, j}`"
            }
        }
    }
}

/// The report of such a word outside of formulas.
pub(super) fn not_in_values(name: &str, span: Span) -> Diagnostic {
    misplaced(format!("`{name}(..)` is about other runs, and stands in specs only"), span)
        .help("there, it stands outside of observations and of the arguments of guards")
}

/// The report of a group where none is asked for.
pub(super) fn group_alone(span: Span) -> Diagnostic {
    misplaced("a group of agents is no value", span).help(
        "groups stand in `can({i, j}, f)`, `could({i, j}, f)`, `GK({i, j}, f)`, `DK({i, j}, f)` and `GCK({i, j}, f)`",
    )
}

impl Formulas<'_, '_> {
    /// The word that a call is, unless a guard is called so.
    pub(super) fn word_of_branching(&self, callee: &ast::Ident) -> Option<BranchingWord> {
        let global = self.context.globals.get(&callee.name);
        let hidden = global.is_some_and(|symbol| matches!(symbol.meaning, Meaning::Guard(_)));
        BranchingWord::named(&callee.name).filter(|_| !hidden)
    }

    /// The formula that such a word makes of its arguments.
    #[inline(never)]
    pub(super) fn branching(
        &mut self,
        word: BranchingWord,
        callee: &ast::Ident,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Formula> {
        self.count(1)?;
        let (operator, body) = match (word, arguments) {
            (BranchingWord::All, [body]) => (Some(Operator::All), body),
            (BranchingWord::Some, [body]) => (Some(Operator::Some), body),
            (BranchingWord::Known(Knowledge::Own), [knower, body]) => {
                let knower = self.knower(knower);
                (knower.map(|knower| Operator::Known(Knowledge::Own, vec![knower])), body)
            }
            (BranchingWord::Known(knowledge), [group, body]) => {
                let members = self.group(group, word);
                (members.map(|members| Operator::Known(knowledge, members)), body)
            }
            (BranchingWord::Strategy(information), [group, body]) => {
                let members = self.group(group, word);
                (members.map(|members| Operator::Strategy(information, members)), body)
            }
            _ => {
                let wanted = match word {
                    BranchingWord::All | BranchingWord::Some => "one argument",
                    BranchingWord::Known(_) | BranchingWord::Strategy(_) => "two arguments",
                };
                let message = format!("`{}` takes {wanted}, not {}", callee.name, arguments.len());
                let diagnostic = Diagnostic::new(Code::TypeMismatch, span, message).label("not so many");
                self.context.report(diagnostic.help(word.form()));
                return None;
            }
        };
        // Both arguments are read, whatever is wrong with the other one.
        let body = self.formula(body);
        let (operator, body) = (operator?, body?);
        let is_known = matches!(operator, Operator::Known(..));
        let body = if is_known && !body.is_about_state() {
            Formula::Branching(Box::new(Branching { operator: Operator::All, body, among: None }))
        } else {
            body
        };
        Some(Formula::Branching(Box::new(Branching { operator, body, among: None })))
    }

    /// The instance or the quantified variable that an argument names.
    fn knower(&mut self, argument: &ast::Expr) -> Option<InstanceId> {
        let ExprKind::Name(name) = &argument.kind else {
            let diagnostic =
                Diagnostic::new(Code::WrongKindOfName, argument.span, "this is no agent, and knows nothing");
            let form = BranchingWord::Known(Knowledge::Own).form();
            self.context.report(diagnostic.label("expected an instance").help(form));
            return None;
        };
        let owner = ast::Ident { name: name.clone(), span: argument.span };
        self.scope.bindings.owner(self.context, &owner).map(|(instance, _)| instance)
    }

    /// The members of a group, each once, in the order of the system.
    fn group(&mut self, argument: &ast::Expr, word: BranchingWord) -> Option<Vec<InstanceId>> {
        let mut members = match &argument.kind {
            ExprKind::Group(names) if names.is_empty() && matches!(word, BranchingWord::Known(_)) => {
                let diagnostic =
                    Diagnostic::new(Code::WrongKindOfName, argument.span, "a group without agents knows nothing");
                self.context.report(diagnostic.label("expected agents").help(word.form()));
                return None;
            }
            ExprKind::Group(names) => {
                let named = names.iter().map(|name| self.scope.bindings.owner(self.context, name));
                named.map(|found| found.map(|(instance, _)| instance)).collect::<Option<Vec<_>>>()?
            }
            ExprKind::Error => return None,
            _ => {
                let mut domain = Vec::new();
                if !types_named(argument, &mut domain) {
                    let diagnostic =
                        Diagnostic::new(Code::WrongKindOfName, argument.span, "this is no group of agents");
                    let form = word.form();
                    self.context.report(diagnostic.label("expected agent types, or instances in braces").help(form));
                    return None;
                }
                if let [name] = &domain[..]
                    && (self.scope.bindings.get(&name.name).is_some() || self.is_instance(&name.name))
                {
                    let message = format!("`{}` is one agent, not a group", name.name);
                    let diagnostic = Diagnostic::new(Code::WrongKindOfName, name.span, message);
                    let help = format!("write `{{{}}}`, with the others that belong to it", name.name);
                    self.context.report(diagnostic.label("expected a group").help(help));
                    return None;
                }
                self.domain(&domain, Least::One)?
            }
        };
        members.sort_unstable();
        members.dedup();
        Some(members)
    }

    fn is_instance(&self, name: &str) -> bool {
        self.context.globals.get(name).is_some_and(|symbol| matches!(symbol.meaning, Meaning::Instance(_)))
    }
}

/// Collects the names of `T1 | T2`, if it is nothing else.
fn types_named(expr: &ast::Expr, names: &mut Vec<ast::Ident>) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => {
            names.push(ast::Ident { name: name.clone(), span: expr.span });
            true
        }
        ExprKind::Binary(BinaryOp::Or, left, right) => types_named(left, names) && types_named(right, names),
        _ => false,
    }
}
