//! Initial states and steps as decision diagrams.

use super::compile::Compiler;
use super::package::{Levels, Set, and, and_exists, down, exists, not, or, up};
use super::space::Space;
use crate::limits::Reason;
use crate::ts::system::{System, in_event};
use crate::ts::term::{InputId, Leaf, Term, Terms, VarId};
use dashu_int::IBig;
use rustc_hash::FxHashMap;

/// An event as a relation.
#[derive(Clone)]
pub struct Step {
    /// The number of the event.
    pub event: usize,
    /// The variables that it may change.
    pub changed: Vec<VarId>,
    /// The levels of these variables, and of their next values.
    levels: [Levels; 2],
    /// The states where it is possible, with the next values of these variables and the choices of the step.
    choices: Set,
    /// The same for some choice.
    relation: Set,
}

/// Initial states and steps.
pub struct Steps {
    /// The initial states.
    pub initial: Set,
    /// The steps that are possible in some state.
    pub list: Vec<Step>,
}

impl Steps {
    /// Of a system. Gives up where a term has too many values.
    pub fn new(system: &System, space: &Space) -> Result<Steps, Reason> {
        let mut compiler = Compiler::new(space);
        let mut initial = space.constant(true);
        for id in system.var_ids() {
            initial = and(&initial, &space.is_valid(Leaf::Var(id)));
        }
        for &term in system.init() {
            initial = and(&initial, &compiler.truth(system.terms(), term)?);
        }
        let mut terms = system.terms().clone();
        let mut list = Vec::new();
        for event in 0..system.events().len() {
            let step = Step::new(system, &mut terms, space, &mut compiler, event)?;
            if !step.relation.is_false() {
                list.push(step);
            }
        }
        Ok(Steps { initial, list })
    }
}

impl Step {
    fn new(
        system: &System,
        terms: &mut Terms,
        space: &Space,
        compiler: &mut Compiler,
        event: usize,
    ) -> Result<Step, Reason> {
        let mut memo = FxHashMap::default();
        let mut fix = |terms: &mut Terms, term: Term| in_event(system, terms, term, event, &mut memo);
        // Nothing is chosen by bits that are no number of an option.
        let inputs = (0..system.inputs().len() as u32).map(|id| space.is_valid(Leaf::Input(InputId(id))));
        let mut possible = inputs.fold(space.constant(true), |all, valid| and(&all, &valid));
        for &condition in system.constraints().iter().chain([&system.events()[event].guard]) {
            let condition = fix(terms, condition);
            possible = and(&possible, &compiler.truth(terms, condition)?);
        }
        let mut choices = possible.clone();
        let mut changed = Vec::new();
        for id in system.var_ids().take_while(|_| !possible.is_false()) {
            let mut cases = Vec::new();
            for case in system.update(id) {
                let condition = fix(terms, case.condition);
                if !terms.is_false(condition) {
                    cases.push((condition, fix(terms, case.value)));
                }
            }
            if !cases.is_empty() {
                choices = and(&choices, &next(space, compiler, terms, id, &cases)?);
                changed.push(id);
            }
        }
        let relation = exists(&choices, space.input_levels());
        let levels = [space.levels(&changed), space.next_levels(&changed)];
        Ok(Step { event, changed, levels, choices, relation })
    }

    /// The states after it.
    pub fn image(&self, set: &Set) -> Set {
        let [now, _] = self.levels;
        up(&and_exists(set, &self.relation, now), now)
    }

    /// The states before it.
    pub fn preimage(&self, set: &Set) -> Set {
        let [now, next] = self.levels;
        and_exists(&down(set, now), &self.relation, next)
    }

    /// True if it is possible nowhere.
    pub fn is_impossible(&self) -> bool {
        self.relation.is_false()
    }

    /// It, where a condition on states and next values of what it changes holds.
    pub fn only(&self, condition: &Set) -> Step {
        Step { relation: and(&self.relation, condition), ..self.clone() }
    }

    /// It, where it leads from a set of states into the same set.
    pub fn inside(&self, set: &Set) -> Step {
        let [now, _] = self.levels;
        self.only(set).only(&down(set, now))
    }

    /// Its states and next values, of which one sees these levels.
    pub fn seen(&self, space: &Space, levels: &[usize]) -> Set {
        exists(&self.relation, space.other_levels(levels))
    }

    /// The states where it is possible, with next values and choices, among these states and next values.
    pub fn choices(&self, from_and_to: &Set) -> Set {
        and(&self.choices, from_and_to)
    }
}

/// How the next value of a variable follows from state and choices; it is one of its values.
fn next(
    space: &Space,
    compiler: &mut Compiler,
    terms: &Terms,
    id: VarId,
    cases: &[(Term, Term)],
) -> Result<Set, Reason> {
    let leaf = Leaf::Var(id);
    let values: Vec<IBig> = space.bits(leaf).values.iter().map(|&value| IBig::from(value)).collect();
    let mut relation = space.constant(false);
    let mut otherwise = space.constant(true);
    for &(condition, value) in cases {
        let condition = compiler.truth(terms, condition)?;
        for (value, place) in compiler.cases(terms, value)? {
            if let Ok(number) = values.binary_search(&value) {
                let there = and(&condition, &place);
                relation = or(&relation, &and(&there, &space.has_value(leaf, number, true)));
            }
        }
        otherwise = and(&otherwise, &not(&condition));
    }
    for number in 0..values.len() {
        let stays = and(&space.has_value(leaf, number, false), &space.has_value(leaf, number, true));
        relation = or(&relation, &and(&otherwise, &stays));
    }
    Ok(relation)
}
