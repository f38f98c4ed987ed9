//! Domain reduction: which values can each variable take at all?
//!
//! A fixpoint over the events, with one set of values per variable and no relations between variables: start with the
//! initial values, and add what the cases of possible events assign, until nothing is new. Then constants are folded,
//! comparisons with values outside of the sets are decided, and events whose guard became `false` are dead. On the
//! case study this halves the literals twice (constants, then finite sets).
//!
//! The pass keeps all variables, inputs and events at their places. So a state or a trace of the result *is* one of
//! the original system, and an invariant of the result becomes one of the original by adding the facts
//! [`Facts::invariant`]. Nothing else has to be mapped back.

use crate::model::Value;
use crate::ts::system::{Case, Domain, EVENT, Event, LISTED_VALUES, System};
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use crate::ts::valuation::Valuation;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The values that a term can have, as far as the analysis knows; numbers are Booleans (0, 1), enum values or integers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ValueSet {
    /// Exactly these, or fewer.
    Some(BTreeSet<i64>),
    /// Anything.
    All,
}

impl ValueSet {
    fn one(value: i64) -> ValueSet {
        ValueSet::Some(BTreeSet::from([value]))
    }

    fn bools() -> ValueSet {
        ValueSet::Some(BTreeSet::from([0, 1]))
    }

    fn may(&self, value: i64) -> bool {
        match self {
            ValueSet::Some(values) => values.contains(&value),
            ValueSet::All => true,
        }
    }

    /// Keeps what a declared domain has: guards keep updates inside of it.
    fn meet(&mut self, domain: &Domain) {
        match (&mut *self, domain) {
            (ValueSet::Some(values), Domain::Finite(declared)) => values.retain(|value| declared.contains(value)),
            (ValueSet::Some(values), Domain::Range(low, high)) => values.retain(|value| (low..=high).contains(&value)),
            (ValueSet::All, Domain::Finite(declared)) => *self = ValueSet::Some(declared.iter().copied().collect()),
            _ => {}
        }
    }

    /// Adds values; sets that grow too large become `All`.
    fn join(&mut self, other: &ValueSet) -> bool {
        let (ValueSet::Some(values), ValueSet::Some(more)) = (&mut *self, other) else {
            let grows = *self != ValueSet::All && *other == ValueSet::All;
            if grows {
                *self = ValueSet::All;
            }
            return grows;
        };
        let before = values.len();
        values.extend(more);
        let grown = values.len() > before;
        if values.len() as u64 > LISTED_VALUES {
            *self = ValueSet::All;
        }
        grown
    }
}

/// The result of the analysis: per variable its possible values.
#[derive(Clone, Debug)]
pub struct Facts {
    domains: Vec<(VarId, Domain)>,
}

impl Facts {
    /// The facts as one term over the system's variables: true initially and kept by every step.
    pub fn invariant(&self, system: &mut System) -> Term {
        let mut conjuncts = Vec::new();
        for (id, domain) in &self.domains {
            let variable = system.var_term(*id);
            let sort = system.variable(*id).sort;
            conjuncts.push(domain.contains(system.terms_mut(), variable, sort));
        }
        system.terms_mut().and(conjuncts)
    }
}

/// Reduces the domains of a system; see the module's text.
pub fn simplify(mut system: System) -> (System, Facts) {
    let sets: Vec<ValueSet> = Analysis::new(&system).run().into_iter().map(Rc::unwrap_or_clone).collect();
    let mut facts = Facts { domains: Vec::new() };
    for id in system.var_ids() {
        if let ValueSet::Some(values) = &sets[id.0 as usize] {
            let values: Box<[i64]> = values.iter().copied().collect();
            facts.domains.push((id, Domain::Finite(values)));
        }
    }
    for (id, _) in &facts.domains {
        system.var_term(*id);
    }
    let simplified = rebuild(system, &sets);
    (simplified, facts)
}

