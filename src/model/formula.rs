//! Formulas of LTOL, with quantifiers expanded (`docs/logic.md`).

use super::branching::Branching;
use super::checks::Question;
use super::fairness::{Assumption, Under};
use super::instances::Expanded;
use super::scheme::TotalId;
use super::{EdgeId, Expr, InstanceId, LocalId, MessageId, Model, PropertyId, Value};
use crate::source::Span;
use std::collections::BTreeSet;

/// The verdict that is expected of a spec, according to a comment at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expectation {
    /// `// expect: holds`
    Holds,
    /// `// expect: violated`
    Violated,
    /// `// expect: unknown`
    Unknown,
}

impl Expectation {
    /// As a comment writes it.
    pub fn named(word: &str) -> Option<Expectation> {
        match word {
            "holds" => Some(Expectation::Holds),
            "violated" => Some(Expectation::Violated),
            "unknown" => Some(Expectation::Unknown),
            _ => None,
        }
    }
}

/// One specification.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// From a comment `// name: N` at the spec.
    pub name: Option<String>,
    /// From a comment `// expect: ..` at the spec.
    pub expect: Option<Expectation>,
    /// The formula that must hold on every run.
    pub formula: Formula,
    /// Its assumptions and its claim, if the spec stands under assumptions.
    pub under: Option<Box<Under>>,
    /// How the file writes it, on one line, if there is a file.
    pub text: Option<String>,
    /// Its place; of a check, the place of the command that it is about.
    pub span: Span,
    /// The question that it answers, if it is no spec of the file but a check.
    pub question: Option<Question>,
    /// The outcome of its quantifiers.
    pub expanded: Vec<Expanded>,
}

impl Spec {
    /// The same under further assumptions.
    pub fn under(self, model: &Model, assumed: &[Assumption]) -> Spec {
        if assumed.is_empty() {
            return self;
        }
        let new = || Box::new(Under { assumptions: Vec::new(), claimed: self.formula.clone() });
        let mut under = self.under.unwrap_or_else(new);
        under.assumptions.extend_from_slice(assumed);
        Spec { formula: under.formula(model), under: Some(under), ..self }
    }

    /// All that is assumed, if the spec depends on it.
    pub fn assumed(&self) -> Option<Formula> {
        self.under.as_ref().filter(|under| under.claimed != self.formula).map(|under| under.assumed())
    }

    /// The formula that it says of the runs that satisfy the assumptions.
    pub fn claimed(&self) -> &Formula {
        self.under.as_ref().map_or(&self.formula, |under| &under.claimed)
    }

    /// `under 2 assumptions`, if the spec depends on them.
    pub fn show_assumptions(&self) -> Option<String> {
        let count = self.under.as_ref().filter(|_| self.assumed().is_some())?.assumptions.len();
        Some(format!("under {}", crate::words::count(count, "assumption")))
    }
}

/// A formula of LTOL over the instances of one model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A Boolean expression over the state.
    Atom(Expr<StateLeaf>),
    /// The label of a command of an instance: of the step from here (send, get, supply), or of the
    /// step to here (receive).
    Label(InstanceId, EdgeId),
    /// `!f`
    Not(Box<Formula>),
    /// `f & g & ..`; empty is true. An expanded `forall` is one.
    And(Vec<Formula>),
    /// `f | g | ..`; empty is false. An expanded `exists` is one.
    Or(Vec<Formula>),
    /// `f -> g`
    Implies(Box<Formula>, Box<Formula>),
    /// `f <-> g`, also `f = g` between formulas
    Iff(Box<Formula>, Box<Formula>),
    /// `X f`
    Next(Box<Formula>),
    /// `F f`
    Finally(Box<Formula>),
    /// `G f`
    Globally(Box<Formula>),
    /// `f U g`
    Until(Box<Formula>, Box<Formula>),
    /// `f W g`
    WeakUntil(Box<Formula>, Box<Formula>),
    /// `f R g`: g holds up to and including the first f
    Release(Box<Formula>, Box<Formula>),
    /// `<<O>> f`
    Possible(Box<Observation>, Box<Formula>),
    /// `[[O]] f`
    Necessary(Box<Observation>, Box<Formula>),
    /// `A(f)`, `E(f)`, `K(i, f)`, ..
    Branching(Box<Branching>),
}

impl Formula {
    /// Calls `visit` on every direct subformula, from left to right.
    pub fn for_each_child<'f>(&'f self, visit: &mut impl FnMut(&'f Formula)) {
        match self {
            Formula::Atom(_) | Formula::Label(..) => {}
            Formula::And(list) | Formula::Or(list) => list.iter().for_each(visit),
            Formula::Not(a)
            | Formula::Next(a)
            | Formula::Finally(a)
            | Formula::Globally(a)
            | Formula::Possible(_, a)
            | Formula::Necessary(_, a) => visit(a),
            Formula::Branching(branching) => visit(&branching.body),
            Formula::Implies(a, b)
            | Formula::Iff(a, b)
            | Formula::Until(a, b)
            | Formula::WeakUntil(a, b)
            | Formula::Release(a, b) => {
                visit(a);
                visit(b);
            }
        }
    }

