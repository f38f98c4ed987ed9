//! The bits of a system's variables, and operations on sets of their values.

use crate::limits::{Reason, tick, ticks};
use crate::model::Value;
use crate::ts::system::{Domain, EVENT, System};
use crate::ts::term::{InputId, Leaf, Sort, Term, Terms, VarId};
use biodivine_lib_bdd::{Bdd, BddNode, BddPointer, BddVariable, BddVariableSet, op_function};
use rustc_hash::FxHashMap;

/// The most levels that diagrams may have; the package numbers twice as many.
const MOST_LEVELS: usize = 1 << 15;

/// The most values of a variable.
const MOST_VALUES: u64 = 1 << 12;

/// The bits of a leaf.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    /// Its values, ascending; the number of one of them is what the bits say.
    pub values: Vec<i64>,
    /// Levels, the most significant bit first. A variable has its next value on the levels below each of these.
    pub levels: Vec<usize>,
}

/// Which bits there are, and at which levels.
pub struct Space {
    sorts: Vec<Sort>,
    variables: Vec<Bits>,
    inputs: Vec<Bits>,
    /// The first level of spare bits.
    spare: usize,
    set: BddVariableSet,
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
            let values = match &system.variable(id).domain {
                Domain::Bool => vec![0, 1],
                Domain::Finite(values) => values.to_vec(),
                Domain::Range(low, high) if high.abs_diff(*low) < MOST_VALUES => (*low..=*high).collect(),
                Domain::Range(..) | Domain::Unbounded => {
                    let name = &system.variable(id).name;
                    return Err(Reason::Engine(format!("`{name}` has too many values for decision diagrams")));
                }
            };
            variables[id.0 as usize] = bits(values, 2);
        }
        let (spare, level) = (level, level + 2 * spare);
        if level > MOST_LEVELS {
            return Err(Reason::Engine("too many variables for decision diagrams".to_owned()));
        }
        let sorts = system.variables().iter().map(|variable| variable.sort).collect();
        Ok(Space { sorts, variables, inputs, spare, set: BddVariableSet::new_anonymous(level as u16) })
    }

    /// The bits of a leaf.
    pub fn bits(&self, leaf: Leaf) -> &Bits {
        match leaf {
            Leaf::Var(VarId(id)) => &self.variables[id as usize],
            Leaf::Input(InputId(id)) => &self.inputs[id as usize],
        }
    }

    /// Everything, or nothing.
    pub fn constant(&self, all: bool) -> Bdd {
        if all { self.set.mk_true() } else { self.set.mk_false() }
    }

    /// That a leaf has the value with a number; with `next`, that a variable has it after the step.
    pub fn has_value(&self, leaf: Leaf, number: usize, next: bool) -> Bdd {
        let count = self.set.num_vars();
        let mut nodes = vec![BddNode::mk_zero(count), BddNode::mk_one(count)];
        let mut below = BddPointer::one();
        for (place, &level) in self.bits(leaf).levels.iter().rev().enumerate() {
            let zero = BddPointer::zero();
            let (low, high) = if number >> place & 1 == 1 { (zero, below) } else { (below, zero) };
            below = BddPointer::from_index(nodes.len());
            nodes.push(BddNode::mk_node(BddVariable::from_index(level + usize::from(next)), low, high));
        }
        built(&nodes)
    }

    /// That the bits of a leaf are the number of one of its values.
    pub fn is_valid(&self, leaf: Leaf) -> Bdd {
        let count = self.bits(leaf).values.len();
        if count.is_power_of_two() {
            return self.constant(true);
        }
        let one = |number| self.has_value(leaf, number, false);
        (0..count).map(one).fold(self.constant(false), |valid, one| or(&valid, &one))
    }

    /// The levels of some variables.
    pub fn levels(&self, ids: &[VarId]) -> Vec<usize> {
        ids.iter().flat_map(|&id| &self.bits(Leaf::Var(id)).levels).copied().collect()
    }

    /// The levels of their next values.
    pub fn next_levels(&self, ids: &[VarId]) -> Vec<usize> {
        self.levels(ids).into_iter().map(|level| level + 1).collect()
    }

    /// The levels of what a step chooses besides its event.
    pub fn input_levels(&self) -> Vec<usize> {
        self.inputs.iter().flat_map(|bits| &bits.levels).copied().collect()
    }

    /// The level of a spare bit; that of its next value is one below.
    pub fn spare_level(&self, number: usize) -> usize {
        self.spare + 2 * number
    }

    /// Where a spare bit is set.
    pub fn spare_bit(&self, number: usize) -> Bdd {
        self.set.mk_var(BddVariable::from_index(self.spare_level(number)))
    }

    /// The same set with these variables as next ones, or the reverse, where it does not read the others of both.
    pub fn shifted(&self, set: Bdd, ids: &[VarId], to_next: bool) -> Bdd {
        let from = if to_next { self.levels(ids) } else { self.next_levels(ids) };
        self.moved(set, &from, to_next)
    }

    /// The same set with these levels one further down, or up.
    pub fn moved(&self, set: Bdd, levels: &[usize], to_next: bool) -> Bdd {
        if set.as_bool().is_some() || levels.is_empty() {
            return set;
        }
        let mut moves = vec![false; usize::from(self.set.num_vars())];
        levels.iter().for_each(|level| moves[*level] = true);
        let mut nodes = set.to_nodes();
        ticks(nodes.len() / 8);
        for node in &mut nodes[2..] {
            let level = node.var.to_index();
            if moves[level] {
                node.var = BddVariable::from_index(if to_next { level + 1 } else { level - 1 });
            }
        }
        built(&nodes)
    }

    /// How many states a set has, about.
    pub fn count(&self, set: &Bdd) -> f64 {
        let own: usize = self.variables.iter().map(|bits| bits.levels.len()).sum();
        set.cardinality() / 2f64.powi(i32::from(self.set.num_vars()) - own as i32)
    }

    /// The same, exactly, in decimal digits.
    pub fn exact_count(&self, set: &Bdd) -> String {
        let own: usize = self.variables.iter().map(|bits| bits.levels.len()).sum();
        (set.exact_cardinality() >> (usize::from(self.set.num_vars()) - own)).to_string()
    }

    /// Whether a state is in a set.
    pub fn contains(&self, set: &Bdd, state: &[Value]) -> bool {
        !and(set, &self.only(state)).is_false()
    }

    /// Bits that lead to the set, which is not empty.
    fn some_bits(set: &Bdd) -> Vec<usize> {
        let (mut high, mut at) = (Vec::new(), set.root_pointer());
        while !at.is_terminal() {
            let low = set.low_link_of(at);
            if low.is_zero() {
                high.push(set.var_of(at).to_index());
                at = set.high_link_of(at);
            } else {
                at = low;
            }
        }
        high
    }

    /// One state of a set that is not empty.
    pub fn some_state(&self, set: &Bdd) -> Vec<Value> {
        let high = Self::some_bits(set);
        let value = |(bits, sort): (&Bits, &Sort)| sort.value(bits.values[number(bits, &high)]);
        self.variables.iter().zip(&self.sorts).map(value).collect()
    }

    /// What a step chooses besides its event, for which the event has the number 0, somewhere in a set that is not empty.
    pub fn some_inputs(&self, set: &Bdd) -> Vec<u32> {
        let high = Self::some_bits(set);
        self.inputs.iter().map(|bits| number(bits, &high) as u32).collect()
    }

    /// That some variables have their values of a state, now or after a step.
    pub fn are(&self, ids: &[VarId], state: &[Value], next: bool) -> Bdd {
        ids.iter().fold(self.constant(true), |set, &id| {
            let place = |value: i64| self.bits(Leaf::Var(id)).values.binary_search(&value).ok();
            let number = state[id.0 as usize].number().and_then(place).expect("a value of the variable");
            and(&set, &self.has_value(Leaf::Var(id), number, next))
        })
    }

    /// The set of one state.
    pub fn only(&self, state: &[Value]) -> Bdd {
        let ids: Vec<VarId> = (0..state.len() as u32).map(VarId).collect();
        self.are(&ids, state, false)
    }

    /// A set of states as a formula, which shares what the diagram shares.
    pub fn term(&self, system: &System, terms: &mut Terms, set: &Bdd) -> Term {
        let mut of_level: FxHashMap<usize, (VarId, usize)> = FxHashMap::default();
        for (id, bits) in system.var_ids().zip(&self.variables) {
            let places = bits.levels.iter().rev().enumerate();
            of_level.extend(places.map(|(place, &level)| (level, (id, place))));
        }
        let (no, yes) = (terms.bool(false), terms.bool(true));
        let mut known = FxHashMap::from_iter([(BddPointer::zero(), no), (BddPointer::one(), yes)]);
        let mut stack = vec![set.root_pointer()];
        while let Some(&top) = stack.last() {
            tick();
            let links = [set.low_link_of(top), set.high_link_of(top)];
            let missing = links.into_iter().filter(|link| !known.contains_key(link));
            let before = stack.len();
            if !known.contains_key(&top) {
                stack.extend(missing);
            }
            if stack.len() == before {
                stack.pop();
                if !top.is_terminal() {
                    let (id, place) = of_level[&set.var_of(top).to_index()];
                    let bit = self.bit(system, terms, id, place);
                    let clear = terms.not(bit);
                    let [low, high] = links.map(|link| known[&link]);
                    let sides = [terms.and([clear, low]), terms.and([bit, high])];
                    known.insert(top, terms.or(sides));
                }
            }
        }
        known[&set.root_pointer()]
    }

    /// That a bit of the number of a variable's value is set.
    fn bit(&self, system: &System, terms: &mut Terms, id: VarId, place: usize) -> Term {
        let variable = system.variable(id);
        let term = variable.term(terms, id);
        let set = self.bits(Leaf::Var(id)).values.iter().enumerate().filter(|(number, _)| number >> place & 1 == 1);
        let mut options = Vec::new();
        for (_, &value) in set {
            let value = terms.numbered(value, variable.sort);
            options.push(terms.eq(term, value));
        }
        terms.or(options)
    }
}

