//! Models without constants, families, sums and sizes: what they stand for is written out.
//!
//! Conditional expressions and counts have no plain form: a value that depends on a condition takes commands of its own.

use super::ast::{
    Action, Agent, Aggregate, AnySize, BinaryOp, Declaration, Expr, ExprKind, Family, Global, Ident, Instance,
};
use super::ast::{
    ConstantName, Constants, Literal, Model, PointToPoint, Process, ProcessKind, Type, TypeKind, sized_types,
};
use super::walk;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::Span;
use dashu_int::IBig;
use rustc_hash::FxHashMap;

/// The model with everything written out, where its constants have these values; or what has no plain form. The model
/// has to be one without errors.
pub fn plain(model: &Model, constants: &Constants) -> Result<Model, Diagnostics> {
    let (bound, refused) = (FxHashMap::default(), Vec::new());
    let mut writer = Writer { tree: model, constants, members: Vec::new(), bound, refused };
    for instance in &model.system {
        let members = writer.family(instance);
        writer.members.extend(members);
    }
    let mut model = model.clone();
    model.globals.retain(|global| match global {
        Global::Constant { .. } | Global::PointToPoint { .. } => false,
        Global::Guard(guard) => !writer.reads_locals(&guard.name.name),
        Global::Enum { .. } | Global::Messages(_) | Global::Properties(_) => true,
    });
    model.globals.iter_mut().for_each(|global| writer.global(global));
    model.agents.iter_mut().for_each(|agent| writer.agent(agent));
    model.system = writer.members.clone();
    model.restriction.iter().for_each(|restriction| writer.refuse("`where`", restriction.span));
    model.specs.iter_mut().for_each(|spec| writer.expr(&mut spec.formula));
    model.assumptions.iter().for_each(|assumption| writer.refuse("`ASSUME`", assumption.span));
    if writer.refused.is_empty() { Ok(model) } else { Err(refusals(&writer.refused)) }
}

/// One error for all things of a kind, at the first of them.
fn refusals(refused: &[(&str, Span)]) -> Diagnostics {
    let mut diagnostics = Diagnostics::new();
    for (index, &(what, span)) in refused.iter().enumerate() {
        if refused[..index].iter().any(|(before, _)| *before == what) {
            continue;
        }
        let label = match refused.iter().filter(|(other, _)| *other == what).count() {
            1 => "only this tool reads it".to_owned(),
            many => format!("the first of {many}; only this tool reads them"),
        };
        let diagnostic = Diagnostic::new(Code::NotAllowedHere, span, format!("{what} has no plain form"));
        diagnostics.push(diagnostic.label(label).help("nothing was written; `fmt` without `--plain` keeps it"));
    }
    diagnostics.sorted()
}

struct Writer<'a> {
    tree: &'a Model,
    constants: &'a Constants,
    /// All instances.
    members: Vec<Instance>,
    /// The meanings of names beside constants.
    bound: FxHashMap<String, ExprKind>,
    /// Parts that have no plain form.
    refused: Vec<(&'static str, Span)>,
}

