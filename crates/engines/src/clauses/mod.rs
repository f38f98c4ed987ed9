//! Clauses as a transition system, for engines. Their claims about it are checked on the clauses themselves.
//!
//! Predicates that are on no loop are resolved away ([`crate::horn::resolve`]). Those that are left are the locations of the
//! system, and their arguments are its variables: those that stand for the same value in several predicates share one
//! ([`system`]). Each clause about steps is an event, or several where a disjunction says what variables are in each case
//! ([`rules`]). A variable of a clause is an argument, or is what equations of the clause say that it is, which may depend
//! on a condition ([`solution`]); what is left is free ([`Origin::Free`]).

mod rules;
mod solution;
mod system;

use crate::claim::{Invariant, SafetyClaim};
use crate::engine::invariants::Invariants;
use crate::horn::resolve::{Blocks, ClauseReading, Part, Used, linear};
use crate::horn::{Clauses, Run, State, Use, formula::Atom, quoted};
use crate::limits::{Budget, Reason};
use crate::model::Value;
use crate::smt::horn::{HornQuestion, HornRule, solve};
use crate::ts::shared::Shared;
use crate::ts::smtlib::write::{Vocabulary, Writer};
use crate::ts::system::{EventKind, Origin, System, Variable};
use crate::ts::term::{self, Leaf, Term, Terms, VarId};
use crate::ts::valuation::Valuation;
use rules::{Role, Rule, Rules, variable};
use rustc_hash::{FxHashMap, FxHashSet};
use system::Layout;

/// A system with its bad states.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Its variables are those that arguments share, the location, and free ones.
    pub system: System,
    /// Which states are bad. It reads no free variable.
    pub bad: Term,
    /// Clauses to point at: the first ones about initial states, steps and bad states.
    pub places: Places,
    rules: Rules,
    layout: Layout,
    /// By predicate.
    parts: Vec<Part>,
    /// The clauses of the file, in the arena of the rules.
    readings: Vec<ClauseReading>,
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

/// Formulas for the predicates that are locations, over the arguments of each.
struct Located {
    terms: Terms,
    /// By location, as conjuncts.
    formulas: Vec<Vec<Term>>,
}

/// The system of clauses that the reader accepts.
pub fn lower(clauses: &Clauses) -> Lowered {
    let mut terms = Terms::new();
    let (readings, mut next) = ClauseReading::all(clauses, &mut terms);
    let Blocks { readings: blocks, parts } = Blocks::new(&mut terms, &readings, clauses.predicates.len(), &mut next);
    let rules = Rules::new(clauses, terms, next, &blocks);
    let locations = (0..parts.len()).filter(|&predicate| parts[predicate] == Part::Location).collect();
    let layout = Layout::new(&rules, locations);
    let (system, bad) = system::system(&rules, &layout);
    Lowered { system, bad, places: Places::of(&readings), rules, layout, parts, readings }
}

/// The system in which each clause is a step of its own.
pub fn as_written(clauses: &Clauses) -> System {
    let mut terms = Terms::new();
    let (readings, mut next) = ClauseReading::all(clauses, &mut terms);
    let readings = linear(&mut terms, readings, clauses.predicates.len(), &mut next);
    let rules = Rules::new(clauses, terms, next, &readings);
    let layout = Layout::new(&rules, (0..clauses.predicates.len()).collect());
    system::system(&rules, &layout).0
}

impl Places {
    fn of(readings: &[ClauseReading]) -> Places {
        let first = |wanted: fn(&ClauseReading) -> bool| Some(readings.iter().find(|one| wanted(one))?.uses[0].clause);
        Places {
            start: first(|one| one.before.is_empty() && one.after.is_some()),
            step: first(|one| !one.before.is_empty() && one.after.is_some()),
            bad: first(|one| one.after.is_none()),
        }
    }
}

impl Lowered {
    /// Asks Spacer about the rules themselves, with a relation for each location. It relies on these invariants of the
    /// system; `global` as in [`solve`].
    pub fn spacer(&self, known: &Invariants, global: bool, budget: Budget) -> SafetyClaim {
        self.ask(known, global, budget).unwrap_or_else(SafetyClaim::Unknown)
    }

