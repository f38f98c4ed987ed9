//! Trees to models: names, types, domains. Everything that is wrong is reported.

mod agent;
mod expression;
mod formula;
mod names;

use super::add;
use super::ast::{Expr, ExprKind, File, Op, Proposition};
use crate::diag::{Code, Diagnostic, Diagnostics, Label};
use crate::model::branching::{Branching, Information, Operator};
use crate::model::eval::leaving::{Leaving, leaving};
use crate::model::fairness::Assumption;
use crate::model::formula::StateLeaf;
use crate::model::joint::Joint;
use crate::model::spec::Expectation;
use crate::model::{
    Agent, AgentId, Constant, ConstantName, Constants, EnumType, Expr as Typed, Formula, Instance, InstanceId, Literal,
    Model, Parameters, PointToPoint, Restriction, Spec, Variable,
};
use crate::source::Span;
use crate::syntax::ast::Spec as Named;
pub use formula::STANDARD;
use names::Names;
use rustc_hash::FxHashMap;

/// Makes a model of a tree, whose formulas have these names and expectations. It is meant for use without errors only.
pub fn elaborate(file: &File, named: &[Named], chosen: &Constants, found: &mut Diagnostics) -> Option<Model> {
    let mut context = Context::new(file, found);
    let joint = Joint { behaviours: (0..file.agents.len()).map(|index| context.behaviour(index)).collect() };
    context.propositions();
    context.groups();
    let restriction = context.restriction();
    let mut model = context.model(joint, restriction);
    let assumed = context.fairness();
    let formulas: Vec<Option<Formula>> = file.formulae.iter().map(|item| context.item(item)).collect();
    let uniform = context.uniform(chosen);
    if context.found.has_errors() {
        return None;
    }
    let specs = formulas.into_iter().zip(named).map(|(formula, named)| {
        let spec = Spec {
            name: named.name.as_ref().map(|name| name.name.clone()),
            expect: named.expect.as_ref().and_then(|word| Expectation::named(&word.name)),
            span: named.span,
            ..Spec::from(match &uniform {
                Some(group) => uniformly(formula?, group),
                None => formula?.of_all_runs(),
            })
        };
        Some(spec.under(&model, &assumed))
    });
    model.specs = specs.collect::<Option<_>>()?;
    model.constants = chosen.iter().map(|(name, value)| constant(name, value)).collect();
    leaving_lines(&model).into_iter().for_each(|finding| context.report(finding));
    Some(model)
}

/// That the agents of a group have deterministic protocols with which a formula holds.
fn uniformly(formula: Formula, group: &[InstanceId]) -> Formula {
    let operator = Operator::Strategy(Information::Protocols, group.to_vec());
    Formula::Branching(Box::new(Branching { operator, body: formula, among: None }))
}

fn constant(name: &ConstantName, value: &Literal) -> Constant {
    Constant { name: name.clone(), value: value.clone(), is_given: true }
}

/// Warnings about lines of evolutions whose values can leave their domains.
fn leaving_lines(model: &Model) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if let Some(joint) = &model.joint {
        for (instance, behaviour) in model.instance_ids().zip(&joint.behaviours) {
            for (number, line) in (0..).zip(&behaviour.lines) {
                let Some(Leaving { variable, values }) = leaving(model, joint, instance, number) else { continue };
                let variable = &model.agent_of(instance).locals[variable.index()];
                let shown = values.iter().map(|((owner, local), value)| {
                    let read = &model.agent_of(*owner).locals[local.index()];
                    let whose =
                        if *owner == instance { "" } else { &format!("{}.", model.instances[owner.index()].name) };
                    format!("`{whose}{} = {}`", read.name, model.show(value, read.ty))
                });
                let shown: Vec<String> = shown.collect();
                let message = format!("the new value of `{}` can be outside of its domain", variable.name);
                let label = match shown[..] {
                    [] => "it always is".to_owned(),
                    _ => format!("for example where {}", shown.join(" and ")),
                };
                let finding = Diagnostic::new(Code::LineLeavesDomain, line.span, message).label(label);
                found.push(finding.help(
                    "the line is not taken then: let its condition exclude such values, or widen the domain; `--overflow` asks if that occurs",
                ));
            }
        }
    }
    found
}

