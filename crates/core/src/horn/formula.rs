//! Formulas over predicates, taken apart into Horn clauses in terms.
//!
//! A formula is a tree down to where no predicate is; below that it is a term. Names mean what they mean in SMT-LIB: the
//! innermost binding counts, definitions know their parameters only, and each variable is a leaf of its own, so that none
//! can be captured.

use super::{Clauses, Fault, Variable, application, atom};
use crate::limits::tick;
use crate::ts::smtlib::expression::{Expression, Expressions, Id};
use crate::ts::smtlib::read::{Function, term_with};
use crate::ts::term::{InputId, Leaf, Sort, Term, TermNode, Terms};
use crate::words::count;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;

/// Formulas over predicates may be nested this deeply, with every `let`.
const DEEPEST: usize = 1000;

/// No statement is taken apart into more clauses.
const MOST_CLAUSES: usize = 1000;

const MISPLACED: &str = "a predicate or a quantifier cannot stand inside of this; they stand below `not`, `and`, `or`, `=>`, `=`, \
                         `ite`, `let` and quantifiers";

/// A predicate of terms.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The number of the predicate.
    pub predicate: usize,
    /// Its arguments.
    pub arguments: Vec<Term>,
    pub(super) place: Option<Id>,
}

impl Atom {
    /// One that has no place of its own.
    pub fn new(predicate: usize, arguments: Vec<Term>) -> Atom {
        Atom { predicate, arguments, place: None }
    }
}

impl PartialEq for Atom {
    fn eq(&self, other: &Atom) -> bool {
        (self.predicate, &self.arguments) == (other.predicate, &other.arguments)
    }
}

/// A Horn clause: where the conditions and the body are true, the head is, too.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Without predicates.
    pub conditions: Vec<Term>,
    /// The predicates in the body.
    pub before: Vec<Atom>,
    /// The head; none if it is `false`.
    pub after: Option<Atom>,
}

struct Node {
    kind: Kind,
    place: Id,
    depth: usize,
    /// Neither a predicate nor a quantifier is in it.
    plain: bool,
    term: OnceCell<Term>,
}

enum Kind {
    Term(Term),
    Atom(Atom),
    Not(Rc<Node>),
    And(Vec<Rc<Node>>),
    Or(Vec<Rc<Node>>),
    Quantified { universal: bool, body: Rc<Node> },
}

impl Kind {
    fn children(&self) -> &[Rc<Node>] {
        match self {
            Kind::Term(_) | Kind::Atom(_) => &[],
            Kind::Not(child) | Kind::Quantified { body: child, .. } => std::slice::from_ref(child),
            Kind::And(list) | Kind::Or(list) => list,
        }
    }
}

impl Node {
    /// The term of a plain formula.
    fn term(&self, terms: &mut Terms) -> Term {
        if let Some(&term) = self.term.get() {
            return term;
        }
        let children: Vec<Term> = self.kind.children().iter().map(|child| child.term(terms)).collect();
        let term = match &self.kind {
            Kind::Term(term) => *term,
            Kind::Not(_) => terms.not(children[0]),
            Kind::And(_) => terms.and(children),
            Kind::Or(_) => terms.or(children),
            Kind::Atom(_) | Kind::Quantified { .. } => unreachable!("it is plain"),
        };
        *self.term.get_or_init(|| term)
    }
}

/// The meaning of a name.
enum NameMeaning {
    Term(Term),
    /// A formula with predicates.
    Formula(Rc<Node>),
}

/// Which expressions of a file have predicates or quantifiers inside.
pub struct Marks(Vec<bool>);

impl Marks {
    /// Of all clauses.
    pub fn new(clauses: &Clauses) -> Marks {
        let mut names: FxHashSet<&str> = clauses.predicates.iter().map(|predicate| predicate.name).collect();
        names.extend(["forall", "exists"]);
        let mut marks = Marks(Vec::new());
        for id in clauses.expressions.ids() {
            let marked = match clauses.expressions.get(id) {
                Expression::Atom(name) => names.contains(name),
                Expression::Text(_) => false,
                Expression::List(items) => items.iter().any(|&item| marks.has(item)),
            };
            marks.0.push(marked);
            if let Some(("define-fun", [name, _, _, body])) = application(&clauses.expressions, id)
                && marks.has(*body)
            {
                names.extend(atom(&clauses.expressions, *name));
            }
        }
        marks
    }

