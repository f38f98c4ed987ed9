//! Rules as a transition system: predicates are locations, and their arguments share variables.

use super::rules::{Role, Rule, Rules, variable};
use crate::horn::formula::Atom;
use crate::ts::system::{Case, Domain, Event, EventKind, Input, Origin, Parts, System, Variable, event_is};
use crate::ts::term::{self, Leaf, Term, Terms, VarId};
use rustc_hash::FxHashMap;

/// Where the arguments of predicates are in a system.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The predicate at each location; the last location is that of failure, and has none.
    pub locations: Vec<usize>,
    /// The variable for the location.
    pub location: VarId,
    /// By argument: its variable; none if nothing depends on it.
    pub slots: Vec<Option<VarId>>,
    /// The sorts of these variables.
    sorts: Vec<term::Sort>,
}

impl Layout {
    /// Of rules about these predicates.
    pub fn new(rules: &Rules, locations: Vec<usize>) -> Layout {
        let relevant = relevant(rules);
        let (mut slots, mut sorts) = (vec![None; rules.count()], Vec::new());
        for predicate in order(rules, &locations) {
            place(rules, &relevant, predicate, &mut slots, &mut sorts);
        }
        Layout { locations, location: VarId(sorts.len() as u32), slots, sorts }
    }

    /// The location of a predicate; without one, that of failure.
    fn number(&self, predicate: Option<usize>) -> usize {
        predicate.map_or(self.locations.len(), |predicate| self.place(predicate))
    }

    /// The place of a predicate among the locations, of which it is one.
    pub fn place(&self, predicate: usize) -> usize {
        self.locations.iter().position(|&other| other == predicate).expect("it is a location")
    }

    /// The arguments of a predicate that have variables, with these.
    pub fn placed(&self, rules: &Rules, predicate: usize) -> impl Iterator<Item = (u32, VarId)> {
        rules.arguments[predicate].clone().filter_map(|number| Some((number, self.slots[number as usize]?)))
    }

    /// The variable of the system that stands for one of the rules on which something depends.
    pub fn variable(&self, rules: &Rules, number: u32) -> VarId {
        match self.slots.get(number as usize) {
            Some(slot) => slot.expect("something depends on it"),
            None => VarId(self.location.0 + 1 + number - rules.count() as u32),
        }
    }

    /// That a state is at a location with a number.
    pub fn is_at(&self, terms: &mut Terms, number: usize) -> Term {
        let location = terms.leaf(Leaf::Var(self.location), self.sort(), None);
        let there = terms.numbered(number as i64, self.sort());
        terms.eq(location, there)
    }

    fn sort(&self) -> term::Sort {
        term::Sort::Enum(self.locations.len() as u32 + 1)
    }
}

/// The arguments on which conditions depend.
fn relevant(rules: &Rules) -> Vec<bool> {
    let mut relevant = vec![false; rules.count()];
    let mut work: Vec<Term> = rules.list.iter().map(|rule| rule.guard).collect();
    // By argument of a head, the terms that it is.
    let mut sources: Vec<Vec<Term>> = vec![Vec::new(); rules.count()];
    for Atom { predicate, arguments, .. } in rules.list.iter().filter_map(|rule| rule.after.as_ref()) {
        for (number, &value) in rules.arguments[*predicate].clone().zip(arguments) {
            sources[number as usize].push(value);
        }
    }
    let mut seen = Default::default();
    while let Some(term) = work.pop() {
        rules.terms.collect_leaves(term, &mut seen, &mut |leaf| {
            if let Leaf::Var(VarId(number)) = leaf
                && let Some(is) = relevant.get_mut(number as usize)
                && !*is
            {
                *is = true;
                work.append(&mut sources[number as usize]);
            }
        });
    }
    relevant
}

/// The locations, each behind one that leads to it, where there is one.
fn order(rules: &Rules, locations: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let add = |order: &mut Vec<usize>, predicate| {
        if !order.contains(&predicate) {
            order.push(predicate);
        }
    };
    let heads = |before: Option<usize>| {
        rules
            .list
            .iter()
            .filter(move |rule| rule.before == before)
            .filter_map(|rule| Some(rule.after.as_ref()?.predicate))
    };
    heads(None).for_each(|head| add(&mut order, head));
    let mut position = 0;
    while let Some(&predicate) = order.get(position) {
        heads(Some(predicate)).for_each(|head| add(&mut order, head));
        position += 1;
    }
    locations.iter().for_each(|&location| add(&mut order, location));
    order
}

