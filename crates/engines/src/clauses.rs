//! Clauses as a transition system, for engines. Their claims about it are checked on the clauses themselves.
//!
//! The arguments of the predicate that has some are the variables; the others are resolved away ([`resolve`]). Each
//! clause about steps is an event, or several where a disjunction says what variables are in each case
//! ([`MOST_CASES`]). A variable of a clause is an argument, or is what equations of the clause say that it is, which
//! may depend on a condition ([`Solution::join`]); what is left is free ([`Origin::Free`]).

use crate::horn::formula::Marks;
use crate::horn::resolve::{ClauseReading, FIRST, Used, inputs, resolve};
use crate::horn::{Argument, Clauses, Run, State, Use};
use crate::limits::tick;
use crate::model::Value;
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
    /// Clauses with predicates without arguments in their heads.
    pub heads: Vec<(usize, usize)>,
    /// Clauses to point at: the first ones about initial states, steps and bad states.
    pub places: Places,
    /// The predicate that has arguments.
    main: Option<usize>,
    rules: Vec<Rule>,
}

/// The first clauses of each kind, if there are some.
#[derive(Clone, Copy, Debug, Default)]
pub struct Places {
    /// About initial states.
    pub start: Option<usize>,
    /// About steps.
    pub step: Option<usize>,
    /// About bad states.
    pub bad: Option<usize>,
}

/// No clause is taken apart into more cases.
const MOST_CASES: usize = 256;

/// No longer disjunction is taken for an equation under a condition.
const MOST_CONDITIONS: usize = 8;

/// The system of clauses that are well sorted.
pub fn lower(clauses: &Clauses) -> Lowered {
    let mut terms = Terms::new();
    let mut first = FIRST;
    let mut readings = Vec::new();
    let marks = Marks::new(clauses);
    for (number, clause) in clauses.clauses.iter().enumerate() {
        let read = ClauseReading::of(clauses, &marks, number, &mut terms, first);
        readings.extend(read.expect("the formulas are well sorted"));
        first += inputs(clauses, clause) as u32;
    }
    let main = clauses.main();
    let of_head = |reading: &ClauseReading| {
        let head = reading.after.as_ref()?.predicate;
        (Some(head) != main).then(|| (reading.uses[0].clause, head))
    };
    let heads = readings.iter().filter_map(of_head).collect();
    for predicate in (0..clauses.predicates.len()).filter(|&predicate| Some(predicate) != main) {
        readings = resolve(&mut terms, readings, predicate, &mut first);
    }
    Lowering::new(clauses, terms, first, heads).lower(&readings)
}

impl Places {
    fn of(readings: &[ClauseReading]) -> Places {
        let first = |wanted: fn(&ClauseReading) -> bool| Some(readings.iter().find(|one| wanted(one))?.uses[0].clause);
        Places {
            start: first(|one| one.before.is_none() && one.after.is_some()),
            step: first(|one| one.before.is_some() && one.after.is_some()),
            bad: first(|one| one.after.is_none()),
        }
    }
}

/// A clause, or a case of it, in terms of the system.
#[derive(Clone, Debug)]
struct Rule {
    /// The clauses that it consists of, one after the other; what their variables are.
    uses: Vec<Used>,
    guard: Term,
    role: Role,
    /// True if there is no state before.
    starts: bool,
    /// The arguments of its head.
    head: Vec<Term>,
}

