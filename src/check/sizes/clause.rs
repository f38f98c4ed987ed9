//! Clauses about all lists of different members.

use crate::limits;
use crate::model::formula::StateLeaf;
use crate::model::{BinaryOp, Expr, InstanceId, Model, Sizes, Total, TotalId, Type, Value};
use crate::ts::readback::expression;
use crate::ts::system::{Origin, System};
use crate::ts::term::{Term, Terms};

/// A condition on the state of an instance, whose members of families stand for variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// What it says.
    pub expr: Expr<StateLeaf>,
    /// The members that it mentions, ascending.
    pub members: Vec<InstanceId>,
}

/// What the size of the instances depends on in which a clause has to be checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needs {
    /// How many members of each family it mentions.
    pub members: Sizes,
    /// Whether it mentions totals: these change with agents that it does not mention.
    pub totals: bool,
}

/// Clauses about more members have too many instances.
const MOST_MEMBERS: usize = 8;

impl Clause {
    /// Of an expression over the states of an open instance. Nothing if it names an agent outside, as what stands for it
    /// is unclear, or too many members.
    pub fn new(model: &Model, expr: Expr<StateLeaf>) -> Option<Clause> {
        let mut mentioned = Vec::new();
        let mut understood = true;
        visit(model, &expr, &mut |named| match named {
            Some(instance) if instance.index() < model.instances.len() => mentioned.push(instance),
            _ => understood = false,
        });
        mentioned.sort_unstable();
        mentioned.dedup();
        mentioned.retain(|instance| model.place_of_member(*instance).is_some());
        let understood = understood && mentioned.len() <= MOST_MEMBERS;
        understood.then_some(Clause { expr, members: mentioned })
    }

    /// Of a term over the variables of a system of an open instance.
    pub fn of_term(model: &Model, system: &System, terms: &Terms, term: Term) -> Option<Clause> {
        let leaf = |origin| match origin {
            Origin::Automaton(instance) => Some(StateLeaf::Automaton(instance)),
            Origin::Local(instance, local) => Some(StateLeaf::Local(instance, local)),
            Origin::Total(id) => Some(StateLeaf::Total(id)),
            Origin::Received(..) | Origin::Obligation(_) | Origin::Counter(_) => None,
        };
        Clause::new(model, expression(system, terms, term, &leaf)?)
    }

    /// What it mentions.
    pub fn needs(&self, model: &Model) -> Needs {
        let mut members = vec![0; model.families.len()];
        for &member in &self.members {
            members[model.place_of_member(member).expect("it is a member").0] += 1;
        }
        let totals = self.expr.any_leaf(|leaf| matches!(leaf, StateLeaf::Total(_)));
        Needs { members, totals }
    }

    /// Whether another instance has the totals that it mentions.
    pub fn is_known(&self, from: &Model, to: &Model) -> bool {
        let known = |id: TotalId| to.outsiders.is_none() || to.totals.contains(&from.totals[id.index()]);
        !self.expr.any_leaf(|leaf| matches!(leaf, StateLeaf::Total(id) if !known(*id)))
    }

    /// What it says in another instance of the same scheme that has its totals, for each list of different members.
    pub fn instances(&self, from: &Model, to: &Model) -> Vec<Expr<StateLeaf>> {
        let fixed = |instance: InstanceId| {
            let name = &from.instances[instance.index()].name;
            let position = to.instances.iter().position(|other| other.name == *name);
            InstanceId(position.expect("whoever is no member is in each instance") as u32)
        };
        let mut instances = Vec::new();
        self.assign(from, to, &mut Vec::new(), &mut |chosen| {
            let of = |instance: InstanceId| match self.members.binary_search(&instance) {
                Ok(variable) => chosen[variable],
                Err(_) => fixed(instance),
            };
            instances.push(renamed(from, to, &self.expr, &of));
        });
        instances
    }

    /// What it says of the members outside of an open instance, if it is a bound for what each of them contributes to a
    /// total: that many contribute so much together.
    pub fn of_outsiders(&self, from: &Model, to: &Model) -> Vec<Expr<StateLeaf>> {
        let [member] = self.members[..] else { return Vec::new() };
        let (family, _) = from.place_of_member(member).expect("it is a member");
        let of_total = |(place, total): (usize, &Total)| {
            let summand = total.of_member(member);
            let said = match &self.expr {
                Expr::Binary(op, left, right) if **left == summand => Some((*op, &**right)),
                Expr::Binary(op, left, right) if **right == summand => Some((op.mirrored(), &**left)),
                _ => None,
            };
            match said {
                Some((op, Expr::Const(Value::Int(number)))) if total.family == family => {
                    to.bounds_of_outsiders(TotalId(place as u32), op, number)
                }
                _ => Vec::new(),
            }
        };
        to.totals.iter().enumerate().flat_map(of_total).collect()
    }

    /// Each choice of different members for those that it mentions.
    fn assign(&self, from: &Model, to: &Model, chosen: &mut Vec<InstanceId>, visit: &mut dyn FnMut(&[InstanceId])) {
        limits::tick();
        let Some(&member) = self.members.get(chosen.len()) else { return visit(chosen) };
        let (family, _) = from.place_of_member(member).expect("it is a member");
        for choice in to.families[family].members() {
            if !chosen.contains(&choice) {
                chosen.push(choice);
                self.assign(from, to, chosen, visit);
                chosen.pop();
            }
        }
    }
}