    /// True if it is a Boolean combination of conditions on locals.
    pub fn is_about_locals(&self) -> bool {
        match self {
            Formula::Atom(expr) => !expr.any_leaf(|leaf| !matches!(leaf, StateLeaf::Local(..) | StateLeaf::Total(_))),
            Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Implies(..) | Formula::Iff(..) => {
                let mut all = true;
                self.for_each_child(&mut |part| all &= part.is_about_locals());
                all
            }
            _ => false,
        }
    }

    /// The negation, moved inside as far as it meets an operator that has a familiar dual.
    pub fn negated(self) -> Formula {
        let inside = |inner: Box<Formula>| Box::new(inner.negated());
        match self {
            Formula::Atom(Expr::Const(Value::Bool(value))) => Formula::Atom(Expr::Const(Value::Bool(!value))),
            Formula::Not(inner) => *inner,
            Formula::And(list) => Formula::Or(list.into_iter().map(Formula::negated).collect()),
            Formula::Or(list) => Formula::And(list.into_iter().map(Formula::negated).collect()),
            Formula::Implies(left, right) => Formula::And(vec![*left, right.negated()]),
            Formula::Next(inner) => Formula::Next(inside(inner)),
            Formula::Finally(inner) => Formula::Globally(inside(inner)),
            Formula::Globally(inner) => Formula::Finally(inside(inner)),
            Formula::Possible(observation, inner) => Formula::Necessary(observation, inside(inner)),
            Formula::Necessary(observation, inner) => Formula::Possible(observation, inside(inner)),
            other => Formula::Not(Box::new(other)),
        }
    }

    /// Formulas that together say the same: splits `f & g`, `G (f & g)`, `X (f & g)` and
    /// `[[O]] (f & g)` as far as it goes, and so `a -> f & g`.
    pub fn conjuncts(&self) -> Vec<Formula> {
        match self {
            Formula::And(list) => list.iter().flat_map(Formula::conjuncts).collect(),
            Formula::Implies(condition, inner) => {
                let part = |part| Formula::Implies(condition.clone(), Box::new(part));
                inner.split().into_iter().map(part).collect()
            }
            other => other.split(),
        }
    }

    /// The same, without looking behind `->`.
    pub(super) fn split(&self) -> Vec<Formula> {
        let under = |inner: &Formula, wrap: &dyn Fn(Box<Formula>) -> Formula| {
            inner.split().into_iter().map(|part| wrap(Box::new(part))).collect()
        };
        match self {
            Formula::And(list) => list.iter().flat_map(Formula::split).collect(),
            Formula::Globally(inner) => under(inner, &Formula::Globally),
            Formula::Next(inner) => under(inner, &Formula::Next),
            Formula::Necessary(observation, inner) => {
                under(inner, &|part| Formula::Necessary(observation.clone(), part))
            }
            other => vec![other.clone()],
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
        match self {
            Formula::And(list) => {
                let mut before = 0;
                for part in list {
                    let count = if splits { part.conjuncts() } else { part.split() }.len();
                    if index < before + count {
                        return part.way_to_part(index - before, way, splits);
                    }
                    before += count;
                }
            }
            Formula::Implies(_, inner) if splits => inner.way_to_part(index, way, false),
            Formula::Globally(inner) | Formula::Next(inner) | Formula::Necessary(_, inner) => {
                inner.way_to_part(index, way, false);
            }
            _ => {}
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
    /// `O & P`
    And(Box<Observation>, Box<Observation>),
    /// `O | P`
    Or(Box<Observation>, Box<Observation>),
    /// `O -> P`
    Implies(Box<Observation>, Box<Observation>),
    /// `O <-> P`
    Iff(Box<Observation>, Box<Observation>),
    /// `exists(O)`: some assignment to the property variables that the step's predicate allows
    /// satisfies O. Never nested: the outermost counts.
    Exists(Box<Observation>),
    /// `forall(O)`: every such assignment does. Property variables occur inside of these two only.
    Forall(Box<Observation>),
}

impl Observation {
    /// The property variables that occur.
    pub fn properties(&self) -> BTreeSet<PropertyId> {
        let mut found = BTreeSet::new();
        self.collect_properties(&mut found);
        found
    }

    fn collect_properties(&self, found: &mut BTreeSet<PropertyId>) {
        match self {
            Observation::Const(_) | Observation::Role(..) | Observation::PointToPoint | Observation::Locality(_) => {}
            Observation::Data(expr) => expr.for_each_leaf(&mut |leaf| {
                if let DataLeaf::Property(id) = leaf {
                    found.insert(*id);
                }
            }),
            Observation::Not(a) | Observation::Exists(a) | Observation::Forall(a) => a.collect_properties(found),
            Observation::And(a, b) | Observation::Or(a, b) | Observation::Implies(a, b) | Observation::Iff(a, b) => {
                a.collect_properties(found);
                b.collect_properties(found);
            }
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