/// The meaning of a condition on the states of a file, over variables and propositions.
pub fn condition(file: &File, condition: Expr, found: &mut Diagnostics) -> Option<Formula> {
    let mut context = Context::new(file, found);
    context.global_condition(&with_propositions(file, condition)).map(Formula::Atom)
}

/// A condition with what its propositions say in their places.
fn with_propositions(file: &File, expr: Expr) -> Expr {
    let part = |part: Box<Expr>| Box::new(with_propositions(file, *part));
    let list = |list: Vec<Expr>| list.into_iter().map(|part| with_propositions(file, part)).collect();
    let kind = match expr.kind {
        ExprKind::Name(None, name) => match file.evaluation.iter().find(|known| known.name.name == name.name) {
            Some(Proposition { condition: Some(condition), .. }) => condition.kind.clone(),
            _ => ExprKind::Name(None, name),
        },
        ExprKind::Not(inner) => ExprKind::Not(part(inner)),
        ExprKind::All(parts) => ExprKind::All(list(parts)),
        ExprKind::Any(parts) => ExprKind::Any(list(parts)),
        ExprKind::Binary(op, left, right) if op == Op::Implies || op.is_on_bits() => {
            ExprKind::Binary(op, part(left), part(right))
        }
        // Operands of comparisons are values, and constants can be called like propositions.
        other => other,
    };
    Expr { kind, ..expr }
}

/// The facts known of a file.
struct Context<'a> {
    file: &'a File,
    found: &'a mut Diagnostics,
    enums: Vec<EnumType>,
    names: Names<'a>,
    /// Per agent its variables.
    locals: Vec<Vec<Variable>>,
    /// Propositions, with what they say as far as it could be read.
    propositions: FxHashMap<&'a str, (Span, Option<Typed<StateLeaf>>)>,
    /// Groups with their members.
    groups: FxHashMap<&'a str, (Span, Vec<u32>)>,
    /// Names that nothing declares, and which finding tells of each.
    undeclared: FxHashMap<(&'static str, String), usize>,
}

