//! Terms for the expressions of a model.
//!
//! Shared by the steps (`lower`) and by the formulas and observations of specs: one meaning for each
//! kind of leaf, given by a [`Scope`].

use super::system::Domain;
use super::term::{Leaf, Sort, Term, Terms, VarId};
use crate::model::formula::{Formula, StateLeaf};
use crate::model::{
    BinaryOp, CommandLeaf, Edge, Expr, InstanceId, LocalId, MessageId, Model, PropertyId, TotalId, Type, Value,
};
use dashu_int::IBig;
use rustc_hash::FxHashMap;

/// Assigned data of one side of a step.
pub type Data = Vec<(MessageId, Term)>;

/// The meaning of property variables.
#[derive(Clone, Copy)]
pub enum Properties<'a> {
    /// They cannot occur.
    Absent,
    /// The relabelling of this instance.
    Of(InstanceId),
    /// These values.
    Assigned(&'a [(PropertyId, Term)]),
}

/// The meaning of the leaves of a command in one step.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The instance whose locals plain names are.
    pub instance: InstanceId,
    /// The other side's data.
    pub data: &'a [(MessageId, Term)],
    /// The meaning of property variables.
    pub properties: Properties<'a>,
    /// The channel of the message.
    pub channel: Option<Term>,
}

impl<'a> Scope<'a> {
    /// Locals only.
    pub fn of(instance: InstanceId) -> Scope<'a> {
        Scope { instance, data: &[], properties: Properties::Absent, channel: None }
    }
}

/// Terms for the expressions of a model: shared by the steps here and the observations of specs.
pub struct Expressions<'m> {
    model: &'m Model,
    first_variable: Vec<u32>,
    first_total: u32,
}

impl<'m> Expressions<'m> {
    /// Knows where the variables of each instance stand: the automaton state, then the locals.
    pub fn new(model: &'m Model) -> Expressions<'m> {
        let mut next = 0;
        let first_variable = model
            .instance_ids()
            .map(|id| {
                let first = next;
                next += 1 + model.agent_of(id).locals.len() as u32;
                first
            })
            .collect();
        Expressions { model, first_variable, first_total: next }
    }

    /// The variable of the automaton state of an instance; those of its locals follow.
    pub fn first_variable(&self, instance: InstanceId) -> VarId {
        VarId(self.first_variable[instance.index()])
    }

    /// The automaton state of an instance.
    pub fn automaton(&self, terms: &mut Terms, instance: InstanceId) -> Term {
        let sort = Sort::Enum(self.model.agent_of(instance).states);
        terms.leaf(Leaf::Var(self.first_variable(instance)), sort, None)
    }

    /// A local of an instance.
    pub fn local(&self, terms: &mut Terms, instance: InstanceId, local: LocalId) -> Term {
        let ty = self.model.agent_of(instance).locals[local.index()].ty;
        let id = VarId(self.first_variable[instance.index()] + 1 + local.0);
        terms.leaf(Leaf::Var(id), sort_of(self.model, ty), bounds_of(ty))
    }

    /// An instance as a location.
    pub fn location(&self, terms: &mut Terms, instance: InstanceId) -> Term {
        constant(terms, self.model, &Value::Enum(instance.0), Type::Location)
    }

    /// An expression of a command in a scope. The model was checked: whatever is read exists.
    pub fn command(&self, terms: &mut Terms, expr: &Expr<CommandLeaf>, scope: Scope) -> Term {
        let agent = self.model.agent_of(scope.instance);
        let ty = |leaf: &CommandLeaf| self.model.leaf_type(agent, *leaf);
        lower_expr(terms, self.model, expr, &ty, &mut |terms, leaf| match *leaf {
            CommandLeaf::Local(local) => self.local(terms, scope.instance, local),
            CommandLeaf::Myself => self.location(terms, scope.instance),
            CommandLeaf::Chan => scope.channel.expect("a channel where `chan` is read"),
            CommandLeaf::Message(id) => {
                let (_, term) =
                    scope.data.iter().find(|(other, _)| *other == id).expect("data that is read is assigned");
                *term
            }
            CommandLeaf::Property(id) => self.property(terms, id, scope.properties),
        })
    }

    /// A Boolean combination of conditions on locals.
    pub fn of_locals(&self, terms: &mut Terms, formula: &Formula) -> Term {
        let mut of = |part: &Formula| self.of_locals(terms, part);
        match formula {
            Formula::Atom(expr) => self.state(terms, expr, &Possible::default()),
            Formula::Not(part) => {
                let part = of(part);
                terms.not(part)
            }
            Formula::And(list) => {
                let list: Vec<Term> = list.iter().map(of).collect();
                terms.and(list)
            }
            Formula::Or(list) => {
                let list: Vec<Term> = list.iter().map(of).collect();
                terms.or(list)
            }
            Formula::Iff(left, right) => {
                let (left, right) = (of(left), of(right));
                terms.eq(left, right)
            }
            other @ (Formula::Label(..)
            | Formula::Observed(_)
            | Formula::Next(_)
            | Formula::Until(..)
            | Formula::Branching(_)) => unreachable!("{other:?} is not about locals"),
        }
    }

    /// A Boolean expression over the state; with what it may read of the steps that are possible.
    pub fn state(&self, terms: &mut Terms, expr: &Expr<StateLeaf>, possible: &Possible) -> Term {
        match expr {
            Expr::Not(inner) => {
                let inner = self.state(terms, inner, possible);
                terms.not(inner)
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff), left, right) => {
                let (left, right) = (self.state(terms, left, possible), self.state(terms, right, possible));
                lower_binary(terms, *op, left, right)
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) => match (&**left, &**right) {
                (Expr::Leaf(StateLeaf::Automaton(instance)), Expr::Const(Value::Int(state)))
                | (Expr::Const(Value::Int(state)), Expr::Leaf(StateLeaf::Automaton(instance))) => {
                    let is = self.is_automaton_state(terms, *instance, state);
                    if *op == BinaryOp::Eq { is } else { terms.not(is) }
                }
                _ => self.state_value(terms, expr, possible),
            },
            _ => self.state_value(terms, expr, possible),
        }
    }

