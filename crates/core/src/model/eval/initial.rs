//! Initial states (`docs/semantics.md#states`): whether a state is one, and all of them where they are
//! finitely many and can be found.
//!
//! Initial conditions speak about one instance each, so instances are solved one by one: what the
//! conjuncts of the conditions determine is filled in (`x = 3`, `b`, `!b`, `x = y + 1` once `y` is
//! known), then the first open variable of finite type is tried with each of its values, and so on.
//! An open `int` that nothing determines is split on the alternatives of a disjunction, if there is
//! one, and given up otherwise.

use super::Semantics;
use super::candidates::{Intervals, candidates};
use super::scope::own;
use super::state::State;
use super::value::{belongs, evaluate};
use crate::limits::tick;
use crate::model::formula::StateLeaf;
use crate::model::{Agent, BinaryOp, CommandLeaf, Expr, Formula, InstanceId, LocalId, Model, Value};
use std::collections::BTreeSet;
use std::fmt;

/// The most states, and the most partial assignments of one instance, that are enumerated.
const LIMIT: usize = 1_000_000;

/// The most partial combinations of initial values of instances that are looked at.
const MOST_VISITED: usize = 2 * LIMIT;

/// Why the initial states cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnumerationError {
    /// An integer, as in `client1-count`, has no bounds.
    Unbounded {
        /// The variable.
        variable: String,
    },
    /// The values of this variable, times those before it, are too many.
    TooMany {
        /// The variable.
        variable: String,
    },
    /// Each instance has few enough initial states, but all of them together have too many.
    TooManyStates,
}

impl fmt::Display for EnumerationError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EnumerationError::Unbounded { variable } => {
                write!(
                    out,
                    "`{variable}` is an unbounded integer, and no bounds for it were found in the initial condition"
                )
            }
            EnumerationError::TooMany { variable } => write!(out, "`{variable}` has too many initial values"),
            EnumerationError::TooManyStates => write!(out, "there are more than {LIMIT} initial states"),
        }
    }
}

impl std::error::Error for EnumerationError {}

impl Semantics<'_> {
    /// True if a state is initial: automaton states 0, every value in its type, and both initial
    /// conditions of every instance true.
    pub fn is_initial(&self, state: &State) -> bool {
        self.model.instance_ids().all(|instance| {
            let agent = self.model.agent_of(instance);
            let scope = own(self.model, state, instance);
            let typed = agent
                .locals
                .iter()
                .enumerate()
                .all(|(index, local)| belongs(self.model, state.local(instance, LocalId(index as u32)), local.ty));
            let extra = &self.model.instances[instance.index()].init;
            state.automaton(instance) == 0 && typed && scope.holds(&agent.init) && scope.holds(extra)
        }) && self.is_unrestricted(state)
    }

    /// True if what is said of all instances together is true.
    fn is_unrestricted(&self, state: &State) -> bool {
        self.model.restriction.as_ref().is_none_or(|restriction| self.holds_of_locals(&restriction.formula, state))
    }

    fn holds_of_locals(&self, formula: &Formula, state: &State) -> bool {
        self.holds_in(state, formula).expect("it is about locals")
    }

    /// The truth of a combination of conditions on a state; nothing if it is about anything else.
    pub fn holds_in(&self, state: &State, formula: &Formula) -> Option<bool> {
        formula.combined(&mut |part| {
            let Formula::Atom(expr) = part else { return None };
            Some(super::value::holds(expr, &|leaf| Some(self.value(state, leaf))))
        })
    }

    /// The initial values of the locals of an instance, ascending. As its conditions speak about one instance each, the
    /// initial states are all combinations of these that what is said of all instances together admits.
    pub fn initial_locals(&self, instance: InstanceId) -> Result<Vec<Vec<Value>>, EnumerationError> {
        solutions(self.model, instance, LIMIT)
    }

    /// The same, if they are found within so many partial assignments.
    pub fn initial_locals_within(
        &self,
        instance: InstanceId,
        limit: usize,
    ) -> Result<Vec<Vec<Value>>, EnumerationError> {
        solutions(self.model, instance, limit)
    }

    /// All initial states, ascending.
    pub fn initial_states(&self) -> Result<Vec<State>, EnumerationError> {
        if self.model.joint.is_some() {
            return self.joint_initial_states(LIMIT);
        }
        let per_instance =
            self.model.instance_ids().map(|instance| self.initial_locals(instance)).collect::<Result<Vec<_>, _>>()?;
        if per_instance.iter().any(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let count = per_instance.iter().try_fold(1usize, |count, list| count.checked_mul(list.len()));
        if self.model.restriction.is_none() && count.is_none_or(|count| count > LIMIT) {
            return Err(EnumerationError::TooManyStates);
        }
        let parts = conjuncts(self.model.restriction.as_ref().map(|restriction| &restriction.formula));
        let mut conditions = vec![Vec::new(); per_instance.len()];
        for part in parts {
            match last_instance(part) {
                Some(last) => conditions[last].push(part),
                None if self.holds_of_locals(part, &State::from_parts(std::iter::empty())) => {}
                None => return Ok(Vec::new()),
            }
        }
        let picks = per_instance.iter().map(|list| list[0].as_slice()).collect();
        let mut search =
            Combinations { semantics: self, lists: &per_instance, conditions, picks, visited: 0, found: Vec::new() };
        search.extend(0)?;
        Ok(search.found)
    }
}