    fn has(&self, id: Id) -> bool {
        self.0[Expressions::position(id)]
    }
}

/// Reads formulas of one clause.
pub struct Reader<'a, 't> {
    clauses: &'a Clauses<'t>,
    marks: &'a Marks,
    terms: &'a mut Terms,
    scope: FxHashMap<&'t str, Vec<NameMeaning>>,
    binders: FxHashMap<Id, Term>,
    /// The number of entries that are formulas.
    formulas: usize,
    depth: usize,
}

type Result<T> = std::result::Result<T, Fault>;

impl<'a, 't> Reader<'a, 't> {
    /// With the variables of a clause, which are inputs from a number.
    pub fn new(
        clauses: &'a Clauses<'t>,
        marks: &'a Marks,
        terms: &'a mut Terms,
        variables: &[Variable<'t>],
        first: u32,
    ) -> Reader<'a, 't> {
        let (mut scope, mut binders) = (FxHashMap::default(), FxHashMap::default());
        for (number, variable) in (first..).zip(variables) {
            let leaf = terms.leaf(Leaf::Input(InputId(number)), variable.symbol.sort.into(), None);
            match variable.binder {
                Some(binder) => drop(binders.insert(binder, leaf)),
                None => drop(scope.insert(variable.symbol.name, vec![NameMeaning::Term(leaf)])),
            }
        }
        Reader { clauses, marks, terms, scope, binders, formulas: 0, depth: 0 }
    }

    /// The Horn clauses that a formula is the conjunction of.
    pub fn horn(&mut self, formula: Id) -> Result<Vec<Parts>> {
        let node = self.formula(formula)?;
        let mut taking = Taking { clauses: self.clauses, terms: self.terms, memo: FxHashMap::default() };
        let all = taking.clauses(&node, true)?;
        all.iter().filter_map(|open| taking.parts(open).transpose()).collect()
    }

    /// Checks that the body of a function has the sort of its result, for arguments of its sorts.
    pub fn check(clauses: &'a Clauses<'t>, marks: &'a Marks, function: &Function<'t>) -> Result<()> {
        let terms = &mut Terms::new();
        let mut reader = Reader::new(clauses, marks, terms, &[], 0);
        for (number, &(name, sort)) in (0..).zip(&function.parameters) {
            let leaf = reader.terms.leaf(Leaf::Input(InputId(number)), sort, None);
            reader.scope.insert(name, vec![NameMeaning::Term(leaf)]);
        }
        if function.result == Sort::Bool {
            return reader.formula(function.body).map(drop);
        }
        reader.number(function.body).map(drop)
    }

    fn fault<T>(&self, id: Id, what: impl Into<String>) -> Result<T> {
        Err(Fault { span: self.clauses.span(id), what: what.into() })
    }

    fn node(&self, place: Id, kind: Kind) -> Result<Rc<Node>> {
        let depth = 1 + kind.children().iter().map(|child| child.depth).max().unwrap_or_default();
        if depth > DEEPEST {
            return self.fault(place, format!("nested deeper than {DEEPEST} levels, with every `let`"));
        }
        let plain = match &kind {
            Kind::Term(_) => true,
            Kind::Atom(_) | Kind::Quantified { .. } => false,
            connective => connective.children().iter().all(|child| child.plain),
        };
        Ok(Rc::new(Node { kind, place, depth, plain, term: OnceCell::new() }))
    }

    /// A connective, which is a term as soon as formulas may be shared and no predicate is in it.
    fn connective(&mut self, place: Id, kind: Kind) -> Result<Rc<Node>> {
        let node = self.node(place, kind)?;
        if self.formulas == 0 || !node.plain {
            return Ok(node);
        }
        let term = node.term(self.terms);
        self.node(place, Kind::Term(term))
    }

    /// True if predicates or quantifiers are in an expression, perhaps by a name.
    fn is_open(&self, id: Id) -> bool {
        if self.marks.has(id) || self.formulas == 0 {
            return self.marks.has(id);
        }
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            tick();
            match self.clauses.expressions.get(id) {
                Expression::Atom(name) => {
                    if let Some(NameMeaning::Formula(_)) = self.named(name) {
                        return true;
                    }
                }
                Expression::Text(_) => {}
                Expression::List(items) => work.extend(items),
            }
        }
        false
    }