/// The number that bits say, of which these levels are set.
fn number(bits: &Bits, high: &[usize]) -> usize {
    bits.levels.iter().fold(0, |number, level| 2 * number + usize::from(high.contains(level)))
}

fn built(nodes: &[BddNode]) -> Bdd {
    Bdd::from_nodes(nodes).expect("nodes below each other")
}

/// `a & b`
pub fn and(a: &Bdd, b: &Bdd) -> Bdd {
    match (a.as_bool(), b.as_bool()) {
        (Some(false), _) | (_, Some(true)) => a.clone(),
        (_, Some(false)) | (Some(true), _) => b.clone(),
        _ => Bdd::binary_op(a, b, counted(op_function::and)),
    }
}

/// `a | b`
pub fn or(a: &Bdd, b: &Bdd) -> Bdd {
    match (a.as_bool(), b.as_bool()) {
        (Some(true), _) | (_, Some(false)) => a.clone(),
        (_, Some(true)) | (Some(false), _) => b.clone(),
        _ => Bdd::binary_op(a, b, counted(op_function::or)),
    }
}

/// `a & !b`
pub fn without(a: &Bdd, b: &Bdd) -> Bdd {
    match (a.as_bool(), b.as_bool()) {
        (Some(false), _) | (_, Some(false)) => a.clone(),
        _ => Bdd::binary_op(a, b, counted(op_function::and_not)),
    }
}

/// `a <-> b`
pub fn same(a: &Bdd, b: &Bdd) -> Bdd {
    Bdd::binary_op(a, b, counted(op_function::iff))
}

/// `!a`
pub fn not(a: &Bdd) -> Bdd {
    ticks(a.size() / 8);
    a.not()
}

/// Where `a & b` is true for some values of the bits on these levels.
pub fn and_exists(a: &Bdd, b: &Bdd, levels: &[usize]) -> Bdd {
    let mut quantified = vec![false; usize::from(a.num_vars())];
    levels.iter().for_each(|&level| quantified[level] = true);
    let trigger = |level: BddVariable| quantified[level.to_index()];
    Bdd::binary_op_nested(a, b, trigger, counted(op_function::and), counted(op_function::or))
}

/// Where `a` is true for some values of the bits on these levels.
pub fn exists(a: &Bdd, levels: &[usize]) -> Bdd {
    if levels.is_empty() { a.clone() } else { and_exists(a, a, levels) }
}

/// An operation that counts how often it is asked.
fn counted(
    operation: fn(Option<bool>, Option<bool>) -> Option<bool>,
) -> impl Fn(Option<bool>, Option<bool>) -> Option<bool> {
    move |a, b| {
        tick();
        operation(a, b)
    }
}