/// All terms again, with the facts folded in.
fn rebuild(system: System, sets: &[ValueSet]) -> System {
    let mut parts = system.into_parts();
    let mut constants: FxHashMap<Leaf, Term> = FxHashMap::default();
    for (index, set) in sets.iter().enumerate() {
        let ValueSet::Some(values) = set else { continue };
        let (leaf, variable) = (Leaf::Var(VarId(index as u32)), &mut parts.variables[index]);
        let values: Box<[i64]> = values.iter().copied().collect();
        if let [number] = *values {
            constants.insert(leaf, parts.terms.numbered(number, variable.sort));
        }
        if variable.sort != Sort::Bool || values.len() == 1 {
            if variable.sort != Sort::Bool {
                parts.terms.restrict(leaf, &values);
            }
            variable.domain = Domain::Finite(values);
        }
    }
    let mut memo = FxHashMap::default();
    let mut again =
        |terms: &mut Terms, term: Term| terms.substitute(term, &mut |_, leaf| constants.get(&leaf).copied(), &mut memo);
    let terms = &mut parts.terms;
    for event in &mut parts.events {
        event.guard = again(terms, event.guard);
        event.enabled = again(terms, event.enabled);
        event.receptions.iter_mut().for_each(|reception| reception.taken = again(terms, reception.taken));
        event.receptions.retain(|reception| !terms.is_false(reception.taken));
    }
    for term in parts.init.iter_mut().chain(&mut parts.constraints) {
        *term = again(terms, *term);
    }
    for (cases, set) in parts.updates.iter_mut().zip(sets) {
        if matches!(set, ValueSet::Some(values) if values.len() == 1) {
            cases.clear();
        }
        for case in cases.iter_mut() {
            *case = Case { condition: again(terms, case.condition), value: again(terms, case.value) };
        }
        cases.retain(|case| !terms.is_false(case.condition));
    }
    System::new(parts)
}

struct Analysis<'s> {
    system: &'s System,
    sets: Vec<Rc<ValueSet>>,
    /// Per event what it may assign.
    assignments: Vec<Vec<KnownValues>>,
    /// Per variable how many sets had grown when its own did last.
    grown_at: Vec<usize>,
    grown: usize,
}

/// A value that an event may assign to a variable.
struct KnownValues {
    variable: VarId,
    /// It does only if one of these can hold: the members of the condition that concern the event.
    conditions: Vec<Term>,
    value: Term,
}

/// The variables that an event read when it was looked at, and how many sets had grown by then.
struct Fired {
    read: Vec<VarId>,
    at: usize,
}