    /// That the automaton state of an instance has this number.
    fn is_automaton_state(&self, terms: &mut Terms, instance: InstanceId, number: &IBig) -> Term {
        let count = self.model.agent_of(instance).states;
        match u32::try_from(number).ok().filter(|number| *number < count) {
            Some(_) if count == 1 => terms.bool(true),
            Some(number) => {
                let (automaton, state) = (self.automaton(terms, instance), terms.constant_of_enum(number, count));
                terms.eq(automaton, state)
            }
            None => terms.bool(false),
        }
    }

    /// A sum over the members of a family, of whom there may be some outside.
    pub fn total(&self, terms: &mut Terms, id: TotalId) -> Term {
        terms.leaf(Leaf::Var(self.total_variable(id)), Sort::Int, None)
    }

    /// Its variable: those of totals follow those of instances.
    pub fn total_variable(&self, id: TotalId) -> VarId {
        VarId(self.first_total + id.0)
    }

    /// An expression over the state of any type that reads nothing of the steps.
    pub fn value(&self, terms: &mut Terms, expr: &Expr<StateLeaf>) -> Term {
        self.state_value(terms, expr, &Possible::default())
    }

    fn state_value(&self, terms: &mut Terms, expr: &Expr<StateLeaf>, possible: &Possible) -> Term {
        let ty = |leaf: &StateLeaf| match leaf {
            StateLeaf::Local(instance, local) => self.model.agent_of(*instance).locals[local.index()].ty,
            StateLeaf::Automaton(instance) => Type::Range(0, i64::from(self.model.agent_of(*instance).states) - 1),
            StateLeaf::Total(_) => Type::Int,
            StateLeaf::Deadlock | StateLeaf::Enabled(..) => Type::Bool,
        };
        lower_expr(terms, self.model, expr, &ty, &mut |terms, leaf| match *leaf {
            StateLeaf::Local(instance, local) => self.local(terms, instance, local),
            StateLeaf::Automaton(instance) => {
                let automaton = self.automaton(terms, instance);
                terms.number_of(automaton)
            }
            StateLeaf::Total(id) => self.total(terms, id),
            StateLeaf::Deadlock | StateLeaf::Enabled(..) => possible[leaf],
        })
    }

    /// A property variable.
    pub fn property(&self, terms: &mut Terms, id: PropertyId, properties: Properties) -> Term {
        match properties {
            Properties::Absent => unreachable!("property variables are read where they mean something"),
            Properties::Of(partner) => {
                let relabelling = self.model.agent_of(partner).relabel[id.index()].as_ref();
                let relabelling = relabelling.expect("a partner has the relabellings that are used");
                self.typed(terms, relabelling, self.model.properties[id.index()].ty, Scope::of(partner))
            }
            Properties::Assigned(list) => {
                let (_, value) =
                    list.iter().find(|(other, _)| *other == id).expect("every property that is read has a value");
                *value
            }
        }
    }

    /// The data that a command assigns.
    pub fn data(&self, terms: &mut Terms, instance: InstanceId, edge: &Edge) -> Data {
        let scope = Scope::of(instance);
        let typed = |(id, expr): &(MessageId, Expr<CommandLeaf>)| {
            let term = self.typed(terms, expr, self.model.messages[id.index()].ty, scope);
            (*id, term)
        };
        edge.action.data().iter().map(typed).collect()
    }

    /// An expression that is assigned to something of the given type.
    pub fn typed(&self, terms: &mut Terms, expr: &Expr<CommandLeaf>, ty: Type, scope: Scope) -> Term {
        match expr {
            Expr::Const(value) => constant(terms, self.model, value, ty),
            Expr::If(condition, yes, no) => {
                let condition = self.command(terms, condition, scope);
                let (yes, no) = (self.typed(terms, yes, ty, scope), self.typed(terms, no, ty, scope));
                terms.ite(condition, yes, no)
            }
            _ => self.command(terms, expr, scope),
        }
    }
}

