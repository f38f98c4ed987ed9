//! Clauses as a transition system, for engines. What engines say of it is checked on the clauses themselves.
//!
//! The arguments of the relation are the variables. Each clause about steps is an event, or several where a disjunction
//! says what variables are in each case ([`MOST_CASES`]). A variable of a clause is an argument, or is what equations of
//! the clause say that it is, which may depend on a condition ([`Solution::join`]); what is left is free
//! ([`Origin::Free`]).

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

/// No clause is taken apart into more cases.
const MOST_CASES: usize = 256;

/// No longer disjunction is taken for an equation under a condition.
const MOST_CONDITIONS: usize = 8;

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
    Lowering::new(clauses, terms, first).lower(readings)
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

/// A clause, or a case of it, in terms of the system.
#[derive(Clone, Debug)]
struct Rule {
    /// The number of the clause.
    clause: usize,
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
    /// The number of the next input that stands for something unknown in a clause.
    next: u32,
}

impl<'a, 't> Lowering<'a, 't> {
    fn new(clauses: &'a Clauses<'t>, mut terms: Terms, next: u32) -> Lowering<'a, 't> {
        let leaf =
            |(number, argument): (u32, &Argument)| terms.leaf(Leaf::Var(VarId(number)), sort_of(argument.sort), None);
        let states: Vec<Term> = (0..).zip(&clauses.arguments).map(leaf).collect();
        let failed = terms.leaf(Leaf::Var(VarId(states.len() as u32)), term::Sort::Bool, None);
        Lowering { clauses, terms, states, failed, free: Vec::new(), next }
    }

