//! From terms to SMT-LIB text.

use crate::ts::shared::Shared;
use crate::ts::system::{Case, Domain};
use crate::ts::term::{Leaf, Sort, Term, TermNode, Terms, VarId};
use dashu_int::IBig;

/// How leaves and values are called.
pub trait Vocabulary {
    /// A variable or an input.
    fn leaf(&self, leaf: Leaf) -> String;

    /// True if an input with two options is a truth value in the text.
    fn is_flag(&self, _: Leaf) -> bool {
        false
    }

    /// A value of a finite sort, one like those of the leaf, if there is a leaf that tells.
    fn value(&self, _: Option<Leaf>, value: u32) -> String {
        value.to_string()
    }
}

/// The text of terms.
#[derive(Clone, Copy)]
pub struct Writer<'a> {
    /// Their arena.
    pub terms: &'a Terms,
    /// The names of leaves.
    pub vocabulary: &'a dyn Vocabulary,
    /// The terms that are written by name.
    pub shared: &'a Shared,
}

impl Writer<'_> {
    /// A term, by its name if it has one.
    pub fn term(&self, term: Term) -> String {
        self.like(None, term)
    }

    /// A term whose values are like those of a leaf.
    fn like(&self, like: Option<Leaf>, term: Term) -> String {
        self.shared.name(term).map_or_else(|| self.full(like, term), str::to_owned)
    }

    /// A term in full.
    pub fn definition(&self, term: Term) -> String {
        self.full(None, term)
    }

    fn full(&self, like: Option<Leaf>, term: Term) -> String {
        let list = |operator: &str, list: &[Term]| {
            let list: Vec<String> = list.iter().map(|&x| self.term(x)).collect();
            application(operator, &list)
        };
        match self.terms.node(term) {
            TermNode::Bool(value) => value.to_string(),
            TermNode::Int(value) => integer(value),
            TermNode::Enum(value, _) => self.vocabulary.value(like, *value),
            TermNode::Leaf(leaf) if self.vocabulary.is_flag(*leaf) => {
                format!("(ite {} 1 0)", self.vocabulary.leaf(*leaf))
            }
            TermNode::Leaf(leaf) => self.vocabulary.leaf(*leaf),
            TermNode::Not(a) => list("not", &[*a]),
            TermNode::And(members) => list("and", members),
            TermNode::Or(members) => list("or", members),
            TermNode::Eq(a, b) => self.equality(*a, *b),
            TermNode::Le(a, b) => list("<=", &[*a, *b]),
            TermNode::Sum(constant, summands) => self.sum(constant, summands),
            TermNode::Product(a, b) => list("*", &[*a, *b]),
            TermNode::Quotient(a, divisor) => quotient(&self.term(*a), divisor),
            TermNode::Ite(c, a, b) => {
                let like = like.or_else(|| self.leaf_of(term));
                application("ite", &[self.term(*c), self.like(like, *a), self.like(like, *b)])
            }
        }
    }

    /// A leaf that has the values of a term.
    fn leaf_of(&self, term: Term) -> Option<Leaf> {
        match *self.terms.node(term) {
            TermNode::Leaf(leaf) => Some(leaf),
            TermNode::Ite(_, a, b) => self.leaf_of(a).or_else(|| self.leaf_of(b)),
            _ => None,
        }
    }

    fn equality(&self, a: Term, b: Term) -> String {
        match (self.terms.node(a), self.terms.node(b)) {
            (TermNode::Leaf(leaf), TermNode::Enum(1, _)) if self.vocabulary.is_flag(*leaf) => {
                self.vocabulary.leaf(*leaf)
            }
            (TermNode::Leaf(leaf), TermNode::Enum(..)) if self.vocabulary.is_flag(*leaf) => {
                application("not", &[self.vocabulary.leaf(*leaf)])
            }
            _ => {
                let like = self.leaf_of(a).or_else(|| self.leaf_of(b));
                application("=", &[self.like(like, a), self.like(like, b)])
            }
        }
    }

    fn sum(&self, constant: &IBig, summands: &[(IBig, Term)]) -> String {
        let summand = |(factor, x): &(IBig, Term)| match self.term(*x) {
            x if *factor == IBig::ONE => x,
            x if *factor == IBig::NEG_ONE => application("-", &[x]),
            x => application("*", &[integer(factor), x]),
        };
        let mut list: Vec<String> = summands.iter().map(summand).collect();
        if *constant != IBig::ZERO {
            list.push(integer(constant));
        }
        application("+", &list)
    }

    /// The value of a variable after a step: that of the first case that applies; else the old one.
    pub fn next(&self, id: VarId, cases: &[Case]) -> String {
        if let Some(condition) = self.truth(cases) {
            return self.term(condition);
        }
        let leaf = Leaf::Var(id);
        cases.iter().rev().fold(self.vocabulary.leaf(leaf), |otherwise, case| {
            application("ite", &[self.term(case.condition), self.like(Some(leaf), case.value), otherwise])
        })
    }

    /// The condition c of an update to true if c, and to false if not.
    fn truth(&self, cases: &[Case]) -> Option<Term> {
        let [yes, no] = cases else { return None };
        let complementary = *self.terms.node(no.condition) == TermNode::Not(yes.condition);
        let matches = self.terms.is_true(yes.value) && self.terms.is_false(no.value);
        (complementary && matches).then_some(yes.condition)
    }
}