    fn ask(&self, relied: &Invariants, global: bool, budget: Budget) -> Result<SafetyClaim, Reason> {
        let Located { mut terms, formulas: known } = self.located(&relied.terms, &relied.clauses);
        let rules = &self.rules;
        let relation = |&predicate: &usize| -> Vec<Term> {
            let placed = self.layout.placed(rules, predicate);
            placed.map(|(number, _)| rules.variables[number as usize].term(&mut terms, VarId(number))).collect()
        };
        let relations: Vec<Vec<Term>> = self.layout.locations.iter().map(relation).collect();
        let horn_rule = |Rule { guard, before, after, .. }: &Rule| {
            let before = before.map(|predicate| self.layout.place(predicate));
            let known = before.map_or(&[][..], |location| &known[location]);
            let head = |Atom { predicate, arguments, .. }: &Atom| {
                let first = rules.arguments[*predicate].start;
                let placed = self.layout.placed(rules, *predicate);
                let values = placed.map(|(number, _)| arguments[(number - first) as usize]).collect();
                (self.layout.place(*predicate), values)
            };
            HornRule {
                conditions: [&[*guard], known].concat(),
                before: before.map(|location| (location, relations[location].clone())).into_iter().collect(),
                after: after.as_ref().map(head),
            }
        };
        let list: Vec<HornRule> = self.rules.list.iter().map(horn_rule).collect();
        let question = HornQuestion { terms: &terms, variables: &rules.variables, relations: &relations, rules: &list };
        let Some((from, formulas)) = solve(question, global, budget)? else { return Ok(SafetyClaim::Reached(None)) };
        let mut terms = self.system.terms().clone();
        let mut memo = FxHashMap::default();
        let mut replace = |terms: &mut Terms, leaf: Leaf, sort| match leaf {
            Leaf::Var(VarId(number)) => terms.leaf(Leaf::Var(self.layout.variable(rules, number)), sort, None),
            Leaf::Input(_) => unreachable!("rules have no inputs"),
        };
        let mut clauses = Vec::new();
        for (location, &formula) in formulas.iter().enumerate() {
            let here = self.layout.is_at(&mut terms, location);
            for conjunct in from.conjuncts(&[formula]) {
                let conjunct = terms.translate(&from, conjunct, &mut replace, &mut memo);
                clauses.push(terms.implies(here, conjunct));
            }
        }
        clauses.extend(relied.imported(&mut terms));
        Ok(SafetyClaim::Unreachable(Invariant { terms, clauses, k: 1 }))
    }

    /// The meaning of an invariant of the system at each location. Variables that are no arguments there have a fixed value.
    fn located(&self, from: &Terms, invariant: &[Term]) -> Located {
        let mut terms = self.rules.terms.clone();
        let formulas = (0..).zip(&self.layout.locations).map(|(location, &predicate)| {
            let arguments: FxHashMap<VarId, u32> =
                self.layout.placed(&self.rules, predicate).map(|(number, slot)| (slot, number)).collect();
            let mut replace = |terms: &mut Terms, leaf: Leaf, sort| match leaf {
                Leaf::Var(id) if id == self.layout.location => terms.numbered(location, sort),
                Leaf::Var(id) if arguments.contains_key(&id) => {
                    terms.leaf(Leaf::Var(VarId(arguments[&id])), sort, None)
                }
                Leaf::Var(id) if id < self.layout.location => terms.numbered(0, sort),
                // The check refuses it.
                Leaf::Var(VarId(id)) => {
                    let free = VarId(id - self.layout.location.0 - 1 + self.rules.count() as u32);
                    terms.leaf(Leaf::Var(free), sort, None)
                }
                Leaf::Input(_) => terms.leaf(leaf, sort, None),
            };
            let mut memo = FxHashMap::default();
            let list: Vec<Term> =
                invariant.iter().map(|&term| terms.translate(from, term, &mut replace, &mut memo)).collect();
            terms.conjuncts(&list)
        });
        let formulas = formulas.collect();
        Located { terms, formulas }
    }

    /// Formulas for all predicates, as conjuncts in SMT-LIB, from an invariant of the system. Those of predicates that were
    /// resolved away are interpolants, for which Spacer is asked: their clauses have no loops.
    pub fn interpretation(&self, invariant: &Invariant, budget: Budget) -> Result<Vec<Vec<String>>, Reason> {
        let mut all = Vec::new();
        let located = &self.located(&invariant.terms, &invariant.clauses);
        let between = self.between(located, budget)?;
        for (predicate, part) in self.parts.iter().enumerate() {
            all.push(match part {
                Part::Unreached => vec!["false".to_owned()],
                Part::Harmless => Vec::new(),
                Part::Location => {
                    let formulas = &located.formulas[self.layout.place(predicate)];
                    texts(&located.terms, formulas, &self.rules.variables)
                }
                Part::Between => between[&predicate].clone(),
            });
        }
        Ok(all)
    }

