//! Clauses as a transition system, for engines. What engines say of it is checked on the clauses themselves.
//!
//! The arguments of the relation are the variables. Each clause about steps is an event. A variable of a clause is an
//! argument, or is what an equation of the clause says that it is; what is left is free ([`Origin::Free`]).

use super::{Argument, Clause, Clauses, Fault, Run, Sort, Symbol};
use crate::limits::tick;
use crate::model::Value;
use crate::ts::smtlib::expression::Id;
use crate::ts::smtlib::read::term_of;
use crate::ts::system::{Case, Domain, Event, EventKind, Input, Origin, Parts, System, Variable, event_is};
use crate::ts::term::{self, InputId, Leaf, Term, TermNode, Terms, VarId};
use crate::ts::valuation::Valuation;
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};

/// A system with its bad states.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Its variables are the arguments of the relation, in their order, and further ones.
    pub system: System,
    /// Which states are bad. It reads no free variable.
    pub bad: Term,
    /// A further variable, which says that a bad state was met: what an invariant says where it is false, it says of
    /// the relation.
    pub failed: VarId,
    rules: Vec<Rule>,
}

/// The input that stands for the first variable of a clause: the event has the number 0.
const FIRST: u32 = 1;

/// Whether all formulas of the clauses are well sorted.
pub fn check(clauses: &Clauses) -> Result<(), Vec<Fault>> {
    let mut faults = Vec::new();
    for clause in &clauses.clauses {
        if let Err(fault) = Reading::of(clauses, clause, &mut Terms::new(), FIRST)
            && !faults.contains(&fault)
        {
            faults.push(fault);
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The system of clauses that are well sorted.
pub fn lower(clauses: &Clauses) -> Lowered {
    let mut terms = Terms::new();
    let mut first = FIRST;
    let readings: Vec<Reading> = clauses
        .clauses
        .iter()
        .map(|clause| {
            let reading = Reading::of(clauses, clause, &mut terms, first).expect("the formulas are well sorted");
            first += clause.variables.len() as u32;
            reading
        })
        .collect();
    Lowering::new(clauses, terms).lower(readings)
}

fn sort_of(sort: Sort) -> term::Sort {
    match sort {
        Sort::Bool => term::Sort::Bool,
        Sort::Int => term::Sort::Int,
    }
}

/// A clause in terms over its own variables, each of which is an input here.
struct Reading {
    variables: Vec<Term>,
    conditions: Vec<Term>,
    before: Option<Vec<Term>>,
    after: Option<Vec<Term>>,
}

impl Reading {
    fn of(clauses: &Clauses, clause: &Clause, terms: &mut Terms, first: u32) -> Result<Reading, Fault> {
        let mut names: FxHashMap<&str, Term> = FxHashMap::default();
        let leaf = |(number, symbol): (u32, &Symbol)| {
            terms.leaf(Leaf::Input(InputId(first + number)), sort_of(symbol.sort), None)
        };
        let variables: Vec<Term> = (0..).zip(&clause.variables).map(leaf).collect();
        names.extend(clause.variables.iter().map(|symbol| symbol.name).zip(variables.iter().copied()));
        let mut read = |names: &FxHashMap<&str, Term>, id: Id, sort: Sort| {
            let term = term_of(terms, &clauses.expressions, id, &mut |_, name| names.get(name).copied())?;
            if terms.sort(term) == sort_of(sort) {
                return Ok(term);
            }
            let what = match sort {
                Sort::Bool => "a truth value is expected here, and this is a number",
                Sort::Int => "a number is expected here, and this is a truth value",
            };
            Err(Fault { span: clauses.span(id), what: what.to_owned() })
        };
        for (symbol, body) in &clauses.definitions {
            let term = read(&names, *body, symbol.sort)?;
            names.insert(symbol.name, term);
        }
        let mut conditions = Vec::new();
        for condition in &clause.conditions {
            conditions.push((read(&names, condition.formula, Sort::Bool)?, condition.negated));
        }
        let mut arguments = |ids: &Option<Vec<Id>>| match ids {
            None => Ok(None),
            Some(ids) => {
                let pairs = ids.iter().zip(&clauses.arguments);
                pairs
                    .map(|(&id, argument)| read(&names, id, argument.sort))
                    .collect::<Result<Vec<Term>, Fault>>()
                    .map(Some)
            }
        };
        let (before, after) = (arguments(&clause.before)?, arguments(&clause.after)?);
        let negate = |(term, negated)| if negated { terms.not(term) } else { term };
        let conditions = conditions.into_iter().map(negate).collect();
        Ok(Reading { variables, conditions, before, after })
    }
}

/// A clause in terms of the system.
#[derive(Clone, Debug)]
struct Rule {
    /// What its variables are.
    variables: Vec<Term>,
    guard: Term,
    role: Role,
    /// Whether there is no state before.
    starts: bool,
    /// The arguments of its head, if it is about initial states.
    head: Vec<Term>,
}

/// What a clause is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Initial,
    Step,
    /// States are bad.
    Bad,
    /// States are bad together with what a step chooses, or there is no state that is good.
    Failure,
}

struct Lowering<'a, 't> {
    clauses: &'a Clauses<'t>,
    terms: Terms,
    /// The arguments of the relation.
    states: Vec<Term>,
    failed: Term,
    /// Free variables: their sorts, and whether they stand for what initial states choose. Steps have others, since they
    /// choose again.
    free: Vec<(term::Sort, bool)>,
}

impl<'a, 't> Lowering<'a, 't> {
    fn new(clauses: &'a Clauses<'t>, mut terms: Terms) -> Lowering<'a, 't> {
        let leaf =
            |(number, argument): (u32, &Argument)| terms.leaf(Leaf::Var(VarId(number)), sort_of(argument.sort), None);
        let states: Vec<Term> = (0..).zip(&clauses.arguments).map(leaf).collect();
        let failed = terms.leaf(Leaf::Var(VarId(states.len() as u32)), term::Sort::Bool, None);
        Lowering { clauses, terms, states, failed, free: Vec::new() }
    }

    fn lower(mut self, readings: Vec<Reading>) -> Lowered {
        let (rules, heads): (Vec<Rule>, Vec<Vec<Term>>) =
            readings.into_iter().map(|reading| self.rule(reading)).unzip();
        let some_fail = rules.iter().any(|rule| rule.role == Role::Failure);
        let (mut initial, mut bad) = (Vec::new(), Vec::from_iter(some_fail.then_some(self.failed)));
        for (rule, head) in rules.iter().zip(&heads) {
            match rule.role {
                Role::Initial => {
                    let mut conjuncts = vec![rule.guard, self.terms.not(self.failed)];
                    for (&state, &value) in self.states.iter().zip(head) {
                        conjuncts.push(self.terms.eq(state, value));
                    }
                    initial.push(self.terms.and(conjuncts));
                }
                Role::Failure if rule.starts => initial.push(self.terms.and([rule.guard, self.failed])),
                Role::Bad => bad.push(rule.guard),
                Role::Step | Role::Failure => {}
            }
        }
        let (init, bad) = (self.terms.or(initial), self.terms.or(bad));
        let mut updates = vec![Vec::new(); self.states.len() + 1];
        let events = self.events(&rules, &heads, &mut updates);
        let flag = variable("failed".to_owned(), Origin::Argument(self.states.len() as u32), term::Sort::Bool);
        let arguments = (0..).zip(&self.clauses.arguments).map(|(position, Argument { name, sort })| {
            variable(name.clone(), Origin::Argument(position), sort_of(*sort))
        });
        let mut variables: Vec<Variable> = arguments.chain([flag]).collect();
        for (number, &(sort, _)) in (0..).zip(&self.free) {
            variables.push(variable(format!("free{number}"), Origin::Free(number), sort));
            updates.push(Vec::new());
        }
        let count = events.len() as u32;
        let system = System::new(Parts {
            terms: self.terms,
            variables,
            inputs: vec![Input { name: "event".to_owned(), count }],
            events,
            init: vec![init],
            constraints: Vec::new(),
            updates,
        });
        Lowered { system, bad, failed: VarId(self.states.len() as u32), rules }
    }

    fn events(&mut self, rules: &[Rule], heads: &[Vec<Term>], updates: &mut [Vec<Case>]) -> Vec<Event> {
        let is_event = |rule: &(usize, &Rule)| !rule.1.starts && rule.1.role != Role::Bad;
        let steps: Vec<(usize, &Rule)> = rules.iter().enumerate().filter(is_event).collect();
        let count = steps.len() as u32 + 1;
        let mut events = Vec::new();
        for (event, &(number, rule)) in steps.iter().enumerate() {
            let condition = event_is(&mut self.terms, event, count);
            if rule.role == Role::Failure {
                let value = self.terms.bool(true);
                updates[self.states.len()].push(Case { condition, value });
            }
            for (position, &value) in heads[number].iter().enumerate() {
                if value != self.states[position] {
                    updates[position].push(Case { condition, value });
                }
            }
            let (kind, guard) = (EventKind::Clause(number as u32), rule.guard);
            events.push(Event { kind, guard, enabled: guard, receptions: Vec::new() });
        }
        let never = self.terms.bool(false);
        events.push(Event { kind: EventKind::Stutter, guard: never, enabled: never, receptions: Vec::new() });
        events
    }

    /// A clause in terms of states and free variables, and the arguments of its head.
    fn rule(&mut self, reading: Reading) -> (Rule, Vec<Term>) {
        let Reading { variables, conditions, before, after } = reading;
        let terms = &mut self.terms;
        let mut solution = Solution::default();
        let mut conjuncts = terms.conjuncts(&conditions);
        // Where there is no state before, the one after is described.
        for (&state, &argument) in self.states.iter().zip(before.iter().chain(&after).next().into_iter().flatten()) {
            match unknown(terms, argument).filter(|leaf| !solution.knows(*leaf)) {
                Some(leaf) => solution.insert(terms, leaf, state),
                None => conjuncts.push(terms.eq(argument, state)),
            }
        }
        let conjuncts = solution.solve(terms, conjuncts);
        let chooses = conjuncts.iter().any(|&term| first_unknown(terms, term).is_some());
        let role = match (&before, &after) {
            (None, Some(_)) => Role::Initial,
            (Some(_), Some(_)) => Role::Step,
            (Some(_), None) if !chooses => Role::Bad,
            (_, None) => Role::Failure,
        };
        let starts = before.is_none();
        let mut taken = 0;
        for &root in conjuncts.iter().chain(after.iter().flatten()) {
            loop {
                let applied = solution.apply(&mut self.terms, root);
                let Some((leaf, sort)) = first_unknown(&self.terms, applied) else { break };
                let free = self.free(sort, starts, &mut taken);
                solution.insert(&mut self.terms, leaf, free);
            }
        }
        let terms = &mut self.terms;
        // Nothing depends on the others.
        for &variable in &variables {
            loop {
                let applied = solution.apply(terms, variable);
                let Some((leaf, sort)) = first_unknown(terms, applied) else { break };
                let any = terms.constant(&sort.value(0), sort);
                solution.insert(terms, leaf, any);
            }
        }
        let mut applied =
            |list: Vec<Term>| -> Vec<Term> { list.into_iter().map(|term| solution.apply(terms, term)).collect() };
        let (guard, variables) = (applied(conjuncts), applied(variables));
        let head = applied(after.unwrap_or_default());
        let of_states = if role == Role::Initial { head.clone() } else { Vec::new() };
        (Rule { variables, guard: self.terms.and(guard), role, starts, head: of_states }, head)
    }

    /// The next free variable of a sort, of those from a position.
    fn free(&mut self, sort: term::Sort, initial: bool, from: &mut usize) -> Term {
        let fits = |number: &usize| self.free[*number] == (sort, initial);
        let number = (*from..self.free.len()).find(fits).unwrap_or(self.free.len());
        if number == self.free.len() {
            self.free.push((sort, initial));
        }
        *from = number + 1;
        let id = VarId((self.states.len() + 1 + number) as u32);
        self.terms.leaf(Leaf::Var(id), sort, None)
    }
}

fn variable(name: String, origin: Origin, sort: term::Sort) -> Variable {
    let domain = if sort == term::Sort::Bool { Domain::Bool } else { Domain::Unbounded };
    Variable { name, origin, sort, domain }
}

/// The variable of a clause that a term is.
fn unknown(terms: &Terms, term: Term) -> Option<Leaf> {
    match *terms.node(term) {
        TermNode::Leaf(leaf @ Leaf::Input(_)) => Some(leaf),
        _ => None,
    }
}

/// A variable of a clause in a term, with its sort.
fn first_unknown(terms: &Terms, term: Term) -> Option<(Leaf, term::Sort)> {
    let mut found = None;
    terms.collect_leaves(term, &mut FxHashSet::default(), &mut |leaf| {
        if matches!(leaf, Leaf::Input(_)) {
            found = Some(found.map_or(leaf, |other: Leaf| other.min(leaf)));
        }
    });
    found.map(|leaf| (leaf, terms.leaf_sort(leaf).expect("it is in a term")))
}

/// What variables of a clause are; none of them is in these terms.
#[derive(Default)]
struct Solution {
    known: FxHashMap<Leaf, Term>,
    memo: FxHashMap<Term, Term>,
}

impl Solution {
    fn knows(&self, leaf: Leaf) -> bool {
        self.known.contains_key(&leaf)
    }

    fn apply(&mut self, terms: &mut Terms, term: Term) -> Term {
        let known = &self.known;
        terms.substitute(term, &mut |_, leaf| known.get(&leaf).copied(), &mut self.memo)
    }

    /// A variable is a term in which no known variable is.
    fn insert(&mut self, terms: &mut Terms, leaf: Leaf, value: Term) {
        let mut memo = FxHashMap::default();
        for known in self.known.values_mut() {
            *known = terms.substitute(*known, &mut |_, other| (other == leaf).then_some(value), &mut memo);
        }
        self.known.insert(leaf, value);
        self.memo.clear();
    }

    /// Uses equations to learn what variables are; returns the other conjuncts.
    fn solve(&mut self, terms: &mut Terms, mut conjuncts: Vec<Term>) -> Vec<Term> {
        loop {
            let mut changed = false;
            let mut rest = Vec::new();
            for term in conjuncts {
                tick();
                let applied = self.apply(terms, term);
                for conjunct in terms.conjuncts(&[applied]) {
                    match equation(terms, conjunct) {
                        Some((leaf, value)) if !self.knows(leaf) => {
                            self.insert(terms, leaf, value);
                            changed = true;
                        }
                        _ => rest.push(conjunct),
                    }
                }
            }
            conjuncts = rest;
            if !changed {
                return conjuncts;
            }
        }
    }
}

/// What a conjunct says that some variable of the clause is.
fn equation(terms: &mut Terms, conjunct: Term) -> Option<(Leaf, Term)> {
    let (node, positive) = match *terms.node(conjunct) {
        TermNode::Not(inner) => (terms.node(inner).clone(), false),
        ref node => (node.clone(), true),
    };
    match node {
        TermNode::Leaf(leaf @ Leaf::Input(_)) => Some((leaf, terms.bool(positive))),
        TermNode::Eq(a, b) if terms.sort(a) == term::Sort::Bool => {
            let (leaf, other) = [(a, b), (b, a)].into_iter().find_map(|(a, b)| {
                let leaf = unknown(terms, a)?;
                (!reads(terms, b, leaf)).then_some((leaf, b))
            })?;
            Some((leaf, if positive { other } else { terms.not(other) }))
        }
        TermNode::Eq(a, b) if positive => {
            let difference = terms.sub(a, b);
            let sum = match terms.node(difference) {
                TermNode::Sum(_, list) => list.to_vec(),
                _ => vec![(IBig::ONE, difference)],
            };
            let solvable = |(coefficient, term): &(IBig, Term)| {
                let leaf = unknown(terms, *term)?;
                let unit = *coefficient == IBig::ONE || *coefficient == IBig::NEG_ONE;
                let once = sum.iter().filter(|(_, other)| reads(terms, *other, leaf)).count() == 1;
                (unit && once).then(|| (leaf, coefficient.clone(), *term))
            };
            let (leaf, coefficient, term) = sum.iter().find_map(solvable)?;
            // `c x + rest = 0`
            let (factor, sign) = (terms.int(coefficient.clone()), terms.int(-coefficient));
            let itself = terms.mul(factor, term);
            let rest = terms.sub(difference, itself);
            Some((leaf, terms.mul(sign, rest)))
        }
        _ => None,
    }
}

fn reads(terms: &Terms, term: Term, leaf: Leaf) -> bool {
    let mut found = false;
    terms.collect_leaves(term, &mut FxHashSet::default(), &mut |other| found |= other == leaf);
    found
}

impl Lowered {
    /// The run that goes through these states of the system, with the events of its steps. The states begin with an
    /// initial one and end with a bad one.
    pub fn run(&self, states: Vec<Vec<Value>>, events: &[usize]) -> Run {
        let terms = self.system.terms();
        let mut uses = Vec::new();
        let last = states.len() - 1;
        for (position, state) in states.into_iter().enumerate() {
            let mut valuation = Valuation::new(state, Vec::new());
            let failed = valuation.state()[self.failed.0 as usize] == Value::Bool(true);
            let mut add = |number: usize, valuation: &mut Valuation| {
                let values = self.rules[number].variables.iter().map(|&term| valuation.value(terms, term)).collect();
                uses.push((number, values));
            };
            let fitting = |wanted: &dyn Fn(&Rule) -> bool, valuation: &mut Valuation| {
                let mut numbers = 0..self.rules.len();
                numbers.find(|&number| {
                    let rule = &self.rules[number];
                    wanted(rule) && self.heads_to(rule, valuation) && valuation.holds(terms, rule.guard)
                })
            };
            if position == 0 {
                let role = if failed { Role::Failure } else { Role::Initial };
                if let Some(number) = fitting(&|rule| rule.starts && rule.role == role, &mut valuation) {
                    add(number, &mut valuation);
                }
            }
            if position < last {
                let EventKind::Clause(number) = self.system.events()[events[position]].kind else { continue };
                add(number as usize, &mut valuation);
            } else if !failed && let Some(number) = fitting(&|rule| rule.role == Role::Bad, &mut valuation) {
                add(number, &mut valuation);
            }
        }
        Run { uses }
    }

    /// Whether a clause about initial states leads to this state.
    fn heads_to(&self, rule: &Rule, valuation: &mut Valuation) -> bool {
        let terms = self.system.terms();
        let state = valuation.state().to_vec();
        rule.head.iter().zip(state).all(|(&value, there)| valuation.value(terms, value) == there)
    }
}