/// A term in which shared subterms are bound by `let`.
pub fn closed(terms: &Terms, vocabulary: &dyn Vocabulary, term: Term) -> String {
    let shared = Shared::new(terms, &[term], &[], "t");
    let writer = Writer { terms, vocabulary, shared: &shared };
    let open =
        shared.order().iter().map(|&term| format!("(let (({} {})) ", writer.term(term), writer.definition(term)));
    format!("{}{}{}", open.collect::<String>(), writer.term(term), ")".repeat(shared.order().len()))
}

/// Rounded towards zero, which `div` of SMT-LIB is only for numbers that are not negative.
pub fn quotient(a: &str, divisor: &IBig) -> String {
    let negative = *divisor < IBig::ZERO;
    let size = integer(&if negative { -divisor } else { divisor.clone() });
    let (up, down) = (format!("(div {a} {size})"), format!("(div (- {a}) {size})"));
    let (up, down) = if negative { (format!("(- {up})"), down) } else { (up, format!("(- {down})")) };
    format!("(ite (<= 0 {a}) {up} {down})")
}

/// `(operator a b)`
pub fn application(operator: &str, operands: &[String]) -> String {
    match operands {
        [only] if matches!(operator, "and" | "or" | "+") => only.clone(),
        [] if operator == "and" => "true".to_owned(),
        [] if operator == "or" => "false".to_owned(),
        _ => format!("({operator} {})", operands.join(" ")),
    }
}

/// `and` or `or` with a line per operand.
pub fn lines(operator: &str, operands: &[String], indent: usize) -> String {
    match operands {
        [] | [_] => application(operator, operands),
        _ => {
            let separator = format!("\n{:indent$}", "");
            format!("({operator}{separator}{})", operands.join(&separator))
        }
    }
}

/// A numeral.
pub fn integer(value: &IBig) -> String {
    if *value < IBig::ZERO { format!("(- {})", -value) } else { value.to_string() }
}

/// That a number lies between two others, both included.
pub fn between(name: &str, low: i64, high: i64) -> String {
    // Not `(<= low name high)`: some readers know the comparison of two numbers only.
    format!("(and (<= {} {name}) (<= {name} {}))", integer(&low.into()), integer(&high.into()))
}

/// That something of a sort has a value of a domain; nothing if all values are in it.
pub fn in_domain(name: &str, sort: Sort, domain: &Domain) -> Option<String> {
    match domain {
        Domain::Finite(values) if sort == Sort::Bool && values[0] == 0 => Some(application("not", &[name.to_owned()])),
        Domain::Finite(_) if sort == Sort::Bool => Some(name.to_owned()),
        Domain::Finite(values) => Some(among(name, values)),
        Domain::Range(low, high) => Some(between(name, *low, *high)),
        Domain::Bool | Domain::Unbounded => None,
    }
}

/// That a name has one of these values.
fn among(name: &str, values: &[i64]) -> String {
    let (low, high) = (values[0], values[values.len() - 1]);
    if high.abs_diff(low) == values.len() as u64 - 1 && values.len() > 1 {
        return between(name, low, high);
    }
    let equal = |&value: &i64| application("=", &[name.to_owned(), integer(&value.into())]);
    application("or", &values.iter().map(equal).collect::<Vec<_>>())
}