impl<'s> Analysis<'s> {
    fn new(system: &'s System) -> Analysis<'s> {
        let mut assignments: Vec<Vec<KnownValues>> = system.events().iter().map(|_| Vec::new()).collect();
        for variable in system.var_ids() {
            for case in system.update(variable) {
                for (event, conditions) in by_event(system, case.condition) {
                    assignments[event].push(KnownValues { variable, conditions, value: case.value });
                }
            }
        }
        let sets: Vec<Rc<ValueSet>> = initial_sets(system).into_iter().map(Rc::new).collect();
        Analysis { system, assignments, grown_at: vec![0; sets.len()], grown: 0, sets }
    }

    fn run(mut self) -> Vec<Rc<ValueSet>> {
        let mut fired: Vec<Option<Fired>> = self.system.events().iter().map(|_| None).collect();
        loop {
            let before = self.grown;
            for (event, last) in fired.iter_mut().enumerate() {
                let same = |Fired { read, at }: &Fired| read.iter().all(|id| self.grown_at[id.0 as usize] <= *at);
                if !last.as_ref().is_some_and(same) {
                    *last = Some(self.fire(event));
                }
            }
            if self.grown == before {
                return self.sets;
            }
        }
    }

    /// Adds what one event can assign.
    fn fire(&mut self, index: usize) -> Fired {
        let event: &Event = &self.system.events()[index];
        let at = self.grown;
        let mut news = Vec::new();
        let mut view = View::new(self.system.terms(), &self.sets, index);
        if view.narrow(event.guard) && view.evaluate(event.guard).may(1) {
            for KnownValues { variable, conditions, value } in &self.assignments[index] {
                if conditions.iter().any(|&condition| view.evaluate(condition).may(1)) {
                    news.push((*variable, view.evaluate(*value)));
                }
            }
        }
        // The rest of the view shares sets that would have to be copied.
        let read = std::mem::take(&mut view.read);
        drop(view);
        for (id, mut set) in news {
            Rc::make_mut(&mut set).meet(&self.system.variable(id).domain);
            if Rc::make_mut(&mut self.sets[id.0 as usize]).join(&set) {
                self.grown += 1;
                self.grown_at[id.0 as usize] = self.grown;
            }
        }
        Fired { read, at }
    }
}

/// The members of a disjunction per event under which they can hold.
fn by_event(system: &System, condition: Term) -> BTreeMap<usize, Vec<Term>> {
    let members = match system.terms().node(condition) {
        TermNode::Or(list) => list.to_vec(),
        _ => vec![condition],
    };
    let mut found: BTreeMap<usize, Vec<Term>> = BTreeMap::new();
    for member in members {
        let all = || (0..system.events().len()).collect();
        for event in possible_events(system.terms(), member).unwrap_or_else(all) {
            found.entry(event).or_default().push(member);
        }
    }
    found
}

/// The events under which a condition can hold, as far as its shape tells; `None` for all.
fn possible_events(terms: &Terms, condition: Term) -> Option<BTreeSet<usize>> {
    match terms.node(condition) {
        TermNode::Eq(a, b) if *terms.node(*a) == TermNode::Leaf(Leaf::Input(EVENT)) => match terms.node(*b) {
            TermNode::Enum(value, _) => Some(BTreeSet::from([*value as usize])),
            _ => None,
        },
        TermNode::And(list) => list.iter().find_map(|&member| possible_events(terms, member)),
        TermNode::Or(list) => {
            let events: Option<Vec<_>> = list.iter().map(|&member| possible_events(terms, member)).collect();
            Some(events?.into_iter().flatten().collect())
        }
        _ => None,
    }
}

/// Per variable its values in initial states, as far as single conjuncts of the initial condition
/// tell them.
pub fn initial_values(system: &System) -> Vec<Option<Box<[i64]>>> {
    let listed = |set| match set {
        ValueSet::Some(values) => Some(values.into_iter().collect()),
        ValueSet::All => None,
    };
    initial_sets(system).into_iter().map(listed).collect()
}

/// All initial states, by variable, if they are no more than `most` and single conjuncts of the initial condition show
/// that.
pub fn initial_states(system: &System, most: usize) -> Option<Vec<Vec<Value>>> {
    let mut states: Vec<Vec<Value>> = vec![Vec::new()];
    for (values, variable) in initial_values(system).into_iter().zip(system.variables()) {
        let values = values?;
        if values.len() * states.len() > most {
            return None;
        }
        let with = |state: &Vec<Value>, &number: &i64| {
            let mut longer = state.clone();
            longer.push(variable.sort.value(number));
            longer
        };
        states = states.iter().flat_map(|state| values.iter().map(move |number| with(state, number))).collect();
    }
    states.retain(|state| {
        let mut valuation = Valuation::new(state.clone(), Vec::new());
        system.is_initial(&mut valuation)
    });
    Some(states)
}

/// The values that the conjuncts of the initial condition leave to each variable.
fn initial_sets(system: &System) -> Vec<ValueSet> {
    let declared = |domain: &Domain| match domain {
        Domain::Bool => ValueSet::bools(),
        Domain::Finite(values) => ValueSet::Some(values.iter().copied().collect()),
        Domain::Range(..) | Domain::Unbounded => ValueSet::All,
    };
    let mut sets: Vec<ValueSet> = system.variables().iter().map(|variable| declared(&variable.domain)).collect();
    let terms = system.terms();
    for conjunct in terms.conjuncts(system.init()) {
        let [id] = terms.variables(conjunct)[..] else { continue };
        let set = &mut sets[id.0 as usize];
        match set {
            ValueSet::Some(values) => {
                let sort = system.variable(id).sort;
                values.retain(|&number| terms.evaluate(conjunct, &|_| sort.value(number)).as_bool());
            }
            ValueSet::All => {
                if let Some(number) = equated(terms, conjunct) {
                    *set = ValueSet::one(number);
                }
            }
        }
    }
    // Without any initial state every claim is true, but sets must not be empty.
    for (set, variable) in sets.iter_mut().zip(system.variables()) {
        if matches!(set, ValueSet::Some(values) if values.is_empty()) {
            *set = declared(&variable.domain);
        }
    }
    sets
}

/// The number of `v = number`.
fn equated(terms: &Terms, term: Term) -> Option<i64> {
    match terms.node(term) {
        TermNode::Eq(a, b) if matches!(terms.node(*a), TermNode::Leaf(_)) => terms.as_constant(*b)?.number(),
        _ => None,
    }
}

/// The values of terms when one event fires.
struct View<'a> {
    terms: &'a Terms,
    sets: &'a [Rc<ValueSet>],
    event: usize,
    /// The values of single variables that the literals of the event's guard admit.
    narrowed: FxHashMap<Leaf, Rc<ValueSet>>,
    memo: FxHashMap<Term, Rc<ValueSet>>,
    /// Variables whose sets made a difference.
    read: Vec<VarId>,
    /// By whether `false` is in them, and `true`.
    truths: [[Rc<ValueSet>; 2]; 2],
}

