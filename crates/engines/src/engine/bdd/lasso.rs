//! Runs that satisfy linear formulas: ways to loops in the product of states with an automaton ([`super::linear`]) that visit each
//! fair set (Clarke, Grumberg, McMillan, Zhao, *Efficient generation of counterexamples and witnesses in symbolic model checking*,
//! DAC 1995).

use super::branching::Judge;
use super::linear::Automaton;
use super::search::{Way, layers};
use super::witness::Route;
use crate::diagrams::{Set, and, without};
use crate::limits::Reason;
use crate::model::{Formula, Value};

/// A state of the product.
struct Point {
    state: Vec<Value>,
    /// The set of it alone.
    only: Set,
}

impl Judge<'_> {
    /// A run that goes on from where a way ends, and gives all of these formulas these truths there, which is possible.
    pub(super) fn loop_of(&mut self, demands: &[(&Formula, bool)], mut way: Way) -> Result<Route, Reason> {
        let (automaton, fair, set) = self.product(demands)?;
        let sets: Vec<Set> = automaton.fair_sets(self.search.space).iter().map(|set| and(&fair, set)).collect();
        let here = self.search.space.only(way.end());
        let mut points = vec![self.point(&automaton, &and(&set, &here))];
        // Each round visits all sets, after a step at least, and returns to where it began, if that is possible. Otherwise it has left
        // a component of the product for good, of which there are finitely many.
        let first = loop {
            let first = points.len() - 1;
            for (number, set) in sets.iter().enumerate() {
                let from = points.last().expect("the first one");
                let path = self.path(&automaton, from, &fair, set, number == 0);
                points.extend(path.expect("each set is visited again"));
            }
            let from = points.last().expect("the first one");
            if let Some(path) = self.path(&automaton, from, &fair, &points[first].only, false) {
                points.extend(path);
                break first;
            }
        };
        let start = way.states.len() - 1 + first;
        for pair in points.windows(2) {
            let may_take = |relation| automaton.may_take(&pair[0].only, relation);
            way.extend(self.search.step_if(&pair[0].state, pair[1].state.clone(), &may_take));
        }
        Ok((way, Some(start)))
    }

    /// One state of a set that is not empty.
    fn point(&self, automaton: &Automaton, set: &Set) -> Point {
        let state = self.search.space.some_state(set);
        let only = and(set, &self.search.space.only(&state));
        let chosen = |rest: Set, bit: Set| {
            let with = and(&rest, &bit);
            if with.is_false() { without(&rest, &bit) } else { with }
        };
        let only = automaton.bits().map(|bit| self.search.space.spare_bit(bit)).fold(only, chosen);
        Point { state, only }
    }

    /// A shortest path to a goal inside of a set, without its beginning; with a step at least if `moves`. Nothing if there is none.
    fn path(
        &self,
        automaton: &Automaton,
        from: &Point,
        inside: &Set,
        goal: &Set,
        moves: bool,
    ) -> Option<impl Iterator<Item = Point> + use<>> {
        let onwards = |set: &Set| and(&self.successors_of(automaton, set), inside);
        let first = if moves { onwards(&from.only) } else { from.only.clone() };
        let (mut layers, there) = layers(first, goal, onwards)?;
        if moves {
            layers.insert(0, from.only.clone());
        }
        let mut points = vec![self.point(automaton, &there)];
        for layer in layers.iter().rev().skip(1) {
            let after = points.last().expect("the last one");
            let before = and(layer, &self.predecessors_of(automaton, &automaton.steps, &after.only));
            points.push(self.point(automaton, &before));
        }
        // The beginning itself.
        points.pop();
        Some(points.into_iter().rev())
    }
}