    fn named(&self, name: &str) -> Option<&NameMeaning> {
        self.scope.get(name)?.last()
    }

    fn formula(&mut self, id: Id) -> Result<Rc<Node>> {
        if self.depth == DEEPEST {
            return self.fault(id, format!("nested deeper than {DEEPEST} levels"));
        }
        tick();
        self.depth += 1;
        let node = self.nested(id);
        self.depth -= 1;
        node
    }

    fn nested(&mut self, id: Id) -> Result<Rc<Node>> {
        let clauses = self.clauses;
        if let Some(name) = atom(&clauses.expressions, id) {
            return match self.named(name) {
                Some(NameMeaning::Formula(node)) => Ok(node.clone()),
                Some(NameMeaning::Term(_)) => self.leaf(id),
                None => self.applied(id, name, &[]),
            };
        }
        let Some((operator, operands)) = application(&clauses.expressions, id) else { return self.leaf(id) };
        let is_open = self.marks.has(id) || self.formulas > 0;
        match (operator, operands) {
            ("!", [formula, ..]) => self.formula(*formula),
            ("let", _) if is_open => self.local(id),
            ("forall" | "exists", &[list, body]) => self.quantified(id, operator == "forall", list, body),
            // Also without a predicate: these are conditions, one by one.
            ("and", [_, ..]) => {
                let list = self.each(operands)?;
                self.connective(id, Kind::And(list))
            }
            ("or", [_, ..]) if is_open => {
                let list = self.each(operands)?;
                self.connective(id, Kind::Or(list))
            }
            ("not", [operand]) if is_open => {
                let child = self.formula(*operand)?;
                self.connective(id, Kind::Not(child))
            }
            ("=>", [conditions @ .., head]) if is_open && !conditions.is_empty() => {
                self.implication(id, conditions, *head)
            }
            ("=", [_, _, ..]) if self.is_open(id) => {
                let list = self.each(operands)?;
                let pairs = list.windows(2).map(|pair| self.equal(id, &pair[0], &pair[1]));
                let pairs = pairs.collect::<Result<_>>()?;
                self.connective(id, Kind::And(pairs))
            }
            ("ite", [_, _, _]) if self.is_open(id) => {
                let list = self.each(operands)?;
                let otherwise = self.connective(id, Kind::Not(list[0].clone()))?;
                let cases = [[otherwise, list[1].clone()], [list[0].clone(), list[2].clone()]];
                let cases = cases.map(|case| self.connective(id, Kind::Or(case.into())));
                self.connective(id, Kind::And(cases.into_iter().collect::<Result<_>>()?))
            }
            _ => self.applied(id, operator, operands),
        }
    }

    /// A predicate, a function with predicates in it, or a term.
    fn applied(&mut self, id: Id, name: &str, operands: &[Id]) -> Result<Rc<Node>> {
        let clauses = self.clauses;
        if let Some(predicate) = clauses.predicate(name, id) {
            return self.predicate(id, predicate, operands);
        }
        if clauses.predicates.iter().any(|predicate| predicate.name == name) {
            return self.fault(id, format!("`{name}` is declared further down"));
        }
        match clauses.functions.known(name, id) {
            Some(function) if self.is_open(id) || self.marks.has(function.body) => self.call(id, function, operands),
            _ => self.leaf(id),
        }
    }

    fn each(&mut self, ids: &[Id]) -> Result<Vec<Rc<Node>>> {
        ids.iter().map(|&id| self.formula(id)).collect()
    }

    fn implication(&mut self, id: Id, conditions: &[Id], head: Id) -> Result<Rc<Node>> {
        let mut cases = Vec::new();
        for &condition in conditions {
            let node = self.formula(condition)?;
            cases.push(self.connective(condition, Kind::Not(node))?);
        }
        cases.push(self.formula(head)?);
        self.connective(id, Kind::Or(cases))
    }

