//! Propositional formulas that share their parts, for both solvers: the one for propositional logic, and Z3.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::rc::Rc;
use z3::ast::Bool;

/// A formula. Copies share it.
#[derive(Clone)]
pub struct Formula(Rc<Node>);

/// One connective, with a number of its own among all formulas of a thread.
struct Node {
    number: u64,
    kind: Kind,
    /// As a formula of Z3, once it was asked for.
    z3: OnceCell<Bool>,
}

/// The operator of a formula, with its operands.
pub enum Kind {
    /// Something that is true or false; the name is for people who read dumps.
    Unknown(Box<str>),
    /// Something that only Z3 understands.
    Atom(Bool),
    /// Negation.
    Not(Formula),
    /// Conjunction.
    And(Box<[Formula]>),
    /// Disjunction.
    Or(Box<[Formula]>),
    /// Equivalence.
    Iff(Formula, Formula),
}

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

impl Formula {
    /// A new formula.
    pub fn new(kind: Kind) -> Formula {
        COUNT.set(COUNT.get() + 1);
        Formula(Rc::new(Node { number: COUNT.get(), kind, z3: OnceCell::new() }))
    }

    /// Its operator and operands.
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// Its number, which no other formula of the thread has had or will have.
    pub fn number(&self) -> u64 {
        self.0.number
    }

    /// Its negation.
    pub fn not(&self) -> Formula {
        match self.kind() {
            Kind::Not(inside) => inside.clone(),
            _ => Formula::new(Kind::Not(self.clone())),
        }
    }

    /// As a formula of Z3.
    pub fn z3(&self) -> &Bool {
        let all = |list: &[Formula]| list.iter().map(|part| part.z3().clone()).collect::<Vec<_>>();
        self.0.z3.get_or_init(|| match self.kind() {
            Kind::Unknown(name) => Bool::fresh_const(name),
            Kind::Atom(atom) => atom.clone(),
            Kind::Not(inside) => inside.z3().not(),
            Kind::And(list) => Bool::and(&all(list)),
            Kind::Or(list) => Bool::or(&all(list)),
            Kind::Iff(a, b) => a.z3().iff(b.z3()),
        })
    }
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.kind() {
            Kind::Unknown(name) => write!(f, "{name}!{}", self.number()),
            Kind::Atom(atom) => write!(f, "{atom}"),
            Kind::Not(inside) => write!(f, "!{inside:?}"),
            Kind::And(list) => f.debug_tuple("And").field(list).finish(),
            Kind::Or(list) => f.debug_tuple("Or").field(list).finish(),
            Kind::Iff(a, b) => write!(f, "({a:?} <-> {b:?})"),
        }
    }
}

impl Kind {
    /// Moves the parts out.
    fn drain(&mut self, into: &mut Vec<Formula>) {
        match std::mem::replace(self, Kind::Unknown(Box::default())) {
            Kind::Unknown(_) | Kind::Atom(_) => {}
            Kind::Not(a) => into.push(a),
            Kind::And(list) | Kind::Or(list) => into.extend(list),
            Kind::Iff(a, b) => into.extend([a, b]),
        }
    }
}

/// Formulas can be as deep as a run is long: they are taken apart one after the other.
impl Drop for Node {
    fn drop(&mut self) {
        let mut parts = Vec::new();
        self.kind.drain(&mut parts);
        while let Some(part) = parts.pop() {
            if let Some(mut node) = Rc::into_inner(part.0) {
                node.kind.drain(&mut parts);
            }
        }
    }
}
