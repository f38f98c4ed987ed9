//! The variables of a model as bits, and expressions as sets of states: where they have which value.

use super::Unfit;
use super::package::{ALL, Levels, NONE, Package, Set};
use crate::limits::tick;
use crate::model::eval::State;
use crate::model::eval::value::{belongs, evaluate};
use crate::model::formula::StateLeaf;
use crate::model::joint::Joint;
use crate::model::{BinaryOp, CommandLeaf, Expr, Formula, InstanceId, LocalId, Model, Type, Value};
use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::rc::Rc;

/// The most values of a variable or an expression.
const MOST_VALUES: usize = 1 << 14;

/// The most levels: operations are recursive.
const MOST_LEVELS: u32 = 1 << 12;

/// The values of an expression, each with the set where the expression has it; elsewhere it has none. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Cases(Rc<BTreeMap<Value, Set>>);

impl Cases {
    /// Those with some values only.
    pub fn only(&self, is_meant: impl Fn(&Value) -> bool) -> Cases {
        self.iter().filter(|(value, _)| is_meant(value)).map(|(value, place)| (value.clone(), *place)).collect()
    }
}

impl Deref for Cases {
    type Target = BTreeMap<Value, Set>;

    fn deref(&self) -> &BTreeMap<Value, Set> {
        &self.0
    }
}

impl From<BTreeMap<Value, Set>> for Cases {
    fn from(cases: BTreeMap<Value, Set>) -> Cases {
        Cases(Rc::new(cases))
    }
}

impl<const N: usize> From<[(Value, Set); N]> for Cases {
    fn from(list: [(Value, Set); N]) -> Cases {
        list.into_iter().collect()
    }
}

impl FromIterator<(Value, Set)> for Cases {
    fn from_iter<T: IntoIterator<Item = (Value, Set)>>(list: T) -> Cases {
        Cases::from(BTreeMap::from_iter(list))
    }
}

/// The values of what an expression reads.
pub type Reads<'r, L> = dyn Fn(&mut Space, L) -> Result<Cases, Unfit> + 'r;

/// A variable, or what an agent chooses in a step.
struct Field {
    values: Vec<Value>,
    /// Of the bits of the number of its value, the highest first. Where it can change, its next value is one level below each.
    levels: Vec<u32>,
    /// Where it has which value.
    now: Cases,
    /// Per value where it has it after the step; empty for choices.
    next: Vec<Set>,
    /// The number of its value, if it has no other in any reachable state.
    fixed: Option<usize>,
}

/// All variables of a model.
pub struct Space<'m> {
    /// The model.
    pub model: &'m Model,
    /// The diagrams.
    pub package: Package,
    /// Per instance the automaton state, then the locals.
    fields: Vec<Vec<Field>>,
    /// Per instance what it chooses, where all act at once.
    actions: Vec<Field>,
    /// The levels of bits that are none of a variable's, and of their next values.
    others: Range<u32>,
}

/// A variable: an instance, and 0 for its automaton state (its action, where all act at once), or the number of a local plus 1.
pub type Slot = (u32, u32);