    /// Two clauses, one for each direction.
    fn equal(&self, place: Id, a: &Rc<Node>, b: &Rc<Node>) -> Result<Rc<Node>> {
        let implied = |a: &Rc<Node>, b: &Rc<Node>| {
            let not = self.node(place, Kind::Not(a.clone()))?;
            self.node(place, Kind::Or(vec![not, b.clone()]))
        };
        self.node(place, Kind::And(vec![implied(a, b)?, implied(b, a)?]))
    }

    fn quantified(&mut self, id: Id, universal: bool, list: Id, body: Id) -> Result<Rc<Node>> {
        let expressions = &self.clauses.expressions;
        let Expression::List(pairs) = expressions.get(list) else { return self.leaf(id) };
        let mut names = Vec::new();
        for pair in pairs {
            let (Some((name, _)), Some(&leaf)) = (application(expressions, *pair), self.binders.get(pair)) else {
                return self.fault(*pair, "quantifiers in definitions are not supported");
            };
            self.scope.entry(name).or_default().push(NameMeaning::Term(leaf));
            names.push(name);
        }
        let body = self.formula(body)?;
        self.leave(names);
        self.node(id, Kind::Quantified { universal, body })
    }

    /// The end of the scope of some names.
    fn leave(&mut self, names: Vec<&'t str>) {
        for name in names {
            if let Some(NameMeaning::Formula(_)) = self.scope.get_mut(name).and_then(Vec::pop) {
                self.formulas -= 1;
            }
        }
    }

    /// A chain of `let`s is no recursion.
    fn local(&mut self, mut id: Id) -> Result<Rc<Node>> {
        let expressions = &self.clauses.expressions;
        let mut names = Vec::new();
        while let Some(("let", [list, body])) = application(expressions, id) {
            let Expression::List(list) = expressions.get(*list) else {
                return self.fault(*list, "bindings are expected here");
            };
            let mut entries = Vec::new();
            for &binding in list {
                match application(expressions, binding) {
                    Some((name, &[value])) => entries.push((name, self.entry(value)?)),
                    _ => return self.fault(binding, "a binding has a name and a term"),
                }
            }
            for (name, entry) in entries {
                self.formulas += usize::from(matches!(entry, NameMeaning::Formula(_)));
                self.scope.entry(name).or_default().push(entry);
                names.push(name);
            }
            id = *body;
        }
        if let Some(("let", _)) = application(expressions, id) {
            return self.fault(id, "`let` has bindings and a body");
        }
        let node = self.formula(id)?;
        self.leave(names);
        Ok(node)
    }

    fn entry(&mut self, id: Id) -> Result<NameMeaning> {
        if !self.is_open(id) {
            return self.term(id).map(NameMeaning::Term);
        }
        let node = self.formula(id)?;
        Ok(if node.plain { NameMeaning::Term(node.term(self.terms)) } else { NameMeaning::Formula(node) })
    }

    /// The body of a function knows its parameters only.
    fn call(&mut self, id: Id, function: &'a Function<'t>, operands: &[Id]) -> Result<Rc<Node>> {
        let Function { name, parameters, result, body, .. } = function;
        if operands.len() != parameters.len() {
            let (wanted, given) = (count(parameters.len(), "argument"), operands.len());
            return self.fault(id, format!("`{name}` has {wanted}, not {given}"));
        }
        if *result != Sort::Bool {
            return self.fault(id, MISPLACED);
        }
        let (mut scope, mut formulas) = (FxHashMap::default(), 0);
        for (&operand, &(parameter, sort)) in operands.iter().zip(parameters) {
            let entry = match sort {
                Sort::Bool => self.entry(operand)?,
                _ => NameMeaning::Term(self.number(operand)?),
            };
            match entry {
                NameMeaning::Term(term) if self.terms.sort(term) != sort => {
                    return self.fault(operand, "a truth value is expected here, and this is a number");
                }
                NameMeaning::Term(_) => {}
                NameMeaning::Formula(_) => formulas += 1,
            }
            scope.insert(parameter, vec![entry]);
        }
        let around = (std::mem::replace(&mut self.scope, scope), std::mem::replace(&mut self.formulas, formulas));
        let node = self.formula(*body);
        (self.scope, self.formulas) = around;
        node
    }

