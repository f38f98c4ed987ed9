//! Initial states and steps as sets (`docs/semantics.md`), rule by rule as the concrete semantics has them.

use super::package::{ALL, Levels, NONE, Set};
use super::space::{Cases, Place, Space};
use super::{Unfit, joint, messages};
use crate::limits::tick;
use crate::model::formula::StateLeaf;
use crate::model::{CommandLeaf, EdgeId, Expr, Formula, InstanceId, Value};

/// Some steps.
#[derive(Clone)]
pub struct Relation {
    /// States, and the next values of the variables that change.
    set: Set,
    changed: Levels,
    /// These variables.
    places: Vec<Place>,
    next: Levels,
    /// The states in which they are possible.
    from: Set,
    /// Who acts in them.
    actors: Vec<(InstanceId, EdgeId)>,
}

impl Relation {
    /// From states and next values of some variables; all others stay as they are.
    pub fn new(space: &mut Space, mut set: Set, moving: &[Place], actors: Vec<(InstanceId, EdgeId)>) -> Relation {
        let mut places = Vec::new();
        for &place in moving {
            let kept = space.kept(place);
            if space.package.without(set, kept) == NONE {
                let next = space.next_levels_of(&[place]);
                set = space.package.some(set, next);
            } else {
                places.push(place);
            }
        }
        let (changed, next) = (space.levels_of(&places), space.next_levels_of(&places));
        let from = space.package.some(set, next);
        Relation { set, changed, places, next, from, actors }
    }
}

impl Relation {
    /// The states after such a step from a set.
    fn after(&self, space: &mut Space, set: Set) -> Set {
        let moved = space.package.and_some(set, self.set, self.changed);
        space.package.up(moved, self.changed)
    }

    /// The variables that change.
    pub fn changes(&self) -> &[Place] {
        &self.places
    }

    /// Whether there is no such step.
    pub fn is_empty(&self) -> bool {
        self.set == NONE
    }

    /// Whether the bit of a level may change.
    pub fn moves(&self, space: &Space, level: u32) -> bool {
        space.package.is_in(level, self.changed)
    }

    /// What remains of states and next values where only these levels are seen.
    pub fn shown(&self, space: &mut Space, levels: &[u32]) -> Set {
        let others = space.other_levels(levels);
        space.package.some(self.set, others)
    }

    /// Leaves only steps with such states and next values.
    pub fn restrict(&mut self, space: &mut Space, to: Set) {
        self.set = space.package.and(self.set, to);
    }

    /// The states from which such a step leads into a set.
    fn before(&self, space: &mut Space, set: Set) -> Set {
        let after = space.package.down(set, self.changed);
        space.package.and_some(after, self.set, self.next)
    }
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
    /// The reachable states in which nothing but the stutter is possible.
    pub stuck: Set,
}

impl Steps {
    /// Those that runs from initial states take, and the states that they visit. The models of open instances have none.
    pub fn new(space: &mut Space, initial: Set) -> Result<(Steps, Set), Unfit> {
        if space.model.outsiders.is_some() {
            return Err(Unfit::Open);
        }
        space.fix(initial);
        let mut relations = match space.joint() {
            Some(joint) => vec![joint::relation(space, joint)?],
            None => messages::relations(space)?,
        };
        relations.retain(|relation| relation.set != NONE);
        let mut steps = Steps { relations, stuck: NONE };
        let reachable = steps.reachable(space, initial);
        steps.relations.retain(|relation| space.package.and(reachable, relation.from) != NONE);
        steps.stuck = steps.relations.iter().fold(reachable, |set, relation| space.package.without(set, relation.from));
        let stutter = Relation::new(space, steps.stuck, &[], Vec::new());
        steps.relations.push(stutter);
        Ok((steps, reachable))
    }

    /// The states after a step from a set.
    pub fn after(&self, space: &mut Space, set: Set) -> Set {
        self.relations.iter().fold(NONE, |all, relation| {
            let moved = relation.after(space, set);
            space.package.or(all, moved)
        })
    }

    /// The states from which some step leads into a set.
    pub fn before(&self, space: &mut Space, set: Set) -> Set {
        before(&self.relations, space, set)
    }

    /// Those from a set of states into it.
    pub fn within(&self, space: &mut Space, set: Set) -> Vec<Relation> {
        let mut list = self.relations.clone();
        for relation in &mut list {
            let after = space.package.down(set, relation.changed);
            let both = space.package.and(set, after);
            relation.restrict(space, both);
        }
        list.retain(|relation| !relation.is_empty());
        list
    }

    /// The states that runs visit.
    fn reachable(&self, space: &mut Space, initial: Set) -> Set {
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