    fn lower(mut self, readings: Vec<Reading>) -> Lowered {
        let (rules, heads): (Vec<Rule>, Vec<Vec<Term>>) =
            readings.into_iter().enumerate().flat_map(|(clause, reading)| self.rules(clause, reading)).unzip();
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

    /// The cases of a clause in terms of states and free variables, each with the arguments of its head.
    fn rules(&mut self, clause: usize, reading: Reading) -> Vec<(Rule, Vec<Term>)> {
        let terms = &mut self.terms;
        let mut solution = Solution::default();
        let mut conjuncts = terms.conjuncts(&reading.conditions);
        // Where there is no state before, the one after is described.
        let described = reading.before.iter().chain(&reading.after).next();
        for (&state, &argument) in self.states.iter().zip(described.into_iter().flatten()) {
            match unknown(terms, argument).filter(|leaf| !solution.knows(*leaf)) {
                Some(leaf) => solution.insert(terms, leaf, state),
                None => conjuncts.push(terms.eq(argument, state)),
            }
        }
        let conjuncts = solution.solve(terms, conjuncts);
        let (mut open, mut solved) = (vec![(solution, conjuncts)], Vec::new());
        while let Some((mut solution, mut conjuncts)) = open.pop() {
            tick();
            let terms = &mut self.terms;
            let most = MOST_CASES.saturating_sub(open.len() + solved.len());
            // A case that says what several variables are is most of a step.
            let split = split(terms, &conjuncts, 2, most);
            if split.is_none() && solution.choose(terms, &mut conjuncts, &mut self.next) {
                let conjuncts = solution.solve(terms, conjuncts);
                open.push((solution, conjuncts));
                continue;
            }
            let Some((position, cases)) = split.or_else(|| self::split(terms, &conjuncts, 1, most)) else {
                solved.push((solution, conjuncts));
                continue;
            };
            for case in cases.into_iter().rev() {
                let (mut solution, mut conjuncts) = (solution.clone(), conjuncts.clone());
                conjuncts[position] = case;
                let conjuncts = solution.solve(terms, conjuncts);
                if !conjuncts.iter().any(|&term| terms.is_false(term)) {
                    open.push((solution, conjuncts));
                }
            }
        }
        solved.into_iter().map(|(solution, conjuncts)| self.rule(clause, &reading, solution, conjuncts)).collect()
    }

    fn rule(
        &mut self,
        clause: usize,
        reading: &Reading,
        mut solution: Solution,
        conjuncts: Vec<Term>,
    ) -> (Rule, Vec<Term>) {
        let Reading { variables, before, after, .. } = reading;
        let chooses = conjuncts.iter().any(|&term| first_unknown(&self.terms, term).is_some());
        let role = match (before, after) {
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
        for &variable in variables {
            loop {
                let applied = solution.apply(terms, variable);
                let Some((leaf, sort)) = first_unknown(terms, applied) else { break };
                let any = terms.constant(&sort.value(0), sort);
                solution.insert(terms, leaf, any);
            }
        }
        let mut applied =
            |list: &[Term]| -> Vec<Term> { list.iter().map(|&term| solution.apply(terms, term)).collect() };
        let (guard, variables) = (applied(&conjuncts), applied(variables));
        let head = applied(after.as_deref().unwrap_or_default());
        let of_states = if role == Role::Initial { head.clone() } else { Vec::new() };
        (Rule { clause, variables, guard: self.terms.and(guard), role, starts, head: of_states }, head)
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

/// A disjunction among conjuncts, as its position and cases, of which there are at most so many: the cases that say what
/// that many unknown variables are, and all others together.
fn split(terms: &mut Terms, conjuncts: &[Term], equations: usize, most: usize) -> Option<(usize, Vec<Term>)> {
    conjuncts.iter().enumerate().find_map(|(position, &conjunct)| {
        tick();
        let TermNode::Or(cases) = terms.node(conjunct) else { return None };
        let cases = cases.to_vec();
        let mut says = |case: &Term| {
            let parts = terms.conjuncts(&[*case]);
            parts.into_iter().filter(|&part| equation(terms, part).is_some()).count() >= equations
        };
        let (mut cases, others): (Vec<Term>, Vec<Term>) = cases.into_iter().partition(|case| says(case));
        if cases.is_empty() {
            return None;
        }
        if !others.is_empty() {
            cases.push(terms.or(others));
        }
        (cases.len() <= most).then_some((position, cases))
    })
}

/// That a variable is a term where a condition is true: what some disjunction says.
struct Choice {
    position: usize,
    leaf: Leaf,
    condition: Term,
    value: Term,
}

/// What variables of a clause are; none of them is in these terms.
#[derive(Clone, Default)]
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

    /// Uses equations to learn what variables are, also opposite ones under a condition; returns the other conjuncts.
    fn solve(&mut self, terms: &mut Terms, mut conjuncts: Vec<Term>) -> Vec<Term> {
        loop {
            let mut changed = false;
            let mut rest = Vec::new();
            let mut parts: Vec<Term> = conjuncts.into_iter().rev().collect();
            while let Some(part) = parts.pop() {
                tick();
                // Also with what the part before it said.
                let part = self.apply(terms, part);
                match terms.node(part) {
                    TermNode::Bool(true) => continue,
                    TermNode::And(list) => {
                        parts.extend(list.iter().rev());
                        continue;
                    }
                    _ => {}
                }
                match equation(terms, part) {
                    Some((leaf, value)) => {
                        self.insert(terms, leaf, value);
                        changed = true;
                    }
                    None => rest.push(part),
                }
            }
            conjuncts = rest;
            if !changed && !self.join(terms, &mut conjuncts) {
                return conjuncts;
            }
        }
    }

    /// Where `c -> x = a` and `!c -> x = b`, x is `if c then a else b`.
    fn join(&mut self, terms: &mut Terms, conjuncts: &mut Vec<Term>) -> bool {
        let choices = self.all_choices(terms, conjuncts);
        let mut by_condition: FxHashMap<(Leaf, Term), usize> = FxHashMap::default();
        for (index, choice) in choices.iter().enumerate() {
            by_condition.entry((choice.leaf, choice.condition)).or_insert(index);
        }
        let pair = choices.iter().find_map(|choice| {
            let opposite = terms.not(choice.condition);
            let other = &choices[*by_condition.get(&(choice.leaf, opposite))?];
            (other.position != choice.position).then_some((choice, other))
        });
        let Some((choice, other)) = pair else { return false };
        let value = either(terms, choice.condition, choice.value, other.value);
        self.insert(terms, choice.leaf, value);
        for position in [choice.position.max(other.position), choice.position.min(other.position)] {
            conjuncts.remove(position);
        }
        true
    }

    /// Where `c -> x = a`, x is `if c then a else b` with a new unknown b, an input with the next number.
    fn choose(&mut self, terms: &mut Terms, conjuncts: &mut Vec<Term>, next: &mut u32) -> bool {
        let choices = self.all_choices(terms, conjuncts);
        let is_integer = |choice: &&Choice| terms.leaf_sort(choice.leaf) == Some(term::Sort::Int);
        let Some(choice) = choices.iter().find(is_integer).or(choices.first()) else { return false };
        let sort = terms.leaf_sort(choice.leaf).expect("it is in a conjunct");
        let unknown = terms.leaf(Leaf::Input(InputId(*next)), sort, None);
        *next += 1;
        let value = either(terms, choice.condition, choice.value, unknown);
        self.insert(terms, choice.leaf, value);
        conjuncts.remove(choice.position);
        true
    }

    fn all_choices(&self, terms: &mut Terms, conjuncts: &[Term]) -> Vec<Choice> {
        let mut choices: Vec<Choice> = Vec::new();
        for (position, &conjunct) in conjuncts.iter().enumerate() {
            tick();
            choices.extend(self.choices(terms, position, conjunct));
        }
        choices
    }

    /// What a disjunction says, of which one case is an equation.
    fn choices(&self, terms: &mut Terms, position: usize, conjunct: Term) -> Vec<Choice> {
        let TermNode::Or(cases) = terms.node(conjunct) else { return Vec::new() };
        if cases.len() > MOST_CONDITIONS {
            return Vec::new();
        }
        let cases = cases.to_vec();
        let mut found = Vec::new();
        for (index, &case) in cases.iter().enumerate() {
            let others = cases.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, term)| *term);
            let others: Vec<Term> = others.collect();
            for (leaf, value) in equations(terms, case) {
                if !self.knows(leaf) && !others.iter().any(|&term| reads(terms, term, leaf)) {
                    let otherwise = terms.or(others.iter().copied());
                    let condition = terms.not(otherwise);
                    found.push(Choice { position, leaf, condition, value });
                }
            }
        }
        found
    }
}

/// `if condition then a else b`
fn either(terms: &mut Terms, condition: Term, a: Term, b: Term) -> Term {
    if terms.sort(a) != term::Sort::Bool {
        return terms.ite(condition, a, b);
    }
    let (first, second) = (terms.implies(condition, a), terms.or([condition, b]));
    terms.and([first, second])
}

/// What a conjunct says that some variable of the clause is.
fn equation(terms: &mut Terms, conjunct: Term) -> Option<(Leaf, Term)> {
    equations(terms, conjunct).into_iter().next()
}

/// What a conjunct says that variables of the clause are, each by itself.
fn equations(terms: &mut Terms, conjunct: Term) -> Vec<(Leaf, Term)> {
    let (node, positive) = match *terms.node(conjunct) {
        TermNode::Not(inner) => (terms.node(inner).clone(), false),
        ref node => (node.clone(), true),
    };
    match node {
        TermNode::Leaf(leaf @ Leaf::Input(_)) => vec![(leaf, terms.bool(positive))],
        TermNode::Eq(a, b) if terms.sort(a) == term::Sort::Bool => {
            let mut solved = Vec::new();
            for (a, b) in [(a, b), (b, a)] {
                if let Some(leaf) = unknown(terms, a).filter(|leaf| !reads(terms, b, *leaf)) {
                    solved.push((leaf, if positive { b } else { terms.not(b) }));
                }
            }
            solved
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
            let solvable: Vec<(Leaf, IBig, Term)> = sum.iter().filter_map(solvable).collect();
            // `c x + rest = 0`
            let solved = solvable.into_iter().map(|(leaf, coefficient, term)| {
                let (factor, sign) = (terms.int(coefficient.clone()), terms.int(-coefficient));
                let itself = terms.mul(factor, term);
                let rest = terms.sub(difference, itself);
                (leaf, terms.mul(sign, rest))
            });
            solved.collect()
        }
        _ => Vec::new(),
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
                uses.push((self.rules[number].clause, values));
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
