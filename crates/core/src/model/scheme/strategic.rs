//! Strategies that are the same for all agents of a type, in systems of all sizes.
//!
//! A spec `can(g, f)` of a scheme says of each size that the group has a strategy. A table of what agents of some types do not offer, whatever
//! the sizes are, is a strategy in each of them, if all agents of these types are members of the group. Its outcome is a scheme
//! again: the same one with stronger guards. So the spec holds for all sizes if f does so in the outcome.
//!
//! That every strategy counts has to be seen from the text: assumptions may only say that agents are treated fairly.

use super::Scheme;
use super::assumed::WORDS;
use crate::model::checks::substitute::substituted;
use crate::model::elaborate::BranchingWord;
use crate::model::formula::StateLeaf;
use crate::model::strategy::{Strategy, as_own};
use crate::model::{Agent, AgentId, CommandKind, CommandLeaf, EdgeId, Expr, InstanceId, Model, Type};
use crate::syntax::ast::{self, BinaryOp as Infix, ExprKind, Ident, Quantifier};
use crate::syntax::walk;

/// A command that agents of a type do not offer under a condition on their locals.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeRefusal {
    /// The type.
    pub agent: AgentId,
    /// Its command.
    pub edge: EdgeId,
    /// The condition.
    pub when: Expr<CommandLeaf>,
}

impl TypeRefusal {
    /// Of the commands of one agent, with a condition on its locals; nothing if that reads anything else.
    pub fn of_member(model: &Model, member: InstanceId, edge: EdgeId, when: &Expr<StateLeaf>) -> Option<TypeRefusal> {
        let agent = model.instances[member.index()].agent;
        Some(TypeRefusal { agent, edge, when: as_own(member, when)? })
    }

    /// The condition on the locals of an agent of the type.
    pub fn when_of(&self, member: InstanceId) -> Option<Expr<StateLeaf>> {
        substituted(&self.when, &|leaf| match leaf {
            CommandLeaf::Local(local) => Some(Expr::Leaf(StateLeaf::Local(member, *local))),
            _ => None,
        })
    }
}

/// A spec that asks for one strategy.
struct Asked<'t> {
    group: &'t ast::Expr,
    /// The formula that the group is to bring about.
    claimed: &'t ast::Expr,
}

impl Scheme {
    /// True if a spec is `can(g, f)`, under assumptions that all strategies can satisfy, and f says nothing of the model that is not true of
    /// the outcome: other runs, knowledge and strategies do not occur in it.
    pub fn asks_for_strategy(&self, spec: usize) -> bool {
        self.asked(spec).is_some()
    }

    fn asked(&self, spec: usize) -> Option<Asked<'_>> {
        let tree = self.tree();
        let mut assumed = tree.assumptions.iter().filter(|assumption| assumption.above <= spec);
        let is_fair = assumed.all(|assumption| is_fairness(tree, &assumption.formula));
        let ExprKind::Call { callee, arguments } = &tree.specs.get(spec)?.formula.kind else { return None };
        let [group, claimed] = &arguments[..] else { return None };
        let is_asked = callee.name == CAN && tree.guard(CAN).is_none() && is_fair && !has_branching(claimed);
        is_asked.then_some(Asked { group, claimed })
    }

    /// The outcome of a table as a scheme; nothing if a spec does not ask for a strategy, or the table is none of the group.
    fn outcome(&self, model: &Model, spec: usize, table: &[TypeRefusal]) -> Option<Scheme> {
        let Asked { group, claimed } = self.asked(spec)?;
        // Where it matters which steps are possible, one way to take messages would have to be chosen.
        let is_assumed = self.tree().fair.is_some() || self.tree().assumptions.iter().any(|it| it.above <= spec);
        let chooses = (is_assumed || asks_what_is_possible(claimed)) && model.agents.iter().any(Agent::chooses_takes);
        let is_table = !chooses && table.iter().all(|refusal| self.may_decide(model, group, refusal));
        is_table.then(|| {
            let mut tree = self.tree().clone();
            tree.specs[spec].formula = ast::Expr::in_parentheses(claimed.kind.clone(), claimed.span);
            Scheme { table: table.into(), ..Scheme::new(&tree) }
        })
    }

    /// True if all agents of a type are members of a group, and a condition reads what they see when they begin a step.
    fn may_decide(&self, model: &Model, group: &ast::Expr, refusal: &TypeRefusal) -> bool {
        let Some(agent) = model.agents.get(refusal.agent.index()) else { return false };
        let Some(edge) = agent.edges.get(refusal.edge.index()) else { return false };
        // Names of agents and channels would tell agents of a type apart.
        let is_seen = |leaf: &CommandLeaf| match leaf {
            CommandLeaf::Local(local) => {
                let ty = agent.locals.get(local.index()).map(|local| local.ty);
                ty.is_some_and(|ty| !matches!(ty, Type::Location | Type::Channel))
            }
            _ => false,
        };
        let mut of_type = self.tree().system.iter().filter(|instance| instance.agent.name == agent.name);
        matches!(edge.action.kind(), CommandKind::Send | CommandKind::Get)
            && !refusal.when.any_leaf(|leaf| !is_seen(leaf))
            && of_type.all(|instance| is_member(group, instance))
    }

    /// A model of this scheme, in which agents do not offer what its table says.
    pub(super) fn with_guards(&self, mut model: Model) -> Model {
        for TypeRefusal { agent, edge, when } in self.table.iter() {
            model.agents[agent.index()].refuse(*edge, when);
        }
        model
    }
}

