//! Transition systems: a finite choice of event per step, guarded functional updates.
//!
//! A state gives a value to each variable. A step chooses an event (input [`EVENT`]) and, for each
//! receiver that has several receives to choose from, one of them (the other inputs); it is possible
//! iff the guard of the event holds; then every variable takes the value of the one case of its
//! update whose condition holds, and keeps its value if none does. Nothing else is non-deterministic
//! but the initial state. So the successor is a *function* of state and inputs, and the event names
//! the message. Only systems that engines make, and those of Horn clauses, have variables that are [free](Origin::Free)
//! besides, which stand for integers and truth values that a step chooses.

use super::term::{InputId, Leaf, Sort, Term, TermNode, Terms, VarId};
use super::valuation::Valuation;
use crate::limits::tick;
use crate::model::eval::{Choice, Trace};
use crate::model::formula::StateLeaf;
use crate::model::{EdgeId, InstanceId, LocalId, TotalId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The input that chooses the event; the last event is the stutter.
pub const EVENT: InputId = InputId(0);

/// The meaning of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The automaton state of an instance.
    Automaton(InstanceId),
    /// A local of an instance.
    Local(InstanceId, LocalId),
    /// A sum over the members of a family of any size, in an open instance.
    Total(TotalId),
    /// True if the instance took this receive in the step that led here; a history variable that
    /// only properties read.
    Received(InstanceId, EdgeId),
    /// True if an obligation of a property is pending: the number of the obligation.
    Obligation(u32),
    /// How often, up to a bound, a property's acceptance was seen: a position of a unary counter.
    Counter(u32),
    /// Any integer, which no step changes: for what is claimed of each.
    Number,
    /// An argument of the relation of Horn clauses: its position.
    Argument(u32),
    /// Free: every step may give it any value of its domain. It stands for what a step chooses besides its event.
    Free(u32),
}

impl Origin {
    /// The leaf of state formulas that the variable is, if it is one of the model.
    pub fn leaf(self) -> Option<StateLeaf> {
        match self {
            Origin::Automaton(instance) => Some(StateLeaf::Automaton(instance)),
            Origin::Local(instance, local) => Some(StateLeaf::Local(instance, local)),
            Origin::Total(id) => Some(StateLeaf::Total(id)),
            Origin::Received(..)
            | Origin::Obligation(_)
            | Origin::Counter(_)
            | Origin::Number
            | Origin::Argument(_)
            | Origin::Free(_) => None,
        }
    }
}

/// The values that a variable can take: a fact about every reachable state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Both truth values.
    Bool,
    /// These values, sorted, at least one; of an `Enum` or `Int` sort.
    Finite(Box<[i64]>),
    /// The integers between two ends, both included: too many to be listed.
    Range(i64, i64),
    /// All integers.
    Unbounded,
}

/// Ranges of up to this many values are listed in a [`Domain::Finite`].
pub const LISTED_VALUES: u64 = 64;

impl Domain {
    /// The integers from `low` to `high`.
    pub fn range(low: i64, high: i64) -> Domain {
        if high.abs_diff(low) < LISTED_VALUES {
            Domain::Finite((low..=high).collect())
        } else {
            Domain::Range(low, high)
        }
    }

    /// All values of an `Enum` sort.
    pub fn all(count: u32) -> Domain {
        Domain::Finite((0..i64::from(count)).collect())
    }

    /// That a value of a sort is one of these, as a term.
    pub fn contains(&self, terms: &mut Terms, value: Term, sort: Sort) -> Term {
        match self {
            Domain::Finite(values) => {
                let mut equal = |&number| {
                    let option = terms.numbered(number, sort);
                    terms.eq(value, option)
                };
                let options: Vec<Term> = values.iter().map(&mut equal).collect();
                terms.or(options)
            }
            Domain::Range(low, high) => {
                let (low, high) = (terms.int(*low), terms.int(*high));
                let ends = [terms.le(low, value), terms.le(value, high)];
                terms.and(ends)
            }
            Domain::Bool | Domain::Unbounded => terms.bool(true),
        }
    }

    /// True if a value is one of them.
    pub fn has(&self, number: i64) -> bool {
        match (self.listed(), self.bounds()) {
            (Some(values), _) => values.contains(&number),
            (None, Some((low, high))) => (low..=high).contains(&number),
            (None, None) => true,
        }
    }

