//! One part of a spec as a question about reachable states, as the engines that prove it see it.

use crate::model::{Formula, Model, Spec};
use crate::property::reduction::{Measure, Reduction, reachability};
use crate::property::{Property, base_system};
use crate::ts::relevant::relevant;
use crate::ts::simplify::simplify;
use crate::ts::system::{Domain, EVENT, Event, System};
use crate::ts::term::{InputId, Leaf, Sort, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether bad states of a system can be reached.
///
/// The system is the product of the model's system with the negation of the part, simplified. Its terms
/// are folded with the domains of the variables, which every reachable state respects.
#[derive(Clone, Debug)]
pub struct Question {
    /// The part in terms of the model.
    pub formula: Formula,
    /// The product.
    pub system: System,
    /// Over its states.
    pub bad: Term,
    /// What the answer means for the part.
    pub reduction: Reduction,
    /// The variables that matter: those that decide steps, initial states or bad states.
    pub variables: Vec<VarId>,
    /// The inputs that matter, the event first.
    pub inputs: Vec<InputId>,
    /// What of the initial condition matters, as conjuncts.
    pub init: Vec<Term>,
}

/// The questions for all parts of a spec; where acceptance has to be counted, up to `counted`.
pub fn questions(model: &Model, spec: &Spec, counted: usize) -> Vec<Question> {
    let mut system = base_system(model);
    let property = Property::new(model, &mut system, spec);
    let part = |part: &crate::property::Part| {
        let target = reachability(system.clone(), &property.ltl, part.negation, &Measure::counting(counted));
        let mut system = without_dead_events(simplify(target.system).0);
        let bad = system.fold(target.bad);
        Question::new(part.formula.clone(), system, bad, target.reduction)
    };
    property.parts.iter().map(part).collect()
}

impl Question {
    fn new(formula: Formula, system: System, bad: Term, reduction: Reduction) -> Question {
        let mut question =
            Question { formula, system, bad, reduction, variables: Vec::new(), inputs: Vec::new(), init: Vec::new() };
        (question.variables, question.init) = relevant(&question.system, [bad]);
        question.inputs = question.read_inputs();
        question
    }

    /// The event, and what else guards, constraints and relevant updates read.
    fn read_inputs(&self) -> Vec<InputId> {
        let (terms, mut seen, mut read) =
            (self.system.terms(), FxHashSet::default(), vec![false; self.system.inputs().len()]);
        read[0] = true;
        for term in self.step_terms() {
            terms.collect_leaves(term, &mut seen, &mut |leaf| {
                if let Leaf::Input(id) = leaf {
                    read[id.0 as usize] = true;
                }
            });
        }
        (0..read.len()).filter(|&index| read[index]).map(|index| InputId(index as u32)).collect()
    }

    /// All terms that say which steps exist and where they lead.
    pub fn step_terms(&self) -> Vec<Term> {
        let guards = self.system.events().iter().map(|event| event.guard);
        let cases = self.variables.iter().flat_map(|&id| self.system.update(id));
        guards
            .chain(self.system.constraints().iter().copied())
            .chain(cases.flat_map(|c| [c.condition, c.value]))
            .collect()
    }
}

/// The simplified system without the cases of events that cannot happen; the facts of its arena know of
/// them, so that terms which are added later lose them too.
pub fn without_dead_events(mut system: System) -> System {
    let alive = |(index, event): (usize, &Event)| (!system.terms().is_false(event.guard)).then_some(index as i64);
    let alive: Vec<i64> = system.events().iter().enumerate().filter_map(alive).collect();
    system.event_is(0);
    let mut parts = system.into_parts();
    parts.terms.restrict(Leaf::Input(EVENT), &alive);
    let (terms, mut memo) = (&mut parts.terms, FxHashMap::default());
    let mut fold = |terms: &mut Terms, term: Term| terms.substitute(term, &mut |_, _| None, &mut memo);
    for cases in &mut parts.updates {
        for case in cases.iter_mut() {
            case.condition = fold(terms, case.condition);
            case.value = fold(terms, case.value);
        }
        cases.retain(|case| !terms.is_false(case.condition));
    }
    for term in &mut parts.constraints {
        *term = fold(terms, *term);
    }
    System::new(parts)
}

/// The values of a variable of sort `Int` or `Enum`, where they are limited.
pub fn listed(system: &System, id: VarId) -> Option<&[i64]> {
    let variable = system.variable(id);
    match &variable.domain {
        Domain::Finite(values) if variable.sort != Sort::Bool => Some(values),
        _ => None,
    }
}
