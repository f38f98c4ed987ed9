//! Specs: formulas with their quantifiers expanded.

use super::context::{Context, EXPANSION_LIMIT};
use super::expression::{Scope, evident_type, expression, hidden_member, operand_type, wanted_by};
use super::guards::too_large;
use super::names::{Meaning, Member, duplicate};
use super::scopes::misplaced;
use super::spec_scopes::{StateScope, label_as_value};
use super::types::Typed;
use crate::diag::{Code, Diagnostic};
use crate::limits::ticks;
use crate::model::expr::in_halves;
use crate::model::fairness::{Actor, Assumption};
use crate::model::formula::{Formula, StateLeaf};
use crate::model::spec::{Expanded, Expectation, Spec};
use crate::model::written::Written;
use crate::model::{Expr, InstanceId, Model, Restriction, Type, Value};
use crate::source::Span;
use crate::syntax::ast::{self, Aggregate, BinaryOp, ExprKind, Part, Quantifier, UnaryOp};
use crate::syntax::{directive, walk};
use rustc_hash::FxHashSet;

/// The elaboration of one spec.
pub(super) struct Formulas<'c, 'a> {
    /// The facts known of the file.
    pub(super) context: &'c mut Context<'a>,
    /// The model without specs.
    pub(super) model: &'c Model,
    /// The quantified variables in scope.
    pub(super) scope: StateScope,
    /// The places of `exists(..)` and `forall(..)` whose assignments have been counted.
    pub(super) counted: FxHashSet<Span>,
    /// True if it was reported that the observation that is read does not see the state.
    pub(super) is_blind: bool,
    nodes: usize,
    span: Span,
    expanded: Vec<Expanded>,
}

/// A part of a formula: a value of the state, as long as it is one.
enum Piece {
    State(Typed<StateLeaf>),
    Formula(Formula, Span),
}

impl Piece {
    fn ty(&self) -> Option<Type> {
        match self {
            Piece::State(typed) => Some(typed.ty),
            Piece::Formula(..) => None,
        }
    }
}

/// The report of a variable that hides the one of a quantifier around it.
fn hidden(variable: &ast::Ident, outer: Span) -> Diagnostic {
    let message = format!("the inner `{}` hides the outer one", variable.name);
    Diagnostic::new(Code::HiddenName, variable.span, message)
        .label("from here on, this one is meant")
        .related(outer, "the outer one is declared here")
        .help("rename one of them")
}

