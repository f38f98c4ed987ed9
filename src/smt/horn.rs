//! A system as constrained Horn clauses, and Spacer, Z3's solver for them.
//!
//! Komuravelli, Gurfinkel, Chaki, *SMT-based model checking for recursive programs* (CAV 2014). It is asked
//! what [`crate::ts::smtlib::horn`] writes for others, too. What it answers is a claim like any other.

use super::{Budget, Reason, ask};
use crate::ts::relations::{Relations, without_dead_events};
use crate::ts::smtlib::horn::Clauses;
use crate::ts::smtlib::read;
use crate::ts::system::System;
use crate::ts::term::{InputId, Leaf, Node, Sort, Term, Terms, VarId};
use std::time::{Duration, Instant};
use z3::ast::Bool;
use z3::{Fixedpoint, FuncDecl, Params, SatResult};

/// What Spacer says of bad states.
#[derive(Debug)]
pub enum Answer {
    /// Some can be reached.
    Reachable,
    /// None can, because these clauses are inductive; over the arena, which has grown.
    Unreachable(Terms, Vec<Term>),
    /// Nothing.
    Unknown(Reason),
}

/// Asks whether a state that satisfies `bad` can be reached; `known` are invariants. Needs a context.
pub fn spacer(system: &System, bad: Term, known: &[Term], budget: Budget) -> Answer {
    if budget.is_over() {
        return Answer::Unknown(Reason::Timeout);
    }
    let relations = Relations::new(without_dead_events(system.clone()), bad, known);
    let (state, failure) = (relation(&relations), FuncDecl::new("failure", &[], &z3::Sort::bool()));
    let Some(rules) = rules(&relations) else { return Answer::Unknown(Reason::Interrupted) };
    for attempt in 0.. {
        let (fixedpoint, begin) = (Fixedpoint::new(), Instant::now());
        let limit = FIRST_ATTEMPT * LONGER.pow(attempt);
        fixedpoint.set_params(&params(attempt, limit));
        fixedpoint.register_relation(&state);
        fixedpoint.register_relation(&failure);
        for rule in &rules {
            fixedpoint.add_rule(rule, None);
        }
        match ask(budget, || fixedpoint.query_relations(&[&failure])) {
            Err(interrupted) => return Answer::Unknown(interrupted),
            Ok(SatResult::Sat) => return Answer::Reachable,
            Ok(SatResult::Unsat) => {
                return match fixedpoint.get_cover_delta(-1, &state) {
                    Some(answer) => invariant(system, &relations.variables, &answer.to_string()),
                    None => Answer::Unknown(Reason::Solver("Spacer gives no invariant".to_owned())),
                };
            }
            Ok(SatResult::Unknown) if begin.elapsed() >= limit => {}
            Ok(SatResult::Unknown) => return Answer::Unknown(Reason::Solver(fixedpoint.get_reason_unknown())),
        }
    }
    unreachable!("some attempt ends")
}

/// Spacer is quick or lost, and which of them is a matter of luck: it begins anew soon, and then has longer.
const FIRST_ATTEMPT: Duration = Duration::from_millis(80);
const LONGER: u32 = 7;

fn params(attempt: u32, limit: Duration) -> Params {
    let mut params = Params::new();
    params.set_symbol("engine", "spacer");
    // The relation must survive preprocessing, with all arguments, so that its invariant is about our variables.
    for name in ["xform.slice", "xform.inline_linear", "xform.inline_eager"] {
        params.set_bool(name, false);
    }
    params.set_u32("spacer.random_seed", attempt);
    params.set_bool("spacer.eq_prop", attempt.is_multiple_of(2));
    params.set_u32("timeout", u32::try_from(limit.as_millis()).unwrap_or(u32::MAX));
    params
}

