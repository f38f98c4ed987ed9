//! Initial states and steps as sets (`docs/semantics.md`), rule by rule as the concrete semantics has them.

use super::package::{ALL, Levels, NONE, Set};
use super::space::{Cases, Place, Space};
use super::{Unfit, joint, messages, observations};
use crate::model::formula::StateLeaf;
use crate::model::{CommandLeaf, EdgeId, Expr, Formula, InstanceId, Observation, Value};

/// Conjuncts with few nodes are joined as long as there are not more than so many.
const CLUSTER: usize = 500;

/// Some steps: states, and the next values of the variables that change. All others stay as they are.
pub struct Relation {
    /// What holds together of them and of what is chosen; each is joined alone, and what no later one reads is forgotten then
    /// (Burch, Clarke, Long, *Symbolic model checking with partitioned transition relations*, VLSI 1991).
    parts: Vec<Set>,
    /// Per part what is forgotten of states and choices.
    forward: Vec<Levels>,
    /// Per part what is forgotten of next values and choices.
    backward: Vec<Levels>,
    changed: Levels,
    /// The reachable states in which they are possible, once these are known: among all states, it can be a large set.
    from: Set,
    /// Who acts in them.
    actors: Vec<(InstanceId, EdgeId)>,
}

impl Relation {
    /// Of conjuncts about states, next values of some variables, and what agents choose.
    pub fn new(space: &mut Space, conjuncts: &[Set], changed: &[Place], actors: Vec<(InstanceId, EdgeId)>) -> Relation {
        let parts = clusters(space, conjuncts);
        let (forward, backward) = (space.levels_before(changed), space.levels_after(changed));
        let forward = space.package.last_read(&parts, forward);
        let backward = space.package.last_read(&parts, backward);
        let changed = space.levels_of(changed);
        Relation { parts, forward, backward, changed, from: NONE, actors }
    }

    /// The states after it.
    fn after(&self, space: &mut Space, set: Set) -> Set {
        let moved = joined(space, set, &self.parts, &self.forward);
        space.package.up(moved, self.changed)
    }

    /// The states before it.
    fn before(&self, space: &mut Space, set: Set) -> Set {
        let after = space.package.down(set, self.changed);
        joined(space, after, &self.parts, &self.backward)
    }
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

/// The steps of a model.
pub struct Steps {
    relations: Vec<Relation>,
    /// The states that runs visit.
    pub reachable: Set,
    /// Those in which nothing but the stutter is possible.
    stuck: Set,
}

impl Steps {
    /// All of them from what can be reached. The models of open instances have none.
    pub fn new(space: &mut Space, initial: Set) -> Result<Steps, Unfit> {
        if space.model.outsiders.is_some() {
            return Err(Unfit::Open);
        }
        let relations = match space.joint() {
            Some(joint) => vec![joint::relation(space, joint)?],
            None => messages::relations(space)?,
        };
        let mut steps = Steps { relations, reachable: NONE, stuck: NONE };
        // The stutter leads nowhere else.
        steps.reachable = space.closure(initial, |space, set| steps.after(space, set));
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

    /// The states after a step from a set.
    pub fn after(&self, space: &mut Space, set: Set) -> Set {
        self.after_if(space, set, &[])
    }

    /// The states from which some step leads into a set.
    pub fn before(&self, space: &mut Space, set: Set) -> Set {
        self.before_if(space, set, &[])
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

    /// Where a state expression is true.
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

/// What an instance reads on its own: its locals, and its name.
pub fn own(space: &mut Space, instance: InstanceId, leaf: CommandLeaf) -> Cases {
    match leaf {
        CommandLeaf::Local(local) => space.local(instance, local),
        CommandLeaf::Myself => Cases::from([(Value::Enum(instance.0), ALL)]),
        CommandLeaf::Message(_) | CommandLeaf::Property(_) | CommandLeaf::Chan => Cases::new(),
    }
}

/// Where a Boolean combination of conditions on locals is true.
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

/// Where a Boolean combination is true, given where its operands are; or where an atom is.
pub fn boolean(
    space: &mut Space,
    formula: &Formula,
    parts: &[Set],
    atom: impl Fn(&mut Space, &Expr<StateLeaf>) -> Result<Set, Unfit>,
) -> Result<Set, Unfit> {
    let package = &mut space.package;
    Ok(match (formula, parts) {
        (Formula::Atom(expr), _) => atom(space, expr)?,
        (Formula::Not(_), [part]) => package.not(*part),
        (Formula::And(_), list) => list.iter().fold(ALL, |all, part| package.and(all, *part)),
        (Formula::Or(_), list) => list.iter().fold(NONE, |some, part| package.or(some, *part)),
        (Formula::Implies(..), [left, right]) => package.choice(*left, *right, ALL),
        (Formula::Iff(..), [left, right]) => package.same(*left, *right),
        (other, _) => unreachable!("{other:?} is no Boolean combination"),
    })
}