impl Context<'_> {
    /// All specs.
    pub(super) fn specs(&mut self, model: &Model) -> Vec<Spec> {
        let specs = &self.tree.specs;
        directive::repeated_names(specs).into_iter().for_each(|finding| self.report(finding));
        let tree = self.tree;
        let (mut assumed, mut read) = (Vec::new(), 0);
        if let Some(fairness) = tree.fair {
            let treated = model.instance_ids().map(|instance| Actor::Instance(instance).is_treated(fairness, model));
            assumed.push(Assumption { formula: Formula::And(treated.collect()), span: Span::default() });
        }
        let mut list = Vec::with_capacity(specs.len());
        for (above, spec) in specs.iter().enumerate() {
            while let Some(assumption) = tree.assumptions.get(read).filter(|assumption| assumption.above <= above) {
                assumed.extend(self.assumption(model, assumption));
                read += 1;
            }
            list.extend(self.spec(model, spec).map(|spec| spec.under(model, &assumed)));
        }
        // No agent stands under the others, but their mistakes are mistakes.
        for assumption in &tree.assumptions[read..] {
            drop(self.assumption(model, assumption));
            let idle = Diagnostic::new(Code::IdleAssumption, assumption.span, "no spec stands below this assumption");
            self.report(idle.label("restricts nothing").help("assumptions are about the specs below them"));
        }
        list
    }

    fn assumption(&mut self, model: &Model, assumption: &ast::Assumption) -> Option<Assumption> {
        let formula = Formulas::new(self, model, assumption.formula.span).formula(&assumption.formula)?;
        if formula.is_branching() {
            let message = "an assumption is about each run on its own";
            let help = "other runs (`A`, `E`), knowledge (`K`, `GK`, `DK`, `GCK`) and strategies (`can`, `could`) belong into specs";
            self.report(misplaced(message, assumption.formula.span).help(help));
            return None;
        }
        Some(Assumption { formula, span: assumption.span })
    }

    /// The condition on the initial values of all instances.
    pub(super) fn restriction(&mut self, model: &Model) -> Option<Restriction> {
        let written = self.tree.restriction.as_ref()?;
        let conjuncts = walk::conjuncts(written);
        let places = conjuncts.iter().map(|conjunct| conjunct.span).collect();
        let parts: Vec<Option<Formula>> =
            conjuncts.into_iter().map(|conjunct| Formulas::new(self, model, written.span).formula(conjunct)).collect();
        let formula = Formula::And(parts.into_iter().collect::<Option<_>>()?);
        if !formula.is_about_locals() {
            let diagnostic = misplaced("`where` is about the initial values of locals only", written.span);
            let help = "labels, observations, temporal operators, other runs, knowledge, `deadlock` and automaton states belong into specs";
            self.report(diagnostic.help(help));
            return None;
        }
        Some(Restriction { formula, places })
    }

    fn spec(&mut self, model: &Model, spec: &ast::Spec) -> Option<Spec> {
        let expect = spec.expect.as_ref().and_then(|word| Expectation::named(&word.name));
        // A spec that is violated for some size need not be for one that was asked for.
        let is_sized = self.families.iter().any(|family| family.is_given);
        // Nor need it be where more is assumed than in the file.
        let is_other = is_sized || self.tree.fair.is_some();
        let expect = expect.filter(|expect| *expect == Expectation::Holds || !is_other);
        let mut formulas = Formulas::new(self, model, spec.formula.span);
        let formula = formulas.formula(&spec.formula)?.of_all_runs();
        let expanded = formulas.expanded;
        Some(Spec {
            name: spec.name.as_ref().map(|name| name.name.clone()),
            expect,
            formula,
            under: None,
            text: None,
            span: spec.span,
            question: None,
            expanded,
        })
    }
}

impl<'c, 'a> Formulas<'c, 'a> {
    pub(super) fn new(context: &'c mut Context<'a>, model: &'c Model, span: Span) -> Formulas<'c, 'a> {
        let (scope, counted) = (StateScope::default(), FxHashSet::default());
        Formulas { context, model, scope, counted, is_blind: false, nodes: 0, span, expanded: Vec::new() }
    }
}

/// Over how many instances something has to range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Least {
    /// Over none, it is 0. Members that totals of an open instance stand for are not among them.
    None,
    /// Over none, it is most probably a mistake.
    One,
}

const SUMMED: &str = "what is summed up is a number; put arithmetic and comparisons behind it in parentheses";

impl Formulas<'_, '_> {
    /// An expression as a formula.
    pub(super) fn formula(&mut self, expr: &ast::Expr) -> Option<Formula> {
        let piece = self.piece(expr)?;
        self.as_formula(piece)
    }

    fn as_formula(&mut self, piece: Piece) -> Option<Formula> {
        match piece {
            Piece::State(typed) => self.context.expect(typed, Type::Bool).map(Formula::Atom),
            Piece::Formula(formula, _) => Some(formula),
        }
    }

    fn as_state(&mut self, piece: Piece) -> Option<Typed<StateLeaf>> {
        match piece {
            Piece::State(typed) => Some(typed),
            Piece::Formula(Formula::Label(instance, edge), span) => {
                let names = self.context.names_of(instance)?;
                let label = names.members.names(|member| member == Member::Label(edge)).next()?;
                self.context.report(label_as_value(label, span, names.members.get(label)?.span));
                None
            }
            Piece::Formula(formula, span) => {
                let expr = formula.as_state_expr();
                if expr.is_none() {
                    self.context.report(
                        misplaced("a formula with labels, observations, temporal operators, other runs or knowledge is no value", span)
                            .help("compare values of the state, and combine the comparisons"),
                    );
                }
                expr.map(|expr| Typed::new(expr, Type::Bool, span))
            }
        }
    }