    /// The values, if they are listed: 0 and 1 are the truth values.
    pub fn listed(&self) -> Option<&[i64]> {
        match self {
            Domain::Bool => Some(&[0, 1]),
            Domain::Finite(values) => Some(values),
            Domain::Range(..) | Domain::Unbounded => None,
        }
    }

    /// The value, if there is just one.
    pub fn only(&self) -> Option<i64> {
        if let Some([only]) = self.listed() { Some(*only) } else { None }
    }

    /// The least and greatest value, for integers with bounds.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        match self {
            Domain::Finite(values) => Some((values[0], values[values.len() - 1])),
            Domain::Range(low, high) => Some((*low, *high)),
            Domain::Bool | Domain::Unbounded => None,
        }
    }
}

/// A state variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As people write it: `client1-cLink`.
    pub name: String,
    /// Its meaning.
    pub origin: Origin,
    /// Its sort.
    pub sort: Sort,
    /// Its values.
    pub domain: Domain,
}

impl Variable {
    /// The variable as a term; `id` is its own.
    pub fn term(&self, terms: &mut Terms, id: VarId) -> Term {
        let bounds = self.domain.bounds().filter(|_| self.sort == Sort::Int);
        terms.leaf(Leaf::Var(id), self.sort, bounds)
    }

    /// True if every step may give it any value.
    pub fn is_free(&self) -> bool {
        matches!(self.origin, Origin::Free(_))
    }

    /// The name that variables of the same local have in all instances: `cLink`.
    pub fn local_name(&self) -> &str {
        self.name.rsplit_once(['-', '.']).map_or(&self.name, |(_, local)| local)
    }
}

/// A choice of the step among `count` options.
#[derive(Clone, Debug)]
pub struct Input {
    /// A name for dumps.
    pub name: String,
    /// The number of options.
    pub count: u32,
    /// Of which instance it is, if it is of one.
    pub owner: Option<InstanceId>,
}

/// One case of an update. The conditions of one variable exclude each other in every possible step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Over state and inputs.
    pub condition: Term,
    /// The new value, over the state.
    pub value: Term,
}

/// The kind of an event, in terms of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A broadcast or multicast.
    Send {
        /// The sender.
        sender: InstanceId,
        /// Its send edge.
        edge: EdgeId,
    },
    /// A get that meets a supply.
    GetSupply {
        /// The getter.
        getter: InstanceId,
        /// Its get edge.
        get: EdgeId,
        /// The supplier.
        supplier: InstanceId,
        /// Its supply edge.
        supply: EdgeId,
    },
    /// All agents act at once. The receptions are what each does: so many actions first, then lines of evolutions.
    Joint {
        /// The number of receptions that are actions.
        actions: usize,
    },
    /// A Horn clause about a step: its number. Systems of models have none.
    Clause(u32),
    /// Nothing else is possible, and nothing changes.
    Stutter,
}

impl EventKind {
    /// The agent that begins the step, and its command, if one does.
    pub fn begins(self) -> Option<(InstanceId, EdgeId)> {
        match self {
            EventKind::Send { sender, edge } => Some((sender, edge)),
            EventKind::GetSupply { getter, get, .. } => Some((getter, get)),
            EventKind::Joint { .. } | EventKind::Clause(_) | EventKind::Stutter => None,
        }
    }

    /// The supplier that answers the get, if it is one.
    pub fn supplier(self) -> Option<InstanceId> {
        match self {
            EventKind::GetSupply { supplier, .. } => Some(supplier),
            _ => None,
        }
    }
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its kind.
    pub kind: EventKind,
    /// When the step is possible, over state and inputs other than the event.
    pub guard: Term,
    /// When the step is possible for some choice of the other inputs, over the state.
    pub enabled: Term,
    /// For a send: who takes which receive; for a joint step: who does what; and when (over state and inputs other than the
    /// event).
    pub receptions: Vec<Reception>,
}

impl Event {
    /// The step of the model that the event is, given which receptions happen.
    pub fn choice(&self, mut is_true: impl FnMut(Term) -> bool) -> Choice {
        match self.kind {
            EventKind::Send { sender, edge } => {
                let taken = self.receptions.iter().filter(|reception| is_true(reception.taken));
                let mut receivers: Vec<_> = taken.map(|reception| (reception.receiver, reception.edge)).collect();
                receivers.sort_unstable();
                Choice::Send { sender, edge, receivers }
            }
            EventKind::GetSupply { getter, get, supplier, supply } => {
                Choice::GetSupply { getter, get, supplier, supply }
            }
            EventKind::Joint { .. } => {
                let done = self.receptions.iter().filter(|deed| is_true(deed.taken));
                let mut deeds: Vec<_> = done.map(|deed| (deed.receiver, deed.edge)).collect();
                deeds.sort_unstable();
                Choice::Joint(deeds)
            }
            // Of a run by Horn clauses a trace only says how long it is.
            EventKind::Clause(_) | EventKind::Stutter => Choice::Stutter,
        }
    }
}

