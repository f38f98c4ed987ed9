//! Which corners a spec is about.

use crate::common::naive::Naive;
use crate::common::oracle::Oracle;
use rcheck_smt::model::branching::Operator;
use rcheck_smt::model::eval::{Choice, Semantics};
use rcheck_smt::model::{EdgeId, Formula, InstanceId, Spec};
use std::collections::BTreeSet;

/// The shapes of specs; labels in branching formulas first.
pub const SHAPES: [&str; 12] = [
    "send, get or supply label under A or E",
    "send, get or supply label in knowledge",
    "receive label under A or E",
    "receive label in knowledge",
    "branching formula in a branching formula",
    "label of a command that is never taken",
    "observation",
    "under an assumption",
    "under an assumption that no run satisfies",
    "family without members",
    "family with members",
    "no initial state",
];

/// Knows what a model has of them.
pub struct Shapes<'a> {
    semantics: &'a Semantics<'a>,
    oracle: &'a Oracle<'a>,
    /// Commands that some step takes.
    taken: BTreeSet<(InstanceId, EdgeId)>,
    of_model: Vec<&'static str>,
}

impl<'a> Shapes<'a> {
    /// Of all specs of a model, given its reachable states; `members` is the size of its family.
    pub fn new(semantics: &'a Semantics<'a>, oracle: &'a Oracle<'a>, members: Option<u32>) -> Shapes<'a> {
        let steps = oracle.states().flat_map(|state| semantics.steps(state));
        let taken = steps.flat_map(|step| commands(&step.choice)).collect();
        let family = members.map(|size| if size == 0 { "family without members" } else { "family with members" });
        let without_start = (oracle.states().next().is_none()).then_some("no initial state");
        Shapes { semantics, oracle, taken, of_model: family.into_iter().chain(without_start).collect() }
    }

    /// Those of a spec.
    pub fn of(&self, spec: &Spec) -> BTreeSet<&'static str> {
        let mut found: BTreeSet<&str> = self.of_model.iter().copied().collect();
        self.add(spec.claimed(), None, &mut found);
        if let Some(assumed) = spec.assumed() {
            found.insert("under an assumption");
            if Naive::new(self.semantics, self.oracle).is_true(&assumed.negated()).unwrap_or(false) {
                found.insert("under an assumption that no run satisfies");
            }
        }
        found
    }

    /// Those of a formula, which stands directly in a branching formula of this kind.
    fn add(&self, formula: &Formula, around: Option<&Operator>, found: &mut BTreeSet<&'static str>) {
        let mut inside = around;
        match formula {
            Formula::Label(instance, edge) => {
                let receives = self.semantics.model().is_receive(*instance, *edge);
                found.extend(around.map(|operator| label_in(receives, operator)));
                if !self.taken.contains(&(*instance, *edge)) {
                    found.insert("label of a command that is never taken");
                }
            }
            Formula::Branching(branching) => {
                found.extend(around.map(|_| "branching formula in a branching formula"));
                // Knowledge of a formula about runs is knowledge that all runs satisfy it.
                let is_of_knowledge =
                    branching.operator == Operator::All && matches!(around, Some(Operator::Known(..)));
                inside = if is_of_knowledge { around } else { Some(&branching.operator) };
            }
            Formula::Observed(_) => {
                found.insert("observation");
            }
            Formula::Atom(_)
            | Formula::Not(_)
            | Formula::And(_)
            | Formula::Or(_)
            | Formula::Iff(..)
            | Formula::Next(_)
            | Formula::Until(..) => {}
        }
        formula.for_each_child(&mut |child| self.add(child, inside, found));
    }
}

fn label_in(receives: bool, operator: &Operator) -> &'static str {
    let is_knowledge = match operator {
        Operator::All | Operator::Some => false,
        Operator::Known(..) | Operator::Strategy(..) => true,
    };
    match (receives, is_knowledge) {
        (false, false) => SHAPES[0],
        (false, true) => SHAPES[1],
        (true, false) => SHAPES[2],
        (true, true) => SHAPES[3],
    }
}

fn commands(choice: &Choice) -> Vec<(InstanceId, EdgeId)> {
    match choice {
        Choice::Send { sender, edge, receivers } => {
            [(*sender, *edge)].into_iter().chain(receivers.iter().copied()).collect()
        }
        Choice::GetSupply { getter, get, supplier, supply } => vec![(*getter, *get), (*supplier, *supply)],
        Choice::Joint(_) | Choice::Stutter => Vec::new(),
    }
}