    /// Counts one more node; `None` once there are too many, which is reported.
    pub(super) fn count(&mut self, nodes: usize) -> Option<()> {
        ticks(nodes);
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > EXPANSION_LIMIT {
            self.context.report(too_large("the spec", self.span).help("quantify over fewer instances at once"));
            return None;
        }
        Some(())
    }

    /// The recursion over formulas. Other functions that it calls are never inlined, so that its frames stay
    /// small and the highest trees fit the stack of any thread.
    fn piece(&mut self, expr: &ast::Expr) -> Option<Piece> {
        self.count(1)?;
        match &expr.kind {
            ExprKind::Unary(op, inner) => {
                let inner = self.wanted_piece(inner, Some(operand_type(*op)))?;
                self.prefix(*op, inner, expr.span)
            }
            ExprKind::Binary(op, left, right) => {
                if let Some((owner, member)) = hidden_member(self.context, &self.scope, expr) {
                    return self.member(&owner, &member, expr.span);
                }
                let left = self.wanted_piece(left, wanted_by(*op, evident_type(right)));
                let right = self.wanted_piece(right, wanted_by(*op, left.as_ref().and_then(Piece::ty)));
                self.context.unless_chained(expr)?;
                self.infix(*op, left?, right?, expr.span)
            }
            ExprKind::Call { callee, arguments } if let Some(word) = self.word_of_fairness(callee, arguments) => {
                let formula = self.fairness(word, callee, arguments, expr.span)?;
                Some(if let Formula::Atom(condition) = formula {
                    Piece::State(Typed::new(condition, Type::Bool, expr.span))
                } else {
                    Piece::Formula(formula, expr.span)
                })
            }
            ExprKind::Call { callee, arguments } if let Some(word) = self.word_of_branching(callee) => {
                let formula = self.branching(word, callee, arguments, expr.span)?;
                Some(Piece::Formula(formula, expr.span))
            }
            ExprKind::Member { owner, member } if self.scope.owns_members(self.context, &owner.name) => {
                self.member(owner, member, expr.span)
            }
            ExprKind::Observe { modality, observation, body } => {
                let formula = self.observe(*modality, observation, body)?;
                Some(Piece::Formula(formula, expr.span))
            }
            ExprKind::Quantified { quantifier, variable, domain, body } => {
                let formula = self.quantified(*quantifier, variable, domain, body)?;
                Some(Piece::Formula(formula, expr.span))
            }
            ExprKind::If { condition, yes, no } => {
                let condition = self.wanted_piece(condition, Some(Type::Bool));
                let yes = self.piece(yes);
                let no = self.wanted_piece(no, yes.as_ref().and_then(Piece::ty));
                self.conditional(condition?, yes?, no?, expr.span)
            }
            ExprKind::Aggregate { aggregate, variable, domain, body } => {
                self.aggregate(*aggregate, variable, domain, body, expr.span)
            }
            _ => self.value_piece(expr),
        }
    }

    /// A piece of which the type is known that it should have.
    fn wanted_piece(&mut self, expr: &ast::Expr, ty: Option<Type>) -> Option<Piece> {
        self.context.want(expr, ty);
        let piece = self.piece(expr);
        self.context.want(expr, None);
        piece
    }

    fn observe(&mut self, modality: ast::Modality, observation: &ast::Expr, body: &ast::Expr) -> Option<Formula> {
        self.is_blind = false;
        let (observation, body) = (self.observation(observation, false), self.formula(body));
        let (observation, body) = (observation?, body?);
        Some(match modality {
            ast::Modality::Possible => Formula::possible(observation, body),
            ast::Modality::Necessary => Formula::necessary(observation, body),
        })
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        variable: &ast::Ident,
        domain: &[ast::Ident],
        body: &ast::Expr,
    ) -> Option<Formula> {
        let expanded = self.expand(variable, domain, Least::One, |formulas| {
            let formula = formulas.formula(body)?;
            let variables = formulas.scope.bindings.variables();
            formulas.expanded.push(Expanded { variables, formula: formula.clone() });
            Some(formula)
        })?;
        Some(match quantifier {
            Quantifier::Forall => Formula::And(expanded),
            Quantifier::Exists => Formula::Or(expanded),
        })
    }