    fn between(&self, located: &Located, budget: Budget) -> Result<FxHashMap<usize, Vec<String>>, Reason> {
        let is_between = |atom: &Atom| self.parts[atom.predicate] == Part::Between;
        let list: Vec<usize> = (0..self.parts.len()).filter(|&number| self.parts[number] == Part::Between).collect();
        if list.is_empty() {
            return Ok(FxHashMap::default());
        }
        let mut asking = Completing { lowered: self, located, terms: Terms::new(), list: &list };
        let mut rules = Vec::new();
        for reading in &self.readings {
            if reading.before.iter().chain(&reading.after).any(is_between) {
                rules.extend(asking.rule(reading));
            }
        }
        let mut terms = asking.terms;
        let mut formals = Vec::new();
        let mut variables: Vec<Variable> = Vec::new();
        for number in 0..self.rules.next {
            let sort = terms.leaf_sort(Leaf::Var(VarId(number))).unwrap_or(term::Sort::Bool);
            variables.push(variable(format!("v{number}"), Origin::Free(number), sort));
        }
        for &predicate in &list {
            let mut state = Vec::new();
            for number in self.rules.arguments[predicate].clone() {
                let argument = &self.rules.variables[number as usize];
                state.push(terms.leaf(Leaf::Var(VarId(variables.len() as u32)), argument.sort, None));
                variables.push(argument.clone());
            }
            formals.push(state);
        }
        let question = HornQuestion { terms: &terms, variables: &variables, relations: &formals, rules: &rules };
        // If there is no answer, the check says which clause is violated.
        let answer = solve(question, false, budget)?;
        let formula = |(position, &predicate): (usize, &usize)| {
            let text = match &answer {
                Some((terms, formulas)) => texts(terms, &terms.conjuncts(&[formulas[position]]), &variables),
                None => vec!["false".to_owned()],
            };
            (predicate, text)
        };
        Ok(list.iter().enumerate().map(formula).collect())
    }

    /// The run that goes through these states of the system, with the events of its steps. The states begin with an
    /// initial one and end with a bad one.
    pub fn run(&self, states: &[Vec<Value>], events: &[usize]) -> Run {
        let mut uses = Uses::default();
        // The predicate, with all of its arguments.
        let mut now: Option<State> = None;
        for (position, state) in states.iter().enumerate() {
            let at = |here: Option<&State>| self.valuation(state, here);
            if position == 0 {
                let fits = |rule: &&Rule| rule.before.is_none() && self.leads_to(rule, state);
                if let Some(rule) = self.rules.list.iter().find(fits) {
                    let described = rule.after.as_ref().map(|atom| self.described(atom.predicate, state));
                    now = uses.add(&self.rules.terms, rule, &mut at(described.as_ref()));
                }
            }
            match events.get(position) {
                Some(&event) => {
                    let EventKind::Clause(number) = self.system.events()[event].kind else { continue };
                    now = uses.add(&self.rules.terms, &self.rules.list[number as usize], &mut at(now.as_ref()));
                }
                None => {
                    let mut here = at(now.as_ref());
                    let predicate = now.as_ref().map(|state| state.predicate);
                    let is_bad = |rule: &&Rule| rule.role == Role::Bad && rule.before == predicate;
                    let mut rules = self.rules.list.iter().filter(is_bad);
                    if let Some(rule) = rules.find(|rule| here.holds(&self.rules.terms, rule.guard)) {
                        uses.add(&self.rules.terms, rule, &mut here);
                    }
                }
            }
        }
        Run { uses: uses.list }
    }

    /// The values of the arguments of a state, and of the free variables in a state of the system.
    fn valuation(&self, state: &[Value], here: Option<&State>) -> Valuation {
        let mut values: Vec<Value> = self.rules.variables.iter().map(|variable| variable.sort.value(0)).collect();
        if let Some(here) = here {
            let first = self.rules.arguments[here.predicate].start as usize;
            values[first..first + here.values.len()].clone_from_slice(&here.values);
        }
        for (number, value) in (0..).zip(&mut values).skip(self.rules.count()) {
            value.clone_from(&state[self.layout.variable(&self.rules, number).0 as usize]);
        }
        Valuation::new(values, Vec::new())
    }

    /// A state of a predicate, as far as a state of the system says what it is.
    fn described(&self, predicate: usize, state: &[Value]) -> State {
        let values = self.rules.arguments[predicate].clone().map(|number| match self.layout.slots[number as usize] {
            Some(slot) => state[slot.0 as usize].clone(),
            None => self.rules.variables[number as usize].sort.value(0),
        });
        State { predicate, values: values.collect() }
    }

    /// True if a clause about initial states leads to this state of the system.
    fn leads_to(&self, rule: &Rule, state: &[Value]) -> bool {
        let terms = &self.rules.terms;
        let Value::Enum(location) = state[self.layout.location.0 as usize] else { return false };
        let Some(&predicate) = self.layout.locations.get(location as usize) else {
            return rule.role == Role::Failure && self.valuation(state, None).holds(terms, rule.guard);
        };
        let Some(head) = rule.after.as_ref().filter(|atom| atom.predicate == predicate) else { return false };
        let mut valuation = self.valuation(state, Some(&self.described(predicate, state)));
        let first = self.rules.arguments[predicate].start;
        let mut placed = self.layout.placed(&self.rules, predicate);
        valuation.holds(terms, rule.guard)
            && placed.all(|(number, slot)| {
                valuation.value(terms, head.arguments[(number - first) as usize]) == state[slot.0 as usize]
            })
    }
}

