//! The variables of a system as bits, and its terms as sets: where they have which value.

use super::package::{ALL, NONE, Package, Set};
use super::{LEVELS, STEPS, VALUES};
use crate::check::Refused;
use crate::claim::diagrams::Diagrams;
use crate::limits::{tick, ticks};
use crate::ts::system::{Domain, EVENT, System};
use crate::ts::term::{InputId, Leaf, Sort, Term, TermNode, Terms, VarId};
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The most values of a term.
const MOST_VALUES: usize = 1 << 14;

/// The most levels of variables and inputs, and of obligations: operations are recursive.
pub const MOST_LEVELS: u32 = 1 << 13;

/// The numbers of values, each with the set where a term has it.
type Cases = BTreeMap<IBig, Set>;

/// A variable or an input.
#[derive(Clone, Debug, Default)]
pub struct Field {
    /// The numbers of its values, ascending.
    pub values: Vec<i64>,
    /// The levels of the bits of a value's place among them, the highest bit first. A variable has its next value on the levels below.
    pub levels: Vec<u32>,
}

/// All variables and inputs.
pub struct Space {
    pub package: Package,
    variables: Vec<Field>,
    inputs: Vec<Field>,
    /// The first level of obligations.
    end: u32,
}

impl Space {
    /// In the order and with the values of the evidence.
    pub fn new(system: &System, evidence: &Diagrams, memory: usize) -> Result<Space, Refused> {
        let (variables, inputs) = (system.variables().len(), system.inputs().len());
        let event = (variables + EVENT.0 as usize) as u32;
        let mut sorted = evidence.order.clone();
        sorted.sort_unstable();
        if evidence.values.len() != variables
            || !sorted.into_iter().eq((0..(variables + inputs) as u32).filter(|leaf| *leaf != event))
        {
            return Err(Refused::unfit("the order of variables is not that of this model"));
        }
        let mut fields = vec![Field::default(); variables + inputs];
        let mut end = 0;
        for &leaf in &evidence.order {
            let (values, distance) = match evidence.values.get(leaf as usize) {
                Some(values) => (values.clone(), 2),
                None => ((0..i64::from(system.inputs()[leaf as usize - variables].count)).collect(), 1),
            };
            let domain = system.variables().get(leaf as usize).map(|variable| &variable.domain);
            // Initial conditions do not say that values are of the domain.
            let fits = |value: &i64| domain.is_none_or(|domain| domain.has(*value));
            let is_list = values.is_sorted_by(|a, b| a < b) && !values.is_empty() && values.len() <= MOST_VALUES;
            if !is_list || !values.iter().all(fits) {
                return Err(Refused::unfit(VALUES));
            }
            let bits = values.len().next_power_of_two().trailing_zeros();
            let levels = (0..bits).map(|bit| end + bit * distance).collect();
            end += bits * distance;
            fields[leaf as usize] = Field { values, levels };
        }
        fields[event as usize].values = vec![0];
        if end > MOST_LEVELS {
            return Err(Refused::unfit(LEVELS));
        }
        let inputs = fields.split_off(variables);
        Ok(Space { package: Package::new(memory), variables: fields, inputs, end })
    }

    /// A variable or an input.
    pub fn field(&self, leaf: Leaf) -> &Field {
        match leaf {
            Leaf::Var(VarId(id)) => &self.variables[id as usize],
            Leaf::Input(InputId(id)) => &self.inputs[id as usize],
        }
    }

    /// The level of an obligation's bit.
    pub fn obligation(&self, number: usize) -> u32 {
        self.end + 2 * number as u32
    }

    /// The levels of some variables.
    pub fn levels_of(&self, list: impl IntoIterator<Item = VarId>) -> Vec<u32> {
        list.into_iter().flat_map(|id| self.variables[id.0 as usize].levels.clone()).collect()
    }

    /// The levels of what a step chooses.
    pub fn input_levels(&self) -> Vec<u32> {
        self.inputs.iter().flat_map(|field| field.levels.clone()).collect()
    }

    /// The levels of all variables, ascending.
    pub fn all_levels(&self) -> Vec<u32> {
        let mut levels: Vec<u32> = self.variables.iter().flat_map(|field| field.levels.clone()).collect();
        levels.sort_unstable();
        levels
    }

