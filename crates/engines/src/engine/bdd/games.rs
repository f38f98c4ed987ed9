//! Strategies by the whole state, step by step: the sets of states from which a group can see to it that the next state is one of a set
//! (Alur, Henzinger, Kupferman, *Alternating-time temporal logic*, JACM 2002), and fixed points of these.

use super::branching::{Judge, unfit};
use crate::diagrams::{BitSet, Set, Step, and, exists, or, without};
use crate::limits::{Reason, tick};
use crate::model::InstanceId;
use crate::model::branching::{Branching, Information, Objective, Operator};
use crate::model::formula::Strength;
use crate::ts::system::EventKind;
use crate::ts::term::Leaf;

/// Sets of states that have the same rank: each depends on those before it.
pub type Ranks = Vec<Set>;

/// The steps of a game.
enum Game {
    /// All act at once.
    Joint {
        /// With the actions of the members, whose bits are these.
        steps: Vec<Step>,
        actions: BitSet,
        /// States in which all can act, with possible actions of the members.
        possible: Set,
    },
    /// One agent begins each step.
    Single {
        /// The steps that others begin.
        given: Begun,
        /// Per command of a member the steps that it begins.
        offers: Vec<Begun>,
    },
}

/// Steps that begin in the same way.
struct Begun {
    /// The numbers of their relations.
    steps: Vec<usize>,
    /// The reachable states in which one is possible.
    possible: Set,
}

impl Judge<'_> {
    /// Where a group can bring about what a formula says, by the whole state; and the ranks of the states where it can, or for `W` cannot.
    pub(super) fn strategic(&mut self, branching: &Branching) -> Result<(Set, Ranks), Reason> {
        let Operator::Strategy(Information::Full, group) = &branching.operator else {
            return Err(unfit("strategies by what members see are not supported"));
        };
        if branching.among.is_some() {
            return Err(unfit("decision diagrams do not decide strategies under assumptions"));
        }
        let objective = Objective::of(&branching.body);
        let objective = objective.ok_or_else(|| unfit("strategies for formulas of this kind are not supported"))?;
        let game = self.game(group)?;
        Ok(match objective {
            Objective::Next(inner) => {
                let good = self.of_state(&inner)?;
                (self.can_force(&game, &good), Ranks::new())
            }
            Objective::Until(strength, stays, goal) => {
                let (stays, goal) = (self.of_state(&stays)?, self.of_state(&goal)?);
                let ranks = self.ranks(&game, strength, &stays, &goal);
                let all = ranks.iter().fold(self.search.space.constant(false), |all, set| or(&all, set));
                (if strength == Strength::Strong { all } else { self.others(&all) }, ranks)
            }
        })
    }

    fn ranks(&self, game: &Game, strength: Strength, stays: &Set, goal: &Set) -> Ranks {
        let is_strong = strength == Strength::Strong;
        // With `W` the others lead to where neither stays.
        let first = if is_strong { goal.clone() } else { self.others(&or(stays, goal)) };
        let open = without(stays, goal);
        let (mut all, mut ranks) = (first.clone(), vec![first]);
        loop {
            tick();
            let rest = without(&open, &all);
            let new = if is_strong {
                and(&rest, &self.can_force(game, &all))
            } else {
                without(&rest, &self.can_force(game, &self.others(&all)))
            };
            if new.is_false() {
                return ranks;
            }
            all = or(&all, &new);
            ranks.push(new);
        }
    }

    fn game(&self, group: &[InstanceId]) -> Result<Game, Reason> {
        let space = self.search.space;
        if self.semantics.model().joint.is_some() {
            let bits =
                self.base.actions_of(group).into_iter().flat_map(|id| space.bits(Leaf::Input(id)).levels.clone());
            let bits: Vec<usize> = bits.collect();
            let steps = self.search.steps.list.iter();
            let steps = steps.filter(|step| self.system.events()[step.event].kind != EventKind::Stutter);
            let steps: Vec<Step> = steps.map(|step| step.telling(space, &bits)).collect();
            let possible = and(&self.reachable, &before(space.constant(false), &steps, &self.reachable));
            return Ok(Game::Joint { steps, actions: space.some_levels(bits), possible });
        }
        if self.base.inputs().iter().any(|input| input.owner.is_some_and(|owner| group.contains(&owner))) {
            return Err(unfit(TAKES));
        }
        let mut begins: Vec<(Option<_>, Vec<usize>)> = vec![(None, Vec::new())];
        for (number, step) in self.search.steps.list.iter().enumerate() {
            let kind = self.system.events()[step.event].kind;
            let Some(begun) = kind.begins() else { continue };
            let begun = Some(begun).filter(|(who, _)| group.contains(who));
            match begins.iter_mut().find(|(other, _)| *other == begun) {
                Some((_, list)) => list.push(number),
                None => begins.push((begun, vec![number])),
            }
        }
        self.supplies_are_given(group)?;
        let mut all = begins.into_iter().map(|(_, steps)| {
            let possible = and(&self.reachable, &self.before(&steps, &self.reachable));
            Begun { steps, possible }
        });
        let given = all.next().expect("what the others begin comes first");
        Ok(Game::Single { given, offers: all.collect() })
    }

    /// Refuses members that can answer a get by several supplies.
    fn supplies_are_given(&self, group: &[InstanceId]) -> Result<(), Reason> {
        let mut known: Vec<(_, Set)> = Vec::new();
        for step in &self.search.steps.list {
            let kind = self.system.events()[step.event].kind;
            if let Some(supplier) = kind.supplier().filter(|supplier| group.contains(supplier)) {
                let (meeting, possible) = ((kind.begins(), supplier), step.preimage(&self.reachable));
                let possible = and(&possible, &self.reachable);
                if known.iter().any(|(other, there)| *other == meeting && !and(there, &possible).is_false()) {
                    return Err(unfit(TAKES));
                }
                known.push((meeting, possible));
            }
        }
        Ok(())
    }

    fn before(&self, steps: &[usize], set: &Set) -> Set {
        before(self.search.space.constant(false), steps.iter().map(|number| &self.search.steps.list[*number]), set)
    }

    /// The reachable states in which the group can see to it that the next state is one of a set of these.
    fn can_force(&self, game: &Game, good: &Set) -> Set {
        let bad = self.others(good);
        match game {
            Game::Joint { steps, actions, possible } => {
                exists(&without(possible, &before(self.search.space.constant(false), steps, &bad)), *actions)
            }
            Game::Single { given, offers } => {
                let leads = |begun: &Begun| without(&begun.possible, &self.before(&begun.steps, &bad));
                // Where others begin no step the members may wait, and then nothing changes.
                let offered = offers.iter().fold(good.clone(), |some, begun| or(&some, &leads(begun)));
                or(&leads(given), &without(&offered, &given.possible))
            }
        }
    }
}

/// A member would choose.
const TAKES: &str = "decision diagrams do not decide strategies of members that choose how they take messages";

/// The states before one of some steps, with others.
fn before<'s>(others: Set, steps: impl IntoIterator<Item = &'s Step>, set: &Set) -> Set {
    steps.into_iter().fold(others, |all, step| or(&all, &step.preimage(set)))
}
