//! Models with families of any size, and their instances.
//!
//! A model whose system has `Client(client[*], ..)` is one *instance* of a scheme: with some number of clients. Others
//! are made here, from the tree: for other sizes, and *open* instances, in which further agents may exist of which
//! nothing is known but that their names differ. `docs/any-number.md` says what open instances prove of all sizes.
//!
//! [`Scheme::instance`] makes closed instances, [`Scheme::open_instance`] open ones. Everything else (semantics,
//! engines, exports) works on one instance. So a model that is cloned with other specs loses its scheme: instances have
//! the specs of the tree. [`crate::syntax::ast`] has the names of given sizes among the constants (`client[*]`,
//! `any number of Client`), so that records, certificates and traces keep them like constants.

mod alike;
mod assumed;
mod counted;
mod strategic;
pub mod totals;

pub use alike::{Families, Obstacle, Variables, named_in, named_members};
pub use counted::Ghost;
pub use strategic::TypeRefusal;
pub use totals::Total;

use super::elaborate::{Sums, elaborate_open};
use super::{AgentId, Expr, Formula, InstanceId, LocalId, Model, Restriction, Spec, Type, elaborate};
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Value};
use crate::source::Span;
use crate::syntax::ast::{self, ConstantName, Constants, ExprKind, Literal};
use dashu_int::IBig;
use elsa::sync::FrozenMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A number of members for each family of any size, in their order.
pub type Sizes = Vec<u32>;

/// A family of any size, as an instance of a scheme has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The beginning of the names of its members.
    pub name: String,
    /// The agent type of its members.
    pub agent: AgentId,
    /// The least number of members.
    pub least: u32,
    /// The number of members here.
    pub size: u32,
    /// True if that number was asked for.
    pub is_given: bool,
    /// The first member, if there is one; the others follow it.
    pub first: InstanceId,
    /// In an open instance, the locals that hold what each member has of its own: numbers.
    pub numbers: Vec<OwnNumber>,
    /// Channels that each member has of its own, as often as the condition names one: member by member.
    pub channels: Vec<Vec<u32>>,
    /// Its place.
    pub span: Span,
}

/// A number that is another one for each member of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnNumber {
    /// The local in which a member holds it.
    pub local: LocalId,
    /// No member has a smaller one.
    pub least: IBig,
}

impl Family {
    /// Its members.
    pub fn members(&self) -> impl DoubleEndedIterator<Item = InstanceId> + use<> {
        (self.first.0..self.first.0 + self.size).map(InstanceId)
    }
}

/// The part of a model that makes it one instance of a model with families of any size; empty for other models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The families of any size.
    pub families: Vec<Family>,
    /// The scheme, if the size of some family was not asked for.
    pub scheme: Option<Scheme>,
    /// The same model with any number of agents.
    pub general: General,
    /// The channels that members outside have of their own.
    pub outside_channels: Vec<u32>,
}

/// The agents outside of an open instance, as far as it knows them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Open {
    /// The number of names for them.
    pub outsiders: u32,
    /// Sums over the members of families.
    pub totals: Vec<Total>,
}

/// The scheme that a model is an instance of.
#[derive(Clone)]
pub struct Scheme {
    tree: Arc<ast::Model>,
    /// How the file writes the specs.
    texts: Vec<Option<String>>,
    /// The commands that agents do not offer, whatever their guards say.
    table: Arc<[TypeRefusal]>,
    /// Those that were asked for.
    instances: Arc<FrozenMap<Sizes, Box<Option<Model>>>>,
}

impl PartialEq for Scheme {
    fn eq(&self, other: &Scheme) -> bool {
        self.tree == other.tree && self.table == other.table
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
        Scheme { tree: Arc::new(tree.clone()), texts: Vec::new(), table: Arc::default(), instances: Arc::default() }
    }

    /// With how the file writes the specs.
    pub fn set_texts(&mut self, texts: impl IntoIterator<Item = Option<String>>) {
        self.texts = texts.into_iter().collect();
    }

    /// The tree.
    pub fn tree(&self) -> &ast::Model {
        &self.tree
    }

    /// The least sizes that a spec is about: as many members as each family has at least, and as the spec names.
    pub fn least(&self, model: &Model, spec: usize) -> Sizes {
        let least = model.families().iter().zip(self.named(spec));
        least.map(|(family, named)| if family.is_given { family.size } else { family.least.max(named) }).collect()
    }

    /// For each family, the largest number of a member that a spec names; 0 if it names none.
    pub fn named(&self, spec: usize) -> Sizes {
        let mut named = vec![0; self.tree.families_of_any_size().count()];
        let assumed = self.tree.assumptions.iter().filter(|assumption| assumption.above <= spec);
        let formulas = self.tree.specs.get(spec).map(|spec| &spec.formula).into_iter();
        for formula in formulas.chain(assumed.map(|assumption| &assumption.formula)) {
            let here = named_in(&self.tree, formula);
            named.iter_mut().zip(here).for_each(|(all, number)| *all = number.max(*all));
        }
        named
    }

