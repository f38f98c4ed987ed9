//! The step of agents that act all at once ([`crate::model::joint`]): one event, with an input for the action of each agent,
//! and one for each group of lines of which several could be taken.

use super::expressions::{constant, lower_expr, sort_of};
use super::lower::Lowering;
use super::system::{EventKind, Input, Reception};
use super::term::{InputId, Leaf, Sort, Term, TermNode, Terms, VarId};
use crate::intervals::{Bounds, Interval, Intervals};
use crate::model::joint::{Behaviour, Joint, JointLeaf};
use crate::model::{Expr, InstanceId, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

impl Lowering<'_> {
    /// The event in which all act.
    pub(super) fn joint(&mut self, joint: &Joint) {
        let model = self.model;
        let actions: Vec<Vec<Term>> =
            model.instance_ids().map(|id| self.chosen_actions(id, &joint.behaviours[id.index()])).collect();
        let (mut guard, mut enabled, mut receptions, mut assignments) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (instance, behaviour) in model.instance_ids().zip(&joint.behaviours) {
            let possible = self.possible_actions(joint, behaviour);
            for (number, (chosen, possible)) in (0..).zip(actions[instance.index()].iter().zip(&possible)) {
                guard.push(self.terms.implies(*chosen, *possible));
                receptions.push(Reception { receiver: instance, edge: behaviour.action(number), taken: *chosen });
            }
            enabled.push(self.terms.or(possible));
        }
        let count = receptions.len();
        for (instance, behaviour) in model.instance_ids().zip(&joint.behaviours) {
            for group in &behaviour.groups {
                let taken = self.taken_lines(joint, instance, behaviour, group, &mut guard);
                for (line, taken) in group.iter().zip(taken) {
                    receptions.push(Reception { receiver: instance, edge: behaviour.line(*line), taken });
                    for (local, value) in &behaviour.lines[*line as usize].updates {
                        let ty = model.agent_of(instance).locals[local.index()].ty;
                        let value = self.joint_value(joint, value, ty);
                        let variable = VarId(self.expressions.first_variable(instance).0 + 1 + local.0);
                        assignments.push((variable, taken, value));
                    }
                }
            }
        }
        let (guard, enabled) = (self.terms.and(guard), self.terms.and(enabled));
        self.draft(EventKind::Joint { actions: count }, guard, enabled, receptions, assignments);
    }

    /// A new input of an instance, which chooses among so many options, as a term.
    fn choice(&mut self, instance: InstanceId, what: &str, count: u32) -> Term {
        let name = format!("{what}-{}", self.model.instances[instance.index()].name);
        self.choices.push(Input { name, count, owner: Some(instance) });
        // The event is the first input.
        self.terms.leaf(Leaf::Input(InputId(self.choices.len() as u32)), Sort::Enum(count), None)
    }

    /// Per action of an agent that it is chosen.
    fn chosen_actions(&mut self, instance: InstanceId, behaviour: &Behaviour) -> Vec<Term> {
        let count = behaviour.actions.len() as u32;
        if count == 1 {
            return vec![self.terms.bool(true)];
        }
        let input = self.choice(instance, "action", count);
        self.options(input, count)
    }

    fn options(&mut self, input: Term, count: u32) -> Vec<Term> {
        let is = |option: u32| {
            let option = self.terms.constant_of_enum(option, count);
            self.terms.eq(input, option)
        };
        (0..count).map(is).collect()
    }

    /// Per action of an agent that its protocol allows it.
    fn possible_actions(&mut self, joint: &Joint, behaviour: &Behaviour) -> Vec<Term> {
        let conditions: Vec<Term> =
            behaviour.protocol.iter().map(|line| self.joint_value(joint, &line.condition, Type::Bool)).collect();
        let served = self.terms.or(conditions.clone());
        let other = self.terms.not(served);
        let mut allowed: Vec<Vec<Term>> = vec![Vec::new(); behaviour.actions.len()];
        for (line, condition) in behaviour.protocol.iter().zip(&conditions) {
            line.actions.iter().for_each(|action| allowed[*action as usize].push(*condition));
        }
        behaviour.other.iter().for_each(|action| allowed[*action as usize].push(other));
        allowed.into_iter().map(|list| self.terms.or(list)).collect()
    }

    /// Per line of a group that it is taken. Adds to the guard that one is, if one can be.
    fn taken_lines(
        &mut self,
        joint: &Joint,
        instance: InstanceId,
        behaviour: &Behaviour,
        group: &[u32],
        guard: &mut Vec<Term>,
    ) -> Vec<Term> {
        let locals = &self.model.agent_of(instance).locals;
        let mut possible = Vec::new();
        for line in group {
            let line = &behaviour.lines[*line as usize];
            let mut list = vec![self.joint_value(joint, &line.condition, Type::Bool)];
            for (local, value) in &line.updates {
                let ty = locals[local.index()].ty;
                let value = self.joint_value(joint, value, ty);
                list.push(self.fits(value, ty));
            }
            possible.push(self.terms.and(list));
        }
        // Lines of one colour exclude each other.
        let (mut colours, mut earlier): (Vec<u32>, _) = (Vec::new(), Earlier::default());
        let all: Vec<Bounds<Term>> = possible.iter().map(|one| bounds(&self.terms, *one)).collect();
        for (index, (one, bounds)) in possible.iter().zip(&all).enumerate() {
            let mut used = FxHashSet::default();
            for other in earlier.may_meet(bounds).into_iter().filter(|other| !bounds.exclude(&all[*other])) {
                let both = self.terms.and([*one, possible[other]]);
                if !self.terms.is_false(both) {
                    used.insert(colours[other]);
                }
            }
            colours.push((0..).find(|colour| !used.contains(colour)).expect("colours do not end"));
            earlier.add(index, bounds);
        }
        let count = colours.iter().max().map_or(0, |most| most + 1);
        if count < 2 {
            return possible;
        }
        let input = self.choice(instance, "line", count);
        let options = self.options(input, count);
        let pairs = possible.iter().zip(&colours);
        let taken: Vec<Term> =
            pairs.map(|(possible, colour)| self.terms.and([*possible, options[*colour as usize]])).collect();
        let (some, one) = (self.terms.or(possible), self.terms.or(taken.clone()));
        guard.push(self.terms.implies(some, one));
        taken
    }

    /// An expression over variables and actions, for a place of a type.
    fn joint_value(&mut self, joint: &Joint, expr: &Expr<JointLeaf>, ty: Type) -> Term {
        let model = self.model;
        if let Expr::Const(value @ Value::Enum(_)) = expr {
            return constant(&mut self.terms, model, value, ty);
        }
        let type_of = |leaf: &JointLeaf| match leaf {
            JointLeaf::Local(instance, local) => model.agent_of(*instance).locals[local.index()].ty,
            JointLeaf::Action(instance) => Type::Enum(joint.behaviours[instance.index()].action_type),
        };
        // The inputs of actions stand in the order of the agents, but for those with one action only.
        let is_choice = |behaviour: &Behaviour| behaviour.actions.len() > 1;
        let input = |instance: InstanceId| {
            let before = joint.behaviours[..instance.index()].iter().filter(|behaviour| is_choice(behaviour)).count();
            InputId(before as u32 + 1)
        };
        let expressions = &self.expressions;
        lower_expr(&mut self.terms, model, expr, &type_of, &mut |terms, leaf| match *leaf {
            JointLeaf::Local(instance, local) => expressions.local(terms, instance, local),
            JointLeaf::Action(instance) if is_choice(&joint.behaviours[instance.index()]) => {
                terms.leaf(Leaf::Input(input(instance)), sort_of(model, type_of(leaf)), None)
            }
            JointLeaf::Action(_) => constant(terms, model, &Value::Enum(0), type_of(leaf)),
        })
    }
}

