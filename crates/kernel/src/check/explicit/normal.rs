//! Normal forms of expressions and formulas after a renaming: equal trees mean the same.
//!
//! Operands of `&` and `|` are flattened and sorted, those of `=`, `!=`, `<->`, `+` and `*` sorted. No operand is
//! dropped, since an expression that reads a missing value has no value, whatever its other operands are.

use crate::claim::symmetry::Renaming;
use crate::model::formula::{Connective, DataLeaf, StateLeaf};
use crate::model::{
    Action, Agent, BinaryOp, CommandLeaf, Edge, EdgeId, Expr, Formula, InstanceId, Model, Observation, Type, Value,
};
use std::fmt::Debug;

/// A head and its operands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tree(String, Vec<Tree>);

impl Tree {
    fn leaf(head: impl Debug) -> Tree {
        Tree(format!("{head:?}"), Vec::new())
    }

    fn node(head: impl Debug, operands: impl IntoIterator<Item = Tree>) -> Tree {
        Tree(format!("{head:?}"), operands.into_iter().collect())
    }

    /// A tree whose operands have no order.
    fn set(head: impl Debug, operands: impl IntoIterator<Item = Tree>) -> Tree {
        let mut tree = Tree::node(head, operands);
        tree.1.sort_unstable();
        tree
    }

    /// A tree whose operands have no order, and take in those of operands with the same head.
    fn flat(head: impl Debug, operands: impl IntoIterator<Item = Tree>) -> Tree {
        let head = format!("{head:?}");
        let inner = |tree: Tree| if tree.0 == head { tree.1 } else { vec![tree] };
        let mut operands: Vec<Tree> = operands.into_iter().flat_map(inner).collect();
        operands.sort_unstable();
        Tree(head, operands)
    }
}

/// Makes trees of a model's parts, renamed or, without a renaming, as they are.
#[derive(Clone, Copy)]
pub struct Normal<'a> {
    /// The model.
    pub model: &'a Model,
    /// The renaming.
    pub renaming: Option<&'a Renaming>,
}

/// The trees and types of the leaves of a kind of expressions.
trait Leaves<L> {
    fn tree(&self, leaf: &L) -> Tree;
    fn type_of(&self, leaf: &L) -> Type;
}

