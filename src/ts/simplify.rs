//! Domain reduction: which values can each variable take at all?
//!
//! A fixpoint over the events, one set of values per variable and none of their relations: start
//! with the initial values, add what the cases of possible events assign, until nothing is new. Then
//! constants are folded, comparisons with values outside of the sets are decided, and events whose
//! guard became `false` are dead. On the case study this halves the literals twice (constants, then
//! finite sets).
//!
//! The pass keeps all variables, inputs and events at their places. So a state or a trace of the
//! result *is* one of the original system, and an invariant of the result becomes one of the
//! original by adding the facts [`Facts::invariant`]: that is its whole back-map.

use super::system::{Case, Domain, Event, LISTED_VALUES, System};
use super::term::{Leaf, Node, Sort, Term, Terms, VarId};
use crate::model::Value;
use crate::ts::system::EVENT;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What the analysis knows of the values of a term; numbers are Booleans (0, 1), enum values or
/// integers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Set {
    /// Exactly these, or fewer.
    Some(BTreeSet<i64>),
    /// Anything.
    All,
}

impl Set {
    fn one(value: i64) -> Set {
        Set::Some(BTreeSet::from([value]))
    }

    fn bools() -> Set {
        Set::Some(BTreeSet::from([0, 1]))
    }

    fn may(&self, value: i64) -> bool {
        match self {
            Set::Some(values) => values.contains(&value),
            Set::All => true,
        }
    }

    /// Keeps what a declared domain has: guards keep updates inside of it.
    fn meet(&mut self, domain: &Domain) {
        match (&mut *self, domain) {
            (Set::Some(values), Domain::Finite(declared)) => values.retain(|value| declared.contains(value)),
            (Set::Some(values), Domain::Range(low, high)) => values.retain(|value| (low..=high).contains(&value)),
            (Set::All, Domain::Finite(declared)) => *self = Set::Some(declared.iter().copied().collect()),
            _ => {}
        }
    }

    /// Adds values; sets that grow too large become `All`.
    fn join(&mut self, other: &Set) -> bool {
        let (Set::Some(values), Set::Some(more)) = (&mut *self, other) else {
            let grows = *self != Set::All && *other == Set::All;
            if grows {
                *self = Set::All;
            }
            return grows;
        };
        let before = values.len();
        values.extend(more);
        let grown = values.len() > before;
        if values.len() as u64 > LISTED_VALUES {
            *self = Set::All;
        }
        grown
    }
}

/// What the analysis found: per variable its possible values.
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
            let Domain::Finite(values) = domain else { continue };
            let sort = system.variable(*id).sort;
            let terms = system.terms_mut();
            let options: Vec<Term> = values
                .iter()
                .map(|&number| {
                    let value = terms.numbered(number, sort);
                    terms.eq(variable, value)
                })
                .collect();
            conjuncts.push(terms.or(options));
        }
        system.terms_mut().and(conjuncts)
    }
}

/// The constant of a sort with the given number.
fn value_of(number: i64, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(number != 0),
        Sort::Int => Value::int(number),
        Sort::Enum(_) => Value::Enum(number as u32),
    }
}

/// The number of a constant, if it has one.
fn number_of(value: &Value) -> Option<i64> {
    match value {
        Value::Bool(value) => Some(i64::from(*value)),
        Value::Int(value) => i64::try_from(value).ok(),
        Value::Enum(value) => Some(i64::from(*value)),
    }
}

