//! Initial states and steps as sets (`docs/semantics.md`), rule by rule as the concrete semantics has them.

use super::package::{ALL, Levels, NONE, Set};
use super::space::{Cases, Place, Space};
use super::{Unfit, joint, messages};
use crate::model::formula::StateLeaf;
use crate::model::{CommandLeaf, EdgeId, Expr, Formula, InstanceId, Value};

/// Some steps.
pub struct Relation {
    /// States, and the next values of the variables that change.
    set: Set,
    changed: Levels,
    next: Levels,
    /// The states in which they are possible.
    from: Set,
    /// Who acts in them.
    actors: Vec<(InstanceId, EdgeId)>,
}

impl Relation {
    /// From states and next values of some variables; all others stay as they are.
    pub fn new(space: &mut Space, set: Set, changed: &[Place], actors: Vec<(InstanceId, EdgeId)>) -> Relation {
        let (changed, next) = (space.levels_of(changed), space.next_levels_of(changed));
        let from = space.package.some(set, next);
        Relation { set, changed, next, from, actors }
    }
}

/// The steps of a model.
pub struct Steps {
    relations: Vec<Relation>,
    /// The states in which nothing but the stutter is possible.
    pub stuck: Set,
}

impl Steps {
    /// All of them. The models of open instances have none.
    pub fn new(space: &mut Space) -> Result<Steps, Unfit> {
        if space.model.outsiders.is_some() {
            return Err(Unfit::Open);
        }
        let mut relations = match space.joint() {
            Some(joint) => vec![joint::relation(space, joint)?],
            None => messages::relations(space)?,
        };
        relations.retain(|relation| relation.set != NONE);
        let possible = relations.iter().fold(NONE, |set, relation| space.package.or(set, relation.from));
        let stuck = space.package.not(possible);
        relations.push(Relation::new(space, stuck, &[], Vec::new()));
        Ok(Steps { relations, stuck })
    }

    /// The states after a step from a set.
    pub fn after(&self, space: &mut Space, set: Set) -> Set {
        self.relations.iter().fold(NONE, |all, relation| {
            let moved = space.package.and_some(set, relation.set, relation.changed);
            let moved = space.package.up(moved, relation.changed);
            space.package.or(all, moved)
        })
    }

    /// The states from which some step leads into a set.
    pub fn before(&self, space: &mut Space, set: Set) -> Set {
        self.relations.iter().fold(NONE, |all, relation| {
            let after = space.package.down(set, relation.changed);
            let from = space.package.and_some(after, relation.set, relation.next);
            space.package.or(all, from)
        })
    }

    /// The states that runs visit.
    pub fn reachable(&self, space: &mut Space, initial: Set) -> Set {
        space.closure(initial, |space, set| self.after(space, set))
    }

    /// The states in which an instance can take this send, get or supply, or any if none is named.
    fn enabled(&self, space: &mut Space, instance: InstanceId, edge: Option<EdgeId>) -> Set {
        let is_it = |other: &(InstanceId, EdgeId)| other.0 == instance && edge.is_none_or(|edge| edge == other.1);
        let relations = self.relations.iter().filter(|relation| relation.actors.iter().any(is_it));
        relations.fold(NONE, |set, relation| space.package.or(set, relation.from))
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