impl<'m> Space<'m> {
    /// With the variables in this order, from the top: each place once.
    pub fn new(model: &'m Model, order: &[Slot], memory: usize) -> Result<Space<'m>, Unfit> {
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if sorted != places(model) {
            return Err(Unfit::Order);
        }
        let mut package = Package::new(memory);
        let mut level = 0;
        let mut fields: BTreeMap<Slot, Field> = BTreeMap::new();
        let mut actions: BTreeMap<u32, Field> = BTreeMap::new();
        for &(instance, place) in order {
            let values = values_of(model, InstanceId(instance), place)?;
            fields.insert((instance, place), Field::new(&mut package, values, &mut level, true)?);
            if let (0, Some(joint)) = (place, &model.joint) {
                let count = joint.behaviours[instance as usize].actions.len() as u32;
                let values = (0..count).map(Value::Enum).collect();
                actions.insert(instance, Field::new(&mut package, values, &mut level, false)?);
            }
        }
        let mut by_instance: Vec<Vec<Field>> = model.instance_ids().map(|_| Vec::new()).collect();
        fields.into_iter().for_each(|((instance, _), field)| by_instance[instance as usize].push(field));
        let actions = actions.into_values().collect();
        Ok(Space { model, package, fields: by_instance, actions, others: level..level })
    }

    /// A level for a bit that is none of a variable's; the one below is free as well.
    pub fn new_level(&mut self) -> u32 {
        self.others.end += 2;
        self.others.end - 2
    }

    fn field(&self, (instance, place): Slot) -> &Field {
        &self.fields[instance as usize][place as usize]
    }

    /// From now on, locals that nothing changes, and that have one value in all initial states, are that value.
    pub fn fix(&mut self, initial: Set) {
        let locals = places(self.model).into_iter().filter(|(_, place)| *place > 0);
        for place in locals.filter(|place| !is_updated(self.model, *place)) {
            let levels = self.field(place).levels.clone();
            let others = self.other_levels(&levels);
            let values = self.package.some(initial, others);
            if let Some([bits]) = self.package.members(values, &levels, 1).as_deref() {
                let number = bits.iter().fold(0, |number, bit| 2 * number + usize::from(*bit));
                self.fields[place.0 as usize][place.1 as usize].fixed = Some(number);
            }
        }
    }

    /// The variables of an instance that are not fixed, the automaton state first.
    pub fn of_instance(&self, instance: InstanceId) -> Vec<Slot> {
        let fields = (0..).zip(&self.fields[instance.index()]).filter(|(_, field)| field.fixed.is_none());
        fields.map(|(place, _)| (instance.0, place)).collect()
    }

    /// A variable that has which value where.
    pub fn variable(&self, place: Slot) -> Cases {
        self.field(place).cases()
    }

    /// True if a variable has a value in some state, reachable or not.
    pub fn can_have(&self, place: Slot, value: &Value) -> bool {
        self.field(place).values.binary_search(value).is_ok()
    }

    /// A local that has which value where.
    pub fn local(&self, instance: InstanceId, local: LocalId) -> Cases {
        self.variable((instance.0, local.0 + 1))
    }

    /// The actions of an agent, each with the set where the agent chooses it.
    pub fn action(&self, instance: InstanceId) -> Cases {
        self.actions[instance.index()].cases()
    }

    /// The set where a variable has a value after the step; empty if it cannot have it.
    pub fn becomes(&self, place: Slot, value: &Value) -> Set {
        let field = self.field(place);
        field.values.binary_search(value).map_or(NONE, |number| field.next[number])
    }

    /// The set where a variable gets one of these values, and can have it.
    pub fn assigned(&mut self, place: Slot, cases: &Cases) -> Set {
        let mut set = NONE;
        for (value, there) in cases.iter() {
            let next = self.becomes(place, value);
            let this = self.package.and(*there, next);
            set = self.package.or(set, this);
        }
        set
    }

    /// The set where a variable keeps its value.
    pub fn kept(&mut self, place: Slot) -> Set {
        let levels = self.field(place).levels.clone();
        levels.into_iter().rev().fold(ALL, |set, level| {
            let (now, next) = (self.package.bit(level), self.package.bit(level + 1));
            let same = self.package.same(now, next);
            self.package.and(same, set)
        })
    }

    /// The set where all variables have values.
    pub fn valid(&mut self) -> Set {
        let mut all = ALL;
        for field in self.fields.iter().flatten() {
            let some = field.now.values().fold(NONE, |set, value| self.package.or(set, *value));
            all = self.package.and(all, some);
        }
        all
    }

    /// The levels of some variables, to be quantified or moved.
    pub fn levels_of(&mut self, places: &[Slot]) -> Levels {
        let levels: Vec<u32> = places.iter().flat_map(|place| self.field(*place).levels.clone()).collect();
        self.package.levels(&levels)
    }

    /// The same, with those of all that agents choose.
    pub fn levels_before(&mut self, places: &[Slot]) -> Levels {
        self.levels_with_actions(places, 0)
    }

    /// The levels of the next values of some variables, with those of all that agents choose.
    pub fn levels_after(&mut self, places: &[Slot]) -> Levels {
        self.levels_with_actions(places, 1)
    }

    /// The levels of a variable, the highest bit first.
    pub fn bits_of(&self, place: Slot) -> &[u32] {
        &self.field(place).levels
    }

    /// The levels of all bits, their next values and choices but these.
    pub fn other_levels(&mut self, levels: &[u32]) -> Levels {
        let all = self.fields.iter().flatten().flat_map(|field| &field.levels).flat_map(|level| [*level, level + 1]);
        let all =
            all.chain(self.actions.iter().flat_map(|field| field.levels.iter().copied())).chain(self.others.clone());
        let others: Vec<u32> = all.filter(|level| !levels.contains(level)).collect();
        self.package.levels(&others)
    }

    fn levels_with_actions(&mut self, places: &[Slot], below: u32) -> Levels {
        let own = places.iter().flat_map(|place| &self.field(*place).levels).map(|level| level + below);
        let levels: Vec<u32> = own.chain(self.actions.iter().flat_map(|field| field.levels.clone())).collect();
        self.package.levels(&levels)
    }

    /// The number of states in a set.
    pub fn count(&self, set: Set) -> String {
        let mut levels: Vec<u32> = self.fields.iter().flatten().flat_map(|field| field.levels.clone()).collect();
        levels.sort_unstable();
        self.package.count(set, &levels).to_string()
    }

    /// True if a state is in a set.
    pub fn contains(&self, set: Set, state: &State) -> bool {
        let mut high = vec![false; 2 * MOST_LEVELS as usize];
        for instance in self.model.instance_ids() {
            for (place, field) in (0..).zip(&self.fields[instance.index()]) {
                let value = match place {
                    0 => Value::int(i64::from(state.automaton(instance))),
                    local => state.local(instance, LocalId(local - 1)).clone(),
                };
                let Ok(number) = field.values.binary_search(&value) else { return false };
                let bits = field.levels.iter().rev().enumerate();
                bits.for_each(|(bit, level)| high[*level as usize] = number >> bit & 1 == 1);
            }
        }
        self.package.contains(set, |level| high[level as usize])
    }

    /// The values of an expression, each with the set where the expression has it, given those of what it reads: every
    /// operand has to have one, as in [`evaluate`].
    pub fn cases<L: Copy>(&mut self, expr: &Expr<L>, leaf: &Reads<L>) -> Result<Cases, Unfit> {
        tick();
        Ok(match expr {
            Expr::Const(value) => Cases::from([(value.clone(), ALL)]),
            Expr::Leaf(name) => leaf(self, *name)?,
            Expr::Not(inner) | Expr::Neg(inner) => {
                let inner = self.cases(inner, leaf)?;
                let one = |value: Value| match expr {
                    Expr::Not(_) => Expr::Not(Box::new(Expr::Const(value))),
                    _ => Expr::Neg(Box::new(Expr::Const(value))),
                };
                inner.iter().map(|(value, place)| (computed(&one(value.clone())), *place)).collect()
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.cases(left, leaf)?, self.cases(right, leaf)?);
                self.combined(*op, &left, &right)?
            }
            Expr::If(condition, yes, no) => {
                let condition = self.cases(condition, leaf)?;
                let (yes, no) = (self.cases(yes, leaf)?, self.cases(no, leaf)?);
                let both = [self.defined(&yes), self.defined(&no)];
                let both = self.package.and(both[0], both[1]);
                let mut cases = BTreeMap::new();
                for (truth, branch) in [(true, yes), (false, no)] {
                    let here = condition.get(&Value::Bool(truth)).copied().unwrap_or(NONE);
                    let here = self.package.and(here, both);
                    for (value, place) in branch.iter() {
                        let place = self.package.and(here, *place);
                        self.add(&mut cases, value.clone(), place);
                    }
                }
                cases.into()
            }
        })
    }