/// Reduces the domains of a system; see the module's text.
pub fn simplify(mut system: System) -> (System, Facts) {
    let sets = Analysis::new(&system).run();
    let mut facts = Facts { domains: Vec::new() };
    for id in system.var_ids() {
        if let Set::Some(values) = &sets[id.0 as usize] {
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
fn rebuild(system: System, sets: &[Set]) -> System {
    let mut parts = system.into_parts();
    let mut constants: FxHashMap<Leaf, Term> = FxHashMap::default();
    for (index, set) in sets.iter().enumerate() {
        let Set::Some(values) = set else { continue };
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
    for init in &mut parts.init {
        *init = again(terms, *init);
    }
    for (cases, set) in parts.updates.iter_mut().zip(sets) {
        if matches!(set, Set::Some(values) if values.len() == 1) {
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
    sets: Vec<Set>,
    /// Per event the (variable, case) pairs whose condition mentions it.
    cases_of: Vec<Vec<(VarId, Case)>>,
}

impl<'s> Analysis<'s> {
    fn new(system: &'s System) -> Analysis<'s> {
        let mut cases_of = vec![Vec::new(); system.events().len()];
        for id in system.var_ids() {
            for case in system.update(id) {
                for event in mentioned_events(system.terms(), case.condition) {
                    cases_of[event].push((id, *case));
                }
            }
        }
        Analysis { system, sets: initial_sets(system), cases_of }
    }

    fn run(mut self) -> Vec<Set> {
        loop {
            let mut grown = false;
            for index in 0..self.system.events().len() {
                grown |= self.fire(index);
            }
            if !grown {
                return self.sets;
            }
        }
    }

    /// Adds what one event can assign.
    fn fire(&mut self, index: usize) -> bool {
        let event: &Event = &self.system.events()[index];
        let terms = self.system.terms();
        let mut view =
            View { terms, sets: &self.sets, event: index, narrowed: FxHashMap::default(), memo: FxHashMap::default() };
        if !view.narrow(event.guard) || !view.evaluate(event.guard).may(1) {
            return false;
        }
        let mut news = Vec::new();
        for (id, case) in &self.cases_of[index] {
            if view.evaluate(case.condition).may(1) {
                news.push((*id, view.evaluate(case.value)));
            }
        }
        let mut grown = false;
        for (id, mut set) in news {
            set.meet(&self.system.variable(id).domain);
            grown |= self.sets[id.0 as usize].join(&set);
        }
        grown
    }
}

/// The events that a condition compares the event input with.
fn mentioned_events(terms: &Terms, condition: Term) -> BTreeSet<usize> {
    let (mut events, mut seen, mut stack) = (BTreeSet::new(), FxHashSet::default(), vec![condition]);
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Node::Eq(a, b) = terms.node(term)
            && *terms.node(*a) == Node::Leaf(Leaf::Input(EVENT))
            && let Node::Enum(value, _) = terms.node(*b)
        {
            events.insert(*value as usize);
        }
        terms.for_each_child(term, |child| stack.push(child));
    }
    events
}

/// Per variable its values in initial states, as far as single conjuncts of the initial condition
/// tell them.
pub fn initial_values(system: &System) -> Vec<Option<Box<[i64]>>> {
    let listed = |set| match set {
        Set::Some(values) => Some(values.into_iter().collect()),
        Set::All => None,
    };
    initial_sets(system).into_iter().map(listed).collect()
}

/// The values that the conjuncts of the initial condition leave to each variable.
fn initial_sets(system: &System) -> Vec<Set> {
    let declared = |domain: &Domain| match domain {
        Domain::Bool => Set::bools(),
        Domain::Finite(values) => Set::Some(values.iter().copied().collect()),
        Domain::Range(..) | Domain::Unbounded => Set::All,
    };
    let mut sets: Vec<Set> = system.variables().iter().map(|variable| declared(&variable.domain)).collect();
    let terms = system.terms();
    let conjuncts = system.init().iter().flat_map(|&term| match terms.node(term) {
        Node::And(list) => list.to_vec(),
        _ => vec![term],
    });
    for conjunct in conjuncts {
        let Some(id) = only_variable(terms, conjunct) else { continue };
        let set = &mut sets[id.0 as usize];
        match set {
            Set::Some(values) => {
                let sort = system.variable(id).sort;
                values.retain(|&number| terms.evaluate(conjunct, &|_| value_of(number, sort)).as_bool());
            }
            Set::All => {
                if let Some(number) = equated(terms, conjunct) {
                    *set = Set::one(number);
                }
            }
        }
    }
    // Without any initial state every claim is true, but sets must not be empty.
    for (set, variable) in sets.iter_mut().zip(system.variables()) {
        if matches!(set, Set::Some(values) if values.is_empty()) {
            *set = declared(&variable.domain);
        }
    }
    sets
}

/// The variable of a term that reads just one.
fn only_variable(terms: &Terms, term: Term) -> Option<VarId> {
    let mut found = BTreeSet::new();
    terms.collect_leaves(term, &mut FxHashSet::default(), &mut |leaf| {
        if let Leaf::Var(id) = leaf {
            found.insert(id);
        }
    });
    if found.len() == 1 { found.pop_first() } else { None }
}

/// The number of `v = number`.
fn equated(terms: &Terms, term: Term) -> Option<i64> {
    match terms.node(term) {
        Node::Eq(a, b) if matches!(terms.node(*a), Node::Leaf(_)) => number_of(&terms.as_constant(*b)?),
        _ => None,
    }
}

/// The values of terms when one event fires.
struct View<'a> {
    terms: &'a Terms,
    sets: &'a [Set],
    event: usize,
    /// What the literals of the event's guard say of single variables.
    narrowed: FxHashMap<Leaf, Set>,
    memo: FxHashMap<Term, Set>,
}

impl View<'_> {
    /// Uses the literals of a conjunction; false if they contradict what is known.
    fn narrow(&mut self, guard: Term) -> bool {
        let conjuncts = match self.terms.node(guard) {
            Node::And(list) => list.to_vec(),
            _ => vec![guard],
        };
        conjuncts.iter().all(|&conjunct| {
            let (variable, keep): (Term, Box<dyn Fn(i64) -> bool>) = match *self.terms.node(conjunct) {
                Node::Leaf(_) => (conjunct, Box::new(|number| number == 1)),
                Node::Not(inner) => match *self.terms.node(inner) {
                    Node::Leaf(_) => (inner, Box::new(|number| number == 0)),
                    Node::Eq(a, b) => match self.number(b) {
                        Some(value) => (a, Box::new(move |number| number != value)),
                        None => return true,
                    },
                    _ => return true,
                },
                Node::Eq(a, b) => match self.number(b) {
                    Some(value) => (a, Box::new(move |number| number == value)),
                    None => return true,
                },
                Node::Le(a, b) => match (self.number(a), self.number(b)) {
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
        self.terms.as_constant(term).and_then(|value| number_of(&value))
    }

    fn keep(&mut self, variable: Term, keep: &dyn Fn(i64) -> bool) -> bool {
        let Node::Leaf(leaf @ Leaf::Var(_)) = *self.terms.node(variable) else { return true };
        let Set::Some(mut values) = self.leaf(leaf) else { return true };
        values.retain(|&number| keep(number));
        let possible = !values.is_empty();
        self.narrowed.insert(leaf, Set::Some(values));
        possible
    }

    fn leaf(&self, leaf: Leaf) -> Set {
        match leaf {
            Leaf::Input(EVENT) => Set::one(self.event as i64),
            Leaf::Input(_) => Set::All,
            Leaf::Var(id) => self.narrowed.get(&leaf).unwrap_or(&self.sets[id.0 as usize]).clone(),
        }
    }

    fn evaluate(&mut self, term: Term) -> Set {
        if let Some(known) = self.memo.get(&term) {
            return known.clone();
        }
        let set = self.compute(term);
        self.memo.insert(term, set.clone());
        set
    }

    fn compute(&mut self, term: Term) -> Set {
        if let Some(value) = self.terms.as_constant(term) {
            return number_of(&value).map_or(Set::All, Set::one);
        }
        match self.terms.node(term).clone() {
            Node::Leaf(leaf) => self.leaf(leaf),
            Node::Not(a) => match self.evaluate(a) {
                Set::Some(values) => Set::Some(values.into_iter().map(|number| 1 - number).collect()),
                Set::All => Set::bools(),
            },
            Node::And(list) => self.junction(&list, 1),
            Node::Or(list) => self.junction(&list, 0),
            Node::Eq(a, b) => self.compare(a, b, |x, y| x == y),
            Node::Le(a, b) => self.compare(a, b, |x, y| x <= y),
            Node::Ite(c, a, b) => {
                let condition = self.evaluate(c);
                let mut set = Set::Some(BTreeSet::new());
                if condition.may(1) {
                    set.join(&self.evaluate(a));
                }
                if condition.may(0) {
                    set.join(&self.evaluate(b));
                }
                set
            }
            Node::Sum(constant, list) => {
                let start = i64::try_from(&constant).map_or(Set::All, Set::one);
                list.iter().fold(start, |sum, (coefficient, x)| {
                    let factor = i64::try_from(coefficient).ok();
                    let x = self.evaluate(*x);
                    combine(&sum, &x, |a, b| a.checked_add(b.checked_mul(factor?)?))
                })
            }
            Node::Product(a, b) => {
                let (a, b) = (self.evaluate(a), self.evaluate(b));
                combine(&a, &b, i64::checked_mul)
            }
            Node::Quotient(a, divisor) => {
                let (a, divisor) = (self.evaluate(a), i64::try_from(&divisor).map_or(Set::All, Set::one));
                combine(&a, &divisor, i64::checked_div)
            }
            Node::Bool(_) | Node::Int(_) | Node::Enum(..) => unreachable!("constants were handled"),
        }
    }

    /// A conjunction (`unit` 1) or disjunction (`unit` 0).
    fn junction(&mut self, list: &[Term], unit: i64) -> Set {
        let sets: Vec<Set> = list.iter().map(|&x| self.evaluate(x)).collect();
        let mut values = BTreeSet::new();
        if sets.iter().all(|set| set.may(unit)) {
            values.insert(unit);
        }
        if sets.iter().any(|set| set.may(1 - unit)) {
            values.insert(1 - unit);
        }
        Set::Some(values)
    }

    fn compare(&mut self, a: Term, b: Term, holds: impl Fn(i64, i64) -> bool) -> Set {
        let (Set::Some(a), Set::Some(b)) = (self.evaluate(a), self.evaluate(b)) else { return Set::bools() };
        Set::Some(a.iter().flat_map(|&x| b.iter().map(move |&y| (x, y))).map(|(x, y)| i64::from(holds(x, y))).collect())
    }
}

/// All results of an operation, unless there are too many or one does not fit.
fn combine(a: &Set, b: &Set, operation: impl Fn(i64, i64) -> Option<i64>) -> Set {
    let (Set::Some(a), Set::Some(b)) = (a, b) else { return Set::All };
    let mut results = BTreeSet::new();
    for &x in a {
        for &y in b {
            let Some(result) = operation(x, y) else { return Set::All };
            results.insert(result);
        }
        if results.len() as u64 > LISTED_VALUES {
            return Set::All;
        }
    }
    Set::Some(results)
}