impl<'a> View<'a> {
    fn new(terms: &'a Terms, sets: &'a [Rc<ValueSet>], event: usize) -> View<'a> {
        let truths = [[vec![], vec![1]], [vec![0], vec![0, 1]]];
        let truths = truths.map(|row| row.map(|values| Rc::new(ValueSet::Some(values.into_iter().collect()))));
        let (narrowed, memo) = (FxHashMap::default(), FxHashMap::default());
        View { terms, sets, event, narrowed, memo, read: Vec::new(), truths }
    }

    fn truth(&self, may_fail: bool, may_hold: bool) -> Rc<ValueSet> {
        self.truths[usize::from(may_fail)][usize::from(may_hold)].clone()
    }

    /// Uses the literals of a conjunction; false if they contradict what is known.
    fn narrow(&mut self, guard: Term) -> bool {
        self.terms.conjuncts(&[guard]).iter().all(|&conjunct| {
            let (variable, keep): (Term, Box<dyn Fn(i64) -> bool>) = match *self.terms.node(conjunct) {
                TermNode::Leaf(_) => (conjunct, Box::new(|number| number == 1)),
                TermNode::Not(inner) => match *self.terms.node(inner) {
                    TermNode::Leaf(_) => (inner, Box::new(|number| number == 0)),
                    TermNode::Eq(a, b) => match self.number(b) {
                        Some(value) => (a, Box::new(move |number| number != value)),
                        None => return true,
                    },
                    _ => return true,
                },
                TermNode::Eq(a, b) => match self.number(b) {
                    Some(value) => (a, Box::new(move |number| number == value)),
                    None => return true,
                },
                TermNode::Le(a, b) => match (self.number(a), self.number(b)) {
                    (None, Some(high)) => (a, Box::new(move |number| number <= high)),
                    (Some(low), None) => (b, Box::new(move |number| number >= low)),
                    _ => return true,
                },
                _ => return true,
            };
            self.keep(variable, &*keep)
        })
    }

    fn number(&self, term: Term) -> Option<i64> {
        self.terms.as_constant(term).and_then(|value| value.number())
    }

    fn keep(&mut self, variable: Term, keep: &dyn Fn(i64) -> bool) -> bool {
        let TermNode::Leaf(leaf @ Leaf::Var(_)) = *self.terms.node(variable) else { return true };
        let ValueSet::Some(values) = &*self.leaf(leaf) else { return true };
        let values: BTreeSet<i64> = values.iter().copied().filter(|&number| keep(number)).collect();
        let possible = !values.is_empty();
        self.narrowed.insert(leaf, Rc::new(ValueSet::Some(values)));
        possible
    }

    fn leaf(&mut self, leaf: Leaf) -> Rc<ValueSet> {
        match leaf {
            Leaf::Input(EVENT) => Rc::new(ValueSet::one(self.event as i64)),
            Leaf::Input(_) => Rc::new(ValueSet::All),
            Leaf::Var(id) => match self.narrowed.get(&leaf) {
                Some(set) => set.clone(),
                None => {
                    self.read.push(id);
                    self.sets[id.0 as usize].clone()
                }
            },
        }
    }

    fn evaluate(&mut self, term: Term) -> Rc<ValueSet> {
        if let Some(known) = self.memo.get(&term) {
            return known.clone();
        }
        let set = self.compute(term);
        self.memo.insert(term, set.clone());
        set
    }

    fn compute(&mut self, term: Term) -> Rc<ValueSet> {
        if let Some(value) = self.terms.as_constant(term) {
            return Rc::new(value.number().map_or(ValueSet::All, ValueSet::one));
        }
        let terms = self.terms;
        match terms.node(term) {
            TermNode::Leaf(leaf) => self.leaf(*leaf),
            TermNode::Not(a) => {
                let a = self.evaluate(*a);
                self.truth(a.may(1), a.may(0))
            }
            TermNode::And(list) => self.junction(list, 1),
            TermNode::Or(list) => self.junction(list, 0),
            TermNode::Eq(a, b) => self.compare(*a, *b, |a, b| {
                let same = a.len() == 1 && a == b;
                (!same, !a.is_disjoint(b))
            }),
            TermNode::Le(a, b) => self.compare(*a, *b, |a, b| (a.last() > b.first(), a.first() <= b.last())),
            TermNode::Ite(c, a, b) => {
                let condition = self.evaluate(*c);
                let mut set = ValueSet::Some(BTreeSet::new());
                if condition.may(1) {
                    set.join(&self.evaluate(*a));
                }
                if condition.may(0) {
                    set.join(&self.evaluate(*b));
                }
                Rc::new(set)
            }
            TermNode::Sum(constant, list) => {
                let start = i64::try_from(constant).map_or(ValueSet::All, ValueSet::one);
                Rc::new(list.iter().fold(start, |sum, (coefficient, x)| {
                    let factor = i64::try_from(coefficient).ok();
                    let x = self.evaluate(*x);
                    combine(&sum, &x, |a, b| a.checked_add(b.checked_mul(factor?)?))
                }))
            }
            TermNode::Product(a, b) => {
                let (a, b) = (self.evaluate(*a), self.evaluate(*b));
                Rc::new(combine(&a, &b, i64::checked_mul))
            }
            TermNode::Quotient(a, divisor) => {
                let (a, divisor) = (self.evaluate(*a), i64::try_from(divisor).map_or(ValueSet::All, ValueSet::one));
                Rc::new(combine(&a, &divisor, i64::checked_div))
            }
            TermNode::Bool(_) | TermNode::Int(_) | TermNode::Enum(..) => unreachable!("constants were handled"),
        }
    }

    /// A conjunction (`unit` 1) or disjunction (`unit` 0).
    fn junction(&mut self, list: &[Term], unit: i64) -> Rc<ValueSet> {
        let mut open = false;
        for &member in list {
            let set = self.evaluate(member);
            if !set.may(unit) {
                return self.truth(unit == 1, unit == 0);
            }
            open |= set.may(1 - unit);
        }
        self.truth(open || unit == 0, open || unit == 1)
    }

    /// `may` says of two sets that are not empty whether the comparison may fail, and whether it may hold.
    fn compare(
        &mut self,
        a: Term,
        b: Term,
        may: impl Fn(&BTreeSet<i64>, &BTreeSet<i64>) -> (bool, bool),
    ) -> Rc<ValueSet> {
        let (fail, hold) = match (&*self.evaluate(a), &*self.evaluate(b)) {
            (ValueSet::Some(a), ValueSet::Some(b)) if a.is_empty() || b.is_empty() => (false, false),
            (ValueSet::Some(a), ValueSet::Some(b)) => may(a, b),
            _ => (true, true),
        };
        self.truth(fail, hold)
    }
}

