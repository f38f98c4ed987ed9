//! From SMT-LIB text to terms, with checked sorts.
//!
//! Supported are `true`, `false`, numerals, `not`, `and`, `or`, `xor`, `=>`, `=`, `distinct`, `ite`, `<=`, `<`, `>=`,
//! `>`, `+`, `-`, `*`, `abs`, `div` and `mod` by a constant (with the rounding of SMT-LIB), and `let`; all other symbols are
//! those of the caller, who may also have defined functions. A term of a finite sort where an integer is expected stands for the number of its value.

use super::Problem;
use super::expression::{Expression, Expressions, Id, is_name};
use crate::limits::{bits, tick};
use crate::ts::term::{Sort, Term, TermNode, Terms};
use crate::words::count;
use dashu_int::IBig;
use rustc_hash::FxHashMap;

/// Terms may be nested this deeply; chains of `let` count as one level.
const DEEPEST: usize = 1000;

/// Reads one term. `lookup` says what a symbol stands for.
pub fn term(
    terms: &mut Terms,
    text: &str,
    lookup: &mut dyn FnMut(&mut Terms, &str) -> Option<Term>,
) -> Result<Term, Problem> {
    let expressions = Expressions::read(text)?;
    match *expressions.roots() {
        [root] => term_of(terms, &expressions, root, lookup),
        [] => Err(expressions.missing("a term is missing")),
        [_, second, ..] => Err(expressions.problem(second, "one term is enough")),
    }
}

/// Reads one of the expressions of a text as a term.
pub fn term_of(
    terms: &mut Terms,
    expressions: &Expressions,
    root: Id,
    lookup: &mut dyn FnMut(&mut Terms, &str) -> Option<Term>,
) -> Result<Term, Problem> {
    term_with(terms, expressions, root, None, lookup)
}

/// The same where functions are defined and annotations, as in `(! .. :named a)`, have no meaning.
pub fn term_with(
    terms: &mut Terms,
    expressions: &Expressions,
    root: Id,
    functions: Option<&Functions>,
    lookup: &mut dyn FnMut(&mut Terms, &str) -> Option<Term>,
) -> Result<Term, Problem> {
    let bound = FxHashMap::default();
    let term = Reader { terms, expressions, functions, lookup, bound, calls: 0, depth: 0 }.term(root)?;
    if terms.depth(term) > DEEPEST_TERM {
        return Err(expressions.problem(root, format!("nested deeper than {DEEPEST_TERM} levels, with every `let`")));
    }
    Ok(term)
}

/// A function that a text defines, as by `(define-fun f ((x Int)) Bool (< x 3))`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function<'t> {
    /// Its name.
    pub name: &'t str,
    /// The names and sorts of its parameters, which are all that its body reads.
    pub parameters: Vec<(&'t str, Sort)>,
    /// The sort of its values.
    pub result: Sort,
    /// The expression that defines it.
    pub body: Id,
    /// The definition: the function is known behind it.
    pub place: Id,
}

/// The functions of a text. None uses itself or a later one.
#[derive(Clone, Debug, Default)]
pub struct Functions<'t> {
    list: Vec<Function<'t>>,
    places: FxHashMap<&'t str, usize>,
}

impl<'t> Functions<'t> {
    /// Adds one, whose name is new.
    pub fn push(&mut self, function: Function<'t>) {
        self.places.insert(function.name, self.list.len());
        self.list.push(function);
    }

    /// In the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &Function<'t>> {
        self.list.iter()
    }

    /// By its name.
    pub fn get(&self, name: &str) -> Option<&Function<'t>> {
        self.places.get(name).map(|&place| &self.list[place])
    }

    /// One that is known at a place.
    pub fn known(&self, name: &str, at: Id) -> Option<&Function<'t>> {
        self.get(name).filter(|function| function.place < at)
    }
}

/// Functions on terms are recursive.
const DEEPEST_TERM: usize = 10_000;

/// All pairs of what is `distinct` are compared.
const MOST_DISTINCT: usize = 300;

