//! Formulas of LTOL, with quantifiers expanded (`docs/logic.md`).

use super::branching::Branching;
use super::written::Written;
use super::{BinaryOp, EdgeId, Expr, InstanceId, LocalId, MessageId, PropertyId, TotalId, Value};
use std::collections::BTreeSet;

/// A formula of LTOL over the instances of one model. The other operators of the language stand for some of these:
/// [`super::written`] says for which.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A Boolean expression over the state.
    Atom(Expr<StateLeaf>),
    /// The label of a command of an instance: of the step from here (send, get, supply), or of the
    /// step to here (receive).
    Label(InstanceId, EdgeId),
    /// The step from here is observed.
    Observed(Box<Observation>),
    /// `!f`
    Not(Box<Formula>),
    /// `f & g & ..`; empty is true. An expanded `forall` is one.
    And(Vec<Formula>),
    /// `f | g | ..`; empty is false. An expanded `exists` is one.
    Or(Vec<Formula>),
    /// `f <-> g`
    Iff(Box<Formula>, Box<Formula>),
    /// `X f`
    Next(Box<Formula>),
    /// `f U g`, `f W g`: f holds up to the first g.
    Until(Strength, Box<Formula>, Box<Formula>),
    /// `A(f)`, `E(f)`, `K(i, f)`, ..
    Branching(Box<Branching>),
}

/// The strength of an until.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// Its right side has to come.
    Strong,
    /// Its right side may never come if the left side holds for ever.
    Weak,
}