/// That an instance takes a receive in an event.
#[derive(Clone, Copy, Debug)]
pub struct Reception {
    /// The receiver.
    pub receiver: InstanceId,
    /// Its receive edge.
    pub edge: EdgeId,
    /// When it does.
    pub taken: Term,
}

/// The parts of a [`System`], before they are checked.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The arena of all terms below.
    pub terms: Terms,
    /// The variables; a [`VarId`] is an index into them.
    pub variables: Vec<Variable>,
    /// The inputs; the first is [`EVENT`].
    pub inputs: Vec<Input>,
    /// The events; the last is the stutter.
    pub events: Vec<Event>,
    /// A conjunction over the state.
    pub init: Vec<Term>,
    /// A conjunction over state and inputs that every step satisfies besides the guard of its event;
    /// empty for the system of a model, whose steps never run out.
    pub constraints: Vec<Term>,
    /// Per variable its cases.
    pub updates: Vec<Vec<Case>>,
}

impl Parts {
    /// Adds a truth value, with its variable, which has no update yet.
    pub fn add_flag(&mut self, name: String, origin: Origin, initially: bool) -> (Term, VarId) {
        let id = VarId(self.variables.len() as u32);
        let flag = self.terms.leaf(Leaf::Var(id), Sort::Bool, None);
        self.variables.push(Variable { name, origin, sort: Sort::Bool, domain: Domain::Bool });
        self.init.push(if initially { flag } else { self.terms.not(flag) });
        self.updates.push(Vec::new());
        (flag, id)
    }

    /// A truth value becomes what a condition over state and inputs is in each step.
    pub fn becomes(&mut self, id: VarId, next: Term) {
        let (yes, no, otherwise) = (self.terms.bool(true), self.terms.bool(false), self.terms.not(next));
        self.updates[id.0 as usize] =
            vec![Case { condition: next, value: yes }, Case { condition: otherwise, value: no }];
    }

    /// A term in the next state, over this one and the inputs.
    pub fn after(&mut self, term: Term, memo: &mut FxHashMap<Term, Term>) -> Term {
        let Parts { terms, variables, updates, .. } = self;
        let mut next = |terms: &mut Terms, leaf: Leaf| {
            let Leaf::Var(VarId(id)) = leaf else { return None };
            let unchanged = terms.leaf(leaf, variables[id as usize].sort, None);
            let cases = updates[id as usize].iter().rev();
            Some(cases.fold(unchanged, |otherwise, case| terms.ite(case.condition, case.value, otherwise)))
        };
        terms.substitute(term, &mut next, memo)
    }
}

/// A checked transition system.
#[derive(Clone, Debug)]
pub struct System {
    parts: Parts,
}

impl System {
    /// Checks the parts: sorts, and which leaves occur where. Panics if they do not fit: the code that
    /// builds a system answers for that, no input of a user can cause it.
    pub fn new(parts: Parts) -> System {
        let system = System { parts };
        system.assert_well_formed();
        system
    }

    fn assert_well_formed(&self) {
        let Parts { terms, variables, inputs, events, init, constraints, updates } = &self.parts;
        assert_eq!(variables.len(), updates.len());
        assert_eq!(inputs[EVENT.0 as usize].count as usize, events.len());
        assert!(matches!(events.last().map(|event| event.kind), Some(EventKind::Stutter)));
        let mut checked = [FxHashSet::default(), FxHashSet::default()];
        let mut check = |term: Term, sort: Sort, inputs_allowed: bool| {
            assert_eq!(terms.sort(term), sort);
            terms.collect_leaves(term, &mut checked[usize::from(inputs_allowed)], &mut |leaf| match leaf {
                Leaf::Var(id) => assert!((id.0 as usize) < variables.len()),
                Leaf::Input(id) => assert!(inputs_allowed && (id.0 as usize) < inputs.len()),
            });
        };
        init.iter().for_each(|&term| check(term, Sort::Bool, false));
        constraints.iter().for_each(|&term| check(term, Sort::Bool, true));
        for event in events {
            check(event.guard, Sort::Bool, true);
            check(event.enabled, Sort::Bool, false);
            event.receptions.iter().for_each(|reception| check(reception.taken, Sort::Bool, true));
        }
        for (variable, cases) in variables.iter().zip(updates) {
            for case in cases {
                check(case.condition, Sort::Bool, true);
                check(case.value, variable.sort, variable.sort == Sort::Bool);
            }
        }
    }