    /// The instance with so many members. Nothing if it has errors, as where a number does not fit into a range. Specs
    /// that name other members are `true` there.
    pub fn instance(&self, sizes: &[u32]) -> Option<&Model> {
        let known = self.instances.get(sizes);
        let instance = || self.instances.insert(sizes.to_vec(), Box::new(self.make_instance(sizes)));
        known.unwrap_or_else(instance).as_ref()
    }

    /// The same without specs.
    pub fn agents(&self, sizes: &[u32]) -> Option<Model> {
        let mut tree = self.sized(sizes, |_| false);
        tree.specs.clear();
        tree.assumptions.clear();
        elaborate(&tree).0.map(|model| self.with_guards(model))
    }

    fn make_instance(&self, sizes: &[u32]) -> Option<Model> {
        let fits = |named: Sizes| named.iter().zip(sizes).all(|(named, size)| named <= size);
        let mut tree = self.sized(sizes, |spec| fits(self.named(spec)));
        // The specs below an assumption that names others name them, too, and are `true` here.
        let strangers = tree.assumptions.iter_mut().filter(|it| !fits(named_in(&self.tree, &it.formula)));
        strangers.for_each(|assumption| assumption.formula.kind = ExprKind::Bool(true));
        let mut model = self.with_guards(elaborate(&tree).0?);
        model.specs.iter_mut().zip(&self.texts).for_each(|(spec, text)| spec.text.clone_from(text));
        Some(model)
    }

    /// The same, where others may exist, for one spec: all others are `true`. It has totals for what the spec counts and
    /// sums up, and for the ghosts; and for what `where` does, unless receives change some of that.
    pub fn open_instance(&self, sizes: &[u32], spec: usize, ghosts: &[Ghost]) -> Option<Model> {
        let counting = self.make_open_instance(sizes, spec, ghosts, true)?;
        match counting.total_of_receivers() {
            Some(_) => self.make_open_instance(sizes, spec, ghosts, false),
            None => Some(counting),
        }
    }

    fn make_open_instance(&self, sizes: &[u32], spec: usize, ghosts: &[Ghost], counts: bool) -> Option<Model> {
        let mut tree = self.sized(sizes, |index| index == spec);
        self.keep_fairness(&mut tree);
        tree.restriction = self.restriction_of_parts(counts);
        if let Some(spec) = tree.specs.get_mut(spec) {
            spec.formula = self.counted(&spec.formula);
        }
        let ghosts: Option<Vec<Vec<ast::Expr>>> = ghosts.iter().map(|ghost| self.sums_of_ghost(ghost)).collect();
        let mut list = self.sums(&tree);
        list.extend(ghosts?.concat());
        let families = self.tree.system.iter().filter_map(ast::Instance::any_size);
        let over = families.map(|size| size.given.is_none()).collect();
        elaborate_open(&tree, &Sums { list, over }).map(|model| opened(self.with_guards(model)))
    }

    /// The tree with these sizes and specs.
    fn sized(&self, sizes: &[u32], keeps: impl Fn(usize) -> bool) -> ast::Model {
        let mut tree = (*self.tree).clone();
        for (index, spec) in tree.specs.iter_mut().enumerate() {
            if !keeps(index) {
                spec.formula.kind = ExprKind::Bool(true);
            }
        }
        let names = tree.families_of_any_size().map(|family| ConstantName::Size(family.to_owned()));
        let given: Constants = names.zip(sizes).map(|(name, size)| (name, Literal::int(*size))).collect();
        tree.give(&given).expect("these are its families");
        tree
    }
}

/// The same model with any number of agents, where it has several that are alike. It is made when it is asked for.
#[derive(Clone, Default)]
pub struct General {
    tree: Option<Arc<ast::Model>>,
    made: Arc<OnceLock<Option<Box<Model>>>>,
}

/// The number of instances of a type that are worth a proof for any number of them.
const SEVERAL: usize = 3;
/// With more instances, other proofs are hopeless, and so is elaborating the model once more.
const MANY: usize = 200;

impl General {
    /// Of a tree without errors that has these instances.
    pub(super) fn new(tree: &ast::Model, model: &Model) -> General {
        let count = |agent: usize| model.instances.iter().filter(|instance| instance.agent.index() == agent).count();
        let several = (0..model.agents.len()).any(|agent| count(agent) >= SEVERAL);
        let is_worth_it = several && model.instances.len() <= MANY && model.families().is_empty();
        General { tree: is_worth_it.then(|| Arc::new(tree.clone())), made: Arc::default() }
    }

    /// True if there may be one.
    pub fn is_possible(&self) -> bool {
        self.tree.is_some()
    }