    /// The set where a Boolean expression is true.
    pub fn truth<L: Copy>(&mut self, expr: &Expr<L>, leaf: &Reads<L>) -> Result<Set, Unfit> {
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => {
                let (left, right) = (self.truth(left, leaf)?, self.truth(right, leaf)?);
                Ok(self.package.and(left, right))
            }
            Expr::Binary(BinaryOp::Eq, left, right) => {
                let (left, right) = (self.cases(left, leaf)?, self.cases(right, leaf)?);
                Ok(self.equal(&left, &right))
            }
            _ => Ok(self.cases(expr, leaf)?.get(&Value::Bool(true)).copied().unwrap_or(NONE)),
        }
    }

    /// The set where two expressions have the same value. It takes as long as the one with fewer values has some.
    fn equal(&mut self, left: &Cases, right: &Cases) -> Set {
        let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
        let mut set = NONE;
        for (value, here) in few.iter() {
            if let Some(there) = many.get(value) {
                let both = self.package.and(*here, *there);
                set = self.package.or(set, both);
            }
        }
        set
    }

    /// The set where an expression has some value.
    pub fn defined(&mut self, cases: &Cases) -> Set {
        cases.values().fold(NONE, |set, place| self.package.or(set, *place))
    }

    fn combined(&mut self, op: BinaryOp, left: &Cases, right: &Cases) -> Result<Cases, Unfit> {
        let mut cases = BTreeMap::new();
        for (a, here) in left.iter() {
            for (b, there) in right.iter() {
                let both = self.package.and(*here, *there);
                if both != NONE {
                    let value = computed(&Expr::<()>::binary(op, Expr::Const(a.clone()), Expr::Const(b.clone())));
                    self.add(&mut cases, value, both);
                }
            }
            if cases.len() > MOST_VALUES {
                return Err(Unfit::Values("an expression".to_owned()));
            }
        }
        Ok(cases.into())
    }

    fn add(&mut self, cases: &mut BTreeMap<Value, Set>, value: Value, place: Set) {
        if place != NONE {
            let known = cases.entry(value).or_insert(NONE);
            *known = self.package.or(*known, place);
        }
    }

    /// A set with all that comes of it again and again.
    pub fn closure(&mut self, start: Set, mut next: impl FnMut(&mut Self, Set) -> Set) -> Set {
        let mark = self.package.mark();
        let (mut all, mut new) = (start, start);
        while new != NONE {
            tick();
            let further = next(self, new);
            new = self.package.without(further, all);
            all = self.package.or(all, new);
            self.package.forget(mark, &mut [&mut all, &mut new]);
        }
        all
    }

    /// The conjunction of sets.
    pub fn all(&mut self, list: impl IntoIterator<Item = Set>) -> Set {
        list.into_iter().fold(ALL, |all, set| self.package.and(all, set))
    }

    /// How all agents act, where they act at once.
    pub fn joint(&self) -> Option<&'m Joint> {
        self.model.joint.as_ref()
    }
}