/// The sort of the text of terms of a sort.
pub fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Bool => "Bool",
        Sort::Int | Sort::Enum(_) => "Int",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Value;
    use crate::model::of_text::model;
    use crate::ts::history::base_system;
    use crate::ts::smtlib::read;
    use crate::ts::smtlib::symbols::{Symbols, ValueKind};
    use crate::ts::system::System;
    use crate::ts::term::VarId;

    const MODEL: &str = "
        enum channel {c, d}
        enum modes {off, on}
        agent Counter
            local: n : int, mode : modes, link : channel, peer : location
            init: n = 0 & mode = off & link = c
            receive-guard: chan = *
            repeat: (
                up: {n / 3 - 2 * n * n < 4 & n / -2 < 9} *! (false)()[n := n * n + n / 3, mode := on]
                +
                {mode = on} *! (link = link)()[n := 0 - n, link := d, peer := myself]
            )
        system = Counter(event, n < 3) || Counter(two, true)
    ";

    fn system() -> (Symbols, System) {
        let model = model(MODEL);
        let system = base_system(&model);
        (Symbols::new(&model, &system), system)
    }

    fn value(leaf: Leaf, sort: Sort, seed: i64) -> Value {
        let number = match leaf {
            Leaf::Var(id) => i64::from(id.0) * 7 + seed,
            Leaf::Input(id) => i64::from(id.0) * 3 + seed,
        };
        match sort {
            Sort::Bool => Value::Bool(number % 2 == 0),
            Sort::Int => Value::Int((number % 11 - 5).into()),
            Sort::Enum(count) => Value::Enum((number % i64::from(count)) as u32),
        }
    }

    #[test]
    fn what_is_written_is_read_as_something_equivalent() {
        let (symbols, mut system) = system();
        let mut roots: Vec<Term> = system.init().to_vec();
        let cases = system.var_ids().flat_map(|id| system.update(id).to_vec()).collect::<Vec<_>>();
        roots.extend(cases.iter().map(|case| case.value));
        let guards = system.events().iter().map(|event| event.guard);
        roots.extend(guards.filter(|guard| system.terms().is_of_state(*guard)));
        let numbers = roots.iter().filter(|&&root| system.terms().sort(root) != Sort::Bool).count();
        assert!(roots.len() > 20 && numbers > 4, "{} roots, {numbers} of them numbers", roots.len());
        let sorts: Vec<Sort> = system.variables().iter().map(|variable| variable.sort).collect();
        let sort = |leaf| match leaf {
            Leaf::Var(VarId(id)) => sorts[id as usize],
            Leaf::Input(_) => panic!("no inputs here"),
        };
        for root in roots {
            let text = closed(system.terms(), &symbols, root);
            let terms = system.terms_mut();
            let read = read::term(terms, &text, &mut |terms, name| symbols.lookup(terms, name));
            let read = read.unwrap_or_else(|problem| panic!("{text}: {problem}"));
            for seed in 0..40 {
                let number = |value: Value| match value {
                    Value::Enum(value) => Value::int(i64::from(value)),
                    other => other,
                };
                let [before, after] =
                    [root, read].map(|x| number(terms.evaluate(x, &|leaf| value(leaf, sort(leaf), seed))));
                assert_eq!(before, after, "{text}");
            }
        }
    }

    #[test]
    fn names_are_those_of_the_user() {
        let (symbols, mut system) = system();
        let link = system.var_term(VarId(3));
        let d = system.terms_mut().constant_of_enum(2, 3);
        let linked = system.terms_mut().eq(link, d);
        assert_eq!(closed(system.terms(), &symbols, linked), "(= event-link channel.d)");
        let events = symbols.values(ValueKind::EVENTS);
        assert_eq!(
            events,
            ["event.event-up", "event.event-command2", "event.two-up", "event.two-command2", "event.stutter"]
        );
    }

    #[test]
    fn what_occurs_twice_gets_a_name() {
        let (symbols, mut system) = system();
        let (n, mode) = (system.var_term(VarId(1)), system.var_term(VarId(2)));
        let terms = system.terms_mut();
        let (two, on) = (terms.int(2), terms.constant_of_enum(1, 2));
        let (double, is_on) = (terms.mul(two, n), terms.eq(mode, on));
        let small = terms.le(double, two);
        let unequal = terms.eq(small, is_on);
        let both = terms.and([small, unequal]);
        let text = closed(system.terms(), &symbols, both);
        assert_eq!(text, "(let ((t0 (<= (* 2 event-n) 2))) (and t0 (= (= event-mode modes.on) t0)))");
    }
}
