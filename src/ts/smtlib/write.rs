//! From terms to SMT-LIB text.

use super::symbols::{Kind, Symbols};
use crate::ts::term::{Leaf, Node, Sort, Term, Terms};
use dashu_int::IBig;
use rustc_hash::FxHashMap;

/// The text of terms, at some point of a run or at none.
///
/// What occurs more than once can get a name ([`Writer::share`]), so that a text is as large as the graph
/// of its terms and not as their trees.
#[derive(Clone, Debug)]
pub struct Writer<'a> {
    terms: &'a Terms,
    symbols: &'a Symbols,
    frame: Option<usize>,
    names: FxHashMap<Term, String>,
}

/// A name for a term that occurs more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// The sort.
    pub sort: &'static str,
    /// The term, in which the names of earlier definitions may occur.
    pub term: String,
}

impl<'a> Writer<'a> {
    /// For terms without a place in time.
    pub fn new(terms: &'a Terms, symbols: &'a Symbols) -> Writer<'a> {
        Writer { terms, symbols, frame: None, names: FxHashMap::default() }
    }

    /// For the state after that many steps and the step from there: every name ends in `@` and the number.
    pub fn at(terms: &'a Terms, symbols: &'a Symbols, frame: usize) -> Writer<'a> {
        Writer { frame: Some(frame), ..Writer::new(terms, symbols) }
    }

    /// A term in which shared subterms are bound by `let`.
    pub fn closed(terms: &'a Terms, symbols: &'a Symbols, term: Term) -> String {
        let mut writer = Writer::new(terms, symbols);
        let definitions = writer.share(&[term]);
        let open: String = definitions.iter().map(|it| format!("(let (({} {})) ", it.name, it.term)).collect();
        format!("{open}{}{}", writer.term(term), ")".repeat(definitions.len()))
    }

    /// Names what occurs more than once below the roots and is longer than a name; each definition uses
    /// earlier ones only.
    pub fn share(&mut self, roots: &[Term]) -> Vec<Definition> {
        let mut uses: FxHashMap<Term, usize> = FxHashMap::default();
        let mut work = roots.to_vec();
        while let Some(term) = work.pop() {
            let count = uses.entry(term).or_default();
            *count += 1;
            if *count == 1 {
                self.terms.for_each_child(term, |child| work.push(child));
            }
        }
        let shared = |(term, count): (Term, usize)| (count > 1 && !self.is_short(term)).then_some(term);
        let mut order: Vec<Term> = uses.into_iter().filter_map(shared).collect();
        order.sort_unstable();
        let mut definitions = Vec::new();
        for term in order {
            let definition = self.definition(term, None);
            let name = self.timed(&format!("t{}", self.names.len()));
            definitions.push(Definition { name: name.clone(), sort: self.sort(term), term: definition });
            self.names.insert(term, name);
        }
        definitions
    }

    /// Leaves, constants, comparisons of them, and negations of all these.
    fn is_short(&self, term: Term) -> bool {
        let atomic = |term: Term| match self.terms.node(term) {
            Node::Leaf(_) => true,
            _ => self.terms.as_constant(term).is_some(),
        };
        match *self.terms.node(term) {
            Node::Not(a) => self.is_short(a),
            Node::Eq(a, b) | Node::Le(a, b) => atomic(a) && atomic(b),
            _ => atomic(term),
        }
    }

    fn timed(&self, name: &str) -> String {
        match self.frame {
            Some(frame) => format!("{name}@{frame}"),
            None => name.to_owned(),
        }
    }

    fn sort(&self, term: Term) -> &'static str {
        sort_name(self.terms.sort(term))
    }

    /// A variable or an input.
    pub fn leaf(&self, leaf: Leaf) -> String {
        self.timed(self.symbols.leaf(leaf))
    }

    /// A term, by its name if it has one.
    pub fn term(&self, term: Term) -> String {
        self.term_as(term, None)
    }

    /// A term whose values are called like those of a leaf.
    pub fn value(&self, leaf: Leaf, term: Term) -> String {
        self.term_as(term, self.symbols.kind_of_leaf(leaf))
    }

    /// A term whose constants are values of a kind.
    fn term_as(&self, term: Term, kind: Option<Kind>) -> String {
        self.names.get(&term).cloned().unwrap_or_else(|| self.definition(term, kind))
    }

    fn definition(&self, term: Term, kind: Option<Kind>) -> String {
        let all = |list: &[Term]| list.iter().map(|&x| self.term(x)).collect::<Vec<String>>();
        match self.terms.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Int(value) => integer(value),
            Node::Enum(value, _) => self.constant(*value, kind),
            Node::Leaf(leaf) => self.leaf(*leaf),
            Node::Not(a) => application("not", &[self.term(*a)]),
            Node::And(list) => application("and", &all(list)),
            Node::Or(list) => application("or", &all(list)),
            Node::Eq(a, b) => {
                let kind = self.symbols.kind(self.terms, *a).or_else(|| self.symbols.kind(self.terms, *b));
                application("=", &[self.term_as(*a, kind), self.term_as(*b, kind)])
            }
            Node::Le(a, b) => application("<=", &all(&[*a, *b])),
            Node::Sum(constant, summands) => self.sum(constant, summands),
            Node::Product(a, b) => application("*", &all(&[*a, *b])),
            Node::Quotient(a, divisor) => quotient(&self.term(*a), divisor),
            Node::Ite(c, a, b) => {
                let kind = kind.or_else(|| self.symbols.kind(self.terms, term));
                application("ite", &[self.term(*c), self.term_as(*a, kind), self.term_as(*b, kind)])
            }
        }
    }

    fn constant(&self, value: u32, kind: Option<Kind>) -> String {
        match kind {
            Some(kind) => self.symbols.values(kind)[value as usize].clone(),
            None => value.to_string(),
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
        match &list[..] {
            [only] => only.clone(),
            _ => application("+", &list),
        }
    }
}