struct Reader<'a, 't> {
    terms: &'a mut Terms,
    expressions: &'a Expressions<'t>,
    /// None where no functions are, nor annotations.
    functions: Option<&'a Functions<'t>>,
    lookup: &'a mut dyn FnMut(&mut Terms, &str) -> Option<Term>,
    bound: FxHashMap<&'t str, Vec<Term>>,
    /// Number of functions that are being read, which know nothing of what is around.
    calls: usize,
    depth: usize,
}

type Result<T, E = Problem> = std::result::Result<T, E>;

/// A `let`: names with their terms, and the body.
type Local<'t> = (Vec<(&'t str, Id)>, Id);

impl<'a, 't> Reader<'a, 't> {
    fn problem<T>(&self, at: Id, what: impl Into<String>) -> Result<T> {
        Err(self.expressions.problem(at, what))
    }

    fn get(&self, id: Id) -> &'a Expression<'t> {
        self.expressions.get(id)
    }

    fn term(&mut self, id: Id) -> Result<Term> {
        if self.depth == DEEPEST {
            return self.problem(id, format!("nested deeper than {DEEPEST} levels"));
        }
        tick();
        self.depth += 1;
        let term = match self.get(id) {
            Expression::Atom(atom) => self.atom(id, atom),
            Expression::Text(_) => self.problem(id, "strings have no meaning here"),
            Expression::List(items) => match items.split_first() {
                Some((&operator, operands)) => match self.get(operator) {
                    Expression::Atom("let") => self.local(id),
                    Expression::Atom("!") if self.functions.is_some() && !operands.is_empty() => self.term(operands[0]),
                    Expression::Atom(name) => self.application(id, name, operands),
                    _ => self.problem(operator, "an operator is expected here"),
                },
                None => self.problem(id, "an operator is missing"),
            },
        };
        self.depth -= 1;
        term
    }

    fn atom(&mut self, id: Id, atom: &'t str) -> Result<Term> {
        if let Some(&term) = self.bound.get(atom).and_then(|values| values.last()) {
            return Ok(term);
        }
        match atom {
            "true" | "false" => Ok(self.terms.bool(atom == "true")),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.is_empty() => {
                bits(digits.len());
                let value: IBig = digits.parse().expect("decimal digits");
                Ok(self.terms.int(value))
            }
            symbol => {
                if let Some(function) = self.function(id, symbol) {
                    return self.call(id, function, &[]);
                }
                let known = if self.calls == 0 { (self.lookup)(self.terms, symbol) } else { None };
                known.map_or_else(|| self.problem(id, format!("nothing is called `{symbol}` here")), Ok)
            }
        }
    }

    fn function(&self, id: Id, name: &str) -> Option<&'a Function<'t>> {
        self.functions.and_then(|functions| functions.known(name, id))
    }

    /// The body of a function, which knows its parameters only.
    fn call(&mut self, id: Id, function: &'a Function<'t>, operands: &[Id]) -> Result<Term> {
        let Function { name, parameters, body, .. } = function;
        if operands.len() != parameters.len() {
            let (wanted, given) = (count(parameters.len(), "argument"), operands.len());
            return self.problem(id, format!("`{name}` has {wanted}, not {given}"));
        }
        let mut bound = FxHashMap::default();
        for (&operand, &(parameter, sort)) in operands.iter().zip(parameters) {
            let value = if sort == Sort::Bool { self.boolean(operand)? } else { self.integer(operand)? };
            bound.insert(parameter, vec![value]);
        }
        let around = std::mem::replace(&mut self.bound, bound);
        self.calls += 1;
        let term = self.term(*body);
        self.calls -= 1;
        self.bound = around;
        term
    }

    /// `(let ((name term) ..) body)`, where the body may be another one.
    fn local(&mut self, mut id: Id) -> Result<Term> {
        let mut names = Vec::new();
        while let Some((bindings, body)) = self.bindings(id)? {
            let mut values = Vec::new();
            for (name, value) in bindings {
                values.push((name, self.term(value)?));
            }
            for (name, value) in values {
                self.bound.entry(name).or_default().push(value);
                names.push(name);
            }
            id = body;
        }
        let result = self.term(id)?;
        for name in names {
            self.bound.get_mut(name).and_then(Vec::pop);
        }
        Ok(result)
    }