    /// The set where a leaf has the value with this place, or a variable has it after the step.
    pub fn has_value(&mut self, leaf: Leaf, place: usize, next: bool) -> Set {
        let bits = self.field(leaf).levels.iter().rev().enumerate();
        let bits = bits.map(|(bit, level)| (level + u32::from(next), place >> bit & 1 == 1)).collect();
        self.package.one(bits)
    }

    /// The set where the bits of a leaf are a value of it.
    pub fn is_valid(&mut self, leaf: Leaf) -> Set {
        let places = self.field(leaf).values.len();
        (0..places).fold(NONE, |all, place| {
            let one = self.has_value(leaf, place, false);
            self.package.or(all, one)
        })
    }

    /// The conjunction of sets.
    pub fn all(&mut self, list: impl IntoIterator<Item = Set>) -> Set {
        list.into_iter().fold(ALL, |all, set| self.package.and(all, set))
    }
}

/// That a variable has one of its values in every initial state, as single conditions on it say.
pub fn begins_with_value(system: &System, space: &Space, id: VarId) -> bool {
    let terms = system.terms();
    let values = &space.field(Leaf::Var(id)).values;
    let own: Vec<Term> =
        terms.conjuncts(system.init()).into_iter().filter(|&term| terms.variables(term) == [id]).collect();
    let variable = system.variable(id);
    let is_excluded = |number: i64| {
        let value = |_| variable.sort.value(number);
        own.iter().any(|&term| !terms.evaluate(term, &value).as_bool())
    };
    let is_value = |number: i64| values.binary_search(&number).is_ok();
    match (&variable.domain, variable.domain.listed()) {
        (_, Some(all)) => all.iter().all(|number| is_value(*number) || is_excluded(*number)),
        (Domain::Range(low, high), _) if high.abs_diff(*low) < MOST_VALUES as u64 => {
            (*low..=*high).all(|number| is_value(number) || is_excluded(number))
        }
        _ => own.iter().any(|&term| match terms.node(term) {
            TermNode::Eq(left, right) => match (terms.node(*left), terms.node(*right)) {
                (TermNode::Leaf(leaf), TermNode::Int(value)) => {
                    *leaf == Leaf::Var(id) && values.iter().any(|known| IBig::from(*known) == *value)
                }
                _ => false,
            },
            _ => false,
        }),
    }
}

/// Sets of terms, all of one arena.
pub struct Compiler<'t> {
    terms: &'t Terms,
    /// The cases that leaves stand for which are no variables of the space.
    given: FxHashMap<Leaf, Cases>,
    known: FxHashMap<Term, Cases>,
}

impl<'t> Compiler<'t> {
    /// Knows none.
    pub fn new(terms: &'t Terms) -> Compiler<'t> {
        Compiler { terms, given: FxHashMap::default(), known: FxHashMap::default() }
    }

    /// A leaf is 1 in a set, and 0 elsewhere.
    pub fn give(&mut self, space: &mut Space, leaf: Leaf, set: Set) {
        let cases = truth(space, set);
        self.given.insert(leaf, cases);
    }

    /// The set where a formula is true.
    pub fn truth(&mut self, space: &mut Space, term: Term) -> Result<Set, Refused> {
        self.compile(space, term)?;
        Ok(self.known_truth(term))
    }

    /// The numbers of a term's values, each with the set where the term has it; 0 and 1 are the truth values.
    pub fn cases(&mut self, space: &mut Space, term: Term) -> Result<Cases, Refused> {
        self.compile(space, term)?;
        Ok(self.known[&term].clone())
    }

    fn known_truth(&self, term: Term) -> Set {
        self.known[&term].get(&IBig::ONE).copied().unwrap_or(NONE)
    }

    fn compile(&mut self, space: &mut Space, term: Term) -> Result<(), Refused> {
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            let before = stack.len();
            if !self.known.contains_key(&top) {
                self.terms.for_each_child(top, |child| {
                    if !self.known.contains_key(&child) {
                        stack.push(child);
                    }
                });
                if stack.len() > before {
                    continue;
                }
                let cases = self.node(space, top)?;
                self.known.insert(top, cases);
            }
            stack.pop();
        }
        Ok(())
    }

