//! Initial states and steps as sets (`docs/semantics.md`), rule by rule as the concrete semantics has them.

use super::package::{ALL, Levels, NONE, Set};
use super::space::{Cases, Slot, Space};
use super::{Unfit, joint, messages, observations};
use crate::limits::tick;
use crate::model::formula::StateLeaf;
use crate::model::{CommandLeaf, EdgeId, Expr, Formula, InstanceId, Observation, Value};

/// Conjuncts with few nodes are joined as long as there are not more than so many.
const CLUSTER: usize = 500;

/// Some steps: states, and the next values of the variables that change. All others stay as they are.
#[derive(Clone)]
pub struct Relation {
    /// Conjuncts about them and about choices; each is joined alone, and levels that no later one reads are forgotten
    /// then (Burch, Clarke, Long, *Symbolic model checking with partitioned transition relations*, VLSI 1991).
    parts: Vec<Set>,
    /// Per part what is forgotten of states and choices.
    forward: Vec<Levels>,
    /// Per part what is forgotten of next values and choices.
    backward: Vec<Levels>,
    /// The variables that change.
    places: Vec<Slot>,
    changed: Levels,
    /// The reachable states in which they are possible, once these are known: among all states, it can be a large set.
    from: Set,
    /// The agent that acts in them.
    actors: Vec<(InstanceId, EdgeId)>,
}

impl Relation {
    /// Of conjuncts about states, next values of some variables, and what agents choose.
    pub fn new(space: &mut Space, conjuncts: &[Set], moving: &[Slot], actors: Vec<(InstanceId, EdgeId)>) -> Relation {
        let mut parts = conjuncts.to_vec();
        let places: Vec<Slot> = moving.iter().copied().filter(|place| !is_kept(space, *place, &mut parts)).collect();
        Relation::of(space, &parts, places, actors)
    }

    fn of(space: &mut Space, parts: &[Set], places: Vec<Slot>, actors: Vec<(InstanceId, EdgeId)>) -> Relation {
        let parts = clusters(space, parts);
        let (forward, backward) = (space.levels_before(&places), space.levels_after(&places));
        let forward = space.package.last_read(&parts, forward);
        let backward = space.package.last_read(&parts, backward);
        let changed = space.levels_of(&places);
        Relation { parts, forward, backward, places, changed, from: NONE, actors }
    }

    /// The states after such a step from a set.
    fn after(&self, space: &mut Space, set: Set) -> Set {
        let moved = joined(space, set, &self.parts, &self.forward);
        space.package.up(moved, self.changed)
    }

    /// The states from which such a step leads into a set.
    fn before(&self, space: &mut Space, set: Set) -> Set {
        let after = space.package.down(set, self.changed);
        joined(space, after, &self.parts, &self.backward)
    }

    /// The variables that change.
    pub fn changes(&self) -> &[Slot] {
        &self.places
    }

    /// True if there is no such step.
    pub fn is_empty(&self, space: &mut Space) -> bool {
        joined(space, ALL, &self.parts, &self.backward) == NONE
    }

    /// True if the bit of a level may change.
    pub fn moves(&self, space: &Space, level: u32) -> bool {
        space.package.is_in(level, self.changed)
    }

    /// The projection of states and next values to these levels.
    pub fn shown(&self, space: &mut Space, levels: &[u32]) -> Set {
        let others = space.other_levels(levels);
        let forgotten = space.package.last_read(&self.parts, others);
        joined(space, ALL, &self.parts, &forgotten)
    }

    /// Leaves only steps with such states and next values.
    pub fn restrict(&mut self, space: &mut Space, to: Set) {
        let parts = [&[to], &self.parts[..]].concat();
        let (places, actors) = (std::mem::take(&mut self.places), std::mem::take(&mut self.actors));
        *self = Relation { from: self.from, ..Relation::of(space, &parts, places, actors) };
    }
}

/// True if a variable only keeps its value by conjuncts, which then say nothing of its next value any more.
fn is_kept(space: &mut Space, place: Slot, parts: &mut [Set]) -> bool {
    let bits: Vec<u32> = space.bits_of(place).iter().map(|level| level + 1).collect();
    let kept = space.kept(place);
    let mut about = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let read = space.package.read(*part);
        if bits.iter().any(|level| read.contains(level)) {
            about.push(number);
        }
    }
    let [only] = about[..] else { return bits.is_empty() };
    let is_kept = space.package.without(parts[only], kept) == NONE;
    if is_kept {
        let next = space.package.levels(&bits);
        parts[only] = space.package.some(parts[only], next);
    }
    is_kept
}

/// A set with all parts, without what is forgotten after each.
fn joined(space: &mut Space, set: Set, parts: &[Set], forgotten: &[Levels]) -> Set {
    parts.iter().zip(forgotten).fold(set, |set, (part, levels)| space.package.and_some(set, *part, *levels))
}