/// The role of a clause.
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
    heads: Vec<(usize, usize)>,
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
    fn new(clauses: &'a Clauses<'t>, mut terms: Terms, next: u32, heads: Vec<(usize, usize)>) -> Lowering<'a, 't> {
        let leaf =
            |(number, argument): (u32, &Argument)| terms.leaf(Leaf::Var(VarId(number)), argument.sort.into(), None);
        let states: Vec<Term> = (0..).zip(clauses.arguments()).map(leaf).collect();
        let failed = terms.leaf(Leaf::Var(VarId(states.len() as u32)), term::Sort::Bool, None);
        Lowering { clauses, terms, heads, states, failed, free: Vec::new(), next }
    }

    fn lower(mut self, readings: &[ClauseReading]) -> Lowered {
        let rules: Vec<Rule> = readings.iter().flat_map(|reading| self.rules(reading)).collect();
        let some_fail = rules.iter().any(|rule| rule.role == Role::Failure);
        let (mut initial, mut bad) = (Vec::new(), Vec::from_iter(some_fail.then_some(self.failed)));
        for rule in &rules {
            match rule.role {
                Role::Initial => {
                    let mut conjuncts = vec![rule.guard, self.terms.not(self.failed)];
                    for (&state, &value) in self.states.iter().zip(&rule.head) {
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
        let events = self.events(&rules, &mut updates);
        let flag = variable("failed".to_owned(), Origin::Argument(self.states.len() as u32), term::Sort::Bool);
        let arguments = (0..).zip(self.clauses.arguments()).map(|(position, Argument { name, sort })| {
            variable(name.clone(), Origin::Argument(position), (*sort).into())
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
            inputs: vec![Input { name: "event".to_owned(), count, owner: None }],
            events,
            init: vec![init],
            constraints: Vec::new(),
            updates,
        });
        Lowered {
            system,
            bad,
            failed: VarId(self.states.len() as u32),
            heads: self.heads,
            places: Places::of(readings),
            main: self.clauses.main(),
            rules,
        }
    }

    fn events(&mut self, rules: &[Rule], updates: &mut [Vec<Case>]) -> Vec<Event> {
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
            for (position, &value) in rule.head.iter().enumerate() {
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

    /// The cases of a clause in terms of states and free variables.
    fn rules(&mut self, reading: &ClauseReading) -> Vec<Rule> {
        let terms = &mut self.terms;
        let mut solution = Solution::default();
        let mut conjuncts = terms.conjuncts(&reading.conditions);
        // Without a state before, the one after is described.
        let described = reading.before.iter().chain(&reading.after).next();
        let described = described.into_iter().flat_map(|atom| &atom.arguments);
        for (&state, &argument) in self.states.iter().zip(described) {
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
        solved.into_iter().map(|(solution, conjuncts)| self.rule(reading, solution, conjuncts)).collect()
    }

    fn rule(&mut self, reading: &ClauseReading, mut solution: Solution, conjuncts: Vec<Term>) -> Rule {
        let ClauseReading { uses, before, after, .. } = reading;
        let after: &[Term] = after.as_ref().map_or(&[], |atom| &atom.arguments);
        let chooses = conjuncts.iter().any(|&term| first_unknown(&self.terms, term).is_some());
        let role = match (before, &reading.after) {
            (None, Some(_)) => Role::Initial,
            (Some(_), Some(_)) => Role::Step,
            (Some(_), None) if !chooses => Role::Bad,
            (_, None) => Role::Failure,
        };
        let starts = before.is_none();
        let mut taken = 0;
        for &root in conjuncts.iter().chain(after) {
            loop {
                let applied = solution.apply(&mut self.terms, root);
                let Some((leaf, sort)) = first_unknown(&self.terms, applied) else { break };
                let free = self.free(sort, starts, &mut taken);
                solution.insert(&mut self.terms, leaf, free);
            }
        }
        let terms = &mut self.terms;
        // Nothing depends on the others.
        for &variable in uses.iter().flat_map(|one| &one.variables) {
            loop {
                let applied = solution.apply(terms, variable);
                let Some((leaf, sort)) = first_unknown(terms, applied) else { break };
                let any = terms.constant(&sort.value(0), sort);
                solution.insert(terms, leaf, any);
            }
        }
        let mut applied =
            |list: &[Term]| -> Vec<Term> { list.iter().map(|&term| solution.apply(terms, term)).collect() };
        let (guard, head) = (applied(&conjuncts), applied(after));
        let uses = uses.iter().map(|one| Used { variables: applied(&one.variables), ..*one }).collect();
        Rule { uses, guard: self.terms.and(guard), role, starts, head }
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

/// The values of variables of a clause, as terms that contain none of these variables.
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

    /// Solves `c -> x = a` and `!c -> x = b` for x, which is `if c then a else b`; false if there are no two such
    /// conjuncts.
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
        let value = terms.either(choice.condition, choice.value, other.value);
        self.insert(terms, choice.leaf, value);
        for position in [choice.position.max(other.position), choice.position.min(other.position)] {
            conjuncts.remove(position);
        }
        true
    }

    /// Solves `c -> x = a` for x, which is `if c then a else b` with a new unknown b, an input with the next number;
    /// false if there is no such conjunct.
    fn choose(&mut self, terms: &mut Terms, conjuncts: &mut Vec<Term>, next: &mut u32) -> bool {
        let choices = self.all_choices(terms, conjuncts);
        let is_integer = |choice: &&Choice| terms.leaf_sort(choice.leaf) == Some(term::Sort::Int);
        let Some(choice) = choices.iter().find(is_integer).or(choices.first()) else { return false };
        let sort = terms.leaf_sort(choice.leaf).expect("it is in a conjunct");
        let unknown = terms.leaf(Leaf::Input(InputId(*next)), sort, None);
        *next += 1;
        let value = terms.either(choice.condition, choice.value, unknown);
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

    /// The equations under conditions that a disjunction is equivalent to, one for each case that is an equation.
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

/// The first equation for a variable of the clause that a conjunct is equivalent to.
fn equation(terms: &mut Terms, conjunct: Term) -> Option<(Leaf, Term)> {
    equations(terms, conjunct).into_iter().next()
}

/// The equations for variables of the clause that a conjunct is equivalent to, each by itself.
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
            // `c x + rest = 0`, where `c` is its own inverse.
            let mut solved = |(leaf, coefficient, term): (Leaf, IBig, Term)| {
                (leaf, terms.linear(&[(-coefficient, difference), (IBig::ONE, term)]))
            };
            solvable.into_iter().map(&mut solved).collect()
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
                let Rule { uses: used, head, .. } = &self.rules[number];
                let mut values = |list: &[Term]| list.iter().map(|&term| valuation.value(terms, term)).collect();
                for Used { clause, variables, head: predicate } in used {
                    let arguments = if *predicate == self.main { values(head) } else { Vec::new() };
                    let head = predicate.map(|predicate| State { predicate, values: arguments });
                    uses.push(Use { clause: *clause, values: values(variables), head });
                }
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

    /// True if a clause about initial states leads to this state.
    fn heads_to(&self, rule: &Rule, valuation: &mut Valuation) -> bool {
        let terms = self.system.terms();
        let state = if rule.role == Role::Initial { valuation.state().to_vec() } else { Vec::new() };
        rule.head.iter().zip(state).all(|(&value, there)| valuation.value(terms, value) == there)
    }
}