impl Field {
    /// Takes the next levels.
    fn new(package: &mut Package, values: Vec<Value>, level: &mut u32, changes: bool) -> Result<Field, Unfit> {
        let bits = values.len().next_power_of_two().trailing_zeros();
        let distance = if changes { 2 } else { 1 };
        let levels: Vec<u32> = (0..bits).map(|bit| *level + bit * distance).collect();
        *level += bits * distance;
        if *level > MOST_LEVELS {
            return Err(Unfit::Levels);
        }
        let mut places = |below: u32| -> Vec<Set> {
            (0..values.len()).map(|number| numbered(package, &levels, below, number)).collect()
        };
        let (now, next) = (places(0), if changes { places(1) } else { Vec::new() });
        let now = values.iter().cloned().zip(now).collect();
        Ok(Field { values, levels, now, next, fixed: None })
    }

    fn cases(&self) -> Cases {
        match self.fixed {
            Some(number) => Cases::from([(self.values[number].clone(), ALL)]),
            None => self.now.clone(),
        }
    }
}

/// The set where the bits on these levels, or so far below them, are a number.
fn numbered(package: &mut Package, levels: &[u32], below: u32, number: usize) -> Set {
    levels.iter().rev().enumerate().fold(ALL, |set, (bit, level)| {
        let is_set = package.bit(level + below);
        if number >> bit & 1 == 1 { package.choice(is_set, set, NONE) } else { package.choice(is_set, NONE, set) }
    })
}