    /// The parts, to build another system from them.
    pub fn into_parts(self) -> Parts {
        self.parts
    }

    /// The arena.
    pub fn terms(&self) -> &Terms {
        &self.parts.terms
    }

    /// The arena, to add terms: the system itself does not change by that.
    pub fn terms_mut(&mut self) -> &mut Terms {
        &mut self.parts.terms
    }

    /// The variables.
    pub fn variables(&self) -> &[Variable] {
        &self.parts.variables
    }

    /// All variable ids.
    pub fn var_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.parts.variables.len() as u32).map(VarId)
    }

    /// One variable.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.parts.variables[id.0 as usize]
    }

    /// The variable as a term.
    pub fn var_term(&mut self, id: VarId) -> Term {
        let Parts { terms, variables, .. } = &mut self.parts;
        variables[id.0 as usize].term(terms, id)
    }

    /// The variable that stands for something, if it was not folded away.
    pub fn find(&self, origin: Origin) -> Option<VarId> {
        let position = self.parts.variables.iter().position(|variable| variable.origin == origin)?;
        Some(VarId(position as u32))
    }

    /// The inputs by which some agents choose their actions, if all act at once.
    pub fn actions_of(&self, group: &[InstanceId]) -> Vec<InputId> {
        let (mut list, mut seen) = (Vec::new(), FxHashSet::default());
        for event in self.events() {
            let EventKind::Joint { actions } = event.kind else { continue };
            for deed in event.receptions.iter().take(actions).filter(|deed| group.contains(&deed.receiver)) {
                self.terms().collect_leaves(deed.taken, &mut seen, &mut |leaf| match leaf {
                    Leaf::Input(id) if !list.contains(&id) => list.push(id),
                    _ => {}
                });
            }
        }
        list
    }

    /// The term with every variable that has one value only replaced by that value.
    pub fn fold(&mut self, term: Term) -> Term {
        let Parts { terms, variables, .. } = &mut self.parts;
        let mut replace = |terms: &mut Terms, leaf: Leaf| {
            let Leaf::Var(id) = leaf else { return None };
            let variable = &variables[id.0 as usize];
            variable.domain.only().map(|number| terms.numbered(number, variable.sort))
        };
        terms.substitute(term, &mut replace, &mut FxHashMap::default())
    }

    /// The values of all variables, by instance: automaton state and locals. History variables are
    /// left out.
    pub fn by_instance(&self, values: Vec<Value>) -> Vec<(u32, Vec<Value>)> {
        let mut list = Vec::new();
        for (variable, value) in self.parts.variables.iter().zip(values) {
            match (variable.origin, value) {
                (Origin::Automaton(_), Value::Enum(state)) => list.push((state, Vec::new())),
                (Origin::Local(..), value) => list.last_mut().expect("locals follow their automaton").1.push(value),
                _ => {}
            }
        }
        list
    }

    /// The run from a state with the given inputs per step, in terms of the model.
    pub fn run_from(&self, initial: Vec<Value>, inputs: &[Vec<u32>]) -> Trace {
        let mut state = initial.clone();
        let mut choices = Vec::new();
        for chosen in inputs {
            let mut valuation = Valuation::new(state, chosen.clone());
            let event = &self.parts.events[chosen[EVENT.0 as usize] as usize];
            choices.push(event.choice(|taken| valuation.holds(&self.parts.terms, taken)));
            state = self.successor(&mut valuation);
        }
        Trace { initial: self.by_instance(initial), choices, loop_start: None }
    }

    /// True if the state of a valuation is initial.
    pub fn is_initial(&self, valuation: &mut Valuation) -> bool {
        self.init().iter().all(|&term| valuation.holds(&self.parts.terms, term))
    }

    /// The next value of every variable; free ones keep theirs here.
    pub fn successor(&self, valuation: &mut Valuation) -> Vec<Value> {
        let terms = &self.parts.terms;
        let next = |id: VarId| {
            let case = self.update(id).iter().find(|case| valuation.holds(terms, case.condition));
            match case {
                Some(case) => valuation.value(terms, case.value),
                None => valuation.state()[id.0 as usize].clone(),
            }
        };
        self.var_ids().map(next).collect()
    }

    /// The inputs.
    pub fn inputs(&self) -> &[Input] {
        &self.parts.inputs
    }

    /// The events; the last is the stutter.
    pub fn events(&self) -> &[Event] {
        &self.parts.events
    }

    /// The term `event = index`.
    pub fn event_is(&mut self, index: usize) -> Term {
        let count = self.parts.events.len() as u32;
        event_is(&mut self.parts.terms, index, count)
    }

    /// A conjunction over the state.
    pub fn init(&self) -> &[Term] {
        &self.parts.init
    }

    /// The condition that every step satisfies besides the guard of its event, as conjuncts.
    pub fn constraints(&self) -> &[Term] {
        &self.parts.constraints
    }

    /// The cases of a variable.
    pub fn update(&self, id: VarId) -> &[Case] {
        &self.parts.updates[id.0 as usize]
    }

    /// That no event but the stutter is possible.
    pub fn deadlock(&self) -> Term {
        self.parts.events.last().expect("a system has at least the stutter").guard
    }

    /// A term over the state as it is after a step: over the state before that, and the inputs.
    pub fn after(&mut self, term: Term) -> Term {
        self.parts.after(term, &mut FxHashMap::default())
    }

    /// The variables that some of the terms depend on, now or through earlier steps; guards of
    /// events count, because they decide which steps exist. The variables of `also` count too.
    pub fn cone(&self, roots: impl IntoIterator<Item = Term>, also: &[VarId]) -> Vec<VarId> {
        let mut in_cone = vec![false; self.parts.variables.len()];
        let mut seen = FxHashSet::default();
        let mut work: Vec<Term> = roots.into_iter().collect();
        work.extend(self.parts.events.iter().map(|event| event.guard));
        work.extend(self.parts.constraints.iter().copied());
        for id in also {
            in_cone[id.0 as usize] = true;
            work.extend(self.update(*id).iter().flat_map(|case| [case.condition, case.value]));
        }
        while let Some(term) = work.pop() {
            self.parts.terms.collect_leaves(term, &mut seen, &mut |leaf| {
                if let Leaf::Var(id) = leaf
                    && !std::mem::replace(&mut in_cone[id.0 as usize], true)
                {
                    work.extend(self.update(id).iter().flat_map(|case| [case.condition, case.value]));
                }
            });
        }
        self.var_ids().filter(|id| in_cone[id.0 as usize]).collect()
    }
}

