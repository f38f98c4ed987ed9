//! Hash-consed terms: `Copy` ids into an arena, solver-neutral, built by folding constructors only.
//!
//! Invariants: structurally equal terms have the same id; children are older than their parents;
//! every term is well sorted (constructors panic on a sort error: that is a bug of the caller, never
//! of the user). Each constructor documents its rewrites as `match => result`; all of them are
//! equivalences over the declared bounds of the variables, which a test checks by evaluation.

use crate::limits::{bits, tick, ticks};
use crate::model::Value;
use dashu_int::IBig;
use dashu_int::ops::BitTest;
use rustc_hash::{FxHashMap, FxHashSet};

/// A term of one [`Terms`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// A state variable of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// An input: a choice that a step makes freely.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InputId(pub u32);

/// The sort of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// The numbers below a bound, as names: they can be compared for equality only.
    Enum(u32),
}

impl Sort {
    /// The value with a number: 0 and 1 are the truth values.
    pub fn value(self, number: i64) -> Value {
        match self {
            Sort::Bool => Value::Bool(number != 0),
            Sort::Int => Value::int(number),
            Sort::Enum(_) => Value::Enum(number as u32),
        }
    }
}

/// A leaf that is not a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leaf {
    /// A state variable.
    Var(VarId),
    /// An input of the step.
    Input(InputId),
}

/// A term by its operator and operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TermNode {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(IBig),
    /// Value and number of values.
    Enum(u32, u32),
    /// A variable or an input.
    Leaf(Leaf),
    /// Negation; never of a constant or of another negation.
    Not(Term),
    /// Conjunction of two or more different terms, sorted by id.
    And(Box<[Term]>),
    /// Disjunction of two or more different terms, sorted by id.
    Or(Box<[Term]>),
    /// Equality between terms of one sort; a constant stands on the right.
    Eq(Term, Term),
    /// `a <= b` between integers.
    Le(Term, Term),
    /// `constant + sum of coefficient * term`; no coefficient is 0, terms are sorted and neither
    /// constants nor sums; never a mere constant or a mere term.
    Sum(IBig, Box<[(IBig, Term)]>),
    /// A product of two non-constants, sorted.
    Product(Term, Term),
    /// Quotient by a constant, rounded towards zero.
    Quotient(Term, IBig),
    /// `if condition then a else b`, of sort `Int` or `Enum`.
    Ite(Term, Term, Term),
}

/// A possibly open interval of integers.
type Interval = (Option<IBig>, Option<IBig>);

#[derive(Clone, Debug)]
struct LeafInfo {
    sort: Sort,
    bounds: Option<(i64, i64)>,
    values: Option<Box<[i64]>>,
}

/// The arena.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<TermNode>,
    sorts: Vec<Sort>,
    index: FxHashMap<TermNode, Term>,
    leaves: FxHashMap<Leaf, LeafInfo>,
}

impl Term {
    /// Its number, greater than those of the terms below it.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Terms {
    /// All terms, by their numbers.
    pub fn list(&self) -> impl Iterator<Item = Term> + use<> {
        (0..self.nodes.len() as u32).map(Term)
    }

    /// The sort of a leaf, if it is in some term.
    pub fn leaf_sort(&self, leaf: Leaf) -> Option<Sort> {
        self.leaves.get(&leaf).map(|info| info.sort)
    }