const CAN: &str = "can";

/// True if a formula is about other runs, knowledge or strategies, or calls something that is named so.
fn has_branching(formula: &ast::Expr) -> bool {
    any_part(formula, &|part| match &part.kind {
        ExprKind::Call { callee, .. } => BranchingWord::named(&callee.name).is_some(),
        _ => false,
    })
}

fn asks_what_is_possible(formula: &ast::Expr) -> bool {
    any_part(formula, &|part| match &part.kind {
        ExprKind::Call { callee, .. } => callee.name == "enabled" || WORDS.contains(&callee.name.as_str()),
        ExprKind::Name(name) => name == "deadlock",
        _ => false,
    })
}

fn any_part(formula: &ast::Expr, is_meant: &dyn Fn(&ast::Expr) -> bool) -> bool {
    let mut found = false;
    walk::nested(formula, &mut |part| found |= is_meant(part));
    found
}

/// True if a formula says that agents are treated fairly, and nothing else.
fn is_fairness(tree: &ast::Model, formula: &ast::Expr) -> bool {
    match &formula.kind {
        ExprKind::Call { callee, .. } => WORDS.contains(&callee.name.as_str()) && tree.guard(&callee.name).is_none(),
        ExprKind::Binary(Infix::And, left, right) => is_fairness(tree, left) && is_fairness(tree, right),
        ExprKind::Quantified { quantifier: Quantifier::Forall, body, .. } => is_fairness(tree, body),
        _ => false,
    }
}

/// True if an instance, or all members of a family, are members of a group.
fn is_member(group: &ast::Expr, instance: &ast::Instance) -> bool {
    match &group.kind {
        ExprKind::Group(names) => {
            instance.family.is_none() && names.iter().any(|Ident { name, .. }| *name == instance.name.name)
        }
        ExprKind::Name(name) => name == "Agent" || *name == instance.agent.name,
        ExprKind::Binary(Infix::Or, left, right) => is_member(left, instance) || is_member(right, instance),
        _ => false,
    }
}

impl Model {
    /// The outcome of a table in this instance of a scheme: an instance of another scheme, in which the spec says what is to be brought
    /// about. Nothing if the spec does not ask for a strategy, or if the table is none of its group.
    pub fn outcome_of_table(&self, spec: usize, table: &[TypeRefusal]) -> Option<Model> {
        let scheme = self.scheme()?.outcome(self, spec, table)?;
        let mut model = scheme.with_guards(super::elaborate(scheme.tree()).0?);
        model.parameters.scheme = Some(scheme);
        Some(model)
    }

    /// The table of a strategy, if it is the same for all agents of each type.
    pub fn table(&self, strategy: &Strategy) -> Option<Vec<TypeRefusal>> {
        let mut table: Vec<TypeRefusal> = Vec::new();
        let of_type = |(member, edge, when): (InstanceId, EdgeId, _)| {
            let agent = self.instances[member.index()].agent;
            TypeRefusal { agent, edge, when }
        };
        let refusals: Vec<TypeRefusal> = strategy.guards().into_iter().map(of_type).collect();
        for refusal in &refusals {
            let count = refusals.iter().filter(|other| *other == refusal).count();
            let all = self.instances.iter().filter(|instance| instance.agent == refusal.agent).count();
            if count != all || !strategy.takes.is_empty() {
                return None;
            }
            if !table.contains(refusal) {
                table.push(refusal.clone());
            }
        }
        Some(table)
    }
}
