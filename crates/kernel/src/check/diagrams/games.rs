//! Confirms strategies by the whole state, by sets of states that have the same rank (`check::branching::games` has the argument).
//!
//! In one step a group can see to what a set of states says: of agents that act all at once some actions of the members are possible, and all steps
//! with these lead into the set. Of others each step that an agent outside of the group begins leads into it; where there is none, the
//! state itself is in it, or each step that some command of a member begins leads there.

use super::Labelled;
use super::package::{ALL, Levels, NONE, Package, Set};
use super::steps::Relation;
use crate::check::Refused;
use crate::claim::diagrams::Root;
use crate::limits::tick;
use crate::model::branching::{Branching, Information, Objective, Operator};
use crate::model::formula::Strength;
use crate::model::{EdgeId, InstanceId};
use crate::ts::system::EventKind;
use crate::ts::term::Leaf;

/// The steps of a game.
enum Game {
    /// All act at once: steps that tell the actions of the members, at these levels; and where there are any.
    Joint { steps: Vec<Relation>, actions: Levels, possible: Set },
    /// One agent begins each step: those that others begin, and per command of a member those that it begins.
    Single { given: Begun, offers: Vec<Begun> },
}

/// Steps that begin in the same way, and the states in which there are any.
struct Begun {
    steps: Vec<Relation>,
    possible: Set,
}