impl<'a> Context<'a> {
    fn new(file: &'a File, found: &'a mut Diagnostics) -> Context<'a> {
        let mut context = Context {
            file,
            found,
            enums: Vec::new(),
            names: Names::default(),
            locals: Vec::new(),
            propositions: FxHashMap::default(),
            groups: FxHashMap::default(),
            undeclared: FxHashMap::default(),
        };
        context.declare();
        context
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        add(self.found, diagnostic);
    }

    /// Reports a name of some kind that nothing declares: once, with its other places.
    fn unknown(&mut self, kind: &'static str, name: &str, finding: Diagnostic) {
        const MOST: usize = 8;
        let key = (kind, name.to_owned());
        if let Some(told) = self.undeclared.get(&key).and_then(|index| self.found.get_mut(*index)) {
            if told.related.len() < MOST {
                told.related.push(Label { span: finding.span, message: "here, too".to_owned() });
            }
            return;
        }
        self.undeclared.insert(key, self.found.iter().count());
        self.report(finding);
    }

    /// Reports a name that is declared a second time.
    fn repeated(&mut self, what: &str, name: &str, first: Span, second: Span) {
        let message = format!("two {what} are called `{name}`");
        let finding = Diagnostic::new(Code::DuplicateName, second, message).label("the second one");
        self.report(finding.related(first, "the first one").help("rename one of them"));
    }

    /// The meanings of propositions.
    fn propositions(&mut self) {
        for proposition in &self.file.evaluation {
            let condition = proposition.condition.as_ref().and_then(|condition| self.global_condition(condition));
            let name = &proposition.name;
            match self.propositions.get(name.name.as_str()) {
                Some((first, _)) => self.repeated("propositions", &name.name, *first, name.span),
                None => drop(self.propositions.insert(&name.name, (name.span, condition))),
            }
        }
    }

    fn groups(&mut self) {
        for group in &self.file.groups {
            let mut members = Vec::new();
            for member in &group.members {
                let Some(agent) = self.agent_named(member) else { continue };
                if members.contains(&agent) {
                    let message = format!("`{}` is in the group twice", member.name);
                    self.report(Diagnostic::new(Code::DuplicateName, member.span, message).help("leave it out here"));
                } else {
                    members.push(agent);
                }
            }
            members.sort_unstable();
            if group.members.is_empty() && group.is_complete {
                let message = format!("the group `{}` has no member", group.name.name);
                self.report(Diagnostic::new(Code::UnexpectedToken, group.name.span, message).help("name its agents"));
            }
            match self.groups.get(group.name.name.as_str()) {
                Some((first, _)) => self.repeated("groups", &group.name.name, *first, group.name.span),
                None => drop(self.groups.insert(&group.name.name, (group.name.span, members))),
            }
        }
    }

    /// The agents whose protocols are to be made deterministic, if that is chosen.
    fn uniform(&mut self, chosen: &Constants) -> Option<Vec<InstanceId>> {
        let group = chosen.keys().find_map(|name| match name {
            ConstantName::Uniform(group) => Some(group),
            _ => None,
        })?;
        let Some(name) = group else { return Some((0..self.file.agents.len() as u32).map(InstanceId).collect()) };
        if let Some((_, members)) = self.groups.get(name.as_str()) {
            return Some(members.iter().copied().map(InstanceId).collect());
        }
        let known: Vec<&str> = self.file.groups.iter().map(|group| group.name.name.as_str()).collect();
        let message = format!("`--uniform={name}` names no group of this file");
        let help = match known[..] {
            [] => "the file declares no groups; `--uniform` alone is about all agents".to_owned(),
            _ => format!("the file declares {}", known.join(", ")),
        };
        self.report(Diagnostic::new(Code::UnknownName, Span::default(), message).help(help));
        None
    }

    /// The condition on initial states, by conjuncts.
    fn restriction(&mut self) -> Option<Restriction> {
        let (condition, _) = self.file.init.as_ref()?;
        let mut conjuncts = Vec::new();
        let mut open = vec![condition];
        while let Some(part) = open.pop() {
            match &part.kind {
                ExprKind::All(list) => open.extend(list.iter().rev()),
                _ => conjuncts.push(part),
            }
        }
        let places = conjuncts.iter().map(|part| part.span).collect();
        let atoms: Vec<Option<Formula>> =
            conjuncts.into_iter().map(|part: &Expr| self.global_condition(part).map(Formula::Atom)).collect();
        let formula = Formula::And(atoms.into_iter().collect::<Option<_>>()?);
        Some(Restriction { formula, places })
    }

    fn model(&mut self, joint: Joint, restriction: Option<Restriction>) -> Model {
        let agents = self.file.agents.iter().zip(&self.locals).map(|(agent, locals)| Agent {
            name: agent.name.name.clone(),
            locals: locals.clone(),
            init: Typed::TRUE,
            conditions: Vec::new(),
            relabel: Vec::new(),
            receive_guard: Typed::FALSE,
            states: 1,
            edges: Vec::new(),
        });
        let instances = self.file.agents.iter().zip(0..).map(|(agent, index)| Instance {
            name: agent.name.name.clone(),
            agent: AgentId(index),
            init: Typed::TRUE,
            conditions: Vec::new(),
        });
        Model {
            restriction,
            constants: Vec::new(),
            enums: self.enums.clone(),
            channels: vec!["*".to_owned()],
            messages: Vec::new(),
            properties: Vec::new(),
            agents: agents.collect(),
            instances: instances.collect(),
            joint: Some(joint),
            parameters: Parameters::default(),
            open: None,
            specs: Vec::new(),
            point_to_point: PointToPoint::default(),
        }
    }

    /// The condition on runs that count: each formula again and again.
    fn fairness(&mut self) -> Vec<Assumption> {
        let assumed = |(formula, span): (Formula, Span)| {
            let again = formula.finally().globally();
            Assumption { formula: again, span }
        };
        let list: Vec<_> =
            self.file.fairness.iter().map(|formula| (self.propositional(formula), formula.span)).collect();
        list.into_iter().filter_map(|(formula, span)| Some(assumed((formula?, span)))).collect()
    }
}