    fn predicate(&mut self, id: Id, predicate: usize, operands: &[Id]) -> Result<Rc<Node>> {
        let declared = &self.clauses.predicates[predicate];
        let (name, wanted) = (declared.name, &declared.arguments);
        if wanted.len() != operands.len() {
            let what = format!("`{name}` has {} arguments, not {}", wanted.len(), operands.len());
            return self.fault(id, what);
        }
        let mut arguments = Vec::new();
        for (&operand, argument) in operands.iter().zip(wanted) {
            let term = self.term(operand)?;
            let sort = argument.sort.into();
            if self.terms.sort(term) != sort {
                return self.fault(operand, expected(sort));
            }
            arguments.push(term);
        }
        self.node(id, Kind::Atom(Atom { predicate, arguments, place: Some(id) }))
    }

    fn leaf(&mut self, id: Id) -> Result<Rc<Node>> {
        let term = self.term(id)?;
        if self.terms.sort(term) != Sort::Bool {
            return self.fault(id, expected(Sort::Bool));
        }
        self.node(id, Kind::Term(term))
    }

    fn number(&mut self, id: Id) -> Result<Term> {
        let term = self.term(id)?;
        if self.terms.sort(term) == Sort::Bool {
            return self.fault(id, expected(Sort::Int));
        }
        Ok(term)
    }

    fn term(&mut self, id: Id) -> Result<Term> {
        if self.marks.has(id) {
            return self.fault(id, MISPLACED);
        }
        let Clauses { expressions, functions, .. } = self.clauses;
        let (scope, misplaced) = (&self.scope, Cell::new(false));
        let mut lookup = |_: &mut Terms, name: &str| match scope.get(name).and_then(|entries| entries.last()) {
            Some(NameMeaning::Term(term)) => Some(*term),
            Some(NameMeaning::Formula(_)) => {
                misplaced.set(true);
                None
            }
            None => None,
        };
        match term_with(self.terms, expressions, id, Some(functions), &mut lookup) {
            Err(_) if misplaced.get() => self.fault(id, MISPLACED),
            read => Ok(read?),
        }
    }
}

/// The message about a term of another sort.
pub fn expected(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "a truth value is expected here, and this is a number",
        _ => "a number is expected here, and this is a truth value",
    }
}

/// A disjunction of negated conditions, negated predicates and predicates.
#[derive(Clone, Default)]
struct OpenClause {
    conditions: Vec<Term>,
    seen: FxHashSet<Term>,
    before: Vec<Atom>,
    after: Vec<Atom>,
}

impl OpenClause {
    fn add(&mut self, other: &OpenClause) {
        for &condition in &other.conditions {
            if self.seen.insert(condition) {
                self.conditions.push(condition);
            }
        }
        for (list, others) in [(&mut self.before, &other.before), (&mut self.after, &other.after)] {
            for atom in others {
                if !list.contains(atom) {
                    list.push(atom.clone());
                }
            }
        }
    }
}

/// Takes formulas apart. Each is looked at once, however often it is used.
struct Taking<'a, 't> {
    clauses: &'a Clauses<'t>,
    terms: &'a mut Terms,
    memo: FxHashMap<(*const Node, bool), Rc<Vec<OpenClause>>>,
}

impl Taking<'_, '_> {
    fn fault<T>(&self, place: Id, what: impl Into<String>) -> Result<T> {
        Err(Fault { span: self.clauses.span(place), what: what.into() })
    }

    /// The clauses of a formula, or of its negation.
    fn clauses(&mut self, node: &Rc<Node>, positive: bool) -> Result<Rc<Vec<OpenClause>>> {
        let key = (Rc::as_ptr(node), positive);
        if let Some(known) = self.memo.get(&key) {
            return Ok(known.clone());
        }
        tick();
        let found = Rc::new(self.take(node, positive)?);
        self.memo.insert(key, found.clone());
        Ok(found)
    }