impl Labelled<'_> {
    /// Where a group can bring about what a formula says, by the whole state.
    pub(super) fn strategic(&mut self, branching: &Branching, ranks: &[Root]) -> Result<Set, Refused> {
        let unfit = || Refused::unfit("strategies of this kind are not supported");
        let Operator::Strategy(Information::Full, group) = &branching.operator else { return Err(unfit()) };
        let objective = Objective::of(&branching.body).filter(|_| branching.among.is_none()).ok_or_else(unfit)?;
        let game = self.game(group)?;
        let (strength, stays, goal) = match &objective {
            Objective::Next(inner) => {
                let good = self.of_state(inner)?;
                return Ok(self.can_force(&game, good));
            }
            Objective::Until(strength, stays, goal) => (*strength, self.of_state(stays)?, self.of_state(goal)?),
        };
        let is_least = strength == Strength::Strong;
        let mut below = NONE;
        // The states that belong to the set, if those of smaller ranks do, or if these alone do not.
        let belongs = |labelled: &mut Labelled, below: Set| {
            let members = if is_least { below } else { labelled.space.package.without(labelled.states, below) };
            let forced = labelled.can_force(&game, members);
            let package = &mut labelled.space.package;
            let kept = package.and(stays, forced);
            let all = package.or(goal, kept);
            if is_least { all } else { package.not(all) }
        };
        let mark = self.space.package.mark();
        for root in ranks {
            tick();
            let (set, all) = (self.sets.get(*root)?, belongs(self, below));
            let package = &mut self.space.package;
            if package.without(set, all) != NONE {
                return Err(Refused::wrong("a rank does not follow from those before it"));
            }
            below = package.or(below, set);
            package.forget(mark, &mut [&mut below]);
        }
        let all = belongs(self, below);
        let package = &mut self.space.package;
        let all = package.and(all, self.states);
        if package.without(all, below) != NONE {
            return Err(Refused::wrong("a state has no rank, although it follows from those that have one"));
        }
        Ok(if is_least { package.and(below, self.states) } else { package.without(self.states, below) })
    }

    fn game(&mut self, group: &[InstanceId]) -> Result<Game, Refused> {
        if self.model.joint.is_some() {
            return Ok(self.joint(group));
        }
        if self.system.inputs().iter().any(|input| input.owner.is_some_and(|owner| group.contains(&owner))) {
            return Err(Refused::unfit(TAKES));
        }
        let mut given = Vec::new();
        let mut offers: Vec<((InstanceId, EdgeId), Vec<usize>)> = Vec::new();
        for (number, event) in self.system.events().iter().enumerate() {
            match event.kind.begins() {
                Some(begun) if group.contains(&begun.0) => match offers.iter_mut().find(|(other, _)| *other == begun) {
                    Some((_, list)) => list.push(number),
                    None => offers.push((begun, vec![number])),
                },
                Some(_) => given.push(number),
                None => {}
            }
        }
        self.supplies_are_given(group)?;
        let given = self.begun(&given);
        Ok(Game::Single { given, offers: offers.into_iter().map(|(_, list)| self.begun(&list)).collect() })
    }

    fn begun(&mut self, events: &[usize]) -> Begun {
        let steps: Vec<Relation> = events.iter().map(|event| self.steps.relations[*event].clone()).collect();
        let possible = before(&mut self.space.package, &steps, ALL);
        Begun { steps, possible }
    }

    /// The game of agents that act all at once.
    fn joint(&mut self, group: &[InstanceId]) -> Game {
        let actions = self.system.actions_of(group).into_iter();
        let actions: Vec<u32> = actions.flat_map(|id| self.space.field(Leaf::Input(id)).levels.clone()).collect();
        let others: Vec<u32> = self.space.input_levels().into_iter().filter(|level| !actions.contains(level)).collect();
        let acts = self.system.events().iter().map(|event| event.kind != EventKind::Stutter);
        let package = &mut self.space.package;
        let steps = self.steps.conjuncts.iter().zip(&self.steps.relations).zip(acts).filter(|(_, acts)| *acts);
        let steps: Vec<Relation> = steps
            .map(|((conjuncts, step), _)| Relation::new(package, conjuncts.clone(), step.changes.clone(), &others))
            .collect();
        let possible = before(package, &steps, ALL);
        Game::Joint { steps, actions: package.levels(&actions), possible }
    }

    /// Refuses members that can answer a get by several supplies.
    fn supplies_are_given(&mut self, group: &[InstanceId]) -> Result<(), Refused> {
        let mut known: Vec<((Option<_>, InstanceId), Set)> = Vec::new();
        for (event, relation) in self.system.events().iter().zip(&self.steps.relations) {
            if let Some(supplier) = event.kind.supplier().filter(|supplier| group.contains(supplier)) {
                let package = &mut self.space.package;
                let possible = relation.before(package, ALL);
                let possible = package.and(possible, self.states);
                let meeting = (event.kind.begins(), supplier);
                let of_same = known.iter().filter(|(other, _)| *other == meeting);
                if of_same.into_iter().any(|(_, there)| package.and(*there, possible) != NONE) {
                    return Err(Refused::unfit(TAKES));
                }
                known.push((meeting, possible));
            }
        }
        Ok(())
    }

    /// The states in which the group can see to it that the next state is one of a set.
    fn can_force(&mut self, game: &Game, good: Set) -> Set {
        let package = &mut self.space.package;
        let bad = package.without(self.states, good);
        match game {
            Game::Joint { steps, actions, possible } => {
                let loses = before(package, steps, bad);
                let wins = package.without(*possible, loses);
                package.some(wins, *actions)
            }
            Game::Single { given, offers } => {
                let leads = |package: &mut Package, begun: &Begun| {
                    let loses = before(package, &begun.steps, bad);
                    package.without(begun.possible, loses)
                };
                let mut offered = good;
                for begun in offers {
                    let wins = leads(package, begun);
                    offered = package.or(offered, wins);
                }
                let waited = package.without(offered, given.possible);
                let taken = leads(package, given);
                package.or(taken, waited)
            }
        }
    }
}

/// A member would choose.
const TAKES: &str = "decision diagrams do not decide strategies of members that choose how they take messages";

/// The states before one of some steps.
fn before(package: &mut Package, steps: &[Relation], set: Set) -> Set {
    steps.iter().fold(NONE, |all, step| {
        let more = step.before(package, set);
        package.or(all, more)
    })
}
