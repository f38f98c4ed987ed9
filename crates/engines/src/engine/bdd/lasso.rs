//! Runs that violate formulas: ways in the product ([`super::product`]) to where nothing is pending, or to loops on which no
//! eventuality is pending all the time (Clarke, Grumberg, McMillan, Zhao, *Efficient generation of counterexamples and witnesses
//! in symbolic model checking*, DAC 1995).

use super::branching::Judge;
use super::product::{Product, Solution};
use super::search::{Way, layers};
use super::witness::Route;
use crate::diagrams::{Set, Step, and};
use crate::model::Value;

/// A position.
struct Point {
    state: Vec<Value>,
    /// The set of it alone.
    only: Set,
}

impl Judge<'_> {
    /// A run that goes on from where a way ends, and violates a formula from there on, which is possible.
    pub(super) fn violating(&self, solution: &Solution, mut way: Way) -> Route {
        let (space, Solution { product, some, .. }) = (self.search.space, solution);
        let steps = self.backwards();
        let walk = Walk { judge: self, product, steps, inside: some };
        let here = and(&space.only(way.end()), &product.start);
        let mut points = vec![walk.point(&and(some, &here))];
        let idle = walk.path_into(&points[0], &product.idle(space), false);
        let start = match idle {
            Some(path) => {
                points.extend(path);
                None
            }
            None => Some(way.states.len() - 1 + walk.close(&mut points)),
        };
        for pair in points.windows(2) {
            let may_take = |relation| product.may_take(space, relation, &pair[0].only, &pair[1].only);
            way.extend(self.search.step_if(&pair[0].state, pair[1].state.clone(), &may_take));
        }
        (way, start)
    }
}

/// A search for a path.
struct Walk<'w> {
    judge: &'w Judge<'w>,
    product: &'w Product,
    steps: Vec<(usize, Step)>,
    inside: &'w Set,
}

impl Walk<'_> {
    /// Extends a path so that it ends where a loop begins, on which no eventuality is pending all the time; the position of that in
    /// the path.
    fn close(&self, points: &mut Vec<Point>) -> usize {
        // Each round visits all sets, after a step at least, and returns to where it began, if that is possible. Otherwise it has left
        // a component of the product for good, of which there are finitely many.
        loop {
            let first = points.len() - 1;
            for (number, met) in self.product.met.iter().enumerate() {
                let from = points.last().expect("the first one");
                let path = self.path_into(from, met, number == 0);
                points.extend(path.expect("each eventuality is met again"));
            }
            let from = points.last().expect("the first one");
            if let Some(path) = self.path(from, &points[first].only) {
                points.extend(path);
                return first;
            }
        }
    }

    /// One position of a set that is not empty.
    fn point(&self, set: &Set) -> Point {
        let space = self.judge.search.space;
        let state = space.some_state(set);
        let only = self.product.some_obligations(space, &and(set, &space.only(&state)));
        Point { state, only }
    }

    fn after(&self, set: &Set) -> Set {
        and(&self.product.after(self.judge.search.space, &self.steps, set), self.inside)
    }

    fn before(&self, set: &Set) -> Set {
        and(&self.product.before(self.judge.search.space, &self.steps, set), self.inside)
    }

    /// One position of a set, and one of each layer before the last one, each a step from the one before.
    fn along(&self, layers: &[Set], last: &Set, step: impl Fn(&Set) -> Set) -> Vec<Point> {
        let mut points = vec![self.point(last)];
        for layer in layers.iter().rev().skip(1) {
            let before = points.last().expect("the last one");
            points.push(self.point(&and(layer, &step(&before.only))));
        }
        points
    }

    /// A shortest path into a set, without its beginning; with a step at least if `moves`. Nothing if there is none. Backwards from
    /// the set, as what is far from it differs in less than what comes of one position.
    fn path_into(&self, from: &Point, goal: &Set, moves: bool) -> Option<Vec<Point>> {
        let starts = if moves { self.after(&from.only) } else { from.only.clone() };
        let (layers, there) = layers(and(goal, self.inside), &starts, |set| self.before(set))?;
        let mut points = self.along(&layers, &there, |set| self.after(set));
        // Without a step, the first one is the beginning itself.
        points.drain(..usize::from(!moves));
        Some(points)
    }

    /// A shortest path to a position, without its beginning. Nothing if there is none.
    fn path(&self, from: &Point, goal: &Set) -> Option<Vec<Point>> {
        let (layers, there) = layers(from.only.clone(), goal, |set| self.after(set))?;
        let mut points = self.along(&layers, &there, |set| self.before(set));
        // The beginning itself.
        points.pop();
        points.reverse();
        Some(points)
    }
}
