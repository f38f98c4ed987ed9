//! Liveness checking with shoals: sets of states from where the acceptance condition is met only a bounded number of
//! times.
//!
//! Xia, Cimatti, Griggio, Li, *Avoiding the shoals: a new approach to liveness checking* (CAV 2024). A depth-first
//! search goes from accepting state to accepting state; each leg is a reachability query to PDR ([`super::pdr`]). If
//! no further accepting state is reachable, PDR's invariant contains all later states. Then the accepting state,
//! generalised by an unsatisfiable core, becomes a shoal: from there no accepting state outside of earlier shoals is
//! reachable. When no accepting state outside of the shoals is reachable from the initial states, the acceptance
//! condition is met only finitely often.
//!
//! Two things are kept: the frames of the search from the initial states, and every invariant, for all legs that start
//! inside it. The proof is a ranking function: the number of the first invariant that contains a state never
//! increases, and decreases after accepting states. So it is checked like any other ranking ([`crate::ts::ranking`]).
//!
//! An accepting state that is reached from itself closes a lasso. If integers grow for ever, no lasso closes, and the
//! depth-first search ends at a limit: known incompleteness.
//!
//! Beside other engines it begins where no complete ranking was found. Alone (`--engine rlive`) it leaves safety to
//! PDR.

use super::Config;
use super::pdr::{Path, PdrSearch, Reach};
use super::ranking::FoundRanking;
use crate::claim::Trace;
use crate::limits::Reason;
use crate::model::Value;
use crate::product::rounds::Accepting;
use crate::smt::Literal;
use crate::smt::unroll::Unrolling;
use crate::ts::ranking::Ranking;
use crate::ts::show::ShownTerm;
use crate::ts::system::{Case, Origin, System, Variable};
use crate::ts::term::{Leaf, Term, TermNode, Terms, VarId};
use crate::ts::valuation::Valuation;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::info;

/// The number of accepting states that may lie on one path.
const DEEPEST: usize = 100;

/// The result of a search.
pub enum Liveness {
    /// The acceptance is seen finitely often, because of this ranking.
    Finitely(FoundRanking),
    /// It is seen infinitely often on this lasso.
    Infinitely(Trace),
}

/// Searches. Needs a Z3 context ([`crate::smt::with_context`]).
pub fn run(accepting: &Accepting, known: &[Term], config: Config) -> Result<Liveness, Reason> {
    let terms = accepting.system.terms().clone();
    let mut search = Shoals { accepting, known, config, terms, shoals: Vec::new(), invariants: Vec::new() };
    let mut from_start = PdrSearch::new(&accepting.system, known, config);
    loop {
        let bad = search.outside();
        let bad = from_start.terms_mut().import(&search.terms, bad, &mut FxHashMap::default());
        match from_start.reach(bad)? {
            Reach::Unreachable(invariant) => {
                let clauses = search.imported(&invariant.terms, &invariant.clauses);
                return Ok(Liveness::Finitely(search.ranking(clauses)));
            }
            Reach::Reached(path) => {
                if let Some(lasso) = search.dive(path)? {
                    return Ok(Liveness::Infinitely(lasso));
                }
            }
        }
    }
}

struct Shoals<'s> {
    accepting: &'s Accepting,
    known: &'s [Term],
    config: Config<'s>,
    /// The system's arena, grown.
    terms: Terms,
    /// All successors of a shoal are in the invariant of the same number.
    shoals: Vec<Term>,
    /// No accepting state in one of them is outside of earlier shoals.
    invariants: Vec<Term>,
}

