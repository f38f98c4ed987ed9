//! Terms as readable text, for logs of what engines learn.

use super::system::System;
use super::term::{Leaf, Term, TermNode, Terms};
use std::fmt::{self, Display, Formatter};

/// A term over the variables of a system, in the notation of models; values of enums are numbers. Where it is nested
/// deeper than a line can show it ends in dots.
pub struct ShownTerm<'a> {
    /// The system whose variables it has.
    pub system: &'a System,
    /// Its arena.
    pub terms: &'a Terms,
    /// The term.
    pub term: Term,
}

const DEEPEST: usize = 6;

impl Display for ShownTerm<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        self.write(f, self.term, DEEPEST)
    }
}

impl ShownTerm<'_> {
    fn write(&self, f: &mut Formatter, term: Term, left: usize) -> fmt::Result {
        let Some(left) = left.checked_sub(1) else { return f.write_str("..") };
        match self.terms.node(term) {
            TermNode::Bool(value) => write!(f, "{value}"),
            TermNode::Int(value) => write!(f, "{value}"),
            TermNode::Enum(value, _) => write!(f, "#{value}"),
            TermNode::Leaf(Leaf::Var(id)) => f.write_str(&self.system.variable(*id).name),
            TermNode::Leaf(Leaf::Input(id)) => f.write_str(&self.system.inputs()[id.0 as usize].name),
            TermNode::Not(a) => {
                f.write_str("!")?;
                self.write(f, *a, left)
            }
            TermNode::And(list) => self.list(f, list, " & ", left),
            TermNode::Or(list) => self.list(f, list, " | ", left),
            TermNode::Eq(a, b) => self.list(f, &[*a, *b], " = ", left),
            TermNode::Le(a, b) => self.list(f, &[*a, *b], " <= ", left),
            TermNode::Product(a, b) => self.list(f, &[*a, *b], " * ", left),
            TermNode::Quotient(a, by) => {
                self.write(f, *a, left)?;
                write!(f, " / {by}")
            }
            TermNode::Sum(constant, list) => {
                write!(f, "({constant}")?;
                for (factor, part) in list {
                    write!(f, " + {factor} * ")?;
                    self.write(f, *part, left)?;
                }
                f.write_str(")")
            }
            TermNode::Ite(condition, a, b) => self.list(f, &[*condition, *a, *b], " ? ", left),
        }
    }

    fn list(&self, f: &mut Formatter, list: &[Term], between: &str, left: usize) -> fmt::Result {
        f.write_str("(")?;
        for (index, part) in list.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { between })?;
            self.write(f, *part, left)?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::of_text::model;
    use crate::ts::history::base_system;
    use crate::ts::term::VarId;

    #[test]
    fn terms_are_written_like_models() {
        let text = "agent A local: x : int, up : bool repeat: s: {up} *! (true)()[x := x + 1]\nsystem = A(a, true)";
        let system = base_system(&model(text));
        let mut terms = system.terms().clone();
        let variable = |terms: &mut Terms, name: &str| {
            let index = system.variables().iter().position(|variable| variable.name == name).expect("declared");
            let id = VarId(index as u32);
            system.variable(id).term(terms, id)
        };
        let (x, up, three) = (variable(&mut terms, "a-x"), variable(&mut terms, "a-up"), terms.int(3));
        let (low, down) = (terms.le(x, three), terms.not(up));
        let sum = terms.add(x, three);
        let far = terms.le(three, sum);
        for (term, expected) in [(low, "(a-x <= 3)"), (down, "!a-up"), (sum, "(3 + 1 * a-x)")] {
            assert_eq!(ShownTerm { system: &system, terms: &terms, term }.to_string(), expected);
        }
        let mut deep = far;
        for _ in 0..20 {
            let different = terms.or([deep, up]);
            deep = terms.and([different, low]);
        }
        let deep = ShownTerm { system: &system, terms: &terms, term: deep }.to_string();
        assert!(deep.contains("..") && deep.len() < 200, "{deep}");
    }
}
