//! One part of a spec as a question about reachable states: the parts of a system that matter for it.

use crate::model::{Formula, Model, Spec};
use crate::product::target::{Reduction, Target};
use crate::simplify::simplify;
use crate::ts::history::base_system;
use crate::ts::ranking::Ranking;
use crate::ts::relevant::relevant;
use crate::ts::system::{EVENT, Event, System};
use crate::ts::term::{InputId, Leaf, Term, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The question if bad states of a system can be reached.
///
/// The system is that of the model with the obligations of the part's negation, as proofs are checked on it
/// ([`crate::product::target`]), simplified. Its terms are folded with the domains of the variables, which every
/// reachable state respects.
#[derive(Clone, Debug)]
pub struct PartQuestion {
    /// The part in terms of the model.
    pub formula: Formula,
    /// The system.
    pub relations: Relations,
    /// The meaning of the answer for the part.
    pub reduction: Reduction,
}

/// The questions for all parts of a spec; where rounds have to be counted, up to `counted`.
pub fn questions(model: &Model, spec: &Spec, counted: usize) -> Vec<PartQuestion> {
    let system = base_system(model);
    let part = |formula: Formula| {
        let Target { system, bad, reduction, .. } =
            Target::simplest(model, &system, &formula, counted, &Ranking::default());
        let mut system = without_dead_events(simplify(system).0);
        let bad = system.fold(bad);
        PartQuestion { formula, relations: Relations::new(system, bad), reduction }
    };
    spec.formula.conjuncts().into_iter().map(part).collect()
}

/// The initial states, the steps and the bad states of a system, over what decides them.
#[derive(Clone, Debug)]
pub struct Relations {
    /// The system.
    pub system: System,
    /// Over its states.
    pub bad: Term,
    /// The variables that matter: those that decide steps, initial states or bad states.
    pub variables: Vec<VarId>,
    /// The inputs that matter, the event first.
    pub inputs: Vec<InputId>,
    /// The conjuncts of the initial condition that matter.
    pub init: Vec<Term>,
}

impl Relations {
    /// Those of a system and its bad states.
    pub fn new(system: System, bad: Term) -> Relations {
        let (variables, init) = relevant(&system, [bad]);
        let mut relations = Relations { system, bad, variables, inputs: Vec::new(), init };
        relations.inputs = relations.read_inputs();
        relations
    }

    /// The event, and what else guards, constraints and relevant updates read.
    fn read_inputs(&self) -> Vec<InputId> {
        let (terms, mut seen, mut read) =
            (self.system.terms(), FxHashSet::default(), vec![false; self.system.inputs().len()]);
        read[EVENT.0 as usize] = true;
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
