//! The question whether a large invariant is inductive, event by event.
//!
//! A clause that is a set of states has a node for each of many parts of the state. A solver that is told of the states
//! before and after any step has to find out at each node that both are alike there. So this script has one state: the
//! clauses after an event are terms over the state before it (the weakest precondition), which share with the clauses
//! what the event leaves as it is. Above what it touches, they differ because their operands do; there the question is
//! asked about these operands ([`Split`]).

use super::Query;
use super::invariant::InvariantQueries;
use super::script::{Choice, Context, Script};
use crate::limits::tick;
use crate::ts::system::{EVENT, System};
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// From so many subterms on a clause is a set of states.
const LARGE: usize = 64;

/// True if a clause of an invariant is large.
pub fn is_large(terms: &Terms, clause: Term) -> bool {
    terms.size_up_to(clause, LARGE) >= LARGE
}

/// Does an event lead from a state that satisfies the invariant, which is not about several steps, to one that does not?
pub fn inductive(question: &InvariantQueries) -> Query {
    let InvariantQueries { system, symbols, invariant, .. } = *question;
    let mut terms = invariant.terms.clone();
    let mut outside = Outside::new(system, &mut terms, &invariant.clauses).collect(system, &mut terms);
    if outside.is_empty() {
        outside.push(terms.bool(false));
    }
    let context = Context { system, terms: &terms, symbols };
    let all = [&invariant.clauses[..], &outside].concat();
    let asked = "Does an event lead from a state that satisfies the invariant to one that does not?";
    let mut script = Script::new(context, asked, context.logic(all.iter().copied()));
    let frame = script.frame(0, &all, Choice::Any);
    let invariant = [script.domains(&frame), frame.terms(&invariant.clauses)].concat();
    script.assert_all("state 0 satisfies the invariant", &invariant);
    script.assert_any("an event is possible, and a part of the invariant is false after it", &frame.terms(&outside));
    Query { name: "inductive", script: script.finish() }
}

/// Leaves and what stands for them.
type Replaced = FxHashMap<Leaf, Term>;

/// The question about all events.
struct Outside {
    /// Variables that have one value in all states of the invariant.
    constants: Replaced,
    /// The other clauses, with these values.
    clauses: Vec<Term>,
    /// Events that are possible with these values.
    events: Vec<(usize, Term)>,
}

impl Outside {
    fn new(system: &System, terms: &mut Terms, clauses: &[Term]) -> Outside {
        let (mut constants, mut others) = (Replaced::default(), Vec::new());
        for &clause in clauses {
            match constant(terms, clause).filter(|(leaf, _)| !constants.contains_key(leaf)) {
                Some((leaf, value)) => drop(constants.insert(leaf, value)),
                None => others.push(clause),
            }
        }
        let mut memo = FxHashMap::default();
        let mut known = |terms: &mut Terms, term| replaced(terms, term, &constants, &mut memo);
        let clauses = others.into_iter().map(|clause| known(terms, clause)).collect();
        let guards = system.events().iter().map(|event| known(terms, event.guard));
        let guards: Vec<Term> = guards.collect();
        let events = guards.into_iter().enumerate().filter(|&(_, guard)| !terms.is_false(guard)).collect();
        Outside { constants, clauses, events }
    }

    /// For each event what is false unless it leads out of the invariant.
    fn collect(self, system: &System, terms: &mut Terms) -> Vec<Term> {
        let Outside { constants, clauses, events } = self;
        let count = system.events().len() as u32;
        let numbers: Vec<i64> = events.iter().map(|&(event, _)| event as i64).collect();
        // If no step changes anything, no term reads which event happens.
        terms.leaf(Leaf::Input(EVENT), Sort::Enum(count), None);
        terms.restrict(Leaf::Input(EVENT), &numbers);
        let mut memo = FxHashMap::default();
        let mut known = |terms: &mut Terms, term| replaced(terms, term, &constants, &mut memo);
        let constraints: Vec<Term> = system.constraints().iter().map(|&term| known(terms, term)).collect();
        let updates: Vec<(VarId, Vec<[Term; 2]>)> = system
            .var_ids()
            .map(|id| {
                let cases = system.update(id).iter();
                let cases = cases.map(|case| [known(terms, case.condition), known(terms, case.value)]);
                let cases: Vec<[Term; 2]> = cases.collect();
                (id, cases.into_iter().filter(|[condition, _]| !terms.is_false(*condition)).collect())
            })
            .collect();
        let mut outside = Vec::new();
        for (event, guard) in events {
            let only = Replaced::from_iter([(Leaf::Input(EVENT), terms.constant_of_enum(event as u32, count))]);
            let mut memo = FxHashMap::default();
            let mut fixed = |terms: &mut Terms, term| replaced(terms, term, &only, &mut memo);
            let constraints: Vec<Term> = constraints.iter().map(|&term| fixed(terms, term)).collect();
            let possible = terms.and(constraints.into_iter().chain([guard]));
            if terms.is_false(possible) {
                continue;
            }
            let mut next = Replaced::default();
            let mut reads = vec![possible];
            for (id, cases) in &updates {
                let mut value = system.variable(*id).term(terms, *id);
                let before = value;
                for &[condition, then] in cases.iter().rev() {
                    let condition = fixed(terms, condition);
                    if !terms.is_false(condition) {
                        let then = fixed(terms, then);
                        value = terms.ite(condition, then, value);
                    }
                }
                if value != before {
                    next.insert(Leaf::Var(*id), value);
                    reads.extend([value, before]);
                }
            }
            let mut touched = FxHashSet::default();
            let mut seen = FxHashSet::default();
            reads.iter().for_each(|&term| {
                terms.collect_leaves(term, &mut seen, &mut |leaf| {
                    touched.insert(leaf);
                })
            });
            let mut split = Split { next: &next, touched, after: FxHashMap::default(), reading: FxHashMap::default() };
            let mut left = Vec::new();
            for (&leaf, &value) in &next {
                if let Leaf::Var(id) = leaf {
                    let variable = system.variable(id);
                    left.push(variable.domain.contains(terms, value, variable.sort));
                }
                if let Some(&constant) = constants.get(&leaf) {
                    left.push(terms.eq(value, constant));
                }
            }
            let mut parts: Vec<Term> = left.into_iter().map(|kept| terms.not(kept)).collect();
            let mut visited = FxHashSet::default();
            for &clause in &clauses {
                split.collect(terms, clause, &mut visited, &mut parts);
            }
            let some = terms.or(parts);
            outside.push(terms.and([possible, some]));
        }
        outside.retain(|&term| !terms.is_false(term));
        outside
    }
}