    /// A term whose operands are known.
    fn node(&self, space: &mut Space, term: Term) -> Result<Cases, Refused> {
        tick();
        let everywhere = |value: IBig| Cases::from([(value, ALL)]);
        let of = |term: &Term| &self.known[term];
        let set = match self.terms.node(term) {
            TermNode::Bool(value) => {
                if *value {
                    ALL
                } else {
                    NONE
                }
            }
            TermNode::Int(value) => return Ok(everywhere(value.clone())),
            TermNode::Enum(value, _) => return Ok(everywhere(IBig::from(*value))),
            TermNode::Leaf(leaf) => return self.leaf(space, *leaf),
            TermNode::Not(inner) => space.package.not(self.known_truth(*inner)),
            TermNode::And(list) => space.all(list.iter().map(|part| self.known_truth(*part))),
            TermNode::Or(list) => list.iter().fold(NONE, |some, part| space.package.or(some, self.known_truth(*part))),
            TermNode::Eq(a, b) if self.terms.sort(*a) == Sort::Bool => {
                space.package.same(self.known_truth(*a), self.known_truth(*b))
            }
            TermNode::Eq(a, b) => {
                let (few, many) = if of(a).len() <= of(b).len() { (of(a), of(b)) } else { (of(b), of(a)) };
                let pairs = few.iter().filter_map(|(value, here)| Some((*here, *many.get(value)?)));
                united(space, pairs)
            }
            TermNode::Le(a, b) => {
                let up_to = |value: &IBig| of(a).range(..=value).map(|(_, there)| *there).collect::<Vec<_>>();
                let mut set = NONE;
                for (value, here) in of(b) {
                    ticks(of(a).len());
                    let below = up_to(value).into_iter().fold(NONE, |all, one| space.package.or(all, one));
                    set = united(space, [(*here, below), (set, ALL)]);
                }
                set
            }
            TermNode::Sum(constant, list) => {
                let mut sum = everywhere(constant.clone());
                for (coefficient, part) in list {
                    sum = combined(space, &sum, of(part), |sum, part| sum + coefficient * part)?;
                }
                return Ok(sum);
            }
            TermNode::Product(a, b) => return combined(space, of(a), of(b), |a, b| a * b),
            TermNode::Quotient(a, divisor) => {
                return combined(space, of(a), &everywhere(divisor.clone()), |a, b| a / b);
            }
            TermNode::Ite(condition, yes, no) => {
                let condition = self.known_truth(*condition);
                let otherwise = space.package.not(condition);
                let mut cases = Cases::new();
                for (condition, branch) in [(condition, yes), (otherwise, no)] {
                    of(branch)
                        .iter()
                        .for_each(|(value, there)| add(space, &mut cases, value.clone(), condition, *there));
                }
                return Ok(cases);
            }
        };
        Ok(truth(space, set))
    }

    fn leaf(&self, space: &mut Space, leaf: Leaf) -> Result<Cases, Refused> {
        if let Some(given) = self.given.get(&leaf) {
            return Ok(given.clone());
        }
        let known = match leaf {
            Leaf::Var(VarId(id)) => space.variables.get(id as usize),
            Leaf::Input(InputId(id)) => space.inputs.get(id as usize),
        };
        let values = known.ok_or_else(|| Refused::unfit(STEPS))?.values.clone();
        Ok(values
            .into_iter()
            .enumerate()
            .map(|(place, value)| (IBig::from(value), space.has_value(leaf, place, false)))
            .collect())
    }
}

/// The cases of a truth value.
fn truth(space: &mut Space, set: Set) -> Cases {
    Cases::from([(IBig::ZERO, space.package.not(set)), (IBig::ONE, set)])
}

/// The union of intersections.
fn united(space: &mut Space, pairs: impl IntoIterator<Item = (Set, Set)>) -> Set {
    pairs.into_iter().fold(NONE, |all, (a, b)| {
        let both = space.package.and(a, b);
        space.package.or(all, both)
    })
}

fn add(space: &mut Space, cases: &mut Cases, value: IBig, a: Set, b: Set) {
    let both = space.package.and(a, b);
    if both != NONE {
        let known = cases.entry(value).or_insert(NONE);
        *known = space.package.or(*known, both);
    }
}

fn combined(
    space: &mut Space,
    a: &Cases,
    b: &Cases,
    operation: impl Fn(&IBig, &IBig) -> IBig,
) -> Result<Cases, Refused> {
    let mut cases = Cases::new();
    for (x, here) in a {
        ticks(b.len());
        for (y, there) in b {
            add(space, &mut cases, operation(x, y), *here, *there);
        }
        if cases.len() > MOST_VALUES {
            return Err(Refused::unfit(VALUES));
        }
    }
    Ok(cases)
}
