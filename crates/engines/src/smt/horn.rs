//! Spacer, Z3's solver for constrained Horn clauses: on clauses, and on a system as clauses.
//!
//! Komuravelli, Gurfinkel, Chaki, *SMT-based model checking for recursive programs* (CAV 2014). A system is one relation
//! over the unknowns of a state, one rule for the initial states, one for the steps, and the question whether a bad state
//! is in the relation. The answers of Spacer are claims like any other.

use super::encode::{Encoded, Frame};
use super::unroll::Unrolling;
use super::{Literal, Theory, ask, work};
use crate::limits::{Budget, Reason};
use crate::ts::relevant::relevant;
use crate::ts::smtlib::read::divided;
use crate::ts::system::{System, Variable};
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use dashu_int::IBig;
use rustc_hash::{FxHashMap, FxHashSet};
use z3::ast::{Ast, Bool, Dynamic};
use z3::{AstKind, DeclKind, Fixedpoint, FuncDecl, Params, SatResult, Solver};

/// Inductive clauses, over an arena that has grown out of that of a system.
pub type InductiveClauses = (Terms, Vec<Term>);

/// Asks whether a state that satisfies `bad` can be reached: clauses that exclude these states, or none if one can; `known` are
/// invariants. Needs a context.
pub fn spacer(system: &System, bad: Term, known: &[Term], budget: Budget) -> Result<Option<InductiveClauses>, Reason> {
    if budget.is_over() {
        return Err(Reason::Timeout);
    }
    let (cone, init) = relevant(system, known.iter().copied().chain([bad]));
    let anywhere = || Unrolling::equations(system, cone.clone());
    let mut step = anywhere();
    step.extend().expect("declared values are listed or integers");
    let kept: Vec<VarId> = cone.iter().copied().filter(|id| !system.variable(*id).is_free()).collect();
    let arguments = Arguments::new(&kept, &step);
    let relation = arguments.relation();
    let fixedpoint = Fixedpoint::new();
    fixedpoint.set_params(&params(false));
    fixedpoint.register_relation(&relation);
    fixedpoint.add_rule(&initial_rule(anywhere(), &init, &arguments, &relation), Some("init"));
    step.assume(0, known);
    let (now, next) = (arguments.apply(&relation, &step, 0), arguments.apply(&relation, &step, 1));
    fixedpoint.add_rule(&rule(step.assertions(), [now], &next), Some("step"));
    let query = query(anywhere(), bad, known, &arguments, &relation);
    match answer(&fixedpoint, &[relation], &query, budget)? {
        None => Ok(None),
        Some(found) => arguments.invariant(system, &step, &found[0]).map(Some),
    }
}

/// A constrained Horn clause: where the conditions hold and states belong to relations, so does the one of the head.
#[derive(Clone, Debug)]
pub struct HornRule {
    /// A conjunction.
    pub conditions: Vec<Term>,
    /// Relations, with their arguments.
    pub before: Vec<(usize, Vec<Term>)>,
    /// The head; none if this cannot be.
    pub after: Option<(usize, Vec<Term>)>,
}

/// Are there relations that keep all rules?
#[derive(Clone, Copy, Debug)]
pub struct HornQuestion<'a> {
    /// The arena.
    pub terms: &'a Terms,
    /// Its variables, by their numbers.
    pub variables: &'a [Variable],
    /// The variables over which the answer says what each relation is.
    pub relations: &'a [Vec<Term>],
    /// The rules.
    pub rules: &'a [HornRule],
}