/// Calls the function for each instance that an expression mentions, by its locals or as a location; for what has no
/// type, with nothing.
fn visit(model: &Model, expr: &Expr<StateLeaf>, found: &mut dyn FnMut(Option<InstanceId>)) {
    match expr {
        Expr::Const(Value::Enum(_)) => found(None),
        Expr::Const(_) => {}
        Expr::Leaf(StateLeaf::Local(instance, _) | StateLeaf::Automaton(instance)) => found(Some(*instance)),
        Expr::Leaf(StateLeaf::Deadlock | StateLeaf::Enabled(..)) => found(None),
        Expr::Leaf(StateLeaf::Total(_)) => {}
        Expr::Not(inner) | Expr::Neg(inner) => visit(model, inner, found),
        Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right)
            if leaf_type(model, left)
                .zip(leaf_type(model, right))
                .is_some_and(|(one, other)| !one.comparable(other)) =>
        {
            found(None);
        }
        Expr::Binary(_, left, right) => match (compared(model, expr), &**left, &**right) {
            (Some(ty), side, Expr::Const(Value::Enum(value))) | (Some(ty), Expr::Const(Value::Enum(value)), side) => {
                visit(model, side, found);
                match ty {
                    Type::Location => found(Some(InstanceId(*value))),
                    Type::Channel if model.outside_channels.contains(value) => found(None),
                    Type::Channel => model.owner_of_channel(*value).into_iter().for_each(|(family, _, member)| {
                        found(model.families[family].members().nth(member));
                    }),
                    _ => {}
                }
            }
            _ => {
                visit(model, left, found);
                visit(model, right, found);
            }
        },
        Expr::If(condition, yes, no) => [condition, yes, no].into_iter().for_each(|part| visit(model, part, found)),
    }
}

/// Of an equation with a variable, the type of that.
fn compared(model: &Model, expr: &Expr<StateLeaf>) -> Option<Type> {
    let Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) = expr else { return None };
    leaf_type(model, left).or_else(|| leaf_type(model, right))
}

fn leaf_type(model: &Model, expr: &Expr<StateLeaf>) -> Option<Type> {
    match expr {
        Expr::Leaf(StateLeaf::Local(instance, local)) => Some(model.agent_of(*instance).locals[local.index()].ty),
        Expr::Leaf(StateLeaf::Automaton(_) | StateLeaf::Total(_)) => Some(Type::Int),
        _ => None,
    }
}

/// The expression in another instance of the scheme, about other instances in place of those that it mentions.
fn renamed(from: &Model, to: &Model, expr: &Expr<StateLeaf>, of: &dyn Fn(InstanceId) -> InstanceId) -> Expr<StateLeaf> {
    let rename = |part: &Expr<StateLeaf>| Box::new(renamed(from, to, part, of));
    match expr {
        Expr::Const(value) => Expr::Const(value.clone()),
        Expr::Leaf(StateLeaf::Local(instance, local)) => Expr::Leaf(StateLeaf::Local(of(*instance), *local)),
        Expr::Leaf(StateLeaf::Automaton(instance)) => Expr::Leaf(StateLeaf::Automaton(of(*instance))),
        Expr::Leaf(StateLeaf::Deadlock) => Expr::Leaf(StateLeaf::Deadlock),
        Expr::Leaf(StateLeaf::Enabled(instance, command)) => Expr::Leaf(StateLeaf::Enabled(of(*instance), *command)),
        Expr::Leaf(StateLeaf::Total(id)) => total(from, to, *id),
        Expr::Not(inner) => Expr::Not(rename(inner)),
        Expr::Neg(inner) => Expr::Neg(rename(inner)),
        Expr::Binary(op, left, right) => {
            let ty = compared(from, expr);
            let side = |side: &Expr<StateLeaf>| match (side, ty) {
                (Expr::Const(Value::Enum(value)), Some(Type::Location)) => {
                    Box::new(Expr::Const(Value::Enum(of(InstanceId(*value)).0)))
                }
                (Expr::Const(Value::Enum(value)), Some(Type::Channel)) => {
                    Box::new(Expr::Const(Value::Enum(renamed_channel(from, to, *value, of))))
                }
                (other, _) => rename(other),
            };
            Expr::Binary(*op, side(left), side(right))
        }
        Expr::If(condition, yes, no) => Expr::If(rename(condition), rename(yes), rename(no)),
    }
}

/// A total in another instance: where there is nobody outside, the sum over its members.
fn total(from: &Model, to: &Model, id: TotalId) -> Expr<StateLeaf> {
    if to.outsiders.is_none() {
        return from.totals[id.index()].here(to);
    }
    let same = to.totals.iter().position(|total| *total == from.totals[id.index()]);
    let place = same.expect("open instances for one spec and the same ghosts have the same totals");
    Expr::Leaf(StateLeaf::Total(TotalId(place as u32)))
}

/// A channel of the file is the same everywhere; a member's own becomes that of another one.
fn renamed_channel(from: &Model, to: &Model, channel: u32, of: &dyn Fn(InstanceId) -> InstanceId) -> u32 {
    let Some((family, own, member)) = from.owner_of_channel(channel) else { return channel };
    let member = from.families[family].members().nth(member).expect("its own channel");
    let (family, member) = to.place_of_member(of(member)).expect("members stand for members");
    to.families[family].channels[own][member as usize]
}