/// The relation of the reachable states.
fn relation(relations: &Relations) -> FuncDecl {
    let sort = |&id: &VarId| match relations.system.variable(id).sort {
        Sort::Bool => z3::Sort::bool(),
        Sort::Int | Sort::Enum(_) => z3::Sort::int(),
    };
    let sorts: Vec<z3::Sort> = relations.variables.iter().map(sort).collect();
    FuncDecl::new("state", &sorts.iter().collect::<Vec<_>>(), &z3::Sort::bool())
}

/// The clauses, as Z3 reads them; nothing if it was interrupted.
fn rules(relations: &Relations) -> Option<Vec<Bool>> {
    let names = |leaf: Leaf| match leaf {
        Leaf::Var(VarId(id)) => format!("v{id}"),
        Leaf::Input(InputId(id)) => format!("i{id}"),
    };
    let clauses = Clauses { relations, names: &names, relation: "state", failure: "failure" };
    let parts = [clauses.declaration(), clauses.fact(), clauses.step(), clauses.query()];
    let reader = z3::Solver::new();
    reader.from_string(format!("(declare-fun failure () Bool)\n{}", parts.concat()));
    let rules = reader.get_assertions();
    (rules.len() == parts.len() - 1).then_some(rules)
}

/// An answer over the arguments of the relation as clauses over the system's variables.
fn invariant(system: &System, arguments: &[VarId], answer: &str) -> Answer {
    let mut terms = system.terms().clone();
    let mut argument = |terms: &mut Terms, name: &str| {
        let index: usize = name.strip_prefix(ARGUMENT)?.parse().ok()?;
        let id = *arguments.get(index)?;
        Some(system.variable(id).term(terms, id))
    };
    match read::term(&mut terms, &with_named_arguments(answer), &mut argument) {
        Ok(term) => {
            let clauses = match terms.node(term) {
                Node::And(list) => list.to_vec(),
                _ => vec![term],
            };
            Answer::Unreachable(terms, clauses)
        }
        Err(problem) => Answer::Unknown(Reason::Solver(format!("Spacer's invariant cannot be read: {problem}"))),
    }
}

/// How arguments are called in what is read.
const ARGUMENT: &str = "argument";

/// Z3 writes argument number 3 as `(:var 3)`.
fn with_named_arguments(answer: &str) -> String {
    let mut parts = answer.split("(:var ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (index, rest) = part.split_once(')').unwrap_or((part, ""));
        text.push_str(&format!("{ARGUMENT}{index}{rest}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::of_text::model;
    use crate::property::reduction::{Measure, reachability};
    use crate::property::{Property, base_system};
    use crate::smt::{Stop, with_context};
    use crate::ts::simplify::simplify;
    use std::time::Duration;

    const BUFFER: &str = include_str!("../../specs/bounded_buffer.rcp");

    fn ask_about(name: &str) -> String {
        let model = model(BUFFER);
        let spec = model.specs.iter().position(|spec| spec.name.as_deref() == Some(name)).expect("a spec of that name");
        let mut system = base_system(&model);
        let property = Property::new(&model, &mut system, &model.specs[spec]);
        let question = reachability(system, &property.ltl, property.parts[0].negation, &Measure::default());
        let (mut system, _) = simplify(question.system);
        let bad = system.fold(question.bad);
        with_context(&Stop::new(), || match spacer(&system, bad, &[], Budget::new(Some(Duration::from_secs(60)))) {
            Answer::Reachable => "reachable".to_owned(),
            Answer::Unreachable(_, clauses) => format!("unreachable, {}", !clauses.is_empty()),
            Answer::Unknown(reason) => reason.to_string(),
        })
    }

    #[test]
    fn arguments_are_named() {
        assert_eq!(with_named_arguments("(<= (:var 0) (* 2 (:var 12)))"), "(<= argument0 (* 2 argument12))");
        assert_eq!(with_named_arguments("true"), "true");
    }

    #[test]
    fn sums_are_found() {
        assert_eq!(ask_about("items_add_up"), "unreachable, true");
        assert_eq!(ask_about("capacity_is_small"), "reachable");
    }
}