impl Formula {
    /// Calls `visit` on every direct subformula, from left to right.
    pub fn for_each_child<'f>(&'f self, visit: &mut impl FnMut(&'f Formula)) {
        match self {
            Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) => {}
            Formula::And(list) | Formula::Or(list) => list.iter().for_each(visit),
            Formula::Not(a) | Formula::Next(a) => visit(a),
            Formula::Branching(branching) => visit(&branching.body),
            Formula::Iff(a, b) | Formula::Until(_, a, b) => {
                visit(a);
                visit(b);
            }
        }
    }

    /// With other operands.
    pub fn with_operands(&self, other: &mut dyn FnMut(&Formula) -> Formula) -> Formula {
        let mut part = |inner: &Formula| Box::new(other(inner));
        match self {
            Formula::Atom(_) | Formula::Label(..) | Formula::Observed(_) | Formula::Branching(_) => self.clone(),
            Formula::Not(a) => Formula::Not(part(a)),
            Formula::And(list) => Formula::And(list.iter().map(other).collect()),
            Formula::Or(list) => Formula::Or(list.iter().map(other).collect()),
            Formula::Iff(a, b) => Formula::Iff(part(a), part(b)),
            Formula::Next(a) => Formula::Next(part(a)),
            Formula::Until(strength, a, b) => Formula::Until(*strength, part(a), part(b)),
        }
    }

    /// With other formulas in the places of the outermost parts for which there are others.
    pub fn with_parts(&self, other: &dyn Fn(&Formula) -> Option<Formula>) -> Formula {
        other(self).unwrap_or_else(|| self.with_operands(&mut |part| part.with_parts(other)))
    }

    /// Calls `visit` on the formula and its operands, not on those of parts for which it returns false.
    pub fn for_each_part<'f>(&'f self, visit: &mut dyn FnMut(&'f Formula) -> bool) {
        if visit(self) {
            self.for_each_child(&mut |part| part.for_each_part(visit));
        }
    }

    /// True if all parts below connectives satisfy a condition.
    pub fn is_combination_of(&self, of: &impl Fn(&Formula) -> bool) -> bool {
        match self {
            Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Iff(..) => {
                let mut all = true;
                self.for_each_child(&mut |part| all &= part.is_combination_of(of));
                all
            }
            Formula::Atom(_)
            | Formula::Label(..)
            | Formula::Observed(_)
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Branching(_) => of(self),
        }
    }

    /// The truth of a combination of parts by connectives; nothing if that of some part is not known.
    pub fn combined(&self, truth: &mut dyn FnMut(&Formula) -> Option<bool>) -> Option<bool> {
        let mut all = |list: &[Formula], value| {
            let truths: Option<Vec<bool>> = list.iter().map(|part| part.combined(truth)).collect();
            Some(truths?.into_iter().all(|truth| truth == value))
        };
        match self {
            Formula::Not(inner) => Some(!inner.combined(truth)?),
            Formula::And(list) => all(list, true),
            Formula::Or(list) => Some(!all(list, false)?),
            Formula::Iff(left, right) => Some(left.combined(truth)? == right.combined(truth)?),
            Formula::Atom(_)
            | Formula::Label(..)
            | Formula::Observed(_)
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Branching(_) => truth(self),
        }
    }

    /// A combination of conditions on the state by connectives as one; nothing if it is about anything else.
    pub fn as_state_expr(&self) -> Option<Expr<StateLeaf>> {
        let pair =
            |op, left: &Formula, right: &Formula| Some(Expr::binary(op, left.as_state_expr()?, right.as_state_expr()?));
        match self.written() {
            Written::Atom(expr) => Some(expr.clone()),
            Written::Not(inner) => Some(Expr::Not(Box::new(inner.as_state_expr()?))),
            Written::And(list) => Expr::joined(BinaryOp::And, list.into_iter().map(Formula::as_state_expr)),
            Written::Or(list) => Expr::joined(BinaryOp::Or, list.into_iter().map(Formula::as_state_expr)),
            Written::Implies(left, right) => pair(BinaryOp::Implies, left, right),
            Written::Iff(left, right) => pair(BinaryOp::Iff, left, right),
            Written::Label(..)
            | Written::Observed(_)
            | Written::Next(_)
            | Written::Finally(_)
            | Written::Globally(_)
            | Written::Until(..)
            | Written::WeakUntil(..)
            | Written::Release(..)
            | Written::Possible(..)
            | Written::Necessary(..)
            | Written::Branching(_) => None,
        }
    }

    /// The labels, if the formula is a label or a disjunction of labels; else `None`.
    pub fn labels(&self) -> Option<Vec<(InstanceId, EdgeId)>> {
        if let Formula::Label(instance, edge) = self {
            return Some(vec![(*instance, *edge)]);
        }
        let Formula::Or(list) = self else { return None };
        let labels = list.iter().map(Formula::labels).collect::<Option<Vec<_>>>()?.concat();
        (!labels.is_empty()).then_some(labels)
    }

    /// True if it is a Boolean combination of conditions on locals.
    pub fn is_about_locals(&self) -> bool {
        let is_other = |leaf: &StateLeaf| !matches!(leaf, StateLeaf::Local(..) | StateLeaf::Total(_));
        self.is_combination_of(&|part| matches!(part, Formula::Atom(expr) if !expr.any_leaf(is_other)))
    }

    /// The negation, moved inside as far as it meets an operator that has a familiar dual.
    pub fn negated(&self) -> Formula {
        let negated = |list: Vec<&Formula>| list.into_iter().map(Formula::negated).collect();
        match self.written() {
            Written::Atom(Expr::Const(Value::Bool(value))) => Formula::Atom(Expr::Const(Value::Bool(!value))),
            Written::Not(inner) => inner.clone(),
            Written::And(list) => Formula::Or(negated(list)),
            Written::Or(list) => Formula::And(negated(list)),
            Written::Implies(left, right) => Formula::And(vec![left.clone(), right.negated()]),
            Written::Next(inner) => inner.negated().next(),
            Written::Finally(inner) => inner.negated().globally(),
            Written::Globally(inner) => inner.negated().finally(),
            Written::Possible(observation, inner) => Formula::necessary(observation.clone(), inner.negated()),
            Written::Necessary(observation, inner) => Formula::possible(observation.clone(), inner.negated()),
            Written::Atom(_)
            | Written::Label(..)
            | Written::Observed(_)
            | Written::Iff(..)
            | Written::Until(..)
            | Written::WeakUntil(..)
            | Written::Release(..)
            | Written::Branching(_) => self.clone().not(),
        }
    }

    /// Formulas that together say the same: splits `f & g`, `G (f & g)`, `X (f & g)` and
    /// `[[O]] (f & g)` as far as it goes, and so `a -> f & g`.
    pub fn conjuncts(&self) -> Vec<Formula> {
        match self.splitting() {
            Splitting::All(list) => list.into_iter().flat_map(Formula::conjuncts).collect(),
            Splitting::Under(wrap @ Wrap::Condition(_), inner) => {
                inner.split().into_iter().map(|part| wrap.around(part)).collect()
            }
            Splitting::Under(..) | Splitting::Whole => self.split(),
        }
    }

    /// The same, without looking behind `->`.
    pub(super) fn split(&self) -> Vec<Formula> {
        match self.splitting() {
            Splitting::All(list) => list.into_iter().flat_map(Formula::split).collect(),
            Splitting::Under(Wrap::Condition(_), _) | Splitting::Whole => vec![self.clone()],
            Splitting::Under(wrap, inner) => inner.split().into_iter().map(|part| wrap.around(part)).collect(),
        }
    }

    /// How it is a conjunction.
    fn splitting(&self) -> Splitting<'_> {
        match self.written() {
            Written::And(list) => Splitting::All(list),
            Written::Implies(condition, inner) => Splitting::Under(Wrap::Condition(condition), inner),
            Written::Globally(inner) => Splitting::Under(Wrap::Globally, inner),
            Written::Next(inner) => Splitting::Under(Wrap::Next, inner),
            Written::Necessary(observation, inner) => Splitting::Under(Wrap::Necessary(observation), inner),
            Written::Atom(_)
            | Written::Label(..)
            | Written::Observed(_)
            | Written::Not(_)
            | Written::Or(_)
            | Written::Iff(..)
            | Written::Finally(_)
            | Written::Until(..)
            | Written::WeakUntil(..)
            | Written::Release(..)
            | Written::Possible(..)
            | Written::Branching(_) => Splitting::Whole,
        }
    }

    /// The subformulas on the way to one of the [`Formula::conjuncts`], given by its index, from the formula
    /// itself down to what is split no further.
    pub fn way_to_conjunct(&self, index: usize, way: &mut Vec<Formula>) {
        self.way_to_part(index, way, true);
    }

    /// The same; `->` is split only where nothing but conjunctions stand around it.
    fn way_to_part(&self, index: usize, way: &mut Vec<Formula>, splits: bool) {
        way.push(self.clone());
        match self.splitting() {
            Splitting::All(list) => {
                let mut before = 0;
                for part in list {
                    let count = if splits { part.conjuncts() } else { part.split() }.len();
                    if index < before + count {
                        return part.way_to_part(index - before, way, splits);
                    }
                    before += count;
                }
            }
            Splitting::Under(Wrap::Condition(_), _) if !splits => {}
            Splitting::Under(_, inner) => inner.way_to_part(index, way, false),
            Splitting::Whole => {}
        }
    }
}