    /// An empty arena.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Operator and operands of a term.
    pub fn node(&self, term: Term) -> &TermNode {
        &self.nodes[term.0 as usize]
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.0 as usize]
    }

    fn intern(&mut self, node: TermNode, sort: Sort) -> Term {
        if let Some(&term) = self.index.get(&node) {
            return term;
        }
        tick();
        let term = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.sorts.push(sort);
        self.index.insert(node, term);
        term
    }

    /// A leaf; `bounds` (both included) are facts about all its values that folding may use. Later
    /// calls for the same leaf must repeat the same sort; the first bounds stay.
    pub fn leaf(&mut self, leaf: Leaf, sort: Sort, bounds: Option<(i64, i64)>) -> Term {
        let info = self.leaves.entry(leaf).or_insert(LeafInfo { sort, bounds, values: None });
        assert_eq!(info.sort, sort, "one leaf, one sort");
        self.intern(TermNode::Leaf(leaf), sort)
    }

    /// Adds the fact that a leaf of sort `Int` or `Enum` takes these values only (sorted, at least
    /// one). Terms that are built from now on, by [`Terms::substitute`] too, fold with it.
    pub fn restrict(&mut self, leaf: Leaf, values: &[i64]) {
        let info = self.leaves.get_mut(&leaf).expect("a leaf that exists");
        if info.sort == Sort::Int {
            info.bounds = Some((values[0], values[values.len() - 1]));
        }
        info.values = Some(values.into());
    }

    /// `true` or `false`
    pub fn bool(&mut self, value: bool) -> Term {
        self.intern(TermNode::Bool(value), Sort::Bool)
    }

    /// An integer constant.
    pub fn int(&mut self, value: impl Into<IBig>) -> Term {
        self.intern(TermNode::Int(value.into()), Sort::Int)
    }

    /// Value number `value` of a sort with `count` values.
    pub fn constant_of_enum(&mut self, value: u32, count: u32) -> Term {
        assert!(value < count, "value {value} of a sort with {count}");
        self.intern(TermNode::Enum(value, count), Sort::Enum(count))
    }

    /// A constant of the given sort.
    pub fn constant(&mut self, value: &Value, sort: Sort) -> Term {
        match (value, sort) {
            (Value::Bool(value), Sort::Bool) => self.bool(*value),
            (Value::Int(value), Sort::Int) => self.int(value.clone()),
            (Value::Enum(value), Sort::Enum(count)) => self.constant_of_enum(*value, count),
            (value, sort) => panic!("{value:?} is not of sort {sort:?}"),
        }
    }

    /// The constant of a sort with a number.
    pub fn numbered(&mut self, number: i64, sort: Sort) -> Term {
        self.constant(&sort.value(number), sort)
    }

    /// The number of a term of a finite sort, as an integer; integers as they are.
    pub fn number_of(&mut self, term: Term) -> Term {
        let Sort::Enum(count) = self.sort(term) else { return term };
        let last = self.int(count - 1);
        (0..count - 1).rev().fold(last, |rest, value| {
            let (constant, number) = (self.constant_of_enum(value, count), self.int(value));
            let here = self.eq(term, constant);
            self.ite(here, number, rest)
        })
    }

    /// The value of a constant.
    pub fn as_constant(&self, term: Term) -> Option<Value> {
        match self.node(term) {
            TermNode::Bool(value) => Some(Value::Bool(*value)),
            TermNode::Int(value) => Some(Value::Int(value.clone())),
            TermNode::Enum(value, _) => Some(Value::Enum(*value)),
            _ => None,
        }
    }

    /// True if some term is a product of two others that are not constant.
    pub fn has_products(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, TermNode::Product(..)))
    }

    /// The conjuncts of some formulas together, each once, none of which is a conjunction or always true.
    pub fn conjuncts(&self, formulas: &[Term]) -> Vec<Term> {
        let parts = |&formula: &Term| match self.node(formula) {
            TermNode::And(list) => list.to_vec(),
            _ => vec![formula],
        };
        let mut seen = FxHashSet::default();
        let all = formulas.iter().flat_map(parts);
        all.filter(|&part| !self.is_true(part) && seen.insert(part)).collect()
    }

    /// True if the term is the constant `true`.
    pub fn is_true(&self, term: Term) -> bool {
        *self.node(term) == TermNode::Bool(true)
    }

    /// True if the term is the constant `false`.
    pub fn is_false(&self, term: Term) -> bool {
        *self.node(term) == TermNode::Bool(false)
    }

    /// `!true => false`, `!false => true`, `!!a => a`
    pub fn not(&mut self, a: Term) -> Term {
        match self.node(a) {
            TermNode::Bool(value) => {
                let value = !*value;
                self.bool(value)
            }
            TermNode::Not(inner) => *inner,
            _ => self.intern(TermNode::Not(a), Sort::Bool),
        }
    }

    /// `{} => true`, `{a} => a`, nested conjunctions are flattened, `true` and repetitions dropped,
    /// `a & !a => false`, `v = c & v = d => false`
    pub fn and(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        match self.junction(terms, true) {
            None => self.bool(false),
            Some(list) if list.is_empty() => self.bool(true),
            Some(list) if list.len() == 1 => list[0],
            Some(list) if self.two_values(&list) => self.bool(false),
            Some(list) => self.intern(TermNode::And(list.into()), Sort::Bool),
        }
    }

    /// `{} => false`, `{a} => a`, nested disjunctions are flattened, `false` and repetitions
    /// dropped, `a | !a => true`
    pub fn or(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        match self.junction(terms, false) {
            None => self.bool(true),
            Some(list) if list.is_empty() => self.bool(false),
            Some(list) if list.len() == 1 => list[0],
            Some(list) => self.intern(TermNode::Or(list.into()), Sort::Bool),
        }
    }

    /// The members of a conjunction (`unit` true) or disjunction (`unit` false), flattened, sorted
    /// and without the unit; `None` when a member is the other constant or two members contradict.
    fn junction(&self, terms: impl IntoIterator<Item = Term>, unit: bool) -> Option<Vec<Term>> {
        let mut list = Vec::new();
        for term in terms {
            match self.node(term) {
                TermNode::Bool(value) if *value == unit => {}
                TermNode::Bool(_) => return None,
                TermNode::And(inner) if unit => list.extend_from_slice(inner),
                TermNode::Or(inner) if !unit => list.extend_from_slice(inner),
                _ => {
                    assert_eq!(self.sort(term), Sort::Bool);
                    list.push(term);
                }
            }
        }
        list.sort_unstable();
        list.dedup();
        let contradicts = |&term: &Term| matches!(self.node(term), TermNode::Not(a) if list.binary_search(a).is_ok());
        if list.iter().any(contradicts) { None } else { Some(list) }
    }

    /// True if a conjunction equates one term with two constants.
    fn two_values(&self, list: &[Term]) -> bool {
        let mut values: FxHashMap<Term, Term> = FxHashMap::default();
        list.iter().any(|&term| match self.node(term) {
            TermNode::Eq(a, b) if self.as_constant(*b).is_some() => values.insert(*a, *b).is_some_and(|old| old != *b),
            _ => false,
        })
    }

    /// `a -> b`
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or([not_a, b])
    }

    /// `a = a => true`; constants are compared; `a = true => a`, `a = false => !a`;
    /// `ite(c, x, y) = k => ite(c, x = k, y = k)` for constants x or y; between integers the
    /// difference is normalised: `x + c = d => x = d - c`; values that the facts about a leaf exclude give `false`
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "equality between sorts");
        if a == b {
            return self.bool(true);
        }
        let (a, b) =
            if self.as_constant(a).is_some() || (self.as_constant(b).is_none() && a > b) { (b, a) } else { (a, b) };
        match self.sort(a) {
            Sort::Bool => self.eq_bool(a, b),
            Sort::Enum(_) => self.eq_cases(a, b),
            Sort::Int => self.eq_int(a, b),
        }
    }

    fn eq_bool(&mut self, a: Term, b: Term) -> Term {
        if let TermNode::Bool(value) = *self.node(b) {
            return if value { a } else { self.not(a) };
        }
        // One orientation for a = b, !a = !b, !(a = !b), !(!a = b).
        match (self.node(a).clone(), self.node(b).clone()) {
            (TermNode::Not(x), TermNode::Not(y)) => self.eq(x, y),
            (TermNode::Not(x), _) => {
                let same = self.eq(x, b);
                self.not(same)
            }
            (_, TermNode::Not(y)) => {
                let same = self.eq(a, y);
                self.not(same)
            }
            _ => self.intern(TermNode::Eq(a, b), Sort::Bool),
        }
    }

    fn eq_cases(&mut self, a: Term, b: Term) -> Term {
        if self.as_constant(a).is_some() {
            return self.bool(false);
        }
        match (self.node(a), self.as_constant(b)) {
            (&TermNode::Ite(condition, x, y), Some(_)) => {
                let (x, y) = (self.eq(x, b), self.eq(y, b));
                self.ite(condition, x, y)
            }
            (TermNode::Leaf(leaf), Some(value)) if !self.may_be(*leaf, &value) => self.bool(false),
            _ => self.intern(TermNode::Eq(a, b), Sort::Bool),
        }
    }

    /// True if the facts about a leaf allow the value.
    fn may_be(&self, leaf: Leaf, value: &Value) -> bool {
        let Some(values) = &self.leaves[&leaf].values else { return true };
        value.number().is_some_and(|number| values.binary_search(&number).is_ok())
    }

    fn eq_int(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(a, b);
        match self.node(difference).clone() {
            TermNode::Int(value) => return self.bool(value == IBig::ZERO),
            TermNode::Sum(constant, summands) if summands.len() == 1 => {
                let (coefficient, x) = &summands[0];
                let (value, rest) = dashu_div_rem(&-constant, coefficient);
                if rest != IBig::ZERO {
                    return self.bool(false);
                }
                return self.eq_int_constant(*x, value);
            }
            _ => {}
        }
        match self.node(b).clone() {
            TermNode::Int(value) => self.eq_int_constant(a, value),
            _ => self.intern(TermNode::Eq(a, b), Sort::Bool),
        }
    }

    fn eq_int_constant(&mut self, a: Term, value: IBig) -> Term {
        let (low, high) = self.interval(a);
        if low.is_some_and(|low| value < low) || high.is_some_and(|high| value > high) {
            return self.bool(false);
        }
        let b = self.int(value);
        self.eq_cases(a, b)
    }

    /// Constants are compared; decided by the bounds of both sides where they suffice; the
    /// difference is normalised: `x + c <= d => x <= d - c`, `-x <= d => -d <= x`
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(a, b);
        let (low, high) = self.interval(difference);
        if high.is_some_and(|high| high <= IBig::ZERO) {
            return self.bool(true);
        }
        if low.is_some_and(|low| low > IBig::ZERO) {
            return self.bool(false);
        }
        match self.node(difference).clone() {
            TermNode::Sum(constant, summands) if summands.len() == 1 => {
                let (coefficient, x) = &summands[0];
                let bound = -constant;
                if *coefficient == IBig::ONE {
                    let bound = self.int(bound);
                    self.intern(TermNode::Le(*x, bound), Sort::Bool)
                } else if *coefficient == IBig::NEG_ONE {
                    let bound = self.int(-bound);
                    self.intern(TermNode::Le(bound, *x), Sort::Bool)
                } else {
                    self.intern(TermNode::Le(a, b), Sort::Bool)
                }
            }
            _ => self.intern(TermNode::Le(a, b), Sort::Bool),
        }
    }

    /// `a < b => !(b <= a)`
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let le = self.le(b, a);
        self.not(le)
    }

    /// `a + b`, in the normal form of [`TermNode::Sum`]
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.linear(&[(IBig::ONE, a), (IBig::ONE, b)])
    }

    /// `a - b`, in the normal form of [`TermNode::Sum`]
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.linear(&[(IBig::ONE, a), (IBig::NEG_ONE, b)])
    }

    /// `c * a => ` a sum for a constant c, else a product
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        match (self.node(a), self.node(b)) {
            (TermNode::Int(factor), _) => {
                let factor = factor.clone();
                self.linear(&[(factor, b)])
            }
            (_, TermNode::Int(factor)) => {
                let factor = factor.clone();
                self.linear(&[(factor, a)])
            }
            _ => self.intern(TermNode::Product(a.min(b), a.max(b)), Sort::Int),
        }
    }

    /// Quotient rounded towards zero: constants are divided, `a / 1 => a`
    pub fn div(&mut self, a: Term, divisor: IBig) -> Term {
        assert!(divisor != IBig::ZERO, "division by zero");
        match self.node(a) {
            TermNode::Int(value) => {
                let value = dashu_div_rem(value, &divisor).0;
                self.int(value)
            }
            _ if divisor == IBig::ONE => a,
            _ => self.intern(TermNode::Quotient(a, divisor), Sort::Int),
        }
    }

    /// The sum of `coefficient * term` in normal form.
    pub fn linear(&mut self, summands: &[(IBig, Term)]) -> Term {
        let mut constant = IBig::ZERO;
        let mut flat: Vec<(IBig, Term)> = Vec::new();
        for (coefficient, term) in summands {
            match self.node(*term) {
                TermNode::Int(value) => constant += product(coefficient, value),
                TermNode::Sum(inner, list) => {
                    constant += product(coefficient, inner);
                    flat.extend(list.iter().map(|(factor, x)| (product(coefficient, factor), *x)));
                    ticks(list.len());
                }
                _ => flat.push((coefficient.clone(), *term)),
            }
        }
        flat.sort_by_key(|&(_, term)| term);
        flat.dedup_by(|next, kept| {
            let same = next.1 == kept.1;
            if same {
                kept.0 += &next.0;
            }
            same
        });
        flat.retain(|(coefficient, _)| *coefficient != IBig::ZERO);
        match &flat[..] {
            [] => self.int(constant),
            [(coefficient, term)] if constant == IBig::ZERO && *coefficient == IBig::ONE => *term,
            _ => self.intern(TermNode::Sum(constant, flat.into()), Sort::Int),
        }
    }

    /// `ite(true, a, b) => a`, `ite(false, a, b) => b`, `ite(c, a, a) => a`, `ite(!c, a, b) =>
    /// ite(c, b, a)`; for Booleans `(c & a) | (!c & b)`
    pub fn ite(&mut self, condition: Term, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "branches of two sorts");
        match *self.node(condition) {
            TermNode::Bool(true) => return a,
            TermNode::Bool(false) => return b,
            _ if a == b => return a,
            TermNode::Not(inner) => return self.ite(inner, b, a),
            _ => {}
        }
        let sort = self.sort(a);
        if sort == Sort::Bool {
            let otherwise = self.not(condition);
            let (then, other) = (self.and([condition, a]), self.and([otherwise, b]));
            return self.or([then, other]);
        }
        self.intern(TermNode::Ite(condition, a, b), sort)
    }

    /// The difference `a - b` for a literal that says that it is not positive, or that it is negative; and whether it is that.
    pub fn inequality(&mut self, literal: Term) -> Option<(Term, bool)> {
        let (a, b, is_strict) = match *self.node(literal) {
            TermNode::Le(a, b) => (a, b, false),
            TermNode::Not(inner) => match *self.node(inner) {
                TermNode::Le(a, b) => (b, a, true),
                _ => return None,
            },
            _ => return None,
        };
        Some((self.sub(a, b), is_strict))
    }

    /// `ite(condition, a, b)`, but for Booleans `(!c | a) & (c | b)`: as conditions one by one
    pub fn either(&mut self, condition: Term, a: Term, b: Term) -> Term {
        if self.sort(a) != Sort::Bool {
            return self.ite(condition, a, b);
        }
        let (first, second) = (self.implies(condition, a), self.or([condition, b]));
        self.and([first, second])
    }

    /// Bounds of an integer term that follow from those of its leaves.
    fn interval(&self, term: Term) -> Interval {
        const MOST_VISITED: usize = 1 << 10;
        self.interval_within(term, &mut { MOST_VISITED })
    }

    /// The same; what is not visited after so many nodes has no bounds.
    fn interval_within(&self, term: Term, left: &mut usize) -> Interval {
        let Some(rest) = left.checked_sub(1) else { return (None, None) };
        *left = rest;
        match self.node(term) {
            TermNode::Int(value) => (Some(value.clone()), Some(value.clone())),
            TermNode::Leaf(leaf) => match self.leaves[leaf].bounds {
                Some((low, high)) => (Some(low.into()), Some(high.into())),
                None => (None, None),
            },
            TermNode::Sum(constant, summands) => {
                let start = (Some(constant.clone()), Some(constant.clone()));
                summands.iter().fold(start, |sum, (coefficient, x)| {
                    let (low, high) = self.interval_within(*x, left);
                    let scale = |end: Option<IBig>| end.map(|end| product(&end, coefficient));
                    let (low, high) = if *coefficient > IBig::ZERO { (low, high) } else { (high, low) };
                    let plus = |a: Option<IBig>, b: Option<IBig>| Some(a? + b?);
                    (plus(sum.0, scale(low)), plus(sum.1, scale(high)))
                })
            }
            TermNode::Ite(_, a, b) => {
                let (a_low, a_high) = self.interval_within(*a, left);
                let (b_low, b_high) = self.interval_within(*b, left);
                (a_low.zip(b_low).map(|(a, b)| a.min(b)), a_high.zip(b_high).map(|(a, b)| a.max(b)))
            }
            _ => (None, None),
        }
    }

    /// The number of nodes of the term as a tree, counted up to a limit.
    pub fn size_up_to(&self, term: Term, limit: usize) -> usize {
        let mut size = 1;
        self.for_each_child(term, |child| {
            if size < limit {
                size += self.size_up_to(child, limit - size);
            }
        });
        size
    }

    /// The number of nodes on the longest way from the term to a leaf. Children are older than parents, so no stack is
    /// needed.
    pub fn depth(&self, term: Term) -> usize {
        let mut needed = FxHashSet::default();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if needed.insert(term) {
                self.for_each_child(term, |child| open.push(child));
            }
        }
        let mut needed: Vec<Term> = needed.into_iter().collect();
        needed.sort_unstable();
        let mut depths: FxHashMap<Term, usize> = FxHashMap::default();
        for &term in &needed {
            let mut below = 0;
            self.for_each_child(term, |child| below = below.max(depths[&child]));
            depths.insert(term, below + 1);
        }
        depths[&term]
    }

    /// Calls `visit` on every child.
    pub fn for_each_child(&self, term: Term, mut visit: impl FnMut(Term)) {
        match self.node(term) {
            TermNode::Bool(_) | TermNode::Int(_) | TermNode::Enum(..) | TermNode::Leaf(_) => {}
            TermNode::Not(a) | TermNode::Quotient(a, _) => visit(*a),
            TermNode::And(list) | TermNode::Or(list) => list.iter().copied().for_each(visit),
            TermNode::Eq(a, b) | TermNode::Le(a, b) | TermNode::Product(a, b) => [*a, *b].into_iter().for_each(visit),
            TermNode::Sum(_, list) => list.iter().for_each(|(_, x)| visit(*x)),
            TermNode::Ite(c, a, b) => [*c, *a, *b].into_iter().for_each(visit),
        }
    }

    /// A term of another arena in this one. `memo` is shared between calls with the same arena.
    pub fn import(&mut self, from: &Terms, term: Term, memo: &mut FxHashMap<Term, Term>) -> Term {
        self.translate(from, term, &mut |terms, leaf, sort| terms.leaf(leaf, sort, None), memo)
    }

    /// A term of another arena in this one, with what `replace` says for each of its leaves. `memo` is shared between
    /// calls with the same arena and the same `replace`.
    pub fn translate(
        &mut self,
        from: &Terms,
        term: Term,
        replace: &mut impl FnMut(&mut Terms, Leaf, Sort) -> Term,
        memo: &mut FxHashMap<Term, Term>,
    ) -> Term {
        let mut replace = |terms: &mut Terms, leaf: Leaf| Some(replace(terms, leaf, from.leaves[&leaf].sort));
        self.rebuild(&|_, term| from.node(term).clone(), term, &mut replace, memo)
    }

    /// Rebuilds a term with other leaves, folding again. `memo` is shared between calls with the
    /// same `replace`.
    pub fn substitute(
        &mut self,
        term: Term,
        replace: &mut impl FnMut(&mut Terms, Leaf) -> Option<Term>,
        memo: &mut FxHashMap<Term, Term>,
    ) -> Term {
        self.rebuild(&|terms, term| terms.node(term).clone(), term, replace, memo)
    }

    /// Makes a term again, from its nodes, or others in their place, and from what replaces its leaves.
    pub fn rebuild(
        &mut self,
        node_of: &impl Fn(&Terms, Term) -> TermNode,
        term: Term,
        replace: &mut impl FnMut(&mut Terms, Leaf) -> Option<Term>,
        memo: &mut FxHashMap<Term, Term>,
    ) -> Term {
        if let Some(&known) = memo.get(&term) {
            return known;
        }
        tick();
        let result = match node_of(self, term) {
            TermNode::Leaf(leaf) => replace(self, leaf).unwrap_or(term),
            node => self.rebuild_node(node, &mut |terms, x| terms.rebuild(node_of, x, replace, memo)),
        };
        memo.insert(term, result);
        result
    }

    /// Makes a node again, which is no leaf, with what `go` makes of those below it; of these only as many as are needed.
    pub fn rebuild_node(&mut self, node: TermNode, go: &mut impl FnMut(&mut Terms, Term) -> Term) -> Term {
        let mut until = |terms: &mut Terms, list: &[Term], end: Term| {
            let mut made = Vec::with_capacity(list.len());
            for &x in list {
                made.push(go(terms, x));
                if made.last() == Some(&end) {
                    break;
                }
            }
            made
        };
        match node {
            TermNode::Bool(value) => self.bool(value),
            TermNode::Int(value) => self.int(value),
            TermNode::Enum(value, count) => self.constant_of_enum(value, count),
            TermNode::Leaf(leaf) => unreachable!("{leaf:?} has nothing below it"),
            TermNode::Not(a) => {
                let a = go(self, a);
                self.not(a)
            }
            TermNode::And(list) => {
                let end = self.bool(false);
                let list = until(self, &list, end);
                self.and(list)
            }
            TermNode::Or(list) => {
                let end = self.bool(true);
                let list = until(self, &list, end);
                self.or(list)
            }
            TermNode::Eq(a, b) => {
                let (a, b) = (go(self, a), go(self, b));
                self.eq(a, b)
            }
            TermNode::Le(a, b) => {
                let (a, b) = (go(self, a), go(self, b));
                self.le(a, b)
            }
            TermNode::Sum(constant, list) => {
                let mut list: Vec<(IBig, Term)> = list.iter().map(|(c, x)| (c.clone(), go(self, *x))).collect();
                list.push((IBig::ONE, self.int(constant)));
                self.linear(&list)
            }
            TermNode::Product(a, b) => {
                let (a, b) = (go(self, a), go(self, b));
                self.mul(a, b)
            }
            TermNode::Quotient(a, divisor) => {
                let a = go(self, a);
                self.div(a, divisor)
            }
            TermNode::Ite(c, a, b) => {
                let c = go(self, c);
                match *self.node(c) {
                    TermNode::Bool(value) => go(self, if value { a } else { b }),
                    _ => {
                        let (a, b) = (go(self, a), go(self, b));
                        self.ite(c, a, b)
                    }
                }
            }
        }
    }

    /// True if a term reads no input.
    pub fn is_of_state(&self, term: Term) -> bool {
        let mut of_state = true;
        self.collect_leaves(term, &mut FxHashSet::default(), &mut |leaf| of_state &= matches!(leaf, Leaf::Var(_)));
        of_state
    }

    /// The state variables in a term, each once.
    pub fn variables(&self, term: Term) -> Vec<VarId> {
        let mut found = Vec::new();
        self.collect_leaves(term, &mut FxHashSet::default(), &mut |leaf| {
            if let Leaf::Var(id) = leaf {
                found.push(id);
            }
        });
        found
    }

    /// Visits the leaves of a term; `seen` is shared between calls that fill one set.
    pub fn collect_leaves(&self, term: Term, seen: &mut FxHashSet<Term>, visit: &mut impl FnMut(Leaf)) {
        let mut stack = vec![term];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            match self.node(term) {
                TermNode::Leaf(leaf) => visit(*leaf),
                _ => self.for_each_child(term, |child| stack.push(child)),
            }
        }
    }

    /// The value of a term under values of its leaves.
    pub fn evaluate(&self, term: Term, leaf_value: &impl Fn(Leaf) -> Value) -> Value {
        self.evaluate_with(term, leaf_value, &mut FxHashMap::default())
    }

    /// The same; every subterm is computed once. `memo` is shared between calls with the same values.
    pub fn evaluate_with(
        &self,
        term: Term,
        leaf_value: &impl Fn(Leaf) -> Value,
        memo: &mut FxHashMap<Term, Value>,
    ) -> Value {
        if let Some(known) = memo.get(&term) {
            return known.clone();
        }
        tick();
        let mut go = |x: &Term| self.evaluate_with(*x, leaf_value, memo);
        let value = match self.node(term) {
            TermNode::Bool(value) => Value::Bool(*value),
            TermNode::Int(value) => Value::Int(value.clone()),
            TermNode::Enum(value, _) => Value::Enum(*value),
            TermNode::Leaf(leaf) => leaf_value(*leaf),
            TermNode::Not(a) => Value::Bool(!go(a).as_bool()),
            TermNode::And(list) => Value::Bool(list.iter().all(|x| go(x).as_bool())),
            TermNode::Or(list) => Value::Bool(list.iter().any(|x| go(x).as_bool())),
            TermNode::Eq(a, b) => Value::Bool(go(a) == go(b)),
            TermNode::Le(a, b) => Value::Bool(go(a).into_int() <= go(b).into_int()),
            TermNode::Sum(constant, list) => {
                let add = |sum, (coefficient, x): &(IBig, Term)| sum + product(coefficient, &go(x).into_int());
                Value::Int(list.iter().fold(constant.clone(), add))
            }
            TermNode::Product(a, b) => Value::Int(product(&go(a).into_int(), &go(b).into_int())),
            TermNode::Quotient(a, divisor) => Value::Int(dashu_div_rem(&go(a).into_int(), divisor).0),
            TermNode::Ite(c, a, b) => {
                let branch = if go(c).as_bool() { a } else { b };
                go(branch)
            }
        };
        memo.insert(term, value.clone());
        value
    }
}

/// Integers that grow and grow end the work instead of filling the memory.
fn product(a: &IBig, b: &IBig) -> IBig {
    bits(a.bit_len() + b.bit_len());
    a * b
}

/// Quotient and remainder, rounded towards zero.
fn dashu_div_rem(a: &IBig, b: &IBig) -> (IBig, IBig) {
    use dashu_int::ops::DivRem;
    a.div_rem(b)
}