/// The conjuncts of a condition.
fn conjuncts(condition: Option<&Formula>) -> Vec<&Formula> {
    match condition {
        None => Vec::new(),
        Some(Formula::And(list)) => list.iter().flat_map(|part| conjuncts(Some(part))).collect(),
        Some(other) => vec![other],
    }
}

/// The last instance of which a condition says something, if it does of any.
fn last_instance(condition: &Formula) -> Option<usize> {
    let mut last = None;
    if let Formula::Atom(expr) = condition {
        expr.for_each_leaf(&mut |leaf| {
            if let StateLeaf::Automaton(instance) | StateLeaf::Local(instance, _) = leaf {
                last = last.max(Some(instance.index()));
            }
        });
    }
    condition.for_each_child(&mut |part| last = last.max(last_instance(part)));
    last
}

/// A search that chooses initial values for one instance after the other, as long as what is said of those that are chosen
/// together is true.
struct Combinations<'s, 'm> {
    semantics: &'s Semantics<'m>,
    /// Per instance.
    lists: &'s [Vec<Vec<Value>>],
    /// Per instance those that say something of it and of those before it.
    conditions: Vec<Vec<&'s Formula>>,
    /// The values chosen; anything for instances without a choice yet.
    picks: Vec<&'s [Value]>,
    visited: usize,
    found: Vec<State>,
}

impl Combinations<'_, '_> {
    fn extend(&mut self, at: usize) -> Result<(), EnumerationError> {
        let state = |picks: &[&[Value]]| State::from_parts(picks.iter().map(|values| (0, *values)));
        if at == self.lists.len() {
            if self.found.len() == LIMIT {
                return Err(EnumerationError::TooManyStates);
            }
            self.found.push(state(&self.picks));
            return Ok(());
        }
        for values in &self.lists[at] {
            tick();
            self.visited += 1;
            if self.visited > MOST_VISITED {
                return Err(EnumerationError::TooManyStates);
            }
            self.picks[at] = values;
            let state = (!self.conditions[at].is_empty()).then(|| state(&self.picks));
            let holds =
                |part: &&Formula| state.as_ref().is_none_or(|state| self.semantics.holds_of_locals(part, state));
            if self.conditions[at].iter().all(holds) {
                self.extend(at + 1)?;
            }
        }
        Ok(())
    }
}

/// The initial values of an instance's locals, ascending.
fn solutions(model: &Model, instance: InstanceId, limit: usize) -> Result<Vec<Vec<Value>>, EnumerationError> {
    let agent = model.agent_of(instance);
    let inits = [&agent.init, &model.instances[instance.index()].init];
    let conjuncts = inits.iter().flat_map(|init| init.operands(BinaryOp::And)).collect();
    let mut search = InitialSearch { model, agent, instance, limit, visited: 0, found: BTreeSet::new() };
    search.extend(vec![None; agent.locals.len()], conjuncts)?;
    Ok(search.found.into_iter().collect())
}

/// Some locals have values.
type PartialValues = Vec<Option<Value>>;

struct InitialSearch<'m> {
    model: &'m Model,
    agent: &'m Agent,
    instance: InstanceId,
    /// The most partial assignments that are looked at.
    limit: usize,
    visited: usize,
    found: BTreeSet<Vec<Value>>,
}

impl<'m> InitialSearch<'m> {
    /// Finds all full assignments that extend the partial one and satisfy the conjuncts.
    fn extend(
        &mut self,
        mut values: PartialValues,
        conjuncts: Vec<&'m Expr<CommandLeaf>>,
    ) -> Result<(), EnumerationError> {
        tick();
        if !self.propagate(&mut values, &conjuncts) {
            return Ok(());
        }
        let Some((local, candidates)) = self.choose(&values, &conjuncts) else {
            self.found.extend(values.into_iter().collect::<Option<Vec<Value>>>());
            return Ok(());
        };
        match (candidates, self.model.values_of(self.agent.locals[local.index()].ty)) {
            (Some(many), _) if many.count() > self.limit as u128 => {
                let error = EnumerationError::TooMany { variable: self.name(local) };
                self.try_alternatives(error, &values, conjuncts)
            }
            (Some(few), _) => self.try_each(local, few.values(), &values, &conjuncts),
            (None, Some(domain)) => self.try_each(local, domain, &values, &conjuncts),
            (None, None) => {
                let error = EnumerationError::Unbounded { variable: self.name(local) };
                self.try_alternatives(error, &values, conjuncts)
            }
        }
    }

