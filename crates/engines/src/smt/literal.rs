//! Formulas for the solvers, with constants folded before these see them.

use super::formula::{Formula, Kind};
use z3::ast::Bool;

/// A formula that the solver can be told, or that can be assumed.
#[derive(Clone, Debug)]
pub enum Literal {
    /// A truth value.
    Const(bool),
    /// Anything else.
    Formula(Formula),
}

impl Literal {
    /// The constant true.
    pub const TRUE: Literal = Literal::Const(true);
    /// The constant false.
    pub const FALSE: Literal = Literal::Const(false);

    /// A new unknown; the name is for people who read dumps.
    pub fn fresh(name: &str) -> Literal {
        Literal::Formula(Formula::new(Kind::Unknown(name.into())))
    }

    /// Something that only Z3 understands.
    pub(super) fn atom(atom: Bool) -> Literal {
        Literal::Formula(Formula::new(Kind::Atom(atom)))
    }

    /// For Z3.
    pub(super) fn z3(&self) -> Bool {
        match self {
            Literal::Const(value) => Bool::from_bool(*value),
            Literal::Formula(formula) => formula.z3().clone(),
        }
    }

    /// Negation.
    pub fn not(&self) -> Literal {
        match self {
            Literal::Const(value) => Literal::Const(!value),
            Literal::Formula(formula) => Literal::Formula(formula.not()),
        }
    }

    /// Conjunction.
    pub fn and(list: impl IntoIterator<Item = Literal>) -> Literal {
        Literal::junction(list, true)
    }

    /// Disjunction.
    pub fn or(list: impl IntoIterator<Item = Literal>) -> Literal {
        Literal::junction(list, false)
    }

    fn junction(list: impl IntoIterator<Item = Literal>, unit: bool) -> Literal {
        let mut formulas = Vec::new();
        for literal in list {
            match literal {
                Literal::Const(value) if value == unit => {}
                Literal::Const(value) => return Literal::Const(value),
                Literal::Formula(formula) => formulas.push(formula),
            }
        }
        match formulas.len() {
            0 => Literal::Const(unit),
            1 => Literal::Formula(formulas.swap_remove(0)),
            _ if unit => Literal::Formula(Formula::new(Kind::And(formulas.into()))),
            _ => Literal::Formula(Formula::new(Kind::Or(formulas.into()))),
        }
    }

    /// `self -> other`
    pub fn implies(&self, other: &Literal) -> Literal {
        Literal::or([self.not(), other.clone()])
    }

    /// `self <-> other`
    pub fn iff(&self, other: &Literal) -> Literal {
        match (self, other) {
            (Literal::Const(true), same) | (same, Literal::Const(true)) => same.clone(),
            (Literal::Const(false), opposite) | (opposite, Literal::Const(false)) => opposite.not(),
            (Literal::Formula(a), Literal::Formula(b)) => {
                Literal::Formula(Formula::new(Kind::Iff(a.clone(), b.clone())))
            }
        }
    }
}

/// Clauses that say: at most one of these. Few literals are compared in pairs; for many a ladder of
/// auxiliary variables keeps the number of clauses linear.
pub fn at_most_one(literals: &[Literal]) -> Vec<Literal> {
    const PAIRS_UP_TO: usize = 6;
    let literals: Vec<&Literal> = literals.iter().filter(|l| !matches!(l, Literal::Const(false))).collect();
    let exclude = |a: &Literal, b: &Literal| Literal::or([a.not(), b.not()]);
    if literals.len() <= PAIRS_UP_TO {
        let pairs = literals.iter().enumerate().flat_map(|(index, a)| literals[..index].iter().map(move |b| (a, b)));
        return pairs.map(|(a, b)| exclude(a, b)).collect();
    }
    let mut clauses = Vec::new();
    let mut before = Literal::FALSE;
    for literal in literals {
        clauses.push(exclude(literal, &before));
        let now = Literal::fresh("ladder");
        clauses.push(literal.implies(&now));
        clauses.push(before.implies(&now));
        before = now;
    }
    clauses
}