/// How a formula is a conjunction of others.
enum Splitting<'f> {
    /// Of these.
    All(Vec<&'f Formula>),
    /// Of those of a formula, with an operator around each.
    Under(Wrap<'f>, &'f Formula),
    /// It is none.
    Whole,
}

/// An operator that distributes over conjunction.
enum Wrap<'f> {
    /// `condition -> f`
    Condition(&'f Formula),
    Globally,
    Next,
    Necessary(&'f Observation),
}

impl Wrap<'_> {
    fn around(&self, formula: Formula) -> Formula {
        match self {
            Wrap::Condition(condition) => (*condition).clone().implies(formula),
            Wrap::Globally => formula.globally(),
            Wrap::Next => formula.next(),
            Wrap::Necessary(observation) => Formula::necessary((*observation).clone(), formula),
        }
    }
}

/// A variable or fact that a state formula can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateLeaf {
    /// `i-x`
    Local(InstanceId, LocalId),
    /// `i-automaton-state`, an integer
    Automaton(InstanceId),
    /// A sum over the members of a family; in open instances only.
    Total(TotalId),
    /// No step but the stutter is possible.
    Deadlock,
    /// Some step is possible that is this send, get or supply of an instance; without a command, any of its.
    Enabled(InstanceId, Option<EdgeId>),
}