impl Normal<'_> {
    fn instance(&self, instance: u32) -> u32 {
        self.renaming.map_or(instance, |renaming| renaming.instances[instance as usize])
    }

    /// A constant; its type decides what it is.
    fn constant(&self, value: &Value, ty: Type) -> Tree {
        let (Value::Enum(index), Some(renaming)) = (value, self.renaming) else { return Tree::leaf(value) };
        let image = match ty {
            Type::Location => renaming.instances[*index as usize],
            Type::Channel => renaming.channels[*index as usize],
            Type::Enum(id) => renaming.constants[id.index()][*index as usize],
            Type::Bool | Type::Int | Type::Range(..) => *index,
        };
        Tree::leaf(Value::Enum(image))
    }

    fn expr<L>(&self, expr: &Expr<L>, ty: Type, leaves: &impl Leaves<L>) -> Tree {
        match expr {
            Expr::Const(value) => self.constant(value, ty),
            Expr::Leaf(leaf) => leaves.tree(leaf),
            Expr::Not(inner) => Tree::node("!", [self.expr(inner, Type::Bool, leaves)]),
            Expr::Neg(inner) => Tree::node("-", [self.expr(inner, Type::Int, leaves)]),
            Expr::Binary(op, left, right) => self.binary(*op, left, right, leaves),
            Expr::If(condition, yes, no) => {
                let condition = self.expr(condition, Type::Bool, leaves);
                Tree::node("if", [condition, self.expr(yes, ty, leaves), self.expr(no, ty, leaves)])
            }
        }
    }

    fn binary<L>(&self, op: BinaryOp, left: &Expr<L>, right: &Expr<L>, leaves: &impl Leaves<L>) -> Tree {
        let both = |ty| [left, right].map(|side| self.expr(side, ty, leaves));
        match op {
            BinaryOp::And | BinaryOp::Or => Tree::flat(("values", op), both(Type::Bool)),
            BinaryOp::Iff => Tree::set(op, both(Type::Bool)),
            BinaryOp::Implies => Tree::node(op, both(Type::Bool)),
            BinaryOp::Add | BinaryOp::Mul => Tree::set(op, both(Type::Int)),
            BinaryOp::Sub | BinaryOp::Div | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                Tree::node(op, both(Type::Int))
            }
            BinaryOp::Eq | BinaryOp::Ne => match (left, right) {
                // Two constants are the same before a renaming iff they are after it.
                (Expr::Const(one), Expr::Const(other)) => Tree::leaf((one == other) == (op == BinaryOp::Eq)),
                (Expr::Leaf(leaf), _) | (_, Expr::Leaf(leaf)) => Tree::set(op, both(leaves.type_of(leaf))),
                _ => Tree::set(op, both(Type::Int)),
            },
        }
    }

    /// An expression of the code of an agent type.
    pub fn code(&self, agent: &Agent, expr: &Expr<CommandLeaf>, ty: Type) -> Tree {
        self.expr(expr, ty, &Code { model: self.model, agent })
    }

    /// An agent type without its commands.
    pub fn agent(&self, agent: &Agent) -> Tree {
        let relabelling = agent.relabel.iter().zip(&self.model.properties).map(|(expr, property)| match expr {
            Some(expr) => self.code(agent, expr, property.ty),
            None => Tree::leaf("no relabelling"),
        });
        let conditions = [&agent.init, &agent.receive_guard].map(|expr| self.code(agent, expr, Type::Bool));
        Tree::node("agent", conditions.into_iter().chain(relabelling))
    }

    /// A command.
    pub fn edge(&self, agent: &Agent, edge: &Edge) -> Tree {
        let guard = self.code(agent, &edge.guard, Type::Bool);
        let data = edge.action.data().iter().map(|(message, expr)| {
            let ty = self.model.messages[message.index()].ty;
            Tree::node(message, [self.code(agent, expr, ty)])
        });
        let updates = edge.updates.iter().map(|(local, expr)| {
            let ty = agent.locals[local.index()].ty;
            Tree::node(local, [self.code(agent, expr, ty)])
        });
        let effects = [Tree::set("data", data), Tree::set("updates", updates)];
        let head = (edge.source, edge.target, &edge.reads);
        Tree::node(head, [guard, self.action(agent, &edge.action)].into_iter().chain(effects))
    }

    fn action(&self, agent: &Agent, action: &Action) -> Tree {
        let partners = action.partners();
        let types: Vec<Type> = partners.iter().map(|(_, ty)| *ty).collect();
        let head = (action.kind(), types, action.service());
        Tree::node(head, partners.into_iter().map(|(expr, ty)| self.code(agent, expr, ty)))
    }

    /// An observation.
    pub fn observation(&self, observation: &Observation) -> Tree {
        let tree = |part: &Observation| self.observation(part);
        match observation {
            Observation::Const(_) | Observation::PointToPoint | Observation::Locality(None) => Tree::leaf(observation),
            Observation::Locality(Some(instance)) => Tree::leaf(("locality", self.instance(instance.0))),
            Observation::Role(role, instance) => Tree::leaf((role, self.instance(instance.0))),
            Observation::Data(expr) => self.expr(expr, Type::Bool, &Data { model: self.model }),
            Observation::Not(inner) => Tree::node("!", [tree(inner)]),
            Observation::Joined(connective, left, right) => {
                let make = match connective {
                    Connective::And | Connective::Or => Tree::flat,
                    Connective::Implies => Tree::node,
                    Connective::Iff => Tree::set,
                };
                make(connective, [tree(left), tree(right)])
            }
            Observation::Exists(inner) => Tree::node("exists", [tree(inner)]),
            Observation::Forall(inner) => Tree::node("forall", [tree(inner)]),
        }
    }

    /// The command that the image of an instance does in place of one of the instance.
    fn command(&self, instance: InstanceId, edge: EdgeId) -> u32 {
        let agent = self.model.instances[instance.index()].agent;
        self.renaming.map_or(edge.0, |renaming| renaming.commands[agent.index()][edge.index()])
    }

    /// Some instances, ascending.
    pub fn members(&self, instances: &[InstanceId]) -> Vec<u32> {
        let mut members: Vec<u32> = instances.iter().map(|member| self.instance(member.0)).collect();
        members.sort_unstable();
        members
    }

    /// A formula.
    pub fn formula(&self, formula: &Formula) -> Tree {
        let tree = |part: &Formula| self.formula(part);
        match formula {
            Formula::Atom(expr) => self.expr(expr, Type::Bool, &States { normal: *self }),
            Formula::Label(instance, edge) => {
                Tree::leaf(("label", self.instance(instance.0), self.command(*instance, *edge)))
            }
            Formula::Not(a) => Tree::node("not", [tree(a)]),
            Formula::And(list) => Tree::set("and", list.iter().map(tree)),
            Formula::Or(list) => Tree::set("or", list.iter().map(tree)),
            Formula::Observed(observation) => Tree::node("observed", [self.observation(observation)]),
            Formula::Iff(a, b) => Tree::set("iff", [tree(a), tree(b)]),
            Formula::Next(a) => Tree::node("X", [tree(a)]),
            Formula::Until(strength, a, b) => Tree::node(strength, [tree(a), tree(b)]),
            Formula::Branching(it) => {
                let head = (it.operator.word(), self.members(it.operator.group()));
                Tree::node(head, std::iter::once(&it.body).chain(&it.among).map(tree))
            }
        }
    }
}