    fn take(&mut self, node: &Rc<Node>, positive: bool) -> Result<Vec<OpenClause>> {
        Ok(match (&node.kind, positive) {
            (Kind::And(list), false) => self.product(node.place, list, positive)?,
            _ if node.plain => {
                let term = node.term(self.terms);
                let condition = if positive { self.terms.not(term) } else { term };
                if self.terms.is_false(condition) {
                    return Ok(Vec::new());
                }
                let conditions = if self.terms.is_true(condition) { Vec::new() } else { vec![condition] };
                vec![OpenClause { seen: conditions.iter().copied().collect(), conditions, ..OpenClause::default() }]
            }
            (Kind::Atom(atom), true) => vec![OpenClause { after: vec![atom.clone()], ..OpenClause::default() }],
            (Kind::Atom(atom), false) => vec![OpenClause { before: vec![atom.clone()], ..OpenClause::default() }],
            (Kind::Not(child), _) => self.clauses(child, !positive)?.to_vec(),
            (Kind::Or(list), true) => self.product(node.place, list, positive)?,
            (Kind::And(list), true) | (Kind::Or(list), false) => {
                let mut all = Vec::new();
                for child in list {
                    all.extend(self.clauses(child, positive)?.iter().cloned());
                    self.limit(node.place, all.len())?;
                }
                all
            }
            (Kind::Quantified { universal, body }, _) if *universal == positive => {
                self.clauses(body, positive)?.to_vec()
            }
            (Kind::Quantified { .. }, true) => {
                return self.fault(node.place, "`exists` in a head is not supported: this is no Horn clause");
            }
            (Kind::Quantified { .. }, false) => {
                return self.fault(node.place, "`forall` in a body is not supported: this is no Horn clause");
            }
            (Kind::Term(_), _) => unreachable!("it is plain"),
        })
    }

    /// The clauses of a disjunction.
    fn product(&mut self, place: Id, list: &[Rc<Node>], positive: bool) -> Result<Vec<OpenClause>> {
        // Nothing else matters beside what is always true.
        for child in list.iter().filter(|child| child.plain) {
            if self.clauses(child, positive)?.is_empty() {
                return Ok(Vec::new());
            }
        }
        let mut all = vec![OpenClause::default()];
        for child in list {
            let others = self.clauses(child, positive)?;
            match &others[..] {
                [other] => all.iter_mut().for_each(|open| open.add(other)),
                others => {
                    self.limit(place, all.len() * others.len())?;
                    let both = |open: &OpenClause| {
                        let open = open.clone();
                        others.iter().map(move |other| {
                            let mut open = open.clone();
                            open.add(other);
                            open
                        })
                    };
                    all = all.iter().flat_map(both).collect();
                }
            }
        }
        Ok(all)
    }

    fn limit(&self, place: Id, number: usize) -> Result<()> {
        if number > MOST_CLAUSES {
            return self
                .fault(place, format!("this says more than {MOST_CLAUSES} things at once; write several clauses"));
        }
        Ok(())
    }

    /// One with a predicate at most in its head; none if it is always true.
    fn parts(&self, open: &OpenClause) -> Result<Option<Parts>> {
        let OpenClause { conditions, before, after, .. } = open;
        if before.iter().any(|atom| after.contains(atom)) || are_opposed(self.terms, conditions) {
            return Ok(None);
        }
        if let [_, second, ..] = &after[..] {
            return self.fault(
                second.place.expect("it stands in a formula"),
                "two predicates in one head: this is no Horn clause",
            );
        }
        Ok(Some(Parts { conditions: conditions.clone(), before: before.clone(), after: after.first().cloned() }))
    }
}

/// True if one of the conditions is the negation of a conjunction of others.
fn are_opposed(terms: &Terms, conditions: &[Term]) -> bool {
    let all: FxHashSet<Term> = terms.conjuncts(conditions).into_iter().collect();
    conditions.iter().any(|&condition| match *terms.node(condition) {
        TermNode::Not(inner) => terms.conjuncts(&[inner]).iter().all(|term| all.contains(term)),
        _ => false,
    })
}
