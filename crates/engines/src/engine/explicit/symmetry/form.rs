//! Normal forms of expressions and formulas under a renaming.
//!
//! Each form has a number, and two numbers are the same if and only if the renamed expressions are, up to the
//! order of the operands of connectives, equalities, sums and products. Forms are compared node by node: a hash only
//! says where to look for the same one. So no symmetry is claimed because hashes happen to collide.

use crate::claim::symmetry::Renaming;
use crate::model::formula::{Connective, DataLeaf, Role, StateLeaf, Strength};
use crate::model::{
    Agent, BinaryOp, CommandKind, CommandLeaf, Edge, EdgeId, Expr, Formula, InstanceId, LocalId, MessageId, Model,
    Observation, Side, Type, Value,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The number of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Form(u32);

/// The head of a form, above its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Head {
    Word(&'static str),
    Operator(BinaryOp),
    /// A truth value or a number.
    Value(Value),
    /// The image of a constant of an enum, a channel or a location; which of these follows from its place.
    Constant(u32),
    Command(CommandLeaf),
    Data(DataLeaf),
    Local(u32, LocalId),
    Automaton(u32),
    Enabled(InstanceId, Option<EdgeId>),
    Role(Role, u32),
    Label(InstanceId, EdgeId),
    Assigned(MessageId),
    Updated(LocalId),
    Edge(u32, u32, Vec<MessageId>),
    /// The kind of a command, the types of what says with whom it is taken, and which gets a supply serves.
    Action(CommandKind, Vec<Type>, Option<(bool, bool, Option<Side>)>),
    /// A path quantifier, or whose knowledge it is.
    Branching(&'static str, Vec<u32>),
}

/// The forms so far: equal ones have one number.
#[derive(Debug, Default)]
pub struct Forms {
    numbers: RefCell<FxHashMap<(Head, Vec<Form>), Form>>,
}

impl Forms {
    fn node(&self, head: Head, operands: Vec<Form>) -> Form {
        let mut numbers = self.numbers.borrow_mut();
        let next = Form(numbers.len() as u32);
        *numbers.entry((head, operands)).or_insert(next)
    }
}

/// Makes forms under a renaming.
#[derive(Clone, Copy)]
pub struct Renamed<'a> {
    pub model: &'a Model,
    pub renaming: &'a Renaming,
    pub forms: &'a Forms,
}

/// The head that a leaf becomes under the renaming, and its type.
type Leaf<'l, L> = &'l dyn Fn(&L) -> (Head, Type);

impl Renamed<'_> {
    fn leaf(&self, head: Head) -> Form {
        self.forms.node(head, Vec::new())
    }

    /// Of operands in their order.
    fn node<const N: usize>(&self, word: &'static str, operands: [Form; N]) -> Form {
        self.forms.node(Head::Word(word), operands.to_vec())
    }

    /// Of operands whose order does not matter.
    fn together(&self, head: Head, operands: impl IntoIterator<Item = Form>) -> Form {
        let mut operands: Vec<Form> = operands.into_iter().collect();
        operands.sort_unstable();
        self.forms.node(head, operands)
    }

    fn value(&self, value: &Value, ty: Type) -> Form {
        self.leaf(match self.renaming.value(value, ty) {
            Value::Enum(index) => Head::Constant(index),
            other => Head::Value(other),
        })
    }

    /// Of an expression of this type.
    fn expr<L>(&self, expr: &Expr<L>, ty: Type, leaf: Leaf<L>) -> Form {
        let part = |part: &Expr<L>, ty| self.expr(part, ty, leaf);
        match expr {
            Expr::Const(value) => self.value(value, ty),
            Expr::Leaf(name) => self.leaf(leaf(name).0),
            Expr::Not(inner) => self.node("not", [part(inner, Type::Bool)]),
            Expr::Neg(inner) => self.node("neg", [part(inner, Type::Int)]),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => {
                let operands = expr.operands(*op).into_iter();
                self.together(Head::Operator(*op), operands.map(|operand| part(operand, Type::Bool)))
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), left, right) => {
                match type_of(left, leaf).or(type_of(right, leaf)) {
                    Some(ty) => self.together(Head::Operator(*op), [part(left, ty), part(right, ty)]),
                    None => self.leaf(Head::Value(Value::Bool(constants_equal(left, right) == (*op == BinaryOp::Eq)))),
                }
            }
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Mul), left, right) => {
                self.together(Head::Operator(*op), [part(left, Type::Int), part(right, Type::Int)])
            }
            Expr::Binary(BinaryOp::Iff, left, right) => {
                self.together(Head::Word("iff"), [part(left, Type::Bool), part(right, Type::Bool)])
            }
            // Of truth values or numbers: no constant in them can be renamed.
            Expr::Binary(op, left, right) => {
                self.forms.node(Head::Operator(*op), vec![part(left, Type::Int), part(right, Type::Int)])
            }
            Expr::If(condition, yes, no) => self.node("if", [part(condition, Type::Bool), part(yes, ty), part(no, ty)]),
        }
    }

    /// Of an expression in the code of an agent type.
    pub fn code(&self, agent: &Agent, expr: &Expr<CommandLeaf>, ty: Type) -> Form {
        self.expr(expr, ty, &|leaf| (Head::Command(*leaf), self.model.leaf_type(agent, *leaf)))
    }

    /// Of all that a command does.
    pub fn edge(&self, agent: &Agent, edge: &Edge) -> Form {
        let partners = edge.action.partners();
        let types: Vec<Type> = partners.iter().map(|(_, ty)| *ty).collect();
        let partners = partners.into_iter().map(|(expr, ty)| self.code(agent, expr, ty)).collect();
        let action = self.forms.node(Head::Action(edge.action.kind(), types, edge.action.service()), partners);
        let data = edge.action.data().iter().map(|(message, expr)| {
            let ty = self.model.messages[message.index()].ty;
            self.forms.node(Head::Assigned(*message), vec![self.code(agent, expr, ty)])
        });
        let updates = edge.updates.iter().map(|(local, expr)| {
            let ty = agent.locals[local.index()].ty;
            self.forms.node(Head::Updated(*local), vec![self.code(agent, expr, ty)])
        });
        let (data, updates) = (self.together(Head::Word("data"), data), self.together(Head::Word("updates"), updates));
        let head = Head::Edge(edge.source, edge.target, edge.reads.clone());
        self.forms.node(head, vec![self.code(agent, &edge.guard, Type::Bool), action, data, updates])
    }

    /// Of what an agent type is beside its commands.
    pub fn agent(&self, agent: &Agent) -> Form {
        let relabelling = self.model.properties.iter().zip(&agent.relabel).map(|(property, expr)| match expr {
            Some(expr) => self.code(agent, expr, property.ty),
            None => self.node("no relabelling", []),
        });
        let conditions = [&agent.init, &agent.receive_guard].map(|expr| self.code(agent, expr, Type::Bool));
        self.forms.node(Head::Word("agent"), conditions.into_iter().chain(relabelling).collect())
    }

    /// Of a state formula.
    pub fn atom(&self, expr: &Expr<StateLeaf>) -> Form {
        let instances = &self.renaming.instances;
        self.expr(expr, Type::Bool, &|leaf| match leaf {
            StateLeaf::Local(instance, local) => {
                let ty = self.model.agent_of(*instance).locals[local.index()].ty;
                (Head::Local(instances[instance.index()], *local), ty)
            }
            StateLeaf::Automaton(instance) => (Head::Automaton(instances[instance.index()]), Type::Int),
            StateLeaf::Total(_) => unreachable!("open instances are not explored"),
            StateLeaf::Deadlock => (Head::Word("deadlock"), Type::Bool),
            StateLeaf::Enabled(instance, None) => {
                (Head::Enabled(InstanceId(instances[instance.index()]), None), Type::Bool)
            }
            StateLeaf::Enabled(instance, Some(edge)) => {
                let (instance, edge) = self.renaming.command(self.model, (*instance, *edge));
                (Head::Enabled(instance, Some(edge)), Type::Bool)
            }
        })
    }

    /// Of an observation.
    pub fn observation(&self, observation: &Observation) -> Form {
        let part = |part: &Observation| self.observation(part);
        match observation {
            Observation::Const(value) => self.leaf(Head::Value(Value::Bool(*value))),
            Observation::PointToPoint => self.node("point to point", []),
            Observation::Locality(None) => self.node("by predicate", []),
            Observation::Locality(Some(instance)) => {
                // The agent that is named is the supplier.
                let supplier = self.leaf(Head::Role(Role::Supplier, self.renaming.instances[instance.index()]));
                self.node("by name", [supplier])
            }
            Observation::Role(role, instance) => {
                self.leaf(Head::Role(*role, self.renaming.instances[instance.index()]))
            }
            Observation::Data(expr) => {
                self.expr(expr, Type::Bool, &|leaf| (Head::Data(*leaf), self.model.data_type(*leaf)))
            }
            Observation::Not(inner) => self.node("not", [part(inner)]),
            Observation::Joined(connective @ (Connective::And | Connective::Or), ..) => {
                let mut operands = Vec::new();
                flatten_observation(*connective, observation, &mut operands);
                self.together(Head::Operator(connective.op()), operands.into_iter().map(part))
            }
            Observation::Joined(Connective::Implies, left, right) => self.node("implies", [part(left), part(right)]),
            Observation::Joined(Connective::Iff, left, right) => {
                self.together(Head::Word("iff"), [part(left), part(right)])
            }
            Observation::Exists(inner) => self.node("exists", [part(inner)]),
            Observation::Forall(inner) => self.node("forall", [part(inner)]),
        }
    }

    /// Of a formula.
    pub fn formula(&self, formula: &Formula) -> Form {
        let part = |part: &Formula| self.formula(part);
        match formula {
            Formula::Atom(expr) => self.atom(expr),
            Formula::Label(instance, edge) => {
                let (instance, edge) = self.renaming.command(self.model, (*instance, *edge));
                self.leaf(Head::Label(instance, edge))
            }
            Formula::Not(a) => self.node("not", [part(a)]),
            Formula::And(list) => self.together(Head::Word("and"), list.iter().map(part)),
            Formula::Or(list) => self.together(Head::Word("or"), list.iter().map(part)),
            Formula::Observed(observation) => self.node("observed", [self.observation(observation)]),
            Formula::Iff(a, b) => self.together(Head::Word("iff"), [part(a), part(b)]),
            Formula::Next(a) => self.node("next", [part(a)]),
            Formula::Until(Strength::Strong, a, b) => self.node("until", [part(a), part(b)]),
            Formula::Until(Strength::Weak, a, b) => self.node("weak until", [part(a), part(b)]),
            Formula::Branching(branching) => {
                let head = Head::Branching(branching.operator.word(), self.group(branching.operator.group()));
                self.forms.node(head, [&branching.body].into_iter().chain(&branching.among).map(part).collect())
            }
        }
    }

    /// Of a group of instances, in which they have no order.
    pub fn group(&self, members: &[InstanceId]) -> Vec<u32> {
        let mut images: Vec<u32> = members.iter().map(|member| self.renaming.instances[member.index()]).collect();
        images.sort_unstable();
        images
    }
}

fn flatten_observation<'o>(outer: Connective, observation: &'o Observation, operands: &mut Vec<&'o Observation>) {
    match observation {
        Observation::Joined(connective, left, right) if *connective == outer => {
            [left, right].into_iter().for_each(|part| flatten_observation(outer, part, operands));
        }
        _ => operands.push(observation),
    }
}

/// The type of an operand of a comparison, unless it is a constant without one.
fn type_of<L>(expr: &Expr<L>, leaf: Leaf<L>) -> Option<Type> {
    match expr {
        Expr::Leaf(name) => Some(leaf(name).1),
        Expr::Const(Value::Enum(_)) => None,
        // Only truth values and numbers are computed, and none of them can be renamed.
        _ => Some(Type::Int),
    }
}

fn constants_equal<L>(left: &Expr<L>, right: &Expr<L>) -> bool {
    matches!((left, right), (Expr::Const(left), Expr::Const(right)) if left == right)
}