/// Places the relevant arguments of a predicate: where rules pass a value on, it stays in its variable, if that is free.
fn place(rules: &Rules, relevant: &[bool], predicate: usize, slots: &mut [Option<VarId>], sorts: &mut Vec<term::Sort>) {
    let arguments = || rules.arguments[predicate].clone().filter(|&number| relevant[number as usize]);
    let mut votes: FxHashMap<(u32, VarId), usize> = FxHashMap::default();
    for Rule { before, after, .. } in &rules.list {
        let Some(Atom { predicate: head, arguments: values, .. }) = after else { continue };
        if (*head == predicate) == (*before == Some(predicate)) {
            continue;
        }
        for (number, &value) in rules.arguments[*head].clone().zip(values) {
            let term::TermNode::Leaf(Leaf::Var(VarId(from))) = *rules.terms.node(value) else { continue };
            let (own, other) = if *head == predicate { (number, from) } else { (from, number) };
            if let Some(Some(slot)) = slots.get(other as usize)
                && relevant.get(own as usize) == Some(&true)
            {
                *votes.entry((own, *slot)).or_default() += 1;
            }
        }
    }
    let mut votes: Vec<((u32, VarId), usize)> = votes.into_iter().collect();
    votes.sort_unstable_by_key(|&((own, slot), count)| (std::cmp::Reverse(count), own, slot));
    let mut taken = vec![false; sorts.len()];
    for ((own, slot), _) in votes {
        let place = &mut slots[own as usize];
        if place.is_none() && !std::mem::replace(&mut taken[slot.0 as usize], true) {
            *place = Some(slot);
        }
    }
    for number in arguments() {
        if slots[number as usize].is_some() {
            continue;
        }
        let sort = rules.variables[number as usize].sort;
        let fits = |&slot: &usize| sorts[slot] == sort && !taken[slot];
        let slot = (0..sorts.len()).find(fits).unwrap_or(sorts.len());
        if slot == sorts.len() {
            sorts.push(sort);
            taken.push(false);
        }
        taken[slot] = true;
        slots[number as usize] = Some(VarId(slot as u32));
    }
}

/// The system of rules, and which of its states are bad.
pub fn system(rules: &Rules, layout: &Layout) -> (System, Term) {
    Building::new(rules, layout).system()
}

struct Building<'a> {
    rules: &'a Rules,
    layout: &'a Layout,
    terms: Terms,
    memo: FxHashMap<Term, Term>,
    fails: bool,
}

