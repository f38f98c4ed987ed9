//! Terms, and the relations of a [`Question`], as SMT-LIB text.
//!
//! Values of finite sorts are integers, which every reader of Horn clauses and of VMT-LIB has; comments
//! say which number is which constant. A choice between two options, such as a promise of the tableau,
//! is a Boolean. Division rounds towards zero, which SMT-LIB's `div` does not for negative numbers.

use super::names::{Kind, Names};
use super::question::{Question, listed};
use super::shared::Shared;
use crate::ts::system::{Case, Domain, EVENT};
use crate::ts::term::{InputId, Leaf, Node, Sort, Term, Terms, VarId};
use dashu_int::IBig;

/// A question with names: the text of its parts.
#[derive(Clone, Copy)]
pub struct Text<'a> {
    pub question: &'a Question,
    pub names: &'a Names,
    pub shared: &'a Shared,
}

impl Text<'_> {
    fn terms(&self) -> &Terms {
        self.question.system.terms()
    }

    /// A term, by its name if it has one.
    pub fn term(&self, term: Term) -> String {
        self.shared.name(term).map_or_else(|| self.definition(term), str::to_owned)
    }

    /// A term in full.
    pub fn definition(&self, term: Term) -> String {
        let list = |operator: &str, list: &[Term]| {
            let list: Vec<String> = list.iter().map(|&x| self.term(x)).collect();
            application(operator, &list)
        };
        match self.terms().node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Int(value) => integer(value),
            Node::Enum(value, _) => value.to_string(),
            Node::Leaf(Leaf::Input(id)) if self.is_flag(*id) => {
                application("ite", &[self.input(*id), "1".to_owned(), "0".to_owned()])
            }
            Node::Leaf(leaf) => self.names.leaf(*leaf).to_owned(),
            Node::Not(a) => list("not", &[*a]),
            Node::And(members) => list("and", members),
            Node::Or(members) => list("or", members),
            Node::Eq(a, b) => self.flag(*a, *b).unwrap_or_else(|| list("=", &[*a, *b])),
            Node::Le(a, b) => list("<=", &[*a, *b]),
            Node::Sum(constant, summands) => self.sum(constant, summands),
            Node::Product(a, b) => list("*", &[*a, *b]),
            Node::Quotient(a, divisor) => self.quotient(*a, divisor),
            Node::Ite(c, a, b) => list("ite", &[*c, *a, *b]),
        }
    }

    /// Whether an input is a Boolean in the text.
    fn is_flag(&self, id: InputId) -> bool {
        id != EVENT && self.question.system.inputs()[id.0 as usize].count == 2
    }

    /// The comparison of a Boolean input with one of its options.
    fn flag(&self, a: Term, b: Term) -> Option<String> {
        match (self.terms().node(a), self.terms().node(b)) {
            (Node::Leaf(Leaf::Input(id)), Node::Enum(value, _)) if self.is_flag(*id) => {
                let name = self.input(*id);
                Some(if *value == 1 { name } else { application("not", &[name]) })
            }
            _ => None,
        }
    }

    fn sum(&self, constant: &IBig, summands: &[(IBig, Term)]) -> String {
        let mut list: Vec<String> = summands
            .iter()
            .map(|(factor, x)| match self.term(*x) {
                x if *factor == IBig::ONE => x,
                x if *factor == IBig::NEG_ONE => application("-", &[x]),
                x => application("*", &[integer(factor), x]),
            })
            .collect();
        if *constant != IBig::ZERO {
            list.push(integer(constant));
        }
        application("+", &list)
    }

    fn quotient(&self, a: Term, divisor: &IBig) -> String {
        let a = self.term(a);
        let negative = *divisor < IBig::ZERO;
        let size = if negative { integer(&-divisor) } else { integer(divisor) };
        let minus = |x: String| application("-", &[x]);
        let up = application("div", &[a.clone(), size.clone()]);
        let down = application("div", &[minus(a.clone()), size]);
        let (up, down) = if negative { (minus(up), down) } else { (up, minus(down)) };
        application("ite", &[application("<=", &["0".to_owned(), a]), up, down])
    }

    /// An input by name.
    pub fn input(&self, id: InputId) -> String {
        self.names.leaf(Leaf::Input(id)).to_owned()
    }

    /// The sort of an input.
    pub fn input_sort(&self, id: InputId) -> &'static str {
        if self.is_flag(id) { "Bool" } else { "Int" }
    }

    /// The sort of a variable.
    pub fn sort(&self, id: VarId) -> &'static str {
        match self.question.system.variable(id).sort {
            Sort::Bool => "Bool",
            Sort::Int | Sort::Enum(_) => "Int",
        }
    }

    /// That the variables have values of their domains; nothing for those that cannot leave them.
    pub fn domains(&self) -> Vec<String> {
        self.question.variables.iter().filter_map(|&id| self.domain(id)).collect()
    }

    fn domain(&self, id: VarId) -> Option<String> {
        let name = self.names.variable(id).to_owned();
        if let Some(values) = listed(&self.question.system, id) {
            return Some(among(&name, values));
        }
        match self.question.system.variable(id).domain {
            Domain::Range(low, high) => Some(between(&name, low, high)),
            Domain::Finite(ref values) if values[0] == 0 => Some(application("not", &[name])),
            Domain::Finite(_) => Some(name),
            Domain::Bool | Domain::Unbounded => None,
        }
    }

    /// The initial condition.
    pub fn init(&self) -> Vec<String> {
        let domains = self.domains();
        domains.into_iter().chain(self.question.init.iter().map(|&term| self.term(term))).collect()
    }

    /// Which steps exist, over variables and inputs.
    pub fn possible(&self) -> Vec<String> {
        let system = &self.question.system;
        let mut list = self.domains();
        let choices = self.question.inputs.iter().filter(|&&id| id != EVENT && !self.is_flag(id));
        list.extend(choices.map(|&id| {
            let count = system.inputs()[id.0 as usize].count;
            between(&self.input(id), 0, i64::from(count) - 1)
        }));
        let event = |(index, event): (usize, &crate::ts::system::Event)| {
            let chosen = application("=", &[self.input(EVENT), index.to_string()]);
            conjunction(&[chosen, self.term(event.guard)])
        };
        let alive = system.events().iter().enumerate().filter(|(_, event)| !self.terms().is_false(event.guard));
        list.push(application("or", &alive.map(event).collect::<Vec<_>>()));
        list.extend(system.constraints().iter().map(|&term| self.term(term)));
        list
    }

    /// The value of a variable after the step.
    pub fn next(&self, id: VarId) -> String {
        let cases = self.question.system.update(id);
        if let Some(condition) = self.truth(cases) {
            return self.term(condition);
        }
        let unchanged = self.names.variable(id).to_owned();
        cases.iter().rev().fold(unchanged, |otherwise, case| {
            application("ite", &[self.term(case.condition), self.term(case.value), otherwise])
        })
    }

    /// The condition c of an update to true if c, and to false if not.
    fn truth(&self, cases: &[Case]) -> Option<Term> {
        let [yes, no] = cases else { return None };
        let complementary = *self.terms().node(no.condition) == Node::Not(yes.condition);
        let matches = self.terms().is_true(yes.value) && self.terms().is_false(no.value);
        (complementary && matches).then_some(yes.condition)
    }

    /// A comment on each name whose values are numbers for constants.
    pub fn legend(&self) -> Vec<String> {
        let mut kinds: Vec<(Kind, Vec<&str>)> = Vec::new();
        let variables = self.question.variables.iter().map(|&id| Leaf::Var(id));
        for leaf in variables.chain(self.question.inputs.iter().map(|&id| Leaf::Input(id))) {
            let kind = self.names.kind(leaf);
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                _ if kind == Kind::Numbers => {}
                Some((_, leaves)) => leaves.push(self.names.leaf(leaf)),
                None => kinds.push((kind, vec![self.names.leaf(leaf)])),
            }
        }
        let line = |(kind, leaves): (Kind, Vec<&str>)| {
            let values = self.names.values(kind).iter().enumerate();
            let values: Vec<String> = values.map(|(number, name)| format!("{number} {name}")).collect();
            format!("{}: {}", leaves.join(", "), values.join(", "))
        };
        kinds.into_iter().map(line).collect()
    }
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

/// A conjunction without members that are true.
pub fn conjunction(list: &[String]) -> String {
    let list: Vec<String> = list.iter().filter(|member| *member != "true").cloned().collect();
    application("and", &list)
}

/// A conjunction with a line per member.
pub fn lines(list: &[String], indent: usize) -> String {
    match list {
        [] | [_] => application("and", list),
        _ => {
            let separator = format!("\n{:indent$}", "");
            format!("(and{separator}{})", list.join(&separator))
        }
    }
}

fn integer(value: &IBig) -> String {
    if *value < IBig::ZERO { format!("(- {})", -value) } else { value.to_string() }
}

fn between(name: &str, low: i64, high: i64) -> String {
    // Not `(<= low name high)`: some readers know the comparison of two numbers only.
    format!("(and (<= {} {name}) (<= {name} {}))", integer(&low.into()), integer(&high.into()))
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
