//! Sets of states as formulas.

use super::package::Set;
use super::space::Space;
use crate::ts::system::System;
use crate::ts::term::{Leaf, Sort, Term, Terms, VarId};
use rustc_hash::FxHashMap;

/// Demands by the number that a part of the bits of a variable is: runs of numbers, from 0 on, with the same demand.
#[derive(Clone)]
struct Demands {
    /// The variable, and how many of its lowest bits are meant; a constant has none.
    of: Option<(VarId, usize)>,
    /// The lengths of the runs, and what is demanded of the variables below.
    runs: Vec<(usize, Term)>,
}

impl Space {
    /// A set of states as a formula, which shares what the diagram shares: ranges of values of variables, with what they demand of those below.
    pub fn term(&self, system: &System, terms: &mut Terms, set: &Set) -> Term {
        let mut of_level: FxHashMap<usize, (VarId, usize)> = FxHashMap::default();
        for id in system.var_ids() {
            let places = self.bits(Leaf::Var(id)).levels.iter().rev().enumerate();
            of_level.extend(places.map(|(place, &level)| (level, (id, place))));
        }
        let mut writer = Writer { space: self, system, terms };
        let constants = [false, true].map(|truth| Demands { of: None, runs: vec![(1, writer.terms.bool(truth))] });
        let demands = set.folded(constants, |level, low, high| {
            let (id, place) = of_level[&level];
            let mut runs: Vec<(usize, Term)> = Vec::new();
            for side in [low, high] {
                for (length, demand) in writer.demands(side, id, place) {
                    match runs.last_mut() {
                        Some((known, same)) if *same == demand => *known += length,
                        _ => runs.push((length, demand)),
                    }
                }
            }
            Demands { of: Some((id, place + 1)), runs }
        });
        writer.whole(demands)
    }
}

struct Writer<'w> {
    space: &'w Space,
    system: &'w System,
    terms: &'w mut Terms,
}

impl Writer<'_> {
    /// The demands for each number of so many of the lowest bits of a variable.
    fn demands(&mut self, demands: Demands, id: VarId, bits: usize) -> Vec<(usize, Term)> {
        match demands.of {
            Some((same, fewer)) if same == id => demands.runs.repeat(1 << (bits - fewer)),
            _ => vec![(1 << bits, self.whole(demands))],
        }
    }

    /// The formula for all bits of the variable.
    fn whole(&mut self, demands: Demands) -> Term {
        let Some((id, _)) = demands.of else { return demands.runs[0].1 };
        let count = self.space.bits(Leaf::Var(id)).values.len();
        let all = self.space.bits(Leaf::Var(id)).levels.len();
        // Per demand the first and the last number of each run.
        let mut places: Vec<(Term, Vec<(usize, usize)>)> = Vec::new();
        let mut first = 0;
        for (length, demand) in self.demands(demands, id, all) {
            let last = (first + length).min(count) - 1;
            match places.iter_mut().find(|(known, _)| *known == demand) {
                _ if self.terms.is_false(demand) => {}
                Some((_, places)) => places.push((first, last)),
                None => places.push((demand, vec![(first, last)])),
            }
            first += length;
            if first >= count {
                break;
            }
        }
        let mut options = Vec::new();
        for (demand, places) in places {
            let is_there = self.is_one_of(id, &places);
            options.push(self.terms.and([is_there, demand]));
        }
        self.terms.or(options)
    }

    /// That a variable has one of the values with these numbers, in ascending runs that do not touch.
    fn is_one_of(&mut self, id: VarId, places: &[(usize, usize)]) -> Term {
        let values = &self.space.bits(Leaf::Var(id)).values;
        let variable = self.system.variable(id);
        let term = variable.term(self.terms, id);
        if places == [(0, values.len() - 1)] {
            return self.terms.bool(true);
        }
        let mut options = Vec::new();
        for &(first, last) in places {
            let ranges = values[first..=last].chunk_by(|one, next| variable.sort == Sort::Int && one + 1 == *next);
            for range in ranges {
                let [low, high] =
                    [range[0], range[range.len() - 1]].map(|value| self.terms.numbered(value, variable.sort));
                options.push(if low == high {
                    self.terms.eq(term, low)
                } else {
                    let bounds = [self.terms.le(low, term), self.terms.le(term, high)];
                    self.terms.and(bounds)
                });
            }
        }
        self.terms.or(options)
    }
}