/// The conjuncts, with small ones joined; one at least.
fn clusters(space: &mut Space, conjuncts: &[Set]) -> Vec<Set> {
    let mut parts = vec![ALL];
    for conjunct in conjuncts {
        let last = *parts.last().expect("the first one");
        let is_small = space.package.size(last) + space.package.size(*conjunct) <= CLUSTER;
        let both = if is_small { space.package.and(last, *conjunct) } else { NONE };
        if is_small && space.package.size(both) <= CLUSTER {
            *parts.last_mut().expect("the first one") = both;
        } else {
            parts.push(*conjunct);
        }
    }
    parts
}

/// The states from which such steps lead into a set.
pub fn before(relations: &[Relation], space: &mut Space, set: Set) -> Set {
    relations.iter().fold(NONE, |all, relation| {
        let from = relation.before(space, set);
        space.package.or(all, from)
    })
}

/// The steps of a model.
pub struct Steps {
    relations: Vec<Relation>,
    /// The states that runs visit.
    pub reachable: Set,
    /// Those in which nothing but the stutter is possible.
    stuck: Set,
}

impl Steps {
    /// Those that runs from initial states take. The models of open instances have none.
    pub fn new(space: &mut Space, initial: Set) -> Result<Steps, Unfit> {
        if space.model.open.is_some() {
            return Err(Unfit::Open);
        }
        space.fix(initial);
        let relations = match space.joint() {
            Some(joint) => vec![joint::relation(space, joint)?],
            None => messages::relations(space)?,
        };
        let mut steps = Steps { relations, reachable: NONE, stuck: NONE };
        // The stutter leads nowhere else.
        steps.reachable = steps.closure(space, initial);
        let mut possible = NONE;
        for relation in &mut steps.relations {
            relation.from = joined(space, steps.reachable, &relation.parts, &relation.backward);
            possible = space.package.or(possible, relation.from);
        }
        steps.relations.retain(|relation| relation.from != NONE);
        steps.stuck = space.package.without(steps.reachable, possible);
        steps.relations.push(Relation::new(space, &[steps.stuck], &[], Vec::new()));
        Ok(steps)
    }

    /// The states that runs from some states visit.
    fn closure(&self, space: &mut Space, initial: Set) -> Set {
        let mark = space.package.mark();
        let mut all = initial;
        loop {
            tick();
            let before = all;
            for relation in &self.relations {
                let after = relation.after(space, all);
                all = space.package.or(all, after);
            }
            if all == before {
                return all;
            }
            space.package.forget(mark, &mut [&mut all]);
        }
    }

    /// The states from which some step leads into a set.
    pub fn before(&self, space: &mut Space, set: Set) -> Set {
        before(&self.relations, space, set)
    }

    /// The steps from a set of states into it.
    pub fn within(&self, space: &mut Space, set: Set) -> Vec<Relation> {
        self.between(space, set, &[], set)
    }

    /// The steps from a set of states, per relation from another one, into a third.
    pub fn between(&self, space: &mut Space, from: Set, taken: &[Set], to: Set) -> Vec<Relation> {
        let mut list = Vec::new();
        for (number, relation) in self.relations.iter().enumerate() {
            let mut some = relation.clone();
            let after = space.package.down(to, relation.changed);
            let condition = space.all([from, allowed(taken, number), after]);
            some.restrict(space, condition);
            if !some.is_empty(space) {
                list.push(some);
            }
        }
        list
    }

    /// The states after a step from a set, taken where its relation may be: per relation a set of states, all if nothing is
    /// given.
    pub fn after_if(&self, space: &mut Space, set: Set, taken: &[Set]) -> Set {
        (0..).zip(&self.relations).fold(NONE, |all, (number, relation)| {
            let from = space.package.and(set, allowed(taken, number));
            let moved = relation.after(space, from);
            space.package.or(all, moved)
        })
    }

    /// The states from which such a step leads into a set.
    pub fn before_if(&self, space: &mut Space, set: Set, taken: &[Set]) -> Set {
        (0..).zip(&self.relations).fold(NONE, |all, (number, relation)| {
            let from = relation.before(space, set);
            let from = space.package.and(from, allowed(taken, number));
            space.package.or(all, from)
        })
    }

    /// The states in which an instance can take this send, get or supply, or any if none is named.
    fn enabled(&self, space: &mut Space, instance: InstanceId, edge: Option<EdgeId>) -> Set {
        let is_it = |other: &(InstanceId, EdgeId)| other.0 == instance && edge.is_none_or(|edge| edge == other.1);
        let relations = self.relations.iter().filter(|relation| relation.actors.iter().any(is_it));
        relations.fold(NONE, |set, relation| space.package.or(set, relation.from))
    }

