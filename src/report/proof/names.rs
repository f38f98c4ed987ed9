//! What the variables of a proof are called: those of the model as in formulas, those that a reduction adds after
//! what they stand for.

use crate::certificate_file::Target;
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Formula, Model, Spec, Type, Value};
use crate::property::ltl::{LtlId, Passed};
use crate::property::reduction::Reduction;
use crate::property::{base_system, meanings};
use crate::ts::system::Origin;
use rustc_hash::FxHashMap;

/// Longer formulas stand in the legend only.
const SHORT: usize = 32;

/// The names for one conjunct of a spec.
pub(super) struct Names<'a> {
    model: &'a Model,
    /// What each obligation of the tableau says, in their order, and whether it has to come true some day.
    obligations: Vec<(String, bool)>,
    /// How many counters only remember which of several conditions were seen.
    memories: usize,
    /// The counter that says that a step did not respect the ranking, if there is one.
    broken: Option<usize>,
}

/// What the formulas of a spec's properties say.
pub(super) type Meanings = FxHashMap<LtlId, Formula>;

/// Those of a spec.
pub(super) fn meanings_of(model: &Model, spec: &Spec) -> Meanings {
    meanings(model, &mut base_system(model), spec)
}

impl<'a> Names<'a> {
    pub(super) fn new(model: &'a Model, target: &Target, meanings: &Meanings) -> Names<'a> {
        let is_obligation = |origin: &Origin| matches!(origin, Origin::Obligation(_));
        let variables = target.reached.system.variables();
        let count = variables.iter().filter(|variable| is_obligation(&variable.origin)).count();
        let show = |passed: Passed| {
            let formula = meanings.get(&passed.formula).map(|formula| model.show_formula(&pushed_in(formula.clone())));
            (formula.unwrap_or_else(|| "?".to_owned()), passed.put_off)
        };
        let passed_on = target.ltl.obligations(target.negation);
        let obligations: Vec<(String, bool)> = passed_on.into_iter().take(count).map(show).collect();
        let awaited = obligations.iter().filter(|(_, awaited)| *awaited).count();
        let counters = variables.iter().filter(|variable| matches!(variable.origin, Origin::Counter(_))).count();
        let ranked = matches!(target.reached.reduction, Reduction::Ranking(_));
        let broken = if ranked { counters.checked_sub(1) } else { None };
        Names { model, obligations, memories: if awaited == 1 { 0 } else { awaited }, broken }
    }

    /// Whether a tableau watches the runs.
    pub(super) fn watches(&self) -> bool {
        !self.obligations.is_empty()
    }

    /// Whether there is nothing to prove: a violation would need what is false.
    pub(super) fn needs_nothing(&self) -> bool {
        matches!(self.obligations.as_slice(), [(formula, _)] if formula == "false")
    }

    /// What a violation has to bring about, as a list.
    pub(super) fn awaited(&self) -> String {
        let awaited = self.obligations.iter().filter(|(_, awaited)| *awaited);
        awaited.map(|(formula, _)| format!("`{formula}`")).collect::<Vec<_>>().join(", ")
    }

    /// The name of a variable, and its type.
    pub(super) fn of(&self, origin: Origin) -> (String, Type) {
        match origin {
            Origin::Automaton(instance) => self.model.state_leaf(StateLeaf::Automaton(instance)),
            Origin::Local(instance, local) => self.model.state_leaf(StateLeaf::Local(instance, local)),
            Origin::Received(instance, edge) => (self.model.show_command_name(instance, edge), Type::Bool),
            Origin::Obligation(number) => (self.obligation(number as usize), Type::Bool),
            Origin::Counter(number) => (self.counter(number as usize), Type::Bool),
        }
    }

    fn obligation(&self, number: usize) -> String {
        match &self.obligations[number].0 {
            formula if formula.chars().count() <= SHORT => format!("pending({formula})"),
            _ => format!("pending#{}", number + 1),
        }
    }

    fn counter(&self, number: usize) -> String {
        match number.checked_sub(self.memories) {
            Some(_) if self.broken == Some(number) => "broken".to_owned(),
            Some(position) => format!("seen#{}", position + 1),
            None => format!("met#{}", number + 1),
        }
    }

    /// What the name of a variable means that a reduction adds.
    pub(super) fn meaning(&self, origin: Origin) -> Option<String> {
        match origin {
            Origin::Automaton(_) | Origin::Local(..) | Origin::Received(..) => None,
            Origin::Obligation(number) => {
                let (formula, _) = &self.obligations[number as usize];
                Some(format!("{}: a violation still needs `{formula}` from here on", self.of(origin).0))
            }
            Origin::Counter(number) => {
                let number = number as usize;
                let since = if self.broken.is_some() { "since the ranking changed last" } else { "before" };
                let text = match number.checked_sub(self.memories) {
                    Some(_) if self.broken == Some(number) => "the ranking grew, or changed below zero".to_owned(),
                    Some(0) => format!("nothing of that was pending at some moment {since}"),
                    Some(earlier) => format!("nothing of that was pending at {} moments {since}", earlier + 1),
                    None => "this one was not pending at some moment since all were met".to_owned(),
                };
                Some(format!("{}: {text}", self.counter(number)))
            }
        }
    }
}

/// The formula with negations moved inside, as far as they meet an operator that has a familiar dual.
fn pushed_in(formula: Formula) -> Formula {
    match formula {
        Formula::Not(inner) => negated(*inner),
        other => other,
    }
}

fn negated(formula: Formula) -> Formula {
    let inside = |inner: Box<Formula>| Box::new(negated(*inner));
    match formula {
        Formula::Atom(Expr::Const(Value::Bool(value))) => Formula::Atom(Expr::Const(Value::Bool(!value))),
        Formula::Not(inner) => *inner,
        Formula::And(list) => Formula::Or(list.into_iter().map(negated).collect()),
        Formula::Or(list) => Formula::And(list.into_iter().map(negated).collect()),
        Formula::Implies(left, right) => Formula::And(vec![*left, negated(*right)]),
        Formula::Next(inner) => Formula::Next(inside(inner)),
        Formula::Finally(inner) => Formula::Globally(inside(inner)),
        Formula::Globally(inner) => Formula::Finally(inside(inner)),
        Formula::Possible(observation, inner) => Formula::Necessary(observation, inside(inner)),
        Formula::Necessary(observation, inner) => Formula::Possible(observation, inside(inner)),
        other => Formula::Not(Box::new(other)),
    }
}