    fn try_each(
        &mut self,
        local: LocalId,
        domain: impl Iterator<Item = Value>,
        values: &PartialValues,
        conjuncts: &[&'m Expr<CommandLeaf>],
    ) -> Result<(), EnumerationError> {
        for value in domain {
            self.visited += 1;
            if self.visited > self.limit {
                return Err(EnumerationError::TooMany { variable: self.name(local) });
            }
            let mut extended = values.clone();
            extended[local.index()] = Some(value);
            self.extend(extended, conjuncts.to_vec())?;
        }
        Ok(())
    }

    /// Splits on a disjunction, in the hope that its alternatives determine what has too many values; the error, if there is none.
    fn try_alternatives(
        &mut self,
        error: EnumerationError,
        values: &PartialValues,
        mut conjuncts: Vec<&'m Expr<CommandLeaf>>,
    ) -> Result<(), EnumerationError> {
        let disjunction = |conjunct: &&Expr<CommandLeaf>| matches!(conjunct, Expr::Binary(BinaryOp::Or, ..));
        let Some(at) = conjuncts.iter().position(disjunction) else {
            return Err(error);
        };
        for alternative in conjuncts.swap_remove(at).operands(BinaryOp::Or) {
            self.visited += 1;
            if self.visited > self.limit {
                return Err(error);
            }
            let narrowed = [conjuncts.as_slice(), &alternative.operands(BinaryOp::And)].concat();
            self.extend(values.clone(), narrowed)?;
        }
        Ok(())
    }

    fn name(&self, local: LocalId) -> String {
        self.model.variable_name(self.instance, local)
    }

    /// The next open local: the first of finite type with few values, else the one with the fewest candidates, which are given,
    /// else the first.
    fn choose(&self, values: &PartialValues, conjuncts: &[&Expr<CommandLeaf>]) -> Option<(LocalId, Option<Intervals>)> {
        let open = || (0..values.len()).filter(|index| values[*index].is_none()).map(|index| LocalId(index as u32));
        let mut large = Vec::new();
        for local in open() {
            let ty = self.agent.locals[local.index()].ty;
            let known = |leaf| self.known(leaf, values);
            match candidates(CommandLeaf::Local(local), ty, conjuncts.iter().copied(), &known) {
                Some(candidates) => large.push((local, Some(candidates))),
                None if self.model.cardinality(ty).is_some() => return Some((local, None)),
                None => {}
            }
        }
        let fewest = large.into_iter().min_by_key(|(_, candidates)| candidates.as_ref().map(Intervals::count));
        fewest.or_else(|| open().next().map(|local| (local, None)))
    }

    /// Fills in what the conjuncts determine until nothing changes; false on a contradiction.
    fn propagate(&self, values: &mut PartialValues, conjuncts: &[&Expr<CommandLeaf>]) -> bool {
        loop {
            let mut changed = false;
            for conjunct in conjuncts {
                match self.evaluate(conjunct, values) {
                    Some(Value::Bool(true)) => {}
                    Some(_) => return false,
                    None => {
                        let Some((local, value)) = self.determined(conjunct, values) else { continue };
                        if !belongs(self.model, &value, self.agent.locals[local.index()].ty) {
                            return false;
                        }
                        values[local.index()] = Some(value);
                        changed = true;
                    }
                }
            }
            if !changed {
                return true;
            }
        }
    }

    /// The open local that a conjunct gives a value, and the value.
    fn determined(&self, conjunct: &Expr<CommandLeaf>, values: &PartialValues) -> Option<(LocalId, Value)> {
        let equated = |side: &Expr<CommandLeaf>, other: &Expr<CommandLeaf>| match side {
            Expr::Leaf(CommandLeaf::Local(local)) if values[local.index()].is_none() => {
                Some((*local, self.evaluate(other, values)?))
            }
            _ => None,
        };
        match conjunct {
            Expr::Leaf(_) => equated(conjunct, &Expr::TRUE),
            Expr::Not(inner) => equated(inner, &Expr::FALSE),
            Expr::Binary(BinaryOp::Eq | BinaryOp::Iff, left, right) => {
                equated(left, right).or_else(|| equated(right, left))
            }
            _ => None,
        }
    }

    fn evaluate(&self, expr: &Expr<CommandLeaf>, values: &PartialValues) -> Option<Value> {
        evaluate(expr, &|leaf| self.known(leaf, values))
    }

    fn known(&self, leaf: CommandLeaf, values: &PartialValues) -> Option<Value> {
        match leaf {
            CommandLeaf::Local(local) => values[local.index()].clone(),
            CommandLeaf::Myself => Some(Value::Enum(self.instance.0)),
            CommandLeaf::Message(_) | CommandLeaf::Property(_) | CommandLeaf::Chan => None,
        }
    }
}