    /// Per relation in which states its steps are observed.
    pub fn observed(&self, space: &mut Space, observation: &Observation) -> Result<Vec<Set>, Unfit> {
        if space.joint().is_some() {
            return Err(Unfit::Steps);
        }
        self.relations.iter().map(|relation| observations::observed(space, &relation.actors, observation)).collect()
    }

    /// Per relation in which states its steps are one of these sends, gets and supplies.
    pub fn taken(&self, space: &Space, labels: &[(InstanceId, EdgeId)]) -> Result<Vec<Set>, Unfit> {
        let is_received = |(instance, edge): &(InstanceId, EdgeId)| space.model.is_receive(*instance, *edge);
        if space.joint().is_some() || labels.iter().any(is_received) {
            return Err(Unfit::Steps);
        }
        let takes = |relation: &Relation| relation.actors.iter().any(|actor| labels.contains(actor));
        Ok(self.relations.iter().map(|relation| if takes(relation) { ALL } else { NONE }).collect())
    }

    /// The set where a state expression is true.
    pub fn truth(&self, space: &mut Space, expr: &Expr<StateLeaf>) -> Result<Set, Unfit> {
        space.truth(expr, &|space, leaf| {
            Ok(match leaf {
                StateLeaf::Local(instance, local) => space.local(instance, local),
                StateLeaf::Automaton(instance) => space.variable((instance.0, 0)),
                StateLeaf::Total(_) => unreachable!("it is known of open instances only"),
                StateLeaf::Deadlock => truths(space, self.stuck),
                StateLeaf::Enabled(instance, edge) => {
                    let enabled = self.enabled(space, instance, edge);
                    truths(space, enabled)
                }
            })
        })
    }
}

fn allowed(taken: &[Set], relation: usize) -> Set {
    taken.get(relation).copied().unwrap_or(ALL)
}

/// The cases of something that is true in a set.
fn truths(space: &mut Space, set: Set) -> Cases {
    let complement = space.package.not(set);
    Cases::from([(Value::Bool(true), set), (Value::Bool(false), complement)])
}

/// The initial states.
pub fn initial(space: &mut Space) -> Result<Set, Unfit> {
    let model = space.model;
    let mut conditions = vec![space.valid()];
    for instance in model.instance_ids() {
        let own = |space: &mut Space, leaf| Ok(own(space, instance, leaf));
        let automaton = space.variable((instance.0, 0));
        conditions.push(automaton.get(&Value::int(0)).copied().unwrap_or(NONE));
        conditions.push(space.truth(&model.agent_of(instance).init, &own)?);
        conditions.push(space.truth(&model.instances[instance.index()].init, &own)?);
    }
    if let Some(restriction) = &model.restriction {
        conditions.push(of_locals(space, &restriction.formula)?);
    }
    Ok(space.all(conditions))
}

/// The values that an instance reads on its own: of its locals, and its name.
pub fn own(space: &mut Space, instance: InstanceId, leaf: CommandLeaf) -> Cases {
    match leaf {
        CommandLeaf::Local(local) => space.local(instance, local),
        CommandLeaf::Myself => Cases::from([(Value::Enum(instance.0), ALL)]),
        CommandLeaf::Message(_) | CommandLeaf::Property(_) | CommandLeaf::Chan => Cases::default(),
    }
}

/// The set where a Boolean combination of conditions on locals is true.
fn of_locals(space: &mut Space, formula: &Formula) -> Result<Set, Unfit> {
    let mut parts = Vec::new();
    let mut result = Ok(());
    formula.for_each_child(&mut |part| match of_locals(space, part) {
        Ok(part) => parts.push(part),
        Err(why) => result = Err(why),
    });
    result?;
    boolean(space, formula, &parts, |space, expr| {
        space.truth(expr, &|space, leaf| match leaf {
            StateLeaf::Local(instance, local) => Ok(space.local(instance, local)),
            other => unreachable!("{other:?} is no local"),
        })
    })
}

/// The set where a Boolean combination is true, given those of its operands; or where an atom is.
pub fn boolean(
    space: &mut Space,
    formula: &Formula,
    parts: &[Set],
    atom: impl Fn(&mut Space, &Expr<StateLeaf>) -> Result<Set, Unfit>,
) -> Result<Set, Unfit> {
    let package = &mut space.package;
    Ok(match formula {
        Formula::Atom(expr) => atom(space, expr)?,
        Formula::Not(_) => package.not(parts[0]),
        Formula::And(_) => parts.iter().fold(ALL, |all, part| package.and(all, *part)),
        Formula::Or(_) => parts.iter().fold(NONE, |some, part| package.or(some, *part)),
        Formula::Iff(..) => package.same(parts[0], parts[1]),
        Formula::Label(..) | Formula::Observed(_) | Formula::Next(_) | Formula::Until(..) | Formula::Branching(_) => {
            unreachable!("it is no Boolean combination")
        }
    })
}
