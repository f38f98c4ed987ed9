//! What the variables mean that a proof adds to those of the model.

use super::target::Target;
use crate::property::ltl::{LtlId, Node};
use crate::property::reduction::Reduction;
use crate::property::tableau::{Acceptance, product};
use crate::ts::smtlib::write::{Vocabulary, closed};
use crate::ts::system::Origin;
use crate::ts::term::Leaf;

/// Name and meaning of each variable for an obligation or a counter, in their order.
pub fn legend(target: &Target) -> Vec<(String, String)> {
    let mut meanings = obligations(target);
    meanings.extend(counters(target));
    let system = &target.reached.system;
    let added =
        system.var_ids().filter(|&id| matches!(system.variable(id).origin, Origin::Obligation(_) | Origin::Counter(_)));
    let names = added.map(|id| target.symbols.leaf(Leaf::Var(id)));
    names.zip(meanings).collect()
}

/// One for each formula that the tableau passes on, if there is a tableau.
fn obligations(target: &Target) -> Vec<String> {
    let is_obligation = |&origin: &Origin| matches!(origin, Origin::Obligation(_));
    let variables = target.reached.system.variables().iter().map(|variable| variable.origin);
    let count = variables.filter(is_obligation).count();
    let formulas = target.ltl.obligations(target.negation).into_iter().take(count);
    formulas.map(|passed| format!("pending: {}", show(target, passed.formula))).collect()
}

/// Memories, where several conditions are seen in turn, then the positions of the counter.
fn counters(target: &Target) -> Vec<String> {
    let product = product(target.system.clone(), &target.ltl, target.negation);
    let Acceptance::Infinitely(conditions) = product.acceptance else { return Vec::new() };
    let terms = product.system.terms();
    let mut meanings = Vec::new();
    if conditions.len() != 1 {
        let memory =
            |&condition| format!("seen since all of its kind were: {}", closed(terms, &target.symbols, condition));
        meanings.extend(conditions.iter().map(memory));
    }
    let variables = target.reached.system.variables().iter();
    let counters = variables.filter(|variable| matches!(variable.origin, Origin::Counter(_))).count();
    let ranked = matches!(target.reached.reduction, Reduction::Ranking(_));
    let since = if ranked { "since the ranking changed last" } else { "before" };
    let seen = |times: usize| match times {
        1 => format!("the acceptance of the negation was seen {since}"),
        _ => format!("the acceptance of the negation was seen {times} times {since}"),
    };
    meanings.extend((1..=counters - meanings.len() - usize::from(ranked)).map(seen));
    if ranked {
        meanings.push("the ranking grew, or changed below zero".to_owned());
    }
    meanings
}

/// A formula in prefix form, with terms as they are written elsewhere.
fn show(target: &Target, formula: LtlId) -> String {
    let terms = target.reached.system.terms();
    let go = |x: &LtlId| show(target, *x);
    let is = |x: &LtlId, value: bool| match target.ltl.node(*x) {
        Node::Atom(term) => {
            if value {
                terms.is_true(*term)
            } else {
                terms.is_false(*term)
            }
        }
        _ => false,
    };
    let list =
        |operator: &str, list: &[LtlId]| format!("({operator} {})", list.iter().map(go).collect::<Vec<_>>().join(" "));
    match target.ltl.node(formula) {
        Node::Atom(term) | Node::StepAtom(term) => closed(terms, &target.symbols, *term),
        Node::And(members) => list("and", members),
        Node::Or(members) => list("or", members),
        Node::Next(a) => list("X", &[*a]),
        Node::Until(a, b) if is(a, true) => list("F", &[*b]),
        Node::Until(a, b) => list("U", &[*a, *b]),
        Node::Release(a, b) if is(a, false) => list("G", &[*b]),
        Node::Release(a, b) => list("R", &[*a, *b]),
    }
}