    /// The bindings and the body of a `let`, if this is one.
    fn bindings(&self, id: Id) -> Result<Option<Local<'t>>> {
        let Expression::List(items) = self.get(id) else { return Ok(None) };
        if items.first().is_none_or(|&first| *self.get(first) != Expression::Atom("let")) {
            return Ok(None);
        }
        let [_, list, body] = items[..] else { return self.problem(id, "`let` has bindings and a body") };
        let Expression::List(list) = self.get(list) else { return self.problem(list, "bindings are expected here") };
        let mut bindings = Vec::new();
        for &binding in list {
            match self.get(binding) {
                Expression::List(pair) => match pair[..] {
                    [name, value] => match self.get(name) {
                        Expression::Atom(name) if is_name(name) => bindings.push((*name, value)),
                        _ => return self.problem(name, "a name is expected here"),
                    },
                    _ => return self.problem(binding, "a binding has a name and a term"),
                },
                _ => return self.problem(binding, "a binding is expected here"),
            }
        }
        Ok(Some((bindings, body)))
    }

    fn application(&mut self, id: Id, operator: &str, operands: &[Id]) -> Result<Term> {
        if let Some(function) = self.function(id, operator) {
            return self.call(id, function, operands);
        }
        let fewest = match operator {
            "and" | "or" | "not" | "+" | "-" | "*" | "abs" => 1,
            "=>" | "xor" | "=" | "distinct" | "<=" | "<" | ">=" | ">" | "div" | "mod" => 2,
            "ite" => 3,
            _ => return self.problem(id, format!("`{operator}` is no operator that can be read here")),
        };
        let most = match operator {
            "not" | "abs" => 1,
            "div" | "mod" => 2,
            "ite" => 3,
            "distinct" => MOST_DISTINCT,
            _ => usize::MAX,
        };
        if !(fewest..=most).contains(&operands.len()) {
            return self.problem(id, format!("`{operator}` cannot have {} operands", operands.len()));
        }
        match operator {
            "and" | "or" | "not" | "=>" | "xor" => self.connective(operator, operands),
            "=" | "distinct" => self.comparison(operator, operands),
            "ite" => self.choice(operands),
            "<=" | "<" | ">=" | ">" => self.order(operator, operands),
            _ => self.arithmetic(operator, operands),
        }
    }

    fn boolean(&mut self, id: Id) -> Result<Term> {
        let term = self.term(id)?;
        match self.terms.sort(term) {
            Sort::Bool => Ok(term),
            _ => self.problem(id, "a truth value is expected here, and this is a number"),
        }
    }

    /// Of a finite sort or an integer.
    fn any_number(&mut self, id: Id) -> Result<Term> {
        let term = self.term(id)?;
        match self.terms.sort(term) {
            Sort::Bool => self.problem(id, "a number is expected here, and this is a truth value"),
            _ => Ok(term),
        }
    }

    fn integer(&mut self, id: Id) -> Result<Term> {
        let term = self.any_number(id)?;
        Ok(self.terms.number_of(term))
    }

    fn each<T>(&mut self, ids: &[Id], mut read: impl FnMut(&mut Self, Id) -> Result<T>) -> Result<Vec<T>> {
        ids.iter().map(|&id| read(self, id)).collect()
    }

    fn connective(&mut self, operator: &str, operands: &[Id]) -> Result<Term> {
        let list = self.each(operands, Self::boolean)?;
        let terms = &mut *self.terms;
        Ok(match operator {
            "and" => terms.and(list),
            "or" => terms.or(list),
            "not" => terms.not(list[0]),
            "=>" => list.into_iter().rev().reduce(|then, condition| terms.implies(condition, then)).expect("operands"),
            _ => list
                .into_iter()
                .reduce(|a, b| {
                    let same = terms.eq(a, b);
                    terms.not(same)
                })
                .expect("operands"),
        })
    }

    /// Neighbours are equal, or all are different.
    fn comparison(&mut self, operator: &str, operands: &[Id]) -> Result<Term> {
        let list = self.each(operands, Self::term)?;
        let mut results = Vec::new();
        for (index, &b) in list.iter().enumerate().skip(1) {
            let others = if operator == "=" { index - 1..index } else { 0..index };
            for &a in &list[others] {
                let Some(equal) = self.equal(a, b) else {
                    return self.problem(operands[index], "a number and a truth value cannot be compared");
                };
                results.push(if operator == "=" { equal } else { self.terms.not(equal) });
            }
        }
        Ok(self.terms.and(results))
    }

    /// That two terms are equal; nothing if they cannot be compared.
    fn equal(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.terms.sort(a), self.terms.sort(b)) {
            (Sort::Bool, Sort::Bool) => Some(self.terms.eq(a, b)),
            (Sort::Bool, _) | (_, Sort::Bool) => None,
            (Sort::Enum(m), Sort::Enum(n)) if m == n => Some(self.terms.eq(a, b)),
            (Sort::Enum(count), Sort::Int) => Some(self.is_value(a, count, b)),
            (Sort::Int, Sort::Enum(count)) => Some(self.is_value(b, count, a)),
            _ => {
                let (a, b) = (self.terms.number_of(a), self.terms.number_of(b));
                Some(self.terms.eq(a, b))
            }
        }
    }

    /// That the number of a term of a finite sort is that of an integer.
    fn is_value(&mut self, term: Term, count: u32, number: Term) -> Term {
        match self.terms.node(number) {
            TermNode::Int(value) => match u32::try_from(value) {
                Ok(value) if value < count => {
                    let constant = self.terms.constant_of_enum(value, count);
                    self.terms.eq(term, constant)
                }
                _ => self.terms.bool(false),
            },
            _ => {
                let of_term = self.terms.number_of(term);
                self.terms.eq(of_term, number)
            }
        }
    }

    fn choice(&mut self, operands: &[Id]) -> Result<Term> {
        let condition = self.boolean(operands[0])?;
        let (mut a, mut b) = (self.term(operands[1])?, self.term(operands[2])?);
        let sorts = (self.terms.sort(a), self.terms.sort(b));
        if sorts.0 != sorts.1 {
            if sorts.0 == Sort::Bool || sorts.1 == Sort::Bool {
                return self.problem(operands[2], "one branch is a number, the other a truth value");
            }
            (a, b) = (self.terms.number_of(a), self.terms.number_of(b));
        }
        Ok(self.terms.ite(condition, a, b))
    }

    fn order(&mut self, operator: &str, operands: &[Id]) -> Result<Term> {
        let list = self.each(operands, Self::any_number)?;
        let compared: Vec<Term> = list
            .windows(2)
            .map(|pair| match operator {
                "<=" => self.at_most(pair[0], pair[1]),
                "<" => self.less(pair[0], pair[1]),
                ">=" => self.at_most(pair[1], pair[0]),
                _ => self.less(pair[1], pair[0]),
            })
            .collect();
        Ok(self.terms.and(compared))
    }

    fn less(&mut self, a: Term, b: Term) -> Term {
        let opposite = self.at_most(b, a);
        self.terms.not(opposite)
    }

    /// That a number is at most another one; of a finite sort, that it is one of these values.
    fn at_most(&mut self, a: Term, b: Term) -> Term {
        match (self.terms.sort(a), self.terms.node(a).clone(), self.terms.sort(b), self.terms.node(b).clone()) {
            (Sort::Enum(count), _, _, TermNode::Int(most)) => self.is_among(a, count, |value| value <= most),
            (_, TermNode::Int(least), Sort::Enum(count), _) => self.is_among(b, count, |value| least <= value),
            _ => {
                let (a, b) = (self.terms.number_of(a), self.terms.number_of(b));
                self.terms.le(a, b)
            }
        }
    }

    /// That a term of a finite sort has one of some values, or none of the others if these are fewer.
    fn is_among(&mut self, term: Term, count: u32, chosen: impl Fn(IBig) -> bool) -> Term {
        let (inside, outside): (Vec<u32>, Vec<u32>) = (0..count).partition(|&value| chosen(IBig::from(value)));
        let terms = &mut *self.terms;
        let mut one_of = |values: Vec<u32>| {
            let equal = |&value: &u32| {
                let constant = terms.constant_of_enum(value, count);
                terms.eq(term, constant)
            };
            let equal: Vec<Term> = values.iter().map(equal).collect();
            terms.or(equal)
        };
        if inside.len() <= outside.len() {
            return one_of(inside);
        }
        let others = one_of(outside);
        terms.not(others)
    }

    fn arithmetic(&mut self, operator: &str, operands: &[Id]) -> Result<Term> {
        let list = self.each(operands, Self::integer)?;
        let terms = &mut *self.terms;
        let folded = |operation: fn(&mut Terms, Term, Term) -> Term, terms: &mut Terms| {
            list.iter().copied().reduce(|a, b| operation(terms, a, b)).expect("operands")
        };
        match operator {
            "-" if list.len() == 1 => {
                let zero = terms.int(0);
                Ok(terms.sub(zero, list[0]))
            }
            "abs" => {
                let zero = terms.int(0);
                let (positive, negative) = (terms.le(zero, list[0]), terms.sub(zero, list[0]));
                Ok(terms.ite(positive, list[0], negative))
            }
            "+" => Ok(folded(Terms::add, terms)),
            "-" => Ok(folded(Terms::sub, terms)),
            "*" => Ok(folded(Terms::mul, terms)),
            _ => match self.terms.node(list[1]).clone() {
                TermNode::Int(divisor) if divisor != IBig::ZERO => Ok(divided(self.terms, operator, list[0], divisor)),
                _ => self.problem(operands[1], "a divisor has to be a constant, and not 0"),
            },
        }
    }
}