    /// It, if there is one: with as many members as the model lists.
    pub fn model(&self) -> Option<&Model> {
        let make = || {
            let mut tree = (**self.tree.as_ref()?).clone();
            let agents = tree.agents.iter().map(|agent| ConstantName::AnyNumber(agent.name.name.clone()));
            let given: Constants = agents.map(|name| (name, Literal::Bool(true))).collect();
            // Types whose instances differ stay as they are.
            let _ = tree.give(&given);
            elaborate(&tree).0.filter(|model| model.scheme().is_some()).map(Box::new)
        };
        self.made.get_or_init(make).as_deref()
    }
}

impl PartialEq for General {
    fn eq(&self, other: &General) -> bool {
        self.tree == other.tree
    }
}

impl fmt::Debug for General {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.tree.is_some().fmt(f)
    }
}

impl Model {
    /// Its families of any size.
    pub fn families(&self) -> &[Family] {
        &self.parameters.families
    }

    /// The scheme that it is an instance of.
    pub fn scheme(&self) -> Option<&Scheme> {
        self.parameters.scheme.as_ref()
    }

    /// The number of names for agents outside.
    pub fn outsiders(&self) -> u32 {
        self.open.as_ref().map_or(0, |open| open.outsiders)
    }

    /// The sums over the members of families, in an open instance.
    pub fn totals(&self) -> &[Total] {
        self.open.as_ref().map_or(&[], |open| &open.totals)
    }

    /// This model with other specs. It is no instance of its scheme, whose instances have the specs of the tree.
    pub fn with_specs(&self, specs: Vec<Spec>) -> Model {
        let parameters = Parameters { scheme: None, general: General::default(), ..self.parameters.clone() };
        Model { specs, parameters, ..self.clone() }
    }

    /// The family of a member, and its place there; nothing for other instances.
    pub fn place_of_member(&self, instance: InstanceId) -> Option<(usize, u32)> {
        let places =
            self.families().iter().map(|family| instance.0.checked_sub(family.first.0).filter(|it| *it < family.size));
        places.enumerate().find_map(|(family, place)| Some((family, place?)))
    }

    /// The owner of a channel: a family, the place among the channels of a member, and the place of the member.
    pub fn owner_of_channel(&self, channel: u32) -> Option<(usize, usize, usize)> {
        self.families().iter().enumerate().find_map(|(family, it)| {
            it.channels.iter().enumerate().find_map(|(own, channels)| {
                let member = channels.iter().position(|other| *other == channel)?;
                Some((family, own, member))
            })
        })
    }

    /// The sizes of its families of any size.
    pub fn sizes(&self) -> Sizes {
        self.families().iter().map(|family| family.size).collect()
    }

    /// Sizes of those families whose sizes were not asked for: `client[*] = 2, machine[*] = 3`.
    pub fn show_sizes(&self, sizes: &[u32]) -> String {
        let families = self.families().iter().zip(sizes).filter(|(family, _)| !family.is_given);
        let shown = families.map(|(family, size)| ConstantName::Size(family.name.clone()).with(&Literal::int(*size)));
        shown.collect::<Vec<_>>().join(", ")
    }
}

/// With names of agents outside, and channels of their own, as many as variables can hold; and with numbers of which
/// nothing is known but that they differ within a family, and the least that they can be.
fn opened(mut model: Model) -> Model {
    let held = |model: &Model, ty: Type| {
        let of = |agent: AgentId| model.agents[agent.index()].locals.iter().filter(|local| local.ty == ty).count();
        model.instances.iter().map(|instance| of(instance.agent)).sum::<usize>()
    };
    let outsiders = held(&model, Type::Location) as u32;
    model.open.get_or_insert_default().outsiders = outsiders;
    if model.families().iter().any(|family| !family.channels.is_empty()) {
        let mut names = (1..).map(|number| format!("outside{number}"));
        for _ in 0..held(&model, Type::Channel) {
            let name = names.by_ref().find(|name| !model.channels.contains(name)).expect("numbers do not end");
            model.parameters.outside_channels.push(model.channels.len() as u32);
            model.channels.push(name);
        }
    }
    let mut conditions: Vec<Formula> = Vec::new();
    for family in model.families() {
        for (own, member) in family.numbers.iter().flat_map(|own| family.members().map(move |member| (own, member))) {
            let number = |member| Expr::Leaf(StateLeaf::Local(member, own.local));
            let least = Expr::binary(BinaryOp::Ge, number(member), Expr::Const(Value::Int(own.least.clone())));
            let others = family.members().take_while(|other| *other < member);
            let different = others.map(|other| Expr::binary(BinaryOp::Ne, number(member), number(other)));
            conditions.extend([least].into_iter().chain(different).map(Formula::Atom));
        }
    }
    conditions.extend(model.starts_of_totals().into_iter().map(Formula::Atom));
    if !conditions.is_empty() {
        conditions.extend(model.restriction.take().map(|restriction| restriction.formula));
        model.restriction = Some(Restriction { formula: Formula::And(conditions), places: Vec::new() });
    }
    model
}