/// All results of an operation, unless there are too many or one does not fit.
fn combine(a: &ValueSet, b: &ValueSet, operation: impl Fn(i64, i64) -> Option<i64>) -> ValueSet {
    let (ValueSet::Some(a), ValueSet::Some(b)) = (a, b) else { return ValueSet::All };
    let mut results = BTreeSet::new();
    for &x in a {
        for &y in b {
            let Some(result) = operation(x, y) else { return ValueSet::All };
            results.insert(result);
        }
        if results.len() as u64 > LISTED_VALUES {
            return ValueSet::All;
        }
    }
    ValueSet::Some(results)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::of_text::model;
    use crate::ts::history::base_system;

    fn states_of(init: &str, most: usize) -> Option<usize> {
        let text = format!(
            "
            enum mode {{off, slow, fast}}
            agent A
                local: n : int, m : mode, b : bool
                init: {init}
                receive-guard: chan = *
                repeat: (up: {{true}} *! (true)()[n := n + 1])
            system = A(a, true)
            "
        );
        initial_states(&base_system(&model(&text)), most).map(|states| states.len())
    }

    #[test]
    fn few_initial_states_are_listed() {
        assert_eq!(states_of("n = 0 & m = off & b", 8), Some(1));
        assert_eq!(states_of("n = 0", 8), Some(6));
        assert_eq!(states_of("n = 0", 5), None);
        assert_eq!(states_of("n >= 0 & m = off & b", 8), None);
        // Conjuncts that relate variables are not lost.
        assert_eq!(states_of("n = 0 & (b -> m = fast)", 8), Some(4));
    }
}