/// `div` or `mod` of SMT-LIB by a constant that is not 0: the remainder is never negative.
pub fn divided(terms: &mut Terms, operator: &str, a: Term, divisor: IBig) -> Term {
    let negative = divisor < IBig::ZERO;
    let size = if negative { -divisor } else { divisor };
    let (zero, most) = (terms.int(0), terms.int(&size - IBig::ONE));
    // Below 0: the quotient of what is one less than a whole divisor further from 0.
    let (up, further) = (terms.div(a, size.clone()), terms.sub(most, a));
    let down = terms.div(further, size.clone());
    let (below, inside) = (terms.sub(zero, down), terms.le(zero, a));
    let quotient = terms.ite(inside, up, below);
    match operator {
        "div" if negative => terms.sub(zero, quotient),
        "div" => quotient,
        _ => {
            let size = terms.int(size);
            let whole = terms.mul(size, quotient);
            terms.sub(a, whole)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Value;
    use crate::ts::term::{Leaf, VarId};

    fn leaf(terms: &mut Terms, index: u32, sort: Sort) -> Term {
        terms.leaf(Leaf::Var(VarId(index)), sort, None)
    }

    fn lookup(terms: &mut Terms, name: &str) -> Option<Term> {
        match name {
            "p" => Some(leaf(terms, 0, Sort::Bool)),
            "x" => Some(leaf(terms, 1, Sort::Int)),
            "color" => Some(leaf(terms, 2, Sort::Enum(3))),
            "color.red" => Some(terms.constant_of_enum(2, 3)),
            _ => None,
        }
    }

    /// The value where p is true, x is -7 and the color is 2, red.
    fn value(text: &str) -> Value {
        let mut terms = Terms::new();
        let read = term(&mut terms, text, &mut lookup).unwrap_or_else(|problem| panic!("{text}: {problem}"));
        terms.evaluate(read, &|leaf| match leaf {
            Leaf::Var(VarId(0)) => Value::Bool(true),
            Leaf::Var(VarId(1)) => Value::Int((-7).into()),
            _ => Value::Enum(2),
        })
    }

    fn problem(text: &str) -> String {
        term(&mut Terms::new(), text, &mut lookup).expect_err(text).to_string()
    }

    #[test]
    fn operators_mean_what_smt_lib_says() {
        let truths = [
            "(and p (not false) (or (= x 3) (< x (- 6) 0)))",
            "(=> p false p)",
            "(xor p p p)",
            "(distinct x 1 2 (- 1 8 1))",
            "(not (distinct x 1 2 (- 1 8 1) x))",
            "(= (+ x 1) (* 2 (- 3)) (- 6))",
            "(and (>= 7 (- x)) (> 8 (- x)))",
            "(= (div x 2) (- 4))",
            "(= (mod x 2) 1)",
            "(= (div x (- 2)) 4)",
            "(= (mod x (- 2)) 1)",
            "(= (div 7 2) 3)",
            "(= (abs (- 7)) 7 (abs 7) (abs x))",
            "(ite (= x 0) false p)",
            "(let ((a x) (x p)) (let ((p (not x))) (and x (not p) (= a (- 7)))))",
        ];
        for text in truths {
            assert_eq!(value(text), Value::Bool(true), "{text}");
        }
        assert_eq!(value("(ite p (* x x) 123456789012345678901234567890)"), Value::Int(49.into()));
    }

    #[test]
    fn values_of_finite_sorts_are_their_numbers() {
        for text in
            ["(= color 2)", "(= color color.red)", "(< 1 color 3)", "(= (+ color 1) 3)", "(= x (- (+ color 5)))"]
        {
            assert_eq!(value(text), Value::Bool(true), "{text}");
        }
        let mut terms = Terms::new();
        let (color, red) = (lookup(&mut terms, "color"), lookup(&mut terms, "color.red"));
        let expected = terms.eq(color.expect("known"), red.expect("known"));
        assert_eq!(term(&mut terms, "(= 2 color)", &mut lookup), Ok(expected));
        assert_eq!(term(&mut terms, "(< 1 color)", &mut lookup), Ok(expected));
        let others = terms.not(expected);
        let few = term(&mut terms, "(<= color 1)", &mut lookup).expect("well sorted");
        for (value, color) in [(true, 0), (true, 1), (false, 2)] {
            let is = |terms: &Terms, term| terms.evaluate(term, &|_| Value::Enum(color)).as_bool();
            assert_eq!((is(&terms, few), is(&terms, others)), (value, value));
        }
        for text in ["(= color 3)", "(> color 2)", "(>= (- 1) color)"] {
            let never = term(&mut terms, text, &mut lookup).expect("well sorted");
            assert!(terms.is_false(never), "{text}");
        }
    }

    #[test]
    fn problems_name_the_place() {
        let problems = [
            ("(and p x)", "at character 8: a truth value is expected here, and this is a number"),
            ("(+ x p)", "at character 6: a number is expected here, and this is a truth value"),
            ("(= x p)", "at character 6: a number and a truth value cannot be compared"),
            ("(ite p p x)", "at character 10: one branch is a number, the other a truth value"),
            ("(= x y)", "at character 6: nothing is called `y` here"),
            ("(forall ((y Int)) p)", "at character 1: `forall` is no operator that can be read here"),
            ("(not p p)", "at character 1: `not` cannot have 2 operands"),
            ("(=>\n  p)", "at character 1: `=>` cannot have 1 operands"),
            ("(or p\n  (<= x))", "in line 2, at character 3: `<=` cannot have 1 operands"),
            ("(div x x)", "at character 8: a divisor has to be a constant, and not 0"),
            ("(mod x 0)", "at character 8: a divisor has to be a constant, and not 0"),
            ("(= x 1.5)", "at character 6: nothing is called `1.5` here"),
            ("((p))", "at character 2: an operator is expected here"),
            ("()", "at character 1: an operator is missing"),
            ("(let ((a)) p)", "at character 7: a binding has a name and a term"),
            ("(let (a) p)", "at character 7: a binding is expected here"),
            ("(let ((a p)))", "at character 1: `let` has bindings and a body"),
            ("p p", "at character 3: one term is enough"),
            (" ", "at character 2: a term is missing"),
        ];
        for (text, expected) in problems {
            assert_eq!(problem(text), expected, "{text}");
        }
    }

    #[test]
    fn depth_is_limited_but_not_that_of_lets() {
        let deep = |count: usize| format!("{}p{}", "(not ".repeat(count), ")".repeat(count));
        assert_eq!(value(&deep(900)), Value::Bool(true));
        assert!(problem(&deep(1001)).ends_with("nested deeper than 1000 levels"));
        let lets = format!("{}a{}", "(let ((a p)) ".repeat(5000), ")".repeat(5000));
        assert_eq!(value(&lets), Value::Bool(true));
    }
}