impl<'a> Building<'a> {
    fn new(rules: &'a Rules, layout: &'a Layout) -> Building<'a> {
        let fails = rules.list.iter().any(|rule| rule.role == Role::Failure);
        let mut building = Building { rules, layout, terms: Terms::new(), memo: FxHashMap::default(), fails };
        let values: Vec<i64> = building.values();
        let (leaf, sort) = (Leaf::Var(layout.location), layout.sort());
        building.terms.leaf(leaf, sort, None);
        building.terms.restrict(leaf, &values);
        building
    }

    /// The locations that there are.
    fn values(&self) -> Vec<i64> {
        let count = self.layout.locations.len() as i64;
        if self.fails || count == 0 { (0..=count).collect() } else { (0..count).collect() }
    }

    fn system(mut self) -> (System, Term) {
        let (mut initial, mut bad) = (Vec::new(), Vec::new());
        if self.fails {
            bad.push(self.is_at(None));
        }
        let rules = self.rules;
        for rule in &rules.list {
            let guard = self.term(rule.guard);
            match rule.role {
                Role::Failure if rule.before.is_some() => {}
                Role::Initial | Role::Failure => {
                    let after = rule.after.as_ref();
                    let mut conjuncts = vec![guard, self.is_at(after.map(|atom| atom.predicate))];
                    for (slot, value) in self.values_after(None, after) {
                        let variable = self.slot(slot);
                        conjuncts.push(self.terms.eq(variable, value));
                    }
                    initial.push(self.terms.and(conjuncts));
                }
                Role::Bad => {
                    let here = self.is_at(rule.before);
                    bad.push(self.terms.and([here, guard]));
                }
                Role::Step => {}
            }
        }
        let (init, bad) = (self.terms.or(initial), self.terms.or(bad));
        let slots = (1..).zip(&self.layout.sorts);
        let slots = slots.map(|(number, &sort)| variable(format!("x{number}"), Origin::Argument(number - 1), sort));
        let mut variables: Vec<Variable> = slots.collect();
        let domain = Domain::Finite(self.values().into());
        let (name, origin) = ("predicate".to_owned(), Origin::Argument(variables.len() as u32));
        variables.push(Variable { name, origin, sort: self.layout.sort(), domain });
        variables.extend(rules.variables[rules.count()..].iter().cloned());
        let mut updates = vec![Vec::new(); variables.len()];
        let events = self.events(&mut updates);
        let inputs = vec![Input { name: "event".to_owned(), count: events.len() as u32, owner: None }];
        let constraints = Vec::new();
        let parts = Parts { terms: self.terms, variables, inputs, events, init: vec![init], constraints, updates };
        (System::new(parts), bad)
    }

    fn events(&mut self, updates: &mut [Vec<Case>]) -> Vec<Event> {
        let is_event = |rule: &(usize, &Rule)| rule.1.before.is_some() && rule.1.role != Role::Bad;
        let steps: Vec<(usize, &Rule)> = self.rules.list.iter().enumerate().filter(is_event).collect();
        let count = steps.len() as u32 + 1;
        let mut events = Vec::new();
        for (event, &(number, rule)) in steps.iter().enumerate() {
            let condition = event_is(&mut self.terms, event, count);
            let after = rule.after.as_ref();
            let target = after.map(|atom| atom.predicate);
            if rule.before != target {
                let value = self.constant(target);
                updates[self.layout.location.0 as usize].push(Case { condition, value });
            }
            for (slot, value) in self.values_after(rule.before, after) {
                if value != self.slot(slot) {
                    updates[slot.0 as usize].push(Case { condition, value });
                }
            }
            let (here, guard) = (self.is_at(rule.before), self.term(rule.guard));
            let (kind, guard) = (EventKind::Clause(number as u32), self.terms.and([here, guard]));
            events.push(Event { kind, guard, enabled: guard, receptions: Vec::new() });
        }
        let never = self.terms.bool(false);
        events.push(Event { kind: EventKind::Stutter, guard: never, enabled: never, receptions: Vec::new() });
        events
    }

    /// The values of variables in the state of a head. Those that are no arguments of it have a fixed value: they are
    /// told if the state before has them as arguments, or if there is none.
    fn values_after(&mut self, before: Option<usize>, after: Option<&Atom>) -> Vec<(VarId, Term)> {
        let (rules, layout) = (self.rules, self.layout);
        let mut values = Vec::new();
        let mut open: Vec<VarId> = match before {
            None => (0..layout.sorts.len() as u32).map(VarId).collect(),
            Some(before) => layout.placed(rules, before).map(|(_, slot)| slot).collect(),
        };
        if let Some(Atom { predicate, arguments, .. }) = after {
            let first = rules.arguments[*predicate].start;
            for (number, slot) in layout.placed(rules, *predicate) {
                values.push((slot, self.term(arguments[(number - first) as usize])));
                open.retain(|&other| other != slot);
            }
        }
        for slot in open {
            values.push((slot, self.terms.numbered(0, layout.sorts[slot.0 as usize])));
        }
        values
    }

    fn slot(&mut self, slot: VarId) -> Term {
        self.terms.leaf(Leaf::Var(slot), self.layout.sorts[slot.0 as usize], None)
    }

    fn constant(&mut self, predicate: Option<usize>) -> Term {
        self.terms.numbered(self.layout.number(predicate) as i64, self.layout.sort())
    }

    fn is_at(&mut self, predicate: Option<usize>) -> Term {
        self.layout.is_at(&mut self.terms, self.layout.number(predicate))
    }

    /// A term of the rules in terms of the system.
    fn term(&mut self, term: Term) -> Term {
        let (rules, layout) = (self.rules, self.layout);
        let mut replace = |terms: &mut Terms, leaf: Leaf, sort| {
            let Leaf::Var(VarId(number)) = leaf else { unreachable!("rules have no inputs") };
            terms.leaf(Leaf::Var(layout.variable(rules, number)), sort, None)
        };
        self.terms.translate(&rules.terms, term, &mut replace, &mut self.memo)
    }
}
