//! Parts of runs as single steps: when they are possible, and their effect.
//!
//! A segment is composed of the steps that a run took. Its conditions are the literals that made each of its guards true, and
//! each of its updates take the case that it took, over the state before the segment. So it has no branches, and its effect is a
//! term per variable.
//!
//! A segment can be repeated if all that it changes are integers, and each of them by a constant. With k repetitions the integer
//! v becomes v + k c; as all conditions are linear in what changes, they hold in each repetition if they hold in the
//! first and in the last one. Kroening, Lewis, Weissenbacher, *Under-approximating loops in C programs for fast
//! counterexample detection* (CAV 2013); Frohn, Giesl, *Integrating loop acceleration into bounded model checking* (FM 2024).

use crate::model::Value;
use crate::model::eval::Choice;
use crate::ts::system::{EVENT, System};
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use crate::ts::valuation::{Implicant, Valuation};
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A segment, by its place among [`Segments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SegmentId(usize);

/// The variables that are changed, ascending, with their new values over the state before.
pub type Effect = Vec<(VarId, Term)>;

/// A segment, and how often it is repeated: at least once, and more than that only if it can be.
pub type Item = (SegmentId, u64);

/// A part of runs.
#[derive(Debug)]
pub struct Segment {
    /// Literals over the state before it: wherever all of them hold, its steps are possible, and have its effect.
    pub conditions: Vec<Term>,
    /// The variables that it changes, ascending, with their new values over the state before it.
    pub effect: Effect,
    /// The number of its steps.
    pub steps: u64,
    /// How it can be repeated, if it can.
    pub repeat: Option<Repeat>,
    path: Path,
}

/// How a segment can be repeated.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// Literals over the state before a repetition: wherever all of them hold, the segment adds the constants, and
    /// changes nothing else.
    pub conditions: Vec<Term>,
    /// The integers that it changes, ascending, with what each repetition adds.
    pub increments: Vec<(VarId, IBig)>,
}

/// The parts of a segment.
#[derive(Debug)]
enum Path {
    Step(Choice),
    Sequence(Vec<Item>),
}

/// Segments of the runs of a system.
pub struct Segments<'s> {
    system: &'s System,
    /// The system's arena, grown by conditions and effects.
    terms: Terms,
    list: Vec<Segment>,
    /// Those with the same conditions and effects are kept once.
    known: FxHashMap<(Vec<Term>, Effect), SegmentId>,
    /// Those of a single step, by its inputs.
    steps: FxHashMap<Vec<u32>, Vec<SegmentId>>,
}

impl<'s> Segments<'s> {
    /// None yet.
    pub fn new(system: &'s System) -> Segments<'s> {
        let terms = system.terms().clone();
        Segments { system, terms, list: Vec::new(), known: FxHashMap::default(), steps: FxHashMap::default() }
    }

    /// The arena of conditions and effects.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// One of them.
    pub fn get(&self, id: SegmentId) -> &Segment {
        &self.list[id.0]
    }

    /// The inputs of the step that a segment is, if it is one.
    pub fn inputs_of_step(&self, id: SegmentId) -> Option<&[u32]> {
        self.steps.iter().find(|(_, list)| list.contains(&id)).map(|(inputs, _)| &inputs[..])
    }

    /// The number of steps of an item.
    pub fn steps(&self, (id, times): Item) -> u64 {
        self.get(id).steps.saturating_mul(times)
    }

    /// The step from a state with these inputs, which is possible.
    pub fn step(&mut self, state: &[Value], inputs: &[u32]) -> SegmentId {
        let mut here = Valuation::new(state.to_vec(), inputs.to_vec());
        let fits = |id: &&SegmentId| self.list[id.0].conditions.iter().all(|&term| here.holds(&self.terms, term));
        if let Some(id) = self.steps.get(inputs).and_then(|list| list.iter().find(fits)) {
            return *id;
        }
        let system = self.system;
        let event = &system.events()[inputs[EVENT.0 as usize] as usize];
        let choice = event.choice(|taken| here.holds(&self.terms, taken));
        let mut implicant = Implicant::new(system, &mut self.terms, &mut here);
        implicant.explain(event.guard);
        system.constraints().iter().for_each(|&term| implicant.explain(term));
        event.receptions.iter().for_each(|reception| implicant.explain(reception.taken));
        let effect: Effect = system.var_ids().filter_map(|id| Some((id, implicant.next(id)?))).collect();
        let literals = implicant.literals();
        let mut memo = FxHashMap::default();
        let mut chosen = |terms: &mut Terms, leaf: Leaf| {
            let Leaf::Input(id) = leaf else { return None };
            let sort = terms.leaf_sort(leaf).expect("a leaf of a term");
            Some(terms.constant(&Value::Enum(inputs[id.0 as usize]), sort))
        };
        let mut fixed = |term: Term| self.terms.substitute(term, &mut chosen, &mut memo);
        let literals: Vec<Term> = literals.into_iter().map(&mut fixed).collect();
        let effect = effect.into_iter().map(|(id, value)| (id, fixed(value))).collect();
        let literals = literals.into_iter().flat_map(|literal| self.as_inequalities(literal, state)).collect();
        let conditions = self.conjunction(literals).expect("they hold in the state");
        let id = self.keep(conditions, effect, 1, Path::Step(choice));
        self.steps.entry(inputs.to_vec()).or_default().push(id);
        id
    }

    /// Equations of integers and their negations as inequalities that hold in the state, as they do.
    fn as_inequalities(&mut self, literal: Term, state: &[Value]) -> Vec<Term> {
        let terms = &mut self.terms;
        let (equation, holds) = match *terms.node(literal) {
            TermNode::Not(inner) => (inner, false),
            _ => (literal, true),
        };
        let TermNode::Eq(a, b) = *terms.node(equation) else { return vec![literal] };
        if terms.sort(a) != Sort::Int {
            return vec![literal];
        }
        if holds {
            return vec![terms.le(a, b), terms.le(b, a)];
        }
        let mut here = Valuation::new(state.to_vec(), Vec::new());
        let less = here.value(terms, a).into_int() < here.value(terms, b).into_int();
        vec![if less { terms.lt(a, b) } else { terms.lt(b, a) }]
    }

    /// The literals, each once, and of inequalities between the same terms the strongest one; nothing if they contradict each
    /// other.
    fn conjunction(&mut self, literals: Vec<Term>) -> Option<Vec<Term>> {
        let mut conditions = Vec::new();
        let mut strongest: BTreeMap<Vec<(IBig, Term)>, IBig> = BTreeMap::new();
        for literal in self.terms.conjuncts(&literals) {
            if self.terms.is_false(literal) {
                return None;
            }
            match self.at_most_zero(literal) {
                Some((constant, summands)) => {
                    let most = strongest.entry(summands).or_insert_with(|| constant.clone());
                    *most = constant.max(most.clone());
                }
                None => conditions.push(literal),
            }
        }
        for (summands, constant) in strongest {
            let (sum, most) = (self.terms.linear(&summands), self.terms.int(-constant));
            conditions.push(self.terms.le(sum, most));
        }
        conditions.sort_unstable();
        let all = self.terms.and(conditions.iter().copied());
        (!self.terms.is_false(all)).then_some(conditions)
    }

    /// For an inequality, the sum that it says is at most 0, as constant and summands.
    pub fn at_most_zero(&mut self, literal: Term) -> Option<(IBig, Vec<(IBig, Term)>)> {
        let (difference, is_strict) = self.terms.inequality(literal)?;
        let strict = if is_strict { IBig::ONE } else { IBig::ZERO };
        Some(match self.terms.node(difference) {
            TermNode::Sum(constant, summands) => (constant + strict, summands.to_vec()),
            TermNode::Int(constant) => (constant + strict, Vec::new()),
            _ => (strict, vec![(IBig::ONE, difference)]),
        })
    }

    fn keep(&mut self, conditions: Vec<Term>, effect: Effect, steps: u64, path: Path) -> SegmentId {
        let effect: Effect = effect
            .into_iter()
            .filter(|&(id, value)| *self.terms.node(value) != TermNode::Leaf(Leaf::Var(id)))
            .collect();
        let key = (conditions, effect);
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let id = SegmentId(self.list.len());
        let (conditions, effect) = key.clone();
        self.known.insert(key, id);
        self.list.push(Segment { conditions, effect, steps, path, repeat: None });
        id
    }

    /// Some items one after the other, as one segment; nothing if that is never possible.
    pub fn sequence(&mut self, items: &[Item]) -> Option<SegmentId> {
        if let [(only, 1)] = items {
            return Some(*only);
        }
        let mut now: BTreeMap<VarId, Term> = BTreeMap::new();
        let mut conditions = Vec::new();
        let mut steps: u64 = 0;
        for &item in items {
            let (more, effect) = self.powered(item);
            let mut memo = FxHashMap::default();
            let mut before = |_: &mut Terms, leaf: Leaf| {
                let Leaf::Var(id) = leaf else { return None };
                now.get(&id).copied()
            };
            let mut after = |term: Term| self.terms.substitute(term, &mut before, &mut memo);
            conditions.extend(more.into_iter().map(&mut after));
            let effect: Effect = effect.into_iter().map(|(id, value)| (id, after(value))).collect();
            now.extend(effect);
            conditions = self.conjunction(conditions)?;
            steps = steps.saturating_add(self.steps(item));
        }
        Some(self.keep(conditions, now.into_iter().collect(), steps, Path::Sequence(items.to_vec())))
    }

    /// The conditions and the effect of an item.
    fn powered(&mut self, (id, times): Item) -> (Vec<Term>, Effect) {
        let segment = &self.list[id.0];
        if times == 1 {
            return (segment.conditions.clone(), segment.effect.clone());
        }
        let repeat = segment.repeat.clone().expect("it is repeated, so it can be");
        let times = self.terms.int(times);
        let effect = shifted_values(&mut self.terms, self.system, &repeat.increments, times);
        let conditions = throughout(&mut self.terms, self.system, &repeat, times);
        (conditions, effect)
    }

    /// Finds out whether a segment, which is possible in a state, can be repeated; true if that is new.
    pub fn make_repeatable(&mut self, id: SegmentId, state: &[Value]) -> bool {
        if self.list[id.0].repeat.is_some() {
            return false;
        }
        let repeat = self.repeat_from(id, state);
        let found = repeat.is_some();
        self.list[id.0].repeat = repeat;
        found
    }

    fn repeat_from(&mut self, id: SegmentId, state: &[Value]) -> Option<Repeat> {
        let Segment { conditions, effect, .. } = &self.list[id.0];
        let (mut conditions, effect) = (conditions.clone(), effect.clone());
        let mut here = Valuation::new(state.to_vec(), Vec::new());
        let (mut increments, mut constant) = (Vec::new(), Vec::new());
        for (id, value) in effect {
            let variable = self.system.variable(id);
            let terms = &mut self.terms;
            let before = variable.term(terms, id);
            if variable.sort != Sort::Int {
                let unchanged = terms.eq(before, value);
                if !here.holds(terms, unchanged) {
                    return None;
                }
                conditions.push(unchanged);
                continue;
            }
            let difference = terms.sub(value, before);
            let added = here.value(terms, difference).into_int();
            if terms.as_constant(difference).is_none() {
                let expected = terms.int(added.clone());
                constant.extend([terms.le(difference, expected), terms.le(expected, difference)]);
            }
            if added != IBig::ZERO {
                increments.push((id, added));
            }
        }
        // These say that what is added is the same each time, so it must not depend on what changes.
        for &literal in &constant {
            let (_, summands) = self.at_most_zero(literal)?;
            if self.slope(&summands, &increments)? != IBig::ZERO {
                return None;
            }
        }
        conditions.extend(constant);
        let conditions = self.conjunction(conditions)?;
        let is_linear = |literal: &Term| match self.at_most_zero(*literal) {
            Some((_, summands)) => self.slope(&summands, &increments).is_some(),
            None => self.is_unmoved(*literal, &increments),
        };
        (!increments.is_empty() && conditions.iter().all(is_linear)).then_some(Repeat { conditions, increments })
    }

    /// True if some of these loops, which can be repeated, does the same in one or more rounds.
    pub fn is_covered(&mut self, id: SegmentId, loops: &[SegmentId]) -> bool {
        let Some(asked) = self.list[id.0].repeat.clone() else { return false };
        let steps = self.list[id.0].steps;
        loops.iter().any(|other| {
            let Segment { repeat: Some(repeat), steps: round, .. } = &self.list[other.0] else { return false };
            let repeat = repeat.clone();
            let times = steps / round;
            let multiple = |(id, added): &(VarId, IBig)| (*id, added * IBig::from(times));
            steps == times * round
                && repeat.increments.iter().map(multiple).eq(asked.increments.iter().cloned())
                && repeat.conditions.iter().all(|&condition| self.follows(condition, &asked.conditions))
        })
    }

    /// True if a literal is one of some, or weaker than one of these.
    fn follows(&mut self, literal: Term, from: &[Term]) -> bool {
        if from.contains(&literal) {
            return true;
        }
        let Some((constant, summands)) = self.at_most_zero(literal) else { return false };
        from.iter().any(|&stronger| {
            let other = self.at_most_zero(stronger);
            other.is_some_and(|(least, same)| same == summands && constant <= least)
        })
    }

    fn is_unmoved(&self, term: Term, increments: &[(VarId, IBig)]) -> bool {
        let read = self.terms.variables(term);
        increments.iter().all(|(id, _)| !read.contains(id))
    }

    /// How much a sum grows with each repetition; nothing if it is not linear in what changes.
    fn slope(&self, summands: &[(IBig, Term)], increments: &[(VarId, IBig)]) -> Option<IBig> {
        let mut slope = IBig::ZERO;
        for (factor, term) in summands {
            if let TermNode::Leaf(Leaf::Var(id)) = self.terms.node(*term) {
                let added = increments.iter().find(|(changed, _)| changed == id);
                slope += added.map_or(IBig::ZERO, |(_, added)| factor * added);
            } else if !self.is_unmoved(*term, increments) {
                return None;
            }
        }
        Some(slope)
    }

    /// How often a segment can be repeated from a state, up to a limit; once if it cannot be, and never if it is not possible.
    pub fn most_times(&mut self, id: SegmentId, state: &[Value], limit: u64) -> u64 {
        let mut here = Valuation::new(state.to_vec(), Vec::new());
        let possible = |here: &mut Valuation, conditions: &[Term], terms: &Terms| {
            conditions.iter().all(|&condition| here.holds(terms, condition))
        };
        let segment = &self.list[id.0];
        if !possible(&mut here, &segment.conditions, &self.terms) {
            return 0;
        }
        let Some(Repeat { conditions, increments }) = segment.repeat.clone() else { return 1 };
        if !possible(&mut here, &conditions, &self.terms) {
            return 1;
        }
        let mut most = IBig::from(limit);
        for condition in conditions {
            let Some((constant, summands)) = self.at_most_zero(condition) else { continue };
            let slope = self.slope(&summands, &increments).expect("conditions of a repetition are linear");
            if slope > IBig::ZERO {
                let sum = self.terms.linear(&summands);
                let now = here.value(&self.terms, sum).into_int() + constant;
                most = most.min(-now / slope + IBig::ONE);
            }
        }
        u64::try_from(&most).unwrap_or(limit).max(1)
    }

    /// The state after an item, which is possible in a state.
    pub fn apply(&mut self, (id, times): Item, state: &[Value]) -> Vec<Value> {
        let mut next = state.to_vec();
        let segment = &self.list[id.0];
        match &segment.repeat {
            Some(Repeat { increments, .. }) if times > 1 => {
                for (id, added) in increments {
                    let value = &mut next[id.0 as usize];
                    *value = Value::Int(value.clone().into_int() + added * IBig::from(times));
                }
            }
            _ => {
                let mut here = Valuation::new(state.to_vec(), Vec::new());
                for &(id, value) in &segment.effect {
                    next[id.0 as usize] = here.value(&self.terms, value);
                }
            }
        }
        next
    }

    /// Adds the steps of an item.
    pub fn expand(&self, (id, times): Item, choices: &mut Vec<Choice>) {
        let start = choices.len();
        match &self.list[id.0].path {
            Path::Step(choice) => choices.push(choice.clone()),
            Path::Sequence(items) => items.iter().for_each(|&item| self.expand(item, choices)),
        }
        let end = choices.len();
        (1..times).for_each(|_| choices.extend_from_within(start..end));
    }
}

/// The values of the changed variables after so many repetitions, a term.
pub fn shifted_values(terms: &mut Terms, system: &System, increments: &[(VarId, IBig)], times: Term) -> Effect {
    let shifted = |(id, added): &(VarId, IBig)| {
        let before = system.variable(*id).term(terms, *id);
        (*id, terms.linear(&[(IBig::ONE, before), (added.clone(), times)]))
    };
    increments.iter().map(shifted).collect()
}

/// That the conditions of a repetition hold in the first and in the last one of so many, a term.
pub fn throughout(terms: &mut Terms, system: &System, repeat: &Repeat, times: Term) -> Vec<Term> {
    let one = terms.int(1);
    let before = terms.sub(times, one);
    let last: FxHashMap<VarId, Term> = shifted_values(terms, system, &repeat.increments, before).into_iter().collect();
    let mut memo = FxHashMap::default();
    let mut replace = |_: &mut Terms, leaf: Leaf| {
        let Leaf::Var(id) = leaf else { return None };
        last.get(&id).copied()
    };
    let mut conditions = repeat.conditions.clone();
    for &condition in &repeat.conditions {
        let at_last = terms.substitute(condition, &mut replace, &mut memo);
        if at_last != condition {
            conditions.push(at_last);
        }
    }
    conditions
}