/// Terms of a system, where one event after the other is chosen.
pub struct InEvents {
    count: u32,
    /// By the number of a term, true if it reads which event is chosen.
    reads: Vec<bool>,
    event: usize,
    /// Terms that read it, and what they are in the event.
    memo: FxHashMap<Term, Term>,
}

impl InEvents {
    /// Of a system.
    pub fn new(system: &System) -> InEvents {
        InEvents { count: system.events().len() as u32, reads: Vec::new(), event: 0, memo: FxHashMap::default() }
    }

    /// A term where this event is chosen. The terms are always the same ones, or more.
    pub fn term(&mut self, terms: &mut Terms, term: Term, event: usize) -> Term {
        if std::mem::replace(&mut self.event, event) != event {
            self.memo.clear();
        }
        // Those below a term come before it.
        for term in terms.list().skip(self.reads.len()) {
            let mut reads = *terms.node(term) == TermNode::Leaf(Leaf::Input(EVENT));
            terms.for_each_child(term, |child| reads |= self.reads[child.index()]);
            self.reads.push(reads);
        }
        self.known(terms, term)
    }

    fn known(&mut self, terms: &mut Terms, term: Term) -> Term {
        if !self.reads[term.index()] {
            return term;
        }
        if let Some(known) = self.memo.get(&term) {
            return *known;
        }
        tick();
        let result = match terms.node(term).clone() {
            TermNode::Leaf(_) => terms.constant_of_enum(self.event as u32, self.count),
            node => terms.rebuild_node(node, &mut |terms, x| self.known(terms, x)),
        };
        self.memo.insert(term, result);
        result
    }
}

/// The term `event = index` of a system with `count` events.
pub fn event_is(terms: &mut Terms, index: usize, count: u32) -> Term {
    let input = terms.leaf(Leaf::Input(EVENT), Sort::Enum(count), None);
    let value = terms.constant_of_enum(index as u32, count);
    terms.eq(input, value)
}