/// The parts of clauses that an event may make false.
struct Split<'a> {
    next: &'a Replaced,
    /// The leaves that the event reads or changes.
    touched: FxHashSet<Leaf>,
    after: FxHashMap<Term, Term>,
    /// True if terms read that.
    reading: FxHashMap<Term, bool>,
}

impl Split<'_> {
    /// Adds to `parts` that one of them becomes false: `a` is true, and not any more afterwards. Where only one operand
    /// of a conjunction or disjunction can have changed, the same is asked of this operand; where each operand of a disjunction
    /// that can have changed excludes the others by what has not, of each of them.
    fn collect(&mut self, terms: &mut Terms, root: Term, visited: &mut FxHashSet<Term>, parts: &mut Vec<Term>) {
        let whole = !is_large(terms, root);
        let mut work = vec![root];
        while let Some(term) = work.pop() {
            tick();
            if !visited.insert(term) || !self.reads(terms, term) {
                continue;
            }
            let operands = if whole { None } else { self.operands(terms, term) };
            match operands {
                Some(operands) => work.extend(operands),
                None => {
                    let after = replaced(terms, term, self.next, &mut self.after);
                    let false_after = terms.not(after);
                    parts.push(terms.and([term, false_after]));
                }
            }
        }
    }

    fn operands(&mut self, terms: &Terms, term: Term) -> Option<Vec<Term>> {
        let (TermNode::And(list) | TermNode::Or(list)) = terms.node(term) else { return None };
        let changing: Vec<Term> = list.iter().copied().filter(|&operand| self.reads(terms, operand)).collect();
        match (terms.node(term), &changing[..]) {
            (_, [_]) => Some(changing),
            (TermNode::Or(_), [a, b]) if self.exclude(terms, *a, *b) => Some(changing),
            _ => None,
        }
    }

    /// True if two conjunctions contain a formula and its negation, which does not change.
    fn exclude(&mut self, terms: &Terms, a: Term, b: Term) -> bool {
        let (TermNode::And(a), TermNode::And(b)) = (terms.node(a), terms.node(b)) else { return false };
        let mut negated = |a: &[Term], b: &[Term]| {
            a.iter().any(|&x| matches!(terms.node(x), TermNode::Not(y) if b.contains(y)) && !self.reads(terms, x))
        };
        negated(a, b) || negated(b, a)
    }

    /// True if a term reads what the event touches.
    fn reads(&mut self, terms: &Terms, term: Term) -> bool {
        let mut work = vec![term];
        while let Some(&top) = work.last() {
            if self.reading.contains_key(&top) {
                work.pop();
                continue;
            }
            tick();
            let before = work.len();
            let mut reads = matches!(terms.node(top), TermNode::Leaf(leaf) if self.touched.contains(leaf));
            terms.for_each_child(top, |child| match self.reading.get(&child) {
                Some(child) => reads |= child,
                None => work.push(child),
            });
            if work.len() == before {
                self.reading.insert(top, reads);
                work.pop();
            }
        }
        self.reading[&term]
    }
}

/// A term with others for some leaves.
fn replaced(terms: &mut Terms, term: Term, by: &Replaced, memo: &mut FxHashMap<Term, Term>) -> Term {
    terms.substitute(term, &mut |_, leaf| by.get(&leaf).copied(), memo)
}

/// A variable and its value, where a clause says no more than that.
fn constant(terms: &mut Terms, clause: Term) -> Option<(Leaf, Term)> {
    match *terms.node(clause) {
        TermNode::Leaf(leaf) => Some((leaf, terms.bool(true))),
        TermNode::Not(a) => match *terms.node(a) {
            TermNode::Leaf(leaf) => Some((leaf, terms.bool(false))),
            _ => None,
        },
        TermNode::Eq(a, b) if terms.as_constant(b).is_some() => match *terms.node(a) {
            TermNode::Leaf(leaf) => Some((leaf, b)),
            _ => None,
        },
        _ => None,
    }
}