/// The agents that took part in a step, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The sender of a broadcast or multicast.
    Sender,
    /// The getter of a get/supply.
    Getter,
    /// The supplier of a get/supply.
    Supplier,
    /// Sender or getter.
    Initiator,
    /// Sender or supplier.
    Producer,
}

/// An observation descriptor. A stutter satisfies none, whatever it says; `!=` was read as the
/// negation of `=` for roles and the channel, so that both hold of get/supply steps as they should.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Observation {
    /// `true`, `false`
    Const(bool),
    /// `sender = i`, ...
    Role(Role, InstanceId),
    /// The step is a get/supply.
    PointToPoint,
    /// `locality = i`: a get by this name; `locality = any`: a get by predicate, if there is none.
    Locality(Option<InstanceId>),
    /// A comparison, or a Boolean variable. It is false when it reads something that the step does
    /// not have: data that is not assigned, the channel of a get/supply.
    Data(Expr<DataLeaf>),
    /// `!O`
    Not(Box<Observation>),
    /// `O & P`, `O | P`, `O -> P` or `O <-> P`
    Joined(Connective, Box<Observation>, Box<Observation>),
    /// `exists(O)`: some assignment to the property variables that the step's predicate allows
    /// satisfies O. Never nested: the outermost counts.
    Exists(Box<Observation>),
    /// `forall(O)`: every such assignment does. Property variables occur inside of these two only.
    Forall(Box<Observation>),
}

/// A connective of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connective {
    /// `&`
    And,
    /// `|`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Iff,
}

impl Connective {
    /// The connective that an operator of expressions is.
    pub fn of(op: BinaryOp) -> Option<Connective> {
        Some(match op {
            BinaryOp::And => Connective::And,
            BinaryOp::Or => Connective::Or,
            BinaryOp::Implies => Connective::Implies,
            BinaryOp::Iff => Connective::Iff,
            _ => return None,
        })
    }

    /// The same as an operator of expressions.
    pub fn op(self) -> BinaryOp {
        match self {
            Connective::And => BinaryOp::And,
            Connective::Or => BinaryOp::Or,
            Connective::Implies => BinaryOp::Implies,
            Connective::Iff => BinaryOp::Iff,
        }
    }
}

impl Observation {
    /// Two in one.
    pub fn joined(self, connective: Connective, other: Observation) -> Observation {
        Observation::Joined(connective, Box::new(self), Box::new(other))
    }

    /// The property variables that occur.
    pub fn properties(&self) -> BTreeSet<PropertyId> {
        let mut found = BTreeSet::new();
        self.for_each_leaf(&mut |leaf| {
            if let DataLeaf::Property(id) = leaf {
                found.insert(*id);
            }
        });
        found
    }

    /// Calls the function for each value that it reads.
    pub fn for_each_leaf(&self, visit: &mut dyn FnMut(&DataLeaf)) {
        match self {
            Observation::Const(_) | Observation::Role(..) | Observation::PointToPoint | Observation::Locality(_) => {}
            Observation::Data(expr) => expr.for_each_leaf(&mut |leaf| visit(leaf)),
            Observation::Not(a) | Observation::Exists(a) | Observation::Forall(a) => a.for_each_leaf(visit),
            Observation::Joined(_, a, b) => [a, b].into_iter().for_each(|part| part.for_each_leaf(visit)),
        }
    }
}

/// A value that a comparison in an observation can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataLeaf {
    /// The step's data.
    Message(MessageId),
    /// The assignment that an enclosing `exists` or `forall` ranges over.
    Property(PropertyId),
    /// The channel of the send.
    Chan,
}
