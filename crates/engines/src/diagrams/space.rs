//! The bits of a system's variables, and operations on sets of their values.

use super::package::{BitSet, Package, Set, and, or};
use crate::claim::diagrams::Root;
use crate::limits::Reason;
use crate::model::Value;
use crate::ts::system::{EVENT, System, Variable};
use crate::ts::term::{InputId, Leaf, Sort, VarId};
use dashu_int::UBig;
use std::ops::Range;

/// The most levels that diagrams may have: operations are recursive.
const MOST_LEVELS: usize = 1 << 13;

/// The most values of a variable.
const MOST_VALUES: u64 = 1 << 14;

/// The bits of a leaf.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    /// Its values, ascending; the number of one of them is what the bits say.
    pub values: Vec<i64>,
    /// BitSet, the most significant bit first. A variable has its next value on the levels below each of these.
    pub levels: Vec<usize>,
}

/// Which bits there are, and at which levels.
pub struct Space {
    sorts: Vec<Sort>,
    variables: Vec<Bits>,
    inputs: Vec<Bits>,
    /// The levels of spare bits and their next values.
    spare: Range<usize>,
    package: Package,
    /// The levels of all variables, from the top.
    own: Vec<usize>,
}

impl Space {
    /// With variables and inputs in this order, from the top. Refuses variables with infinitely many values, or too many.
    pub fn new(system: &System, order: &[Leaf]) -> Result<Space, Reason> {
        Space::with_spare(system, order, 0)
    }

    /// The same with so many bits more below, which are no variable's.
    pub fn with_spare(system: &System, order: &[Leaf], spare: usize) -> Result<Space, Reason> {
        let mut level = 0;
        let mut bits = |values: Vec<i64>, distance: usize| {
            let count = values.len().next_power_of_two().trailing_zeros() as usize;
            let levels = (0..count).map(|bit| level + bit * distance).collect();
            level += count * distance;
            Bits { values, levels }
        };
        let mut variables = vec![Bits::default(); system.variables().len()];
        let mut inputs = vec![Bits::default(); system.inputs().len()];
        // Each event has a relation of its own, so that it needs no bits.
        inputs[EVENT.0 as usize].values = vec![0];
        for &leaf in order {
            let id = match leaf {
                Leaf::Var(id) => id,
                Leaf::Input(id) => {
                    let count = i64::from(system.inputs()[id.0 as usize].count);
                    inputs[id.0 as usize] = bits((0..count).collect(), 1);
                    continue;
                }
            };
            let Variable { name, domain, .. } = system.variable(id);
            let values = match (domain.listed(), domain.bounds()) {
                (Some(values), _) => values.to_vec(),
                (None, Some((low, high))) if high.abs_diff(low) < MOST_VALUES => (low..=high).collect(),
                _ => return Err(Reason::Engine(format!("`{name}` has too many values for decision diagrams"))),
            };
            variables[id.0 as usize] = bits(values, 2);
        }
        let spare = level..level + 2 * spare;
        if spare.end > MOST_LEVELS {
            return Err(Reason::Engine("too many variables for decision diagrams".to_owned()));
        }
        let sorts = system.variables().iter().map(|variable| variable.sort).collect();
        let mut own: Vec<usize> = variables.iter().flat_map(|bits| bits.levels.clone()).collect();
        own.sort_unstable();
        let bits = |leaf: &Leaf| match *leaf {
            Leaf::Var(VarId(id)) => 2 * variables[id as usize].levels.len(),
            Leaf::Input(InputId(id)) => inputs[id as usize].levels.len(),
        };
        let end = spare.end;
        let blocks = order.iter().map(|leaf| bits(leaf) as u32).filter(|size| *size > 0).collect();
        Ok(Space { sorts, variables, inputs, spare, package: Package::new(end, blocks), own })
    }

    /// The bits of a leaf.
    pub fn bits(&self, leaf: Leaf) -> &Bits {
        match leaf {
            Leaf::Var(VarId(id)) => &self.variables[id as usize],
            Leaf::Input(InputId(id)) => &self.inputs[id as usize],
        }
    }

    /// Everything, or nothing.
    pub fn constant(&self, all: bool) -> Set {
        self.package.constant(all)
    }

    /// A set that was written as nodes ([`super::Nodes`]), of a space with the same order of variables and inputs.
    pub fn set_of(&self, nodes: &[[u32; 3]], root: Root) -> Set {
        self.package.set_of(nodes, root)
    }

    /// That a leaf has the value with a number; with `next`, that a variable has it after the step.
    pub fn has_value(&self, leaf: Leaf, number: usize, next: bool) -> Set {
        let levels = self.bits(leaf).levels.iter().rev().enumerate();
        self.package.bits(levels.map(|(place, &level)| (level + usize::from(next), number >> place & 1 == 1)))
    }

    /// That the bits of a leaf are the number of one of its values.
    pub fn is_valid(&self, leaf: Leaf) -> Set {
        let count = self.bits(leaf).values.len();
        if count.is_power_of_two() {
            return self.constant(true);
        }
        let one = |number| self.has_value(leaf, number, false);
        (0..count).map(one).fold(self.constant(false), |valid, one| or(&valid, &one))
    }