struct Code<'a> {
    model: &'a Model,
    agent: &'a Agent,
}

impl Leaves<CommandLeaf> for Code<'_> {
    fn tree(&self, leaf: &CommandLeaf) -> Tree {
        Tree::leaf(leaf)
    }

    fn type_of(&self, leaf: &CommandLeaf) -> Type {
        match leaf {
            CommandLeaf::Local(local) => self.agent.locals[local.index()].ty,
            CommandLeaf::Message(message) => self.model.messages[message.index()].ty,
            CommandLeaf::Property(property) => self.model.properties[property.index()].ty,
            CommandLeaf::Chan => Type::Channel,
            CommandLeaf::Myself => Type::Location,
        }
    }
}

struct States<'a> {
    normal: Normal<'a>,
}

impl Leaves<StateLeaf> for States<'_> {
    fn tree(&self, leaf: &StateLeaf) -> Tree {
        match leaf {
            StateLeaf::Local(instance, local) => Tree::leaf((self.normal.instance(instance.0), local)),
            StateLeaf::Automaton(instance) => Tree::leaf(("automaton", self.normal.instance(instance.0))),
            StateLeaf::Total(_) => unreachable!("open instances are not explored"),
            StateLeaf::Deadlock => Tree::leaf("deadlock"),
            StateLeaf::Enabled(instance, command) => {
                let command = command.map(|edge| self.normal.command(*instance, edge));
                Tree::leaf(("enabled", self.normal.instance(instance.0), command))
            }
        }
    }

    fn type_of(&self, leaf: &StateLeaf) -> Type {
        match leaf {
            StateLeaf::Local(instance, local) => self.normal.model.agent_of(*instance).locals[local.index()].ty,
            StateLeaf::Automaton(_) | StateLeaf::Total(_) => Type::Int,
            StateLeaf::Deadlock | StateLeaf::Enabled(..) => Type::Bool,
        }
    }
}

struct Data<'a> {
    model: &'a Model,
}

impl Leaves<DataLeaf> for Data<'_> {
    fn tree(&self, leaf: &DataLeaf) -> Tree {
        Tree::leaf(leaf)
    }

    fn type_of(&self, leaf: &DataLeaf) -> Type {
        match leaf {
            DataLeaf::Message(message) => self.model.messages[message.index()].ty,
            DataLeaf::Property(property) => self.model.properties[property.index()].ty,
            DataLeaf::Chan => Type::Channel,
        }
    }
}