/// The most variables that are looked at where lines exclude each other: each one costs as much as the group is long.
const MOST_COMPARED: usize = 16;

/// The lines of a group before one, by where their conditions say that variables have to be.
#[derive(Default)]
struct Earlier {
    count: usize,
    /// Per variable that some line compares.
    compared: FxHashMap<Term, Compared>,
}

#[derive(Default)]
struct Compared {
    intervals: Intervals,
    /// The lines that do not say from where to where the variable has to be.
    others: Vec<usize>,
}

impl Earlier {
    /// The lines that need not exclude one with these bounds: those for which some variable has to be elsewhere are left out.
    fn may_meet(&self, bounds: &Bounds<Term>) -> Vec<usize> {
        let compared: Vec<(&Compared, Interval)> = bounds
            .bounded()
            .filter_map(|(variable, interval)| Some((self.compared.get(&variable)?, interval)))
            .collect();
        // The shortest list is found in about the time that it takes to read it.
        let mut limit = 1;
        while limit < self.count {
            for (compared, interval) in &compared {
                let lines = compared.intervals.overlapping(*interval).chain(compared.others.iter().copied());
                let lines: Vec<usize> = lines.take(limit + 1).collect();
                if lines.len() <= limit {
                    return lines;
                }
            }
            limit *= 4;
        }
        (0..self.count).collect()
    }

    fn add(&mut self, line: usize, bounds: &Bounds<Term>) {
        for (variable, _) in bounds.bounded() {
            if self.compared.len() == MOST_COMPARED {
                break;
            }
            let all_before = || Compared { intervals: Intervals::default(), others: (0..line).collect() };
            self.compared.entry(variable).or_insert_with(all_before);
        }
        for (variable, compared) in &mut self.compared {
            match bounds.of(*variable) {
                Some(interval) => compared.intervals.add(interval, line),
                None => compared.others.push(line),
            }
        }
        self.count += 1;
    }
}

/// Where variables have to be for a condition to be true, as far as its comparisons with constants say.
fn bounds(terms: &Terms, condition: Term) -> Bounds<Term> {
    let number = |term: &Term| terms.as_constant(*term)?.number();
    // That one term is at most another, or that it is not.
    let at_most = |a: &Term, b: &Term, truth: bool| match (number(a), number(b), truth) {
        (None, Some(high), true) => Some((*a, Interval::up_to(high))),
        (Some(low), None, true) => Some((*b, Interval::from(low))),
        (None, Some(high), false) => Some((*a, Interval::from(high.checked_add(1)?))),
        (Some(low), None, false) => Some((*b, Interval::up_to(low.checked_sub(1)?))),
        _ => None,
    };
    let bound = |term: Term| match terms.node(term) {
        TermNode::Eq(a, b) => Some((*a, Interval::only(number(b)?))),
        TermNode::Le(a, b) => at_most(a, b, true),
        TermNode::Not(inner) => match terms.node(*inner) {
            TermNode::Le(a, b) => at_most(a, b, false),
            _ => None,
        },
        _ => None,
    };
    terms.conjuncts(&[condition]).into_iter().filter_map(bound).collect()
}