/// Answers the question: a formula for each relation, over its variables, or none if there are no such relations. `global`
/// lets Spacer look at all its lemmas where it generalises one (Krishnan, Chen, Shoham, Gurfinkel, *Global guidance for local
/// generalization in model checking*, CAV 2020). Needs a context.
pub fn solve(question: HornQuestion, global: bool, budget: Budget) -> Result<Option<InductiveClauses>, Reason> {
    let HornQuestion { terms, variables, relations, rules } = question;
    if budget.is_over() {
        return Err(Reason::Timeout);
    }
    let ids: Vec<VarId> = (0..variables.len() as u32).map(VarId).collect();
    let mut frame = Frame::new(variables, &ids, &|id| variables[id.0 as usize].domain.clone(), &[]);
    let sort = |&term: &Term| if terms.sort(term) == Sort::Bool { z3::Sort::bool() } else { z3::Sort::int() };
    let declare = |(number, list): (usize, &Vec<Term>)| {
        let sorts: Vec<z3::Sort> = list.iter().map(sort).collect();
        FuncDecl::new(format!("state{number}"), &sorts.iter().collect::<Vec<_>>(), &z3::Sort::bool())
    };
    let declared: Vec<FuncDecl> = relations.iter().enumerate().map(declare).collect();
    let failed = FuncDecl::new("failed", &[], &z3::Sort::bool());
    let failure = failed.apply(&[]).as_bool().expect("the relation is Boolean");
    let fixedpoint = Fixedpoint::new();
    fixedpoint.set_params(&params(global));
    declared.iter().chain([&failed]).for_each(|relation| fixedpoint.register_relation(relation));
    for HornRule { conditions, before, after } in rules {
        let conditions = conditions.iter().map(|&term| frame.literal(terms, term).z3()).collect();
        let mut apply = |(number, list): &(usize, Vec<Term>)| {
            let arguments = list.iter().map(|&term| match frame.encode(terms, term) {
                Encoded::Bool(literal) => Dynamic::from_ast(&literal.z3()),
                number => Dynamic::from_ast(&number.int()),
            });
            let arguments: Vec<Dynamic> = arguments.collect();
            declared[*number].apply(&bounds(&arguments)).as_bool().expect("the relation is Boolean")
        };
        let head = after.as_ref().map_or_else(|| failure.clone(), &mut apply);
        let body: Vec<Bool> = before.iter().map(apply).collect();
        fixedpoint.add_rule(&rule(conditions, body, &head), None::<&str>);
    }
    let Some(found) = answer(&fixedpoint, &declared, &failure, budget)? else { return Ok(None) };
    let mut terms = terms.clone();
    let mut formulas = Vec::new();
    for (arguments, formula) in relations.iter().zip(&found) {
        formulas.push(FormulaReader { terms: &mut terms, arguments }.formula(formula)?);
    }
    let mut answer = Answer { frame, terms, relations, formulas };
    answer.least(rules, budget)?;
    Ok(Some((answer.terms, answer.formulas)))
}

/// Formulas for relations.
struct Answer<'a> {
    frame: Frame,
    terms: Terms,
    /// The variables of each formula.
    relations: &'a [Vec<Term>],
    formulas: Vec<Term>,
}