    #[inline(never)]
    fn conditional(&mut self, condition: Piece, yes: Piece, no: Piece, span: Span) -> Option<Piece> {
        let (condition, yes, no) = (self.as_state(condition), self.as_state(yes), self.as_state(no));
        self.context.conditional(span, condition?, yes?, no?).map(Piece::State)
    }

    #[inline(never)]
    fn aggregate(
        &mut self,
        aggregate: Aggregate,
        variable: &ast::Ident,
        domain: &[ast::Ident],
        body: &ast::Expr,
        span: Span,
    ) -> Option<Piece> {
        let number = |value| Typed::constant(Value::int(value), Type::Int, span);
        let mut summands =
            self.expand(variable, domain, Least::None, |formulas| formulas.summand(aggregate, body, span))?;
        for family in self.context.summed_families(domain) {
            let total = self.total(family, |formulas| {
                formulas.scope.bindings.push(variable, formulas.context.any_member(family));
                let summand = formulas.summand(aggregate, body, span);
                formulas.scope.bindings.pop();
                summand
            })?;
            summands.push(Typed::new(Expr::Leaf(StateLeaf::Total(total)), Type::Int, span));
        }
        let sum = in_halves(summands, |left, right| self.context.binary(BinaryOp::Add, span, left, right))?;
        let sum = sum.unwrap_or_else(|| number(0));
        // Of families of any size it is another one in other instances.
        let bound = sum.bound || !self.context.families.is_empty();
        Some(Piece::State(Typed { bound, ..sum }))
    }

    /// Notes the totals of a sum or of a count.
    pub(super) fn note_totals(&mut self, sum: &ast::Expr) {
        self.piece(sum);
    }

    /// The contribution of one instance to a sum or to a count.
    fn summand(&mut self, aggregate: Aggregate, body: &ast::Expr, span: Span) -> Option<Typed<StateLeaf>> {
        let number = |value| Typed::constant(Value::int(value), Type::Int, span);
        let piece = match &body.kind {
            ExprKind::Binary(op, left, right)
                if aggregate == Aggregate::Count && op.is_comparison() && !body.parenthesised =>
            {
                self.counted_comparison(body, *op, left, right)?
            }
            _ => self.piece(body)?,
        };
        let typed = self.as_state(piece)?;
        if aggregate == Aggregate::Sum {
            let expr = self.context.expect_in_place(typed, Type::Int, Some(SUMMED))?;
            return Some(Typed::new(expr, Type::Int, span));
        }
        let expr = self.context.expect(typed, Type::Bool)?;
        self.count(2)?;
        self.context.conditional(span, Typed::new(expr, Type::Bool, span), number(1), number(0))
    }

    /// A comparison that is counted, unless it was meant to be one of the count.
    #[inline(never)]
    fn counted_comparison(
        &mut self,
        body: &ast::Expr,
        op: BinaryOp,
        left: &ast::Expr,
        right: &ast::Expr,
    ) -> Option<Piece> {
        self.count(1)?;
        let left = self.wanted_piece(left, wanted_by(op, evident_type(right)));
        let right = self.wanted_piece(right, wanted_by(op, left.as_ref().and_then(Piece::ty)));
        let (left, right) = (left?, right?);
        self.refuse_compared_count(left.ty(), right.ty(), body.span)?;
        self.context.unless_chained(body)?;
        self.infix(op, left, right, body.span)
    }

