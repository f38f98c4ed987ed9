//! The name of the variables of a proof: those of the model as in formulas, those that a reduction adds after
//! what they stand for.

use crate::model::formula::StateLeaf;
use crate::model::{Model, Type};
use crate::product::negation::Passed;
use crate::product::rounds::Auxiliary;
use crate::product::target::Target;
use crate::ts::system::Origin;

/// Longer formulas stand in the legend only.
const SHORT: usize = 32;

/// The names for one conjunct of a spec.
pub(super) struct Names<'a> {
    model: &'a Model,
    /// The formula of each obligation, in their order, and true if it is a pending eventuality.
    obligations: Vec<(String, bool)>,
    /// The meaning of each counter; in the order of their variables.
    counters: Vec<Auxiliary>,
}

impl<'a> Names<'a> {
    pub(super) fn new(model: &'a Model, target: &Target) -> Names<'a> {
        let show = |passed: Passed| (model.show_formula(&target.says(passed.obligation)), passed.is_eventuality);
        let (mut obligations, mut counters) = (Vec::new(), Vec::new());
        for &stands_for in &target.added {
            match stands_for {
                Auxiliary::Pending(passed) => obligations.push(show(passed)),
                counter => counters.push(counter),
            }
        }
        Names { model, obligations, counters }
    }

    /// True if a tableau watches the runs.
    pub(super) fn watches(&self) -> bool {
        !self.obligations.is_empty()
    }

    /// The formulas that a violation has to bring about, as a list.
    pub(super) fn awaited(&self) -> String {
        let awaited = self.obligations.iter().filter(|(_, is_eventuality)| *is_eventuality);
        awaited.map(|(formula, _)| format!("`{formula}`")).collect::<Vec<_>>().join(", ")
    }

    /// The name of a variable, and its type.
    pub(super) fn of(&self, origin: Origin) -> (String, Type) {
        match origin {
            Origin::Automaton(instance) => self.model.state_leaf(StateLeaf::Automaton(instance)),
            Origin::Local(instance, local) => self.model.state_leaf(StateLeaf::Local(instance, local)),
            Origin::Total(id) => self.model.state_leaf(StateLeaf::Total(id)),
            Origin::Received(instance, edge) => (self.model.show_command_name(instance, edge), Type::Bool),
            Origin::Obligation(number) => (self.obligation(number as usize), Type::Bool),
            Origin::Counter(number) => (self.counter(number as usize), Type::Bool),
            Origin::Number => ("number".to_owned(), Type::Int),
            Origin::Argument(_) | Origin::Free(_) => unreachable!("no model has them"),
        }
    }

    fn obligation(&self, number: usize) -> String {
        let (formula, is_eventuality) = &self.obligations[number];
        let how = if *is_eventuality { "waiting" } else { "pending" };
        if formula.chars().count() <= SHORT { format!("{how}({formula})") } else { format!("{how}#{}", number + 1) }
    }

    fn counter(&self, number: usize) -> String {
        match &self.counters[number] {
            Auxiliary::Broken => "broken".to_owned(),
            Auxiliary::Seen(position) => format!("seen#{}", position + 1),
            Auxiliary::Met(_) | Auxiliary::Pending(_) => format!("met#{}", number + 1),
        }
    }

    /// The meaning of a variable that a reduction adds.
    pub(super) fn meaning(&self, origin: Origin) -> Option<String> {
        match origin {
            Origin::Automaton(_)
            | Origin::Local(..)
            | Origin::Total(_)
            | Origin::Received(..)
            | Origin::Number
            | Origin::Argument(_)
            | Origin::Free(_) => None,
            Origin::Obligation(number) => {
                let (formula, is_eventuality) = &self.obligations[number as usize];
                let still = if *is_eventuality { "waits for" } else { "needs" };
                Some(format!("{}: a violation still {still} `{formula}` from here on", self.of(origin).0))
            }
            Origin::Counter(number) => {
                let ranked = self.counters.contains(&Auxiliary::Broken);
                let since = if ranked { "since the ranking changed last" } else { "before" };
                let text = match &self.counters[number as usize] {
                    Auxiliary::Broken => "the ranking grew, or changed below zero".to_owned(),
                    Auxiliary::Seen(0) => format!("nothing of that was waited for at some moment {since}"),
                    Auxiliary::Seen(earlier) => {
                        format!("nothing of that was waited for at {} moments {since}", earlier + 1)
                    }
                    Auxiliary::Met(_) | Auxiliary::Pending(_) => {
                        "this one was not waited for at some moment since all were met".to_owned()
                    }
                };
                Some(format!("{}: {text}", self.counter(number as usize)))
            }
        }
    }
}