/// All variables, instance by instance.
pub fn places(model: &Model) -> Vec<Slot> {
    let of = |instance: InstanceId| {
        let locals = model.agent_of(instance).locals.len() as u32;
        (0..=locals).map(move |place| (instance.0, place))
    };
    model.instance_ids().flat_map(of).collect()
}

/// True if some step may give a local another value.
fn is_updated(model: &Model, (owner, place): Slot) -> bool {
    let is_it = |local: &LocalId| local.0 + 1 == place;
    match &model.joint {
        Some(joint) => {
            let mut updates = joint.behaviours[owner as usize].lines.iter().flat_map(|line| &line.updates);
            updates.any(|(local, _)| is_it(local))
        }
        None => {
            let mut updates = model.agent_of(InstanceId(owner)).edges.iter().flat_map(|edge| &edge.updates);
            updates.any(|(local, _)| is_it(local))
        }
    }
}

fn values_of(model: &Model, instance: InstanceId, place: u32) -> Result<Vec<Value>, Unfit> {
    let agent = model.agent_of(instance);
    if place == 0 {
        return Ok((0..agent.states).map(|state| Value::int(i64::from(state))).collect());
    }
    let ty: Type = agent.locals[place as usize - 1].ty;
    if let Some(value) = constant(model, instance, LocalId(place - 1)) {
        return Ok(vec![value]);
    }
    let few = model.cardinality(ty).is_some_and(|count| count <= MOST_VALUES as u64);
    let values = model.values_of(ty).filter(|_| few);
    let name = || format!("`{}`", model.variable_name(instance, LocalId(place - 1)));
    values.map(Iterator::collect).ok_or_else(|| Unfit::Values(name()))
}

/// The only value of a local that no step changes, where a condition on initial states says that it has this one.
fn constant(model: &Model, owner: InstanceId, local: LocalId) -> Option<Value> {
    let agent = model.agent_of(owner);
    let own = [&agent.init, &model.instances[owner.index()].init];
    let own = own.into_iter().flat_map(|condition| condition.operands(BinaryOp::And));
    let mut values = own.filter_map(|condition| equated(condition, |leaf| *leaf == CommandLeaf::Local(local)));
    let mut of_all = model.restriction.iter().flat_map(|restriction| atoms(&restriction.formula));
    let is_it = |leaf: &StateLeaf| *leaf == StateLeaf::Local(owner, local);
    let value = values.next().or_else(|| of_all.find_map(|condition| equated(condition, is_it)))?;
    let is_meant = belongs(model, value, agent.locals[local.index()].ty) && !is_updated(model, (owner.0, local.0 + 1));
    is_meant.then(|| value.clone())
}

/// The conjuncts of a formula that are conditions on one state.
fn atoms(formula: &Formula) -> Vec<&Expr<StateLeaf>> {
    if let Formula::And(list) = formula {
        return list.iter().flat_map(atoms).collect();
    }
    let Formula::Atom(condition) = formula else { return Vec::new() };
    condition.operands(BinaryOp::And)
}

/// The value that a condition says some leaf is equal to.
fn equated<L>(condition: &Expr<L>, is_meant: impl Fn(&L) -> bool) -> Option<&Value> {
    let Expr::Binary(BinaryOp::Eq, left, right) = condition else { return None };
    match (&**left, &**right) {
        (Expr::Leaf(leaf), Expr::Const(value)) | (Expr::Const(value), Expr::Leaf(leaf)) if is_meant(leaf) => {
            Some(value)
        }
        _ => None,
    }
}

/// The value of an expression over constants.
fn computed(expr: &Expr<()>) -> Value {
    evaluate(expr, &|()| None).expect("constants have values")
}