    /// The levels of some variables.
    pub fn levels(&self, ids: &[VarId]) -> BitSet {
        self.package.bit_set(self.listed(ids))
    }

    /// The levels of their next values.
    pub fn next_levels(&self, ids: &[VarId]) -> BitSet {
        self.package.bit_set(self.listed(ids).map(|level| level + 1))
    }

    /// The same, one by one.
    pub fn listed(&self, ids: &[VarId]) -> impl Iterator<Item = usize> {
        ids.iter().flat_map(|&id| &self.bits(Leaf::Var(id)).levels).copied()
    }

    /// The levels of variables, spare bits and their next values but these.
    pub fn other_levels(&self, levels: &[usize]) -> BitSet {
        let all = self.own.iter().flat_map(|level| [*level, level + 1]).chain(self.spare.clone());
        self.package.bit_set(all.filter(|level| !levels.contains(level)))
    }

    /// The set of assignments in which bits have these values.
    pub fn where_bits(&self, values: impl IntoIterator<Item = (usize, bool)>) -> Set {
        self.package.bits(values)
    }

    /// The first level of some variables, if they have any.
    pub fn first_level(&self, ids: &[VarId]) -> Option<usize> {
        self.listed(ids).min()
    }

    /// The levels of what a step chooses besides its event, one by one.
    pub fn listed_inputs(&self) -> Vec<usize> {
        self.inputs.iter().flat_map(|bits| &bits.levels).copied().collect()
    }

    /// Some levels.
    pub fn some_levels(&self, levels: impl IntoIterator<Item = usize>) -> BitSet {
        self.package.bit_set(levels)
    }

    /// The level of a spare bit; that of its next value is one below.
    fn spare_level(&self, number: usize) -> usize {
        self.spare.start + 2 * number
    }

    /// The levels of some spare bits, one by one.
    pub fn listed_spare(&self, numbers: Range<usize>) -> Vec<usize> {
        numbers.map(|number| self.spare_level(number)).collect()
    }

    /// Puts leaves into the order that they have now, from the top; those without bits first.
    pub fn sort(&self, leaves: &mut [Leaf]) {
        leaves.sort_by_key(|leaf| self.bits(*leaf).levels.first().map(|bit| self.package.place(*bit)));
    }

    /// From so many nodes on, better orders are looked for; at first they never are.
    pub fn sift_from(&self, nodes: usize) {
        self.package.sift_from(nodes);
    }

    /// The number of nodes of all sets that there are.
    pub fn size(&self) -> usize {
        self.package.size()
    }

    /// All variables.
    pub fn variables(&self) -> Vec<VarId> {
        (0..self.variables.len() as u32).map(VarId).collect()
    }

    /// The levels of some spare bits.
    pub fn spare_levels(&self, numbers: impl Iterator<Item = usize>) -> BitSet {
        self.package.bit_set(numbers.map(|number| self.spare_level(number)))
    }

    /// The levels of their next values.
    pub fn next_spare_levels(&self, numbers: impl Iterator<Item = usize>) -> BitSet {
        self.package.bit_set(numbers.map(|number| self.spare_level(number) + 1))
    }

    /// The set of assignments in which a spare bit is set.
    pub fn spare_bit(&self, number: usize) -> Set {
        self.package.bits([(self.spare_level(number), true)])
    }

    /// How many states a set has.
    pub fn count(&self, set: &Set) -> UBig {
        set.count(&self.own)
    }

    /// True if a state is in a set.
    pub fn contains(&self, set: &Set, state: &[Value]) -> bool {
        !and(set, &self.only(state)).is_false()
    }

    /// One state of a set that is not empty.
    pub fn some_state(&self, set: &Set) -> Vec<Value> {
        let high = set.some_bits();
        let value = |(bits, sort): (&Bits, &Sort)| sort.value(bits.values[number(bits, &high)]);
        self.variables.iter().zip(&self.sorts).map(value).collect()
    }

    /// The inputs of a step somewhere in a set that is not empty; the event, which has no bits, has the number 0 in
    /// them.
    pub fn some_inputs(&self, set: &Set) -> Vec<u32> {
        let high = set.some_bits();
        self.inputs.iter().map(|bits| number(bits, &high) as u32).collect()
    }

    /// That some variables have their values of a state, now or after a step.
    pub fn are(&self, ids: &[VarId], state: &[Value], next: bool) -> Set {
        ids.iter().fold(self.constant(true), |set, &id| {
            let place = |value: i64| self.bits(Leaf::Var(id)).values.binary_search(&value).ok();
            let number = state[id.0 as usize].number().and_then(place).expect("a value of the variable");
            and(&set, &self.has_value(Leaf::Var(id), number, next))
        })
    }

    /// The set of one state.
    pub fn only(&self, state: &[Value]) -> Set {
        let ids: Vec<VarId> = (0..state.len() as u32).map(VarId).collect();
        self.are(&ids, state, false)
    }
}

/// The number that bits say, of which these levels are set.
fn number(bits: &Bits, high: &[usize]) -> usize {
    bits.levels.iter().fold(0, |number, level| 2 * number + usize::from(high.contains(level)))
}