/// The terms that stand for the leaves about the steps from a state.
pub type Possible = FxHashMap<StateLeaf, Term>;

/// The sort of a type.
pub fn sort_of(model: &Model, ty: Type) -> Sort {
    match ty {
        Type::Bool => Sort::Bool,
        Type::Int | Type::Range(..) => Sort::Int,
        Type::Enum(_) | Type::Channel | Type::Location => {
            Sort::Enum(model.cardinality(ty).expect("enums are finite") as u32)
        }
    }
}

fn bounds_of(ty: Type) -> Option<(i64, i64)> {
    match ty {
        Type::Range(low, high) => Some((low, high)),
        _ => None,
    }
}

/// The declared domain of a type.
pub fn domain_of(model: &Model, ty: Type) -> Domain {
    match (ty, sort_of(model, ty)) {
        (Type::Range(low, high), _) => Domain::range(low, high),
        (_, Sort::Bool) => Domain::Bool,
        (_, Sort::Int) => Domain::Unbounded,
        (_, Sort::Enum(count)) => Domain::all(count),
    }
}

/// A value of the model as a constant.
pub fn constant(terms: &mut Terms, model: &Model, value: &Value, ty: Type) -> Term {
    terms.constant(value, sort_of(model, ty))
}

/// Any typed expression as a term. Enum constants get their sort from the other side of the
/// comparison that they stand in; `leaf_type` gives the types of the leaves.
pub fn lower_expr<L>(
    terms: &mut Terms,
    model: &Model,
    expr: &Expr<L>,
    leaf_type: &impl Fn(&L) -> Type,
    leaf: &mut impl FnMut(&mut Terms, &L) -> Term,
) -> Term {
    match expr {
        Expr::Const(Value::Bool(value)) => terms.bool(*value),
        Expr::Const(Value::Int(value)) => terms.int(value.clone()),
        Expr::Const(Value::Enum(_)) => unreachable!("an enum constant stands in a comparison or an assignment"),
        Expr::Leaf(name) => leaf(terms, name),
        Expr::Not(inner) => {
            let inner = lower_expr(terms, model, inner, leaf_type, leaf);
            terms.not(inner)
        }
        Expr::Neg(inner) => {
            let (zero, inner) = (terms.int(0), lower_expr(terms, model, inner, leaf_type, leaf));
            terms.sub(zero, inner)
        }
        Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) => {
            let equal = match (&**left, &**right) {
                (Expr::Const(a @ Value::Enum(_)), Expr::Const(b)) => terms.bool(a == b),
                (Expr::Const(value @ Value::Enum(_)), Expr::Leaf(name))
                | (Expr::Leaf(name), Expr::Const(value @ Value::Enum(_))) => {
                    let value = constant(terms, model, value, leaf_type(name));
                    let variable = leaf(terms, name);
                    terms.eq(variable, value)
                }
                (left, right) => {
                    let left = lower_expr(terms, model, left, leaf_type, leaf);
                    let right = lower_expr(terms, model, right, leaf_type, leaf);
                    terms.eq(left, right)
                }
            };
            if *op == BinaryOp::Eq { equal } else { terms.not(equal) }
        }
        Expr::Binary(op, left, right) => {
            let a = lower_expr(terms, model, left, leaf_type, leaf);
            if let (BinaryOp::Div, Expr::Const(Value::Int(divisor))) = (op, &**right) {
                return terms.div(a, divisor.clone());
            }
            let b = lower_expr(terms, model, right, leaf_type, leaf);
            lower_binary(terms, *op, a, b)
        }
        // Of numbers: others stand where something is assigned.
        Expr::If(condition, yes, no) => {
            let mut lower = |expr: &Expr<L>| lower_expr(terms, model, expr, leaf_type, leaf);
            let (condition, yes, no) = (lower(condition), lower(yes), lower(no));
            terms.ite(condition, yes, no)
        }
    }
}

/// Two operands under an operator.
pub(super) fn lower_binary(terms: &mut Terms, op: BinaryOp, a: Term, b: Term) -> Term {
    match op {
        BinaryOp::And => terms.and([a, b]),
        BinaryOp::Or => terms.or([a, b]),
        BinaryOp::Implies => terms.implies(a, b),
        BinaryOp::Iff | BinaryOp::Eq => terms.eq(a, b),
        BinaryOp::Ne => {
            let equal = terms.eq(a, b);
            terms.not(equal)
        }
        BinaryOp::Lt => terms.lt(a, b),
        BinaryOp::Le => terms.le(a, b),
        BinaryOp::Gt => terms.lt(b, a),
        BinaryOp::Ge => terms.le(b, a),
        BinaryOp::Add => terms.add(a, b),
        BinaryOp::Sub => terms.sub(a, b),
        BinaryOp::Mul => terms.mul(a, b),
        BinaryOp::Div => unreachable!("a divisor is a constant"),
    }
}