/// Rounded towards zero, which `div` of SMT-LIB is only for numbers that are not negative.
fn quotient(a: &str, divisor: &IBig) -> String {
    let negative = *divisor < IBig::ZERO;
    let size = integer(&if negative { -divisor } else { divisor.clone() });
    let (up, down) = (format!("(div {a} {size})"), format!("(div (- {a}) {size})"));
    let (up, down) = if negative { (format!("(- {up})"), down) } else { (up, format!("(- {down})")) };
    format!("(ite (<= 0 {a}) {up} {down})")
}

/// `(operator a b)`
fn application(operator: &str, operands: &[String]) -> String {
    format!("({operator} {})", operands.join(" "))
}

/// An integer.
pub fn integer(value: &IBig) -> String {
    if *value < IBig::ZERO { format!("(- {})", -value) } else { value.to_string() }
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
    use crate::model::{Value, elaborate};
    use crate::property::base_system;
    use crate::source::SourceFile;
    use crate::syntax::parse;
    use crate::ts::smtlib::read;
    use crate::ts::smtlib::symbols::Kind;
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
        let (model, findings) = elaborate(&parse(&SourceFile::new("test.rcp", MODEL), None).model);
        let model = model.unwrap_or_else(|| panic!("{findings:?}"));
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
        let guards = |terms: &Terms, term: &Term| {
            let mut inputs = false;
            terms.collect_leaves(*term, &mut Default::default(), &mut |leaf| inputs |= matches!(leaf, Leaf::Input(_)));
            !inputs
        };
        roots.extend(system.events().iter().map(|event| event.guard).filter(|term| guards(system.terms(), term)));
        let numbers = roots.iter().filter(|&&root| system.terms().sort(root) != Sort::Bool).count();
        assert!(roots.len() > 20 && numbers > 4, "{} roots, {numbers} of them numbers", roots.len());
        let sorts: Vec<Sort> = system.variables().iter().map(|variable| variable.sort).collect();
        let sort = |leaf| match leaf {
            Leaf::Var(VarId(id)) => sorts[id as usize],
            Leaf::Input(_) => panic!("no inputs here"),
        };
        for root in roots {
            let text = Writer::closed(system.terms(), &symbols, root);
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
        assert_eq!(Writer::new(system.terms(), &symbols).term(linked), "(= event-link channel.d)");
        assert_eq!(Writer::at(system.terms(), &symbols, 1).term(linked), "(= event-link@1 channel.d)");
        let events = symbols.values(Kind::EVENTS);
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
        let text = Writer::closed(system.terms(), &symbols, both);
        assert_eq!(text, "(let ((t0 (<= (* 2 event-n) 2))) (and t0 (= (= event-mode modes.on) t0)))");
    }
}