    /// Reports `count k : T . f <= 1`, of which the comparison is counted.
    #[inline(never)]
    fn refuse_compared_count(&mut self, left: Option<Type>, right: Option<Type>, span: Span) -> Option<()> {
        if left != Some(Type::Bool) || right.is_none_or(|ty| ty.base() != Type::Int) {
            return Some(());
        }
        let message = "what is counted reaches to the end, with the comparison";
        self.context.report(
            Diagnostic::new(Code::TypeMismatch, span, message)
                .label("this compares a truth value with a number")
                .help("set parentheses around the count: `(count k : T . f) <= 1`"),
        );
        None
    }

    #[inline(never)]
    fn value_piece(&mut self, expr: &ast::Expr) -> Option<Piece> {
        let typed = expression(self.context, &mut self.scope, expr)?;
        self.count(typed.expr.size() - 1)?;
        Some(Piece::State(typed))
    }

    #[inline(never)]
    fn member(&mut self, owner: &ast::Ident, member: &ast::Ident, span: Span) -> Option<Piece> {
        if let Some((instance, edge)) = self.scope.bindings.label(self.context, owner, member) {
            return Some(Piece::Formula(Formula::Label(instance, edge), span));
        }
        self.scope.member(self.context, owner, member, span).map(Piece::State)
    }

    #[inline(never)]
    fn prefix(&mut self, op: UnaryOp, inner: Piece, span: Span) -> Option<Piece> {
        let temporal = match op {
            UnaryOp::Next => Formula::next,
            UnaryOp::Finally => Formula::finally,
            UnaryOp::Globally => Formula::globally,
            UnaryOp::Not => match inner {
                Piece::State(typed) => return self.context.unary(op, span, typed).map(Piece::State),
                Piece::Formula(formula, _) => return Some(Piece::Formula(formula.not(), span)),
            },
            UnaryOp::Neg => {
                let inner = self.as_state(inner)?;
                return self.context.unary(op, span, inner).map(Piece::State);
            }
        };
        Some(Piece::Formula(temporal(self.as_formula(inner)?), span))
    }

    #[inline(never)]
    fn infix(&mut self, op: BinaryOp, left: Piece, right: Piece, span: Span) -> Option<Piece> {
        let connect: fn(Formula, Formula) -> Formula = match op {
            BinaryOp::Until => Formula::until,
            BinaryOp::WeakUntil => Formula::weak_until,
            BinaryOp::Release => Formula::release,
            _ => return self.connective(op, left, right, span),
        };
        let (left, right) = (self.as_formula(left), self.as_formula(right));
        Some(Piece::Formula(connect(left?, right?), span))
    }

    /// An operator that is one on values if both sides are values, and else may be one on formulas.
    fn connective(&mut self, op: BinaryOp, left: Piece, right: Piece, span: Span) -> Option<Piece> {
        let (left, right) = match (left, right) {
            (Piece::State(left), Piece::State(right)) => {
                return self.context.binary(op, span, left, right).map(Piece::State);
            }
            (formula @ Piece::Formula(..), Piece::State(value))
            | (Piece::State(value), formula @ Piece::Formula(..))
                if matches!(op, BinaryOp::Eq | BinaryOp::Ne) && value.ty != Type::Bool =>
            {
                let formula = self.as_state(formula)?;
                return self.context.binary(op, span, formula, value).map(Piece::State);
            }
            sides => sides,
        };
        let connect: fn(Formula, Formula) -> Formula = match op {
            BinaryOp::And => and,
            BinaryOp::Or => or,
            BinaryOp::Implies => Formula::implies,
            BinaryOp::Iff | BinaryOp::Eq => Formula::iff,
            BinaryOp::Ne => |left, right| left.iff(right).not(),
            _ => {
                let (left, right) = (self.as_state(left), self.as_state(right));
                return self.context.binary(op, span, left?, right?).map(Piece::State);
            }
        };
        let (left, right) = (self.as_formula(left), self.as_formula(right));
        Some(Piece::Formula(connect(left?, right?), span))
    }