impl Shoals<'_> {
    fn system(&self) -> &System {
        &self.accepting.system
    }

    /// Accepting states outside of the shoals.
    fn outside(&mut self) -> Term {
        let shoal = self.terms.or(self.shoals.iter().copied());
        let outside = self.terms.not(shoal);
        self.terms.and([self.accepting.seen, outside])
    }

    fn imported(&mut self, from: &Terms, clauses: &[Term]) -> Vec<Term> {
        let mut memo = FxHashMap::default();
        clauses.iter().map(|&clause| self.terms.import(from, clause, &mut memo)).collect()
    }

    fn is_in(&self, state: &[Value], set: Term) -> bool {
        Valuation::new(state.to_vec(), Vec::new()).holds(&self.terms, set)
    }

    /// From an accepting state to others, until no path leads on; a lasso if there is one.
    fn dive(&mut self, Path { initial, mut inputs }: Path) -> Result<Option<Trace>, Reason> {
        let first = self.last_state(initial.clone(), &inputs);
        // Accepting states, with the number of steps before them.
        let mut stack = vec![(first, inputs.len())];
        while let Some((top, steps)) = stack.last().cloned() {
            inputs.truncate(steps);
            if self.shoals.iter().any(|&shoal| self.is_in(&top, shoal)) {
                stack.pop();
                continue;
            }
            let Some(leg) = self.leg(&top)? else {
                stack.pop();
                continue;
            };
            let next = self.last_state(top, &leg);
            inputs.extend(leg);
            if let Some((_, start)) = stack.iter().find(|(state, _)| *state == next) {
                let lasso = self.system().run_from(initial, &inputs);
                return Ok(Some(Trace { loop_start: Some(*start), ..lasso }));
            }
            if stack.len() == DEEPEST {
                return Err(Reason::Engine(format!("{DEEPEST} accepting states on one path, and no end")));
            }
            stack.push((next, inputs.len()));
        }
        Ok(None)
    }

    fn last_state(&self, first: Vec<Value>, inputs: &[Vec<u32>]) -> Vec<Value> {
        inputs.iter().fold(first, |state, inputs| self.system().successor(&mut Valuation::new(state, inputs.clone())))
    }

    /// The inputs of steps from a state to an accepting state outside of shoals; without any, the state becomes a shoal.
    fn leg(&mut self, state: &[Value]) -> Result<Option<Vec<Vec<u32>>>, Reason> {
        let outside = self.outside();
        let (mut system, moved) = self.departure(state);
        let bad = system.terms_mut().and([moved, outside]);
        let inside = self.invariants.iter().copied().filter(|&invariant| self.is_in(state, invariant));
        let known: Vec<Term> = self.known.iter().copied().chain(inside).collect();
        let invariant = match PdrSearch::new(&system, &known, self.config).reach(bad)? {
            Reach::Reached(Path { inputs, .. }) => return Ok(Some(inputs)),
            Reach::Unreachable(invariant) => invariant,
        };
        let moved_id = VarId(self.system().variables().len() as u32);
        let mut after = |terms: &mut Terms, leaf: Leaf| match leaf {
            Leaf::Var(id) if id == moved_id => Some(terms.bool(true)),
            _ => None,
        };
        let clauses = self.imported(&invariant.terms, &invariant.clauses);
        let all = self.terms.and(clauses);
        let all = self.terms.substitute(all, &mut after, &mut FxHashMap::default());
        let shoal = self.generalised(state, all)?;
        self.shoals.push(shoal);
        self.invariants.push(all);
        let shown = ShownTerm { system: self.system(), terms: &self.terms, term: shoal };
        info!("shoal {}: {shown}", self.shoals.len());
        Ok(None)
    }

    /// The system that starts in a state, and whether it has left it.
    fn departure(&mut self, state: &[Value]) -> (System, Term) {
        let mut parts = self.system().clone().into_parts();
        parts.terms = self.terms.clone();
        parts.init = literals(&mut parts.terms, &parts.variables, state);
        let origin = Origin::Counter(parts.variables.len() as u32);
        let (moved, id) = parts.add_flag("moved".to_owned(), origin, false);
        let yes = parts.terms.bool(true);
        parts.updates[id.0 as usize].push(Case { condition: yes, value: yes });
        (System::new(parts), moved)
    }

    /// A condition that is true in a state and suffices for all successors to be in a set.
    fn generalised(&mut self, state: &[Value], set: Term) -> Result<Term, Reason> {
        let mut literals = self.predicates(state, set);
        literals.extend(self::literals(&mut self.terms, self.accepting.system.variables(), state));
        let mut step = Unrolling::step_within(&self.accepting.system, self.known);
        let left = step.literal_in(&self.terms, 1, set).not();
        step.add(&left);
        let proxies: Vec<(Term, Literal)> =
            literals.into_iter().map(|term| (term, step.literal_in(&self.terms, 0, term))).collect();
        let mut kept = self.core(&step, proxies)?.ok_or_else(|| Reason::Engine("a step was lost".to_owned()))?;
        // The values of variables are last, and go first.
        let mut index = kept.len();
        while index > 0 {
            index -= 1;
            let fewer = [&kept[..index], &kept[index + 1..]].concat();
            if let Some(core) = self.core(&step, fewer)? {
                kept = core;
                index = index.min(kept.len());
            }
        }
        Ok(self.terms.and(kept.into_iter().map(|(term, _)| term)))
    }

    /// Those of the literals that contradict the rest, if they do.
    fn core(&self, step: &Unrolling, literals: Vec<(Term, Literal)>) -> Result<Option<Vec<(Term, Literal)>>, Reason> {
        let assumed: Vec<Literal> = literals.iter().map(|(_, literal)| literal.clone()).collect();
        let contradicts = step.check_until(&assumed, self.config.budget, self.config.stop)?.is_none();
        Ok(contradicts.then(|| step.core(&assumed).into_iter().map(|index| literals[index].clone()).collect()))
    }

    /// Comparisons of the system and of a set, as they are in a state.
    fn predicates(&mut self, state: &[Value], set: Term) -> Vec<Term> {
        let events = self.accepting.system.events().iter().map(|event| event.guard);
        let mut work: Vec<Term> = events.chain([set, self.accepting.seen]).collect();
        let (mut seen, mut atoms) = (FxHashSet::default(), Vec::new());
        while let Some(term) = work.pop() {
            match self.terms.node(term) {
                _ if !seen.insert(term) => {}
                TermNode::Le(..) | TermNode::Eq(..) => atoms.push(term),
                _ => self.terms.for_each_child(term, |child| work.push(child)),
            }
        }
        atoms.retain(|&atom| self.terms.is_of_state(atom));
        let mut valuation = Valuation::new(state.to_vec(), Vec::new());
        let truths: Vec<bool> = atoms.iter().map(|&atom| valuation.holds(&self.terms, atom)).collect();
        let as_it_is = |(atom, truth)| if truth { atom } else { self.terms.not(atom) };
        atoms.into_iter().zip(truths).map(as_it_is).collect()
    }

    /// The number of the first invariant that contains a state.
    fn ranking(mut self, invariants: Vec<Term>) -> FoundRanking {
        let mut rank = self.terms.int(self.invariants.len());
        for (number, &invariant) in self.invariants.iter().enumerate().rev() {
            let number = self.terms.int(number);
            rank = self.terms.ite(invariant, number, rank);
        }
        FoundRanking { ranking: Ranking { terms: self.terms, components: vec![rank] }, invariants, complete: true }
    }
}

/// That the variables have these values; bounds for integers.
fn literals(terms: &mut Terms, variables: &[Variable], state: &[Value]) -> Vec<Term> {
    let mut literals = Vec::new();
    for (id, (variable, value)) in (0..).map(VarId).zip(variables.iter().zip(state)) {
        let term = variable.term(terms, id);
        let constant = terms.constant(value, variable.sort);
        match value {
            Value::Bool(true) => literals.push(term),
            Value::Bool(false) => literals.push(terms.not(term)),
            Value::Enum(_) => literals.push(terms.eq(term, constant)),
            Value::Int(_) => literals.extend([terms.le(term, constant), terms.le(constant, term)]),
        }
    }
    literals
}