/// Uses of clauses, each of which leads to another state.
#[derive(Default)]
struct Uses {
    list: Vec<Use>,
    known: FxHashSet<State>,
}

impl Uses {
    /// The clauses that a rule consists of; the state that it leads to.
    fn add(&mut self, terms: &Terms, rule: &Rule, valuation: &mut Valuation) -> Option<State> {
        let mut values = |list: &[Term]| list.iter().map(|&term| valuation.value(terms, term)).collect();
        let mut last = None;
        for Used { clause, variables, head } in &rule.uses {
            let head = head.as_ref().map(|atom| State { predicate: atom.predicate, values: values(&atom.arguments) });
            last.clone_from(&head);
            if head.as_ref().is_none_or(|head| self.known.insert(head.clone())) {
                self.list.push(Use { clause: *clause, values: values(variables), head });
            }
        }
        last
    }
}

/// Asks for the formulas of predicates that were resolved away.
struct Completing<'a> {
    lowered: &'a Lowered,
    located: &'a Located,
    terms: Terms,
    /// These predicates.
    list: &'a [usize],
}

impl Completing<'_> {
    /// A clause, with formulas for the other predicates; none if it is true.
    fn rule(&mut self, reading: &ClauseReading) -> Option<HornRule> {
        let mut memo = FxHashMap::default();
        let (from, terms) = (&self.lowered.rules.terms, &mut self.terms);
        // Inputs become variables.
        let mut replace = |terms: &mut Terms, leaf: Leaf, sort| match leaf {
            Leaf::Input(input) => terms.leaf(Leaf::Var(VarId(input.0)), sort, None),
            Leaf::Var(_) => unreachable!("clauses have inputs only"),
        };
        let mut all = |list: &[Term]| -> Vec<Term> {
            list.iter().map(|&term| terms.translate(from, term, &mut replace, &mut memo)).collect()
        };
        let mut conditions = all(&reading.conditions);
        let atoms = reading.before.iter().chain(&reading.after);
        let atoms: Vec<(usize, Vec<Term>)> = atoms.map(|atom| (atom.predicate, all(&atom.arguments))).collect();
        let (mut before, mut after) = (Vec::new(), None);
        for (position, (predicate, arguments)) in atoms.into_iter().enumerate() {
            let in_head = position == reading.before.len();
            match self.lowered.parts[predicate] {
                Part::Unreached if !in_head => return None,
                Part::Harmless if in_head => return None,
                Part::Unreached | Part::Harmless => {}
                Part::Location => {
                    let formula = self.located(predicate, &arguments);
                    conditions.push(if in_head { self.terms.not(formula) } else { formula });
                }
                Part::Between => {
                    let number = self.list.iter().position(|&other| other == predicate).expect("it is one");
                    if in_head {
                        after = Some((number, arguments));
                    } else {
                        before.push((number, arguments));
                    }
                }
            }
        }
        Some(HornRule { conditions, before, after })
    }

    /// The formula of a location for these arguments.
    fn located(&mut self, predicate: usize, arguments: &[Term]) -> Term {
        let first = self.lowered.rules.arguments[predicate].start;
        let mut memo = FxHashMap::default();
        let mut replace = |terms: &mut Terms, leaf: Leaf, sort| match leaf {
            Leaf::Var(VarId(number)) if self.lowered.rules.arguments[predicate].contains(&number) => {
                arguments[(number - first) as usize]
            }
            _ => terms.numbered(0, sort),
        };
        let mut list = Vec::new();
        for &formula in &self.located.formulas[self.lowered.layout.place(predicate)] {
            list.push(self.terms.translate(&self.located.terms, formula, &mut replace, &mut memo));
        }
        self.terms.and(list)
    }
}

/// Formulas as texts over the names of variables.
fn texts(terms: &Terms, formulas: &[Term], variables: &[Variable]) -> Vec<String> {
    let shared = Shared::new(terms, &[], &[], "");
    let writer = Writer { terms, vocabulary: &Names(variables), shared: &shared };
    formulas.iter().map(|&formula| writer.term(formula)).collect()
}

struct Names<'a>(&'a [Variable]);

impl Vocabulary for Names<'_> {
    fn leaf(&self, leaf: Leaf) -> String {
        match leaf {
            Leaf::Var(VarId(number)) => quoted(&self.0[number as usize].name),
            Leaf::Input(input) => format!("input{}", input.0),
        }
    }
}