impl Answer<'_> {
    /// Z3 says `true` of relations that its preprocessing removes, also if no rule leads to them: those are `false`.
    fn least(&mut self, rules: &[HornRule], budget: Budget) -> Result<(), Reason> {
        let (always, never) = (self.terms.bool(true), self.terms.bool(false));
        let mut removed: Vec<bool> = self.formulas.iter().map(|&formula| formula == always).collect();
        self.formulas.iter_mut().filter(|formula| **formula == always).for_each(|formula| *formula = never);
        loop {
            let mut changed = false;
            for HornRule { conditions, before, after } in rules {
                let Some((head, _)) = after.as_ref().filter(|(head, _)| removed[*head]) else { continue };
                let mut body = conditions.clone();
                body.extend(before.iter().map(|(relation, arguments)| self.instance(*relation, arguments)));
                let solver = super::Solver::new(Theory::Linear);
                body.iter().for_each(|&term| solver.add(&self.frame.literal(&self.terms, term)));
                if solver.check(&[], budget)?.is_some() {
                    self.formulas[*head] = always;
                    removed[*head] = false;
                    changed = true;
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The formula of a relation for these arguments.
    fn instance(&mut self, relation: usize, arguments: &[Term]) -> Term {
        let formals = &self.relations[relation];
        let mut replace = |terms: &mut Terms, leaf: Leaf| {
            let is_it = |&formal: &Term| matches!(terms.node(formal), TermNode::Leaf(other) if *other == leaf);
            formals.iter().position(is_it).map(|position| arguments[position])
        };
        self.terms.substitute(self.formulas[relation], &mut replace, &mut FxHashMap::default())
    }
}

/// Asks a query about rules: what the relations are if the answer is no, and none if it is yes.
fn answer(
    fixedpoint: &Fixedpoint,
    relations: &[FuncDecl],
    query: &Bool,
    budget: Budget,
) -> Result<Option<Vec<Bool>>, Reason> {
    // Its own statistics do not say how much work it was.
    let statistics = || Solver::new().get_statistics();
    match ask(budget, || work::counted(statistics, || fixedpoint.query(query)))? {
        SatResult::Sat => Ok(None),
        SatResult::Unsat => {
            let formulas: Option<Vec<Bool>> =
                relations.iter().map(|relation| fixedpoint.get_cover_delta(-1, relation)).collect();
            formulas.map(Some).ok_or_else(|| Reason::Solver("Spacer gives no invariant".to_owned()))
        }
        SatResult::Unknown => Err(Reason::Solver(match fixedpoint.get_reason_unknown() {
            // Its last step went well.
            words if words == "ok" => "Spacer gives no reason".to_owned(),
            words => words,
        })),
    }
}

/// The relation must survive preprocessing, so that its invariant is about our unknowns.
fn params(global: bool) -> Params {
    let mut params = Params::new();
    params.set_symbol("engine", "spacer");
    params.set_bool("spacer.global", global);
    params.set_bool("ctrl_c", false);
    for name in ["xform.slice", "xform.inline_linear", "xform.inline_eager"] {
        params.set_bool(name, false);
    }
    work::limit(&mut params);
    params
}

fn initial_rule(mut initial: Unrolling, init: &[Term], arguments: &Arguments, relation: &FuncDecl) -> Bool {
    initial.assume(0, init);
    rule(initial.assertions(), [], &arguments.apply(relation, &initial, 0))
}

fn query(mut state: Unrolling, bad: Term, known: &[Term], arguments: &Arguments, relation: &FuncDecl) -> Bool {
    state.assume(0, known);
    state.assume(0, &[bad]);
    let mut conjuncts = state.assertions();
    conjuncts.push(arguments.apply(relation, &state, 0));
    let body = Bool::and(&conjuncts);
    z3::ast::exists_const(&bounds(&unknowns([Dynamic::from_ast(&body)].into_iter())), &[], &body)
}

/// `conditions & before -> after`, for all unknowns.
fn rule(mut conditions: Vec<Bool>, before: impl IntoIterator<Item = Bool>, after: &Bool) -> Bool {
    let before: Vec<Bool> = before.into_iter().collect();
    // A relation without arguments is no unknown.
    let arguments = before.iter().chain([after]).flat_map(Ast::children);
    let unknowns = unknowns(conditions.iter().map(|condition| Dynamic::from_ast(condition)).chain(arguments));
    conditions.extend(before);
    let body = Bool::and(&conditions).implies(after);
    z3::ast::forall_const(&bounds(&unknowns), &[], &body)
}

fn bounds(unknowns: &[Dynamic]) -> Vec<&dyn Ast> {
    unknowns.iter().map(|unknown| unknown as &dyn Ast).collect()
}

/// The unknowns of formulas and terms.
fn unknowns(roots: impl Iterator<Item = Dynamic>) -> Vec<Dynamic> {
    let (mut list, mut seen) = (Vec::new(), FxHashSet::default());
    let mut stack: Vec<Dynamic> = roots.collect();
    while let Some(ast) = stack.pop() {
        if seen.insert(ast.clone()) {
            if ast.is_const() && ast.decl().kind() == DeclKind::Uninterpreted {
                list.push(ast);
            } else {
                stack.extend(ast.children());
            }
        }
    }
    list
}

/// The meaning of an argument of the relation.
#[derive(Clone, Copy)]
enum ArgumentMeaning {
    /// The variable itself.
    Variable(VarId),
    /// That a variable has the value of this case of it.
    Case(VarId, usize),
}

/// The arguments of the relation: the unknowns of a state.
struct Arguments {
    meanings: Vec<ArgumentMeaning>,
    sorts: Vec<z3::Sort>,
}

impl Arguments {
    fn new(cone: &[VarId], unrolling: &Unrolling) -> Arguments {
        let mut arguments = Arguments { meanings: Vec::new(), sorts: Vec::new() };
        for &id in cone {
            match unrolling.variable(0, id) {
                Encoded::Bool(Literal::Const(_)) => {}
                Encoded::Bool(Literal::Formula(_)) => arguments.add(ArgumentMeaning::Variable(id), z3::Sort::bool()),
                Encoded::Int(_) => arguments.add(ArgumentMeaning::Variable(id), z3::Sort::int()),
                Encoded::Cases(cases) => {
                    // Of two cases the second one is the unknown, a single one needs none.
                    let unknown = if cases.len() > 2 { 0..cases.len() } else { 1..cases.len() };
                    unknown.for_each(|index| arguments.add(ArgumentMeaning::Case(id, index), z3::Sort::bool()));
                }
            }
        }
        arguments
    }

    fn add(&mut self, meaning: ArgumentMeaning, sort: z3::Sort) {
        self.meanings.push(meaning);
        self.sorts.push(sort);
    }

    fn relation(&self) -> FuncDecl {
        FuncDecl::new("state", &self.sorts.iter().collect::<Vec<_>>(), &z3::Sort::bool())
    }

    /// The relation of the state in a frame.
    fn apply(&self, relation: &FuncDecl, unrolling: &Unrolling, frame: usize) -> Bool {
        let unknown = |meaning: &ArgumentMeaning| match *meaning {
            ArgumentMeaning::Variable(id) => match unrolling.variable(frame, id) {
                Encoded::Bool(literal) => Dynamic::from_ast(&literal.z3()),
                Encoded::Int(int) => Dynamic::from_ast(int),
                Encoded::Cases(_) => unreachable!("its cases are the arguments"),
            },
            ArgumentMeaning::Case(id, index) => match unrolling.variable(frame, id) {
                Encoded::Cases(cases) => Dynamic::from_ast(&cases[index].1.z3()),
                other => unreachable!("{other:?} has no cases"),
            },
        };
        let unknowns: Vec<Dynamic> = self.meanings.iter().map(unknown).collect();
        relation.apply(&bounds(&unknowns)).as_bool().expect("the relation is Boolean")
    }

    /// An answer over the arguments as clauses over the system's variables.
    fn invariant(&self, system: &System, unrolling: &Unrolling, answer: &Bool) -> Result<InductiveClauses, Reason> {
        let mut terms = system.terms().clone();
        let arguments: Vec<Term> =
            self.meanings.iter().map(|&meaning| argument(system, unrolling, &mut terms, meaning)).collect();
        let term = FormulaReader { terms: &mut terms, arguments: &arguments }.formula(answer)?;
        let clauses = terms.conjuncts(&[term]);
        Ok((terms, clauses))
    }
}

/// An argument in our terms.
fn argument(system: &System, unrolling: &Unrolling, terms: &mut Terms, meaning: ArgumentMeaning) -> Term {
    let (ArgumentMeaning::Variable(id) | ArgumentMeaning::Case(id, _)) = meaning;
    let sort = system.variable(id).sort;
    let variable = terms.leaf(Leaf::Var(id), sort, None);
    match (meaning, unrolling.variable(0, id)) {
        (ArgumentMeaning::Case(_, index), Encoded::Cases(cases)) => {
            let number = i64::try_from(&cases[index].0).expect("declared values are small");
            let value = terms.numbered(number, sort);
            terms.eq(variable, value)
        }
        _ => variable,
    }
}

/// Something in an answer that has no counterpart in our terms.
struct Unread(String);

/// Reads Z3's formulas over the arguments of the relation.
struct FormulaReader<'a> {
    terms: &'a mut Terms,
    arguments: &'a [Term],
}

impl FormulaReader<'_> {
    fn formula(&mut self, formula: &Bool) -> Result<Term, Reason> {
        let read = self.term(&Dynamic::from_ast(formula));
        read.map_err(|Unread(what)| Reason::Solver(format!("Spacer's invariant has `{what}`")))
    }

    fn term(&mut self, ast: &Dynamic) -> Result<Term, Unread> {
        match ast.kind() {
            AstKind::Var => self.argument(&ast.to_string()),
            AstKind::Numeral => {
                let number: Option<IBig> = ast.as_int().and_then(|int| super::solver::parse_numeral(&int.to_string()));
                number.map(|number| self.terms.int(number)).ok_or_else(|| Unread(ast.to_string()))
            }
            AstKind::App => {
                let children = ast.children().iter().map(|child| self.term(child)).collect::<Result<Vec<_>, _>>()?;
                self.application(ast, children)
            }
            _ => Err(Unread(ast.to_string())),
        }
    }

    /// `(:var 3)`
    fn argument(&self, text: &str) -> Result<Term, Unread> {
        let index = text.trim_start_matches("(:var ").trim_end_matches(')').parse::<usize>();
        let term = index.ok().and_then(|index| self.arguments.get(index).copied());
        term.ok_or_else(|| Unread(text.to_owned()))
    }

    fn application(&mut self, ast: &Dynamic, children: Vec<Term>) -> Result<Term, Unread> {
        let terms = &mut *self.terms;
        Ok(match (ast.decl().kind(), &children[..]) {
            (DeclKind::True, []) => terms.bool(true),
            (DeclKind::False, []) => terms.bool(false),
            (DeclKind::Not, &[a]) => terms.not(a),
            (DeclKind::And, _) => terms.and(children),
            (DeclKind::Or, _) => terms.or(children),
            (DeclKind::Implies, &[a, b]) => terms.implies(a, b),
            (DeclKind::Eq | DeclKind::Iff, &[a, b]) if terms.sort(a) != Sort::Bool => terms.eq(a, b),
            (DeclKind::Eq | DeclKind::Iff, &[a, b]) => {
                let (there, back) = (terms.implies(a, b), terms.implies(b, a));
                terms.and([there, back])
            }
            (DeclKind::Le, &[a, b]) => terms.le(a, b),
            (DeclKind::Ge, &[a, b]) => terms.le(b, a),
            (DeclKind::Lt, &[a, b]) => terms.lt(a, b),
            (DeclKind::Gt, &[a, b]) => terms.lt(b, a),
            (DeclKind::Add, [first, rest @ ..]) => rest.iter().fold(*first, |sum, &x| terms.add(sum, x)),
            (DeclKind::Mul, [first, rest @ ..]) => rest.iter().fold(*first, |product, &x| terms.mul(product, x)),
            (DeclKind::Sub, &[a, b]) => terms.sub(a, b),
            (DeclKind::Uminus, &[a]) => {
                let minus_one = terms.int(-1);
                terms.mul(minus_one, a)
            }
            (DeclKind::Ite, &[c, a, b]) => terms.either(c, a, b),
            (DeclKind::Idiv | DeclKind::Mod, &[a, b]) => {
                let operator = if ast.decl().kind() == DeclKind::Mod { "mod" } else { "div" };
                match terms.node(b).clone() {
                    TermNode::Int(divisor) if divisor != IBig::ZERO => divided(terms, operator, a, divisor),
                    _ => return Err(Unread(format!("{operator} by no constant"))),
                }
            }
            (kind, _) => return Err(Unread(format!("{kind:?}"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::bad_states;
    use crate::limits::{self, Exceeded, Limits, Stop, Work};
    use crate::model::of_text::model;
    use crate::smt::with_context;

    const BUFFER: &str = include_str!("../../../../specs/bounded_buffer.rcp");

    /// The system of a spec, and what is bad.
    fn question(name: &str) -> (System, Term) {
        let model = model(BUFFER);
        let spec = model.specs.iter().position(|spec| spec.name.as_deref() == Some(name)).expect("a spec of that name");
        bad_states(&model, &model.specs[spec].formula.conjuncts()[0])
    }

    fn answer((system, bad): &(System, Term)) -> String {
        with_context(&Stop::new(), || match spacer(system, *bad, &[], Budget::new(None)) {
            Ok(None) => "reachable".to_owned(),
            Ok(Some((_, clauses))) => format!("unreachable, {}", !clauses.is_empty()),
            Err(reason) => reason.to_string(),
        })
    }

    /// With a clause per case of an update Spacer does not find the sum.
    #[test]
    fn sums_are_found() {
        assert_eq!(answer(&question("items_add_up")), "unreachable, true");
        assert_eq!(answer(&question("capacity_is_small")), "reachable");
    }

    #[test]
    fn it_ends_with_the_work_that_is_allowed() {
        const MUCH: u64 = 1 << 40;
        let question = question("items_add_up");
        let limits = |units| Limits { work: vec![Work::new(units)], ..Limits::default() };
        let spent = limits(MUCH).within(|| (answer(&question), MUCH - limits::work_left().unwrap_or(0)));
        let Ok((_, spent)) = spent else { panic!("more than {MUCH} units") };
        let half = limits(spent / 2).within(|| answer(&question));
        assert_eq!(half.unwrap_or_else(|exceeded| exceeded.to_string()), Exceeded::Work.to_string(), "{spent}");
    }
}