    /// The body of a quantifier for each instance of its domain. Instances of one type have the same mistakes: where
    /// one has any, the others are left out.
    pub(super) fn expand<T>(
        &mut self,
        variable: &ast::Ident,
        domain: &[ast::Ident],
        least: Least,
        mut body: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        if !self.context.is_free_for_variable(variable) {
            return None;
        }
        if let Some(first) = self.context.globals.get(&variable.name).map(|symbol| symbol.span) {
            self.context.report(duplicate(variable, first));
        } else if let Some((outer, _)) = self.scope.bindings.get(&variable.name) {
            // Sums over members of any number are known by the names of their variables.
            let may_hide = self.context.families.is_empty();
            self.context.report(if may_hide { hidden(variable, outer) } else { duplicate(variable, outer) });
        }
        let instances = self.domain(domain, least)?;
        let mut expanded = Vec::with_capacity(instances.len());
        let mut failed = FxHashSet::default();
        for instance in instances {
            let agent = self.context.instances[instance.index()];
            if failed.contains(&agent) {
                continue;
            }
            self.scope.bindings.push(variable, instance);
            let formula = body(self);
            self.scope.bindings.pop();
            if self.nodes > EXPANSION_LIMIT {
                return None;
            }
            if formula.is_none() {
                failed.insert(agent);
            }
            expanded.push(formula);
        }
        expanded.into_iter().collect()
    }

    /// The instances of some agent types in the order of the system; none at all is an error.
    pub(super) fn domain(&mut self, domain: &[ast::Ident], least: Least) -> Option<Vec<InstanceId>> {
        let mut member = vec![false; self.context.instances.len()];
        let mut may_have_more = false;
        for name in domain {
            if name.name == "Agent" && self.context.globals.get("Agent").is_none() {
                member.fill(true);
                may_have_more |= !self.context.families.is_empty();
                continue;
            }
            let agent = self.context.agent_domain(name)?;
            may_have_more |= self.context.may_have_more(agent);
            let instances = self.context.instances.iter().zip(&mut member);
            instances.filter(|(ty, _)| **ty == Some(agent)).for_each(|(_, member)| *member = true);
        }
        let is_in_total = |id: &InstanceId| least == Least::None && self.context.is_in_total(*id);
        let instances = self.model.instance_ids().filter(|id| member[id.index()] && !is_in_total(id));
        let instances: Vec<_> = instances.collect();
        if let (true, Some(first), Some(last)) =
            (instances.is_empty() && least == Least::One && !may_have_more, domain.first(), domain.last())
        {
            // Which type a name that is declared twice stands for, it is not known.
            let doubled = domain.iter().any(|name| self.context.is_doubled(&name.name));
            if !doubled && !self.context.instances.is_empty() && !self.context.is_lost(Part::Instances) {
                let diagnostic = misplaced("this quantifier ranges over no instance at all", first.span.to(last.span));
                self.context.report(diagnostic.label("not in the system").help("add an instance to `system`"));
            }
            return None;
        }
        Some(instances)
    }
}

impl Context<'_> {
    /// An agent type that a quantifier names; that alone does not make use of it.
    fn agent_domain(&mut self, name: &ast::Ident) -> Option<crate::model::AgentId> {
        match self.globals.get(&name.name).map(|symbol| symbol.meaning) {
            Some(Meaning::Agent(id)) => Some(id),
            _ => self.agent_named(name),
        }
    }
}

/// `left & right`, with what is written as a conjunction already taken apart.
fn and(left: Formula, right: Formula) -> Formula {
    match (matches!(left.written(), Written::And(_)), left) {
        (true, Formula::And(mut parts)) => {
            parts.push(right);
            Formula::And(parts)
        }
        (_, left) => Formula::And(vec![left, right]),
    }
}

/// `left | right`, with what is a disjunction already taken apart.
fn or(left: Formula, right: Formula) -> Formula {
    let mut parts = if let Formula::Or(parts) = left { parts } else { vec![left] };
    parts.push(right);
    Formula::Or(parts)
}
