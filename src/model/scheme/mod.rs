//! Models with families of any size, and their instances.
//!
//! A model whose system has `Client(client[*], ..)` is one *instance* of a scheme: with some number of clients. Others
//! are made here, from the tree: for other sizes, and *open* instances, in which further agents may exist of which
//! nothing is known but that their names differ. `docs/any-number.md` says what open instances prove of all sizes.

mod alike;

pub use alike::{Families, Obstacle, Shape, Variables, named_members};

use super::elaborate::elaborate_open;
use super::{AgentId, Expr, Formula, InstanceId, LocalId, Model, Restriction, Type, elaborate};
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Value};
use crate::source::Span;
use crate::syntax::ast::{self, Constants, Literal, size_of_family};
use elsa::sync::FrozenMap;
use std::fmt;
use std::sync::Arc;

/// A number of members for each family of any size, in their order.
pub type Sizes = Vec<u32>;

/// A family of any size, as an instance of a scheme has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// What the names of its members begin with.
    pub name: String,
    /// The agent type of its members.
    pub agent: AgentId,
    /// The least number of members.
    pub least: u32,
    /// The number of members here.
    pub size: u32,
    /// Whether somebody asked for that number.
    pub is_given: bool,
    /// The first member, if there is one; the others follow it.
    pub first: InstanceId,
    /// In an open instance, the local that holds the number of a member, if its condition reads that.
    pub index: Option<LocalId>,
    /// Where it stands.
    pub span: Span,
}

impl Family {
    /// Its members.
    pub fn members(&self) -> impl DoubleEndedIterator<Item = InstanceId> + use<> {
        (self.first.0..self.first.0 + self.size).map(InstanceId)
    }
}

/// What a model is an instance of.
#[derive(Clone)]
pub struct Scheme {
    tree: Arc<ast::Model>,
    /// How the file writes the specs.
    texts: Vec<Option<String>>,
    /// Those that were asked for.
    instances: Arc<FrozenMap<Sizes, Box<Option<Model>>>>,
}

impl PartialEq for Scheme {
    fn eq(&self, other: &Scheme) -> bool {
        self.tree == other.tree
    }
}

impl fmt::Debug for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.tree.fmt(f)
    }
}

impl Scheme {
    /// Of a tree without errors.
    pub(super) fn new(tree: &ast::Model) -> Scheme {
        Scheme { tree: Arc::new(tree.clone()), texts: Vec::new(), instances: Arc::default() }
    }

    /// With how the file writes the specs.
    pub fn set_texts(&mut self, texts: impl IntoIterator<Item = Option<String>>) {
        self.texts = texts.into_iter().collect();
    }

    /// The tree.
    pub fn tree(&self) -> &ast::Model {
        &self.tree
    }

    /// The instance with so many members. Nothing if it has errors, as where a number does not fit into a range.
    pub fn instance(&self, sizes: &[u32]) -> Option<&Model> {
        let known = self.instances.get(sizes);
        let instance = || self.instances.insert(sizes.to_vec(), Box::new(self.make_instance(sizes)));
        known.unwrap_or_else(instance).as_ref()
    }

    fn make_instance(&self, sizes: &[u32]) -> Option<Model> {
        let mut model = elaborate(&self.sized(sizes)).0?;
        model.specs.iter_mut().zip(&self.texts).for_each(|(spec, text)| spec.text.clone_from(text));
        Some(model)
    }

    /// The same, where others may exist.
    pub fn open_instance(&self, sizes: &[u32]) -> Option<Model> {
        elaborate_open(&self.sized(sizes)).map(opened)
    }

    fn sized(&self, sizes: &[u32]) -> ast::Model {
        let mut tree = (*self.tree).clone();
        let names = tree.families_of_any_size().map(size_of_family);
        let given: Constants = names.zip(sizes).map(|(name, size)| (name, Literal::Int(i64::from(*size)))).collect();
        tree.give(&given).expect("these are its families");
        tree
    }
}

impl Model {
    /// The sizes of its families of any size.
    pub fn sizes(&self) -> Sizes {
        self.families.iter().map(|family| family.size).collect()
    }

    /// Sizes of those families whose sizes nobody asked for: `client[*] = 2, machine[*] = 3`.
    pub fn show_sizes(&self, sizes: &[u32]) -> String {
        let families = self.families.iter().zip(sizes).filter(|(family, _)| !family.is_given);
        let shown = families.map(|(family, size)| format!("{} = {size}", size_of_family(&family.name)));
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// With names for agents outside, as many as variables can hold, and numbers of which nothing is known but that they
/// are positive, and differ within a family.
fn opened(mut model: Model) -> Model {
    let locations =
        |agent: AgentId| model.agents[agent.index()].locals.iter().filter(|local| local.ty == Type::Location).count();
    let outsiders: usize = model.instances.iter().map(|instance| locations(instance.agent)).sum();
    model.outsiders = Some(outsiders as u32);
    let mut conditions: Vec<Formula> = Vec::new();
    for family in &model.families {
        let Some(index) = family.index else { continue };
        let number = |member| Expr::Leaf(StateLeaf::Local(member, index));
        for member in family.members() {
            let positive = Expr::binary(BinaryOp::Ge, number(member), Expr::Const(Value::int(1)));
            let others = family.members().take_while(|other| *other < member);
            let different = others.map(|other| Expr::binary(BinaryOp::Ne, number(member), number(other)));
            conditions.extend([positive].into_iter().chain(different).map(Formula::Atom));
        }
    }
    if !conditions.is_empty() {
        let written = model.restriction.take();
        let span = written.as_ref().map_or_else(Span::default, |restriction| restriction.span);
        conditions.extend(written.map(|restriction| restriction.formula));
        model.restriction = Some(Restriction { formula: Formula::And(conditions), span });
    }
    model
}