impl Writer<'_> {
    /// The instances of a family one by one; any other instance alone.
    fn family(&mut self, instance: &Instance) -> Vec<Instance> {
        let mut member = Instance { family: None, ..instance.clone() };
        let Some(family) = &instance.family else {
            self.expr(&mut member.init);
            return vec![member];
        };
        let (bounds, what, span) = match &**family {
            Family::Range(first, last) => {
                let bound = |expr| i64::try_from(self.value(expr)?).ok();
                (bound(first).zip(bound(last)), "this size", first.span.to(last.span))
            }
            Family::Any(AnySize { given: Some(Literal::Int(size)), star, .. }) => {
                (i64::try_from(size).ok().map(|size| (1, size)), "this size", *star)
            }
            Family::Any(AnySize { star, .. }) => (None, "a family of any size (`--size` chooses one)", *star),
        };
        let Some((first, last)) = bounds else {
            self.refuse(what, span);
            return Vec::new();
        };
        let of_number = |index: i64| {
            let mut member = member.clone();
            member.name.name += &index.to_string();
            if self.has_index(instance) {
                self.bound.insert("index".to_owned(), ExprKind::Int(index.into()));
            }
            self.expr(&mut member.init);
            self.bound.clear();
            member
        };
        (first..=last).map(of_number).collect()
    }

    /// True if `index` is a number in the condition of a family: nothing else is called so.
    fn has_index(&self, instance: &Instance) -> bool {
        let agent = self.tree.agents.iter().find(|agent| agent.name == instance.agent);
        let is_local = agent.is_some_and(|agent| agent.locals.iter().any(|local| local.name.name == "index"));
        let is_named = |global: &Global| global.constants().iter().any(|constant| constant.name == "index");
        let is_instance =
            self.tree.system.iter().any(|instance| instance.name.name == "index" && instance.family.is_none());
        !is_local && !is_instance && !self.tree.globals.iter().any(is_named)
    }

    fn global(&mut self, global: &mut Global) {
        match global {
            Global::Enum { .. } | Global::Constant { .. } | Global::PointToPoint { .. } => {}
            Global::Messages(list) | Global::Properties(list) => self.declarations(list),
            Global::Guard(guard) => {
                self.declarations(&mut guard.parameters);
                self.expr(&mut guard.body);
            }
        }
    }

    fn declarations(&mut self, list: &mut [Declaration]) {
        list.iter_mut().for_each(|declaration| self.ty(&mut declaration.ty));
    }

    fn ty(&mut self, ty: &mut Type) {
        let TypeKind::Range(low, high) = &mut ty.kind else { return };
        for end in [low, high] {
            match self.value(end) {
                Some(value) => end.kind = ExprKind::Int(value),
                None => self.refuse("this range", end.span),
            }
        }
    }

    fn agent(&mut self, agent: &mut Agent) {
        self.declarations(&mut agent.locals);
        agent.init.iter_mut().for_each(|init| self.expr(init));
        agent.relabel.iter_mut().for_each(|assignment| self.expr(&mut assignment.value));
        agent.receive_guard.iter_mut().for_each(|guard| self.expr(guard));
        self.process(&mut agent.process);
    }

    fn process(&mut self, process: &mut Process) {
        match &mut process.kind {
            ProcessKind::Error => {}
            ProcessKind::Command(command) => {
                self.supply(&command.action);
                walk::command_expressions_mut(command, &mut |expr| self.expr(expr));
            }
            ProcessKind::Sequence(left, right) | ProcessKind::Choice(left, right) => {
                self.process(left);
                self.process(right);
            }
            ProcessKind::Rep(body) => self.process(body),
        }
    }

    /// Other tools have no line that chooses the paper's reading, in which supplies to `any` and by name mean something else.
    fn supply(&mut self, action: &Action) {
        if let Some(name) = action.getter()
            && name.name != "self"
            && self.tree.chosen_reading() == Some(PointToPoint::Paper)
        {
            self.refuse("a supply as in the paper", name.span);
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Name(name) => {
                if let Some(meaning) = self.meaning(name) {
                    expr.kind = meaning;
                }
            }
            ExprKind::Member { owner, .. } => {
                if let Some(ExprKind::Name(instance)) = self.bound.get(&owner.name) {
                    owner.name = instance.clone();
                }
            }
            ExprKind::Call { callee, arguments } => match (callee.name.as_str(), &mut arguments[..]) {
                ("size", [argument]) if !self.is_guard("size") && sized_types(argument).is_some() => {
                    expr.kind = ExprKind::Int(self.size(&sized_types(argument).unwrap_or_default()));
                }
                (word @ ("enabled" | "acts" | "weak" | "strong"), _) if !self.is_guard(word) => {
                    self.refuse("what an agent can do or does", expr.span);
                }
                (word @ ("A" | "E" | "K" | "GK" | "DK" | "GCK"), _) if !self.is_guard(word) => {
                    self.refuse("what happens on other runs, or is known", expr.span);
                }
                (word @ ("can" | "could"), _) if !self.is_guard(word) => {
                    self.refuse("what agents can bring about", expr.span);
                }
                (guard, _) if self.reads_locals(guard) => {
                    expr.kind = self.body(guard, arguments);
                    self.expr(expr);
                }
                _ => arguments.iter_mut().for_each(|argument| self.expr(argument)),
            },
            ExprKind::If { .. } => self.refuse("a conditional expression", expr.span),
            ExprKind::Aggregate { aggregate: Aggregate::Count, .. } => self.refuse("a count", expr.span),
            ExprKind::Aggregate { aggregate: Aggregate::Sum, .. } => self.sum(expr),
            ExprKind::Error | ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Star | ExprKind::Chan => {}
            ExprKind::Myself | ExprKind::Property(_) | ExprKind::Group(_) => {}
            ExprKind::Assignments(..)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Observe { .. }
            | ExprKind::Quantified { .. } => {
                expr.kind.parts_mut().into_iter().for_each(|part| self.expr(part));
            }
        }
    }

    fn refuse(&mut self, what: &'static str, span: Span) {
        self.refused.push((what, span));
    }

    /// The value of a declared constant.
    fn constant(&self, name: &str) -> Option<&Literal> {
        self.constants.get(&ConstantName::Declared(name.to_owned()))
    }

    /// The meaning of a name.
    fn meaning(&self, name: &str) -> Option<ExprKind> {
        let literal = || match self.constant(name)? {
            Literal::Bool(value) => Some(ExprKind::Bool(*value)),
            Literal::Int(value) => Some(ExprKind::Int(value.clone())),
        };
        self.bound.get(name).cloned().or_else(literal)
    }

    fn is_guard(&self, name: &str) -> bool {
        self.tree.guard(name).is_some()
    }

    /// True if a guard reads locals of the agents that call it, itself or by another guard.
    fn reads_locals(&self, name: &str) -> bool {
        let Some(guard) = self.tree.guard(name) else { return false };
        let is_local = |name: &str| {
            let is_parameter = guard.parameters.iter().any(|parameter| parameter.name.name == name);
            !is_parameter && self.tree.agents.iter().flat_map(|agent| &agent.locals).any(|it| it.name.name == name)
        };
        let mut reads = false;
        walk::nested(&guard.body, &mut |expr| {
            reads |= match &expr.kind {
                ExprKind::Name(name) => is_local(name),
                ExprKind::Member { owner, member } => is_local(&owner.name) || is_local(&member.name),
                ExprKind::Call { callee, .. } => callee.name != name && self.reads_locals(&callee.name),
                _ => false,
            };
        });
        reads
    }

    /// The body of a guard with arguments in place of its parameters.
    fn body(&self, name: &str, arguments: &[Expr]) -> ExprKind {
        let Some(guard) = self.tree.guard(name) else { return ExprKind::Error };
        let place = |name: &str| guard.parameters.iter().position(|parameter| parameter.name.name == name);
        let mut body = guard.body.clone();
        walk::nested_mut(&mut body, &mut |expr| {
            if let ExprKind::Member { owner, member } = &expr.kind {
                // No instance has members in a guard: it is a difference.
                let operand = |name: &Ident| {
                    let kind = ExprKind::Name(name.name.clone());
                    Box::new(Expr::new(kind, name.span))
                };
                expr.kind = ExprKind::Binary(BinaryOp::Sub, operand(owner), operand(member));
            }
        });
        // No name of a file has a space, so none of an argument is taken for a parameter.
        let hole = |place: usize| format!("parameter {place}");
        walk::nested_mut(&mut body, &mut |expr| {
            if let ExprKind::Name(name) = &mut expr.kind
                && let Some(place) = place(name)
            {
                *name = hole(place);
            }
        });
        walk::nested_mut(&mut body, &mut |expr| {
            let filled = |name: &String| (0..arguments.len()).find(|&place| hole(place) == *name);
            if let ExprKind::Name(name) = &expr.kind
                && let Some(place) = filled(name)
            {
                expr.kind = arguments[place].kind.clone();
            }
        });
        body.kind
    }

    /// The number of instances of some types.
    fn size(&self, types: &[Ident]) -> IBig {
        let is_meant = |agent: &str| types.iter().any(|ty| ty.name == "Agent" || ty.name == agent);
        self.members.iter().filter(|instance| is_meant(&instance.agent.name)).count().into()
    }

    fn sum(&mut self, expr: &mut Expr) {
        let ExprKind::Aggregate { variable, domain, body, .. } = &expr.kind else { return };
        let is_member = |name: &str| domain.iter().any(|ty| ty.name == name || ty.name == "Agent");
        let members = self.members.iter().filter(|instance| is_member(&instance.agent.name));
        let names: Vec<String> = members.map(|instance| instance.name.name.clone()).collect();
        let mut sum: Option<Expr> = None;
        for name in names {
            let mut summand = (**body).clone();
            self.bound.insert(variable.name.clone(), ExprKind::Name(name));
            self.expr(&mut summand);
            let span = summand.span;
            sum = Some(match sum {
                Some(before) => {
                    let kind = ExprKind::Binary(BinaryOp::Add, Box::new(before), Box::new(summand));
                    Expr::new(kind, span)
                }
                None => summand,
            });
        }
        self.bound.remove(&variable.name);
        expr.kind = sum.map_or(ExprKind::Int(IBig::ZERO), |sum| sum.kind);
    }

    /// The value of arithmetic over constants.
    fn value(&self, expr: &Expr) -> Option<IBig> {
        expr.integer(&|name| match self.constant(name)? {
            Literal::Int(value) => Some(value.clone()),
            Literal::Bool(_) => None,
        })
    }
}
