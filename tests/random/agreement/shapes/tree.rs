//! Formulas as trees of text.

use std::fmt;
use std::rc::Rc;

/// A formula.
#[derive(Clone, Debug)]
pub enum Tree {
    /// A formula that is true or false at a moment.
    Atom(String),
    /// An operator before a formula: `!`, `G`, `<<O>>`, ..
    Prefix(String, Rc<Tree>),
    /// An operator between two.
    Infix(&'static str, Rc<Tree>, Rc<Tree>),
}

impl Tree {
    /// An operator before a formula.
    pub fn prefix(operator: impl Into<String>, body: Tree) -> Tree {
        Tree::Prefix(operator.into(), Rc::new(body))
    }

    /// An operator between two formulas.
    pub fn infix(left: Tree, operator: &'static str, right: Tree) -> Tree {
        Tree::Infix(operator, Rc::new(left), Rc::new(right))
    }

    /// How deep operators are nested.
    pub fn depth(&self) -> usize {
        match self {
            Tree::Atom(_) => 0,
            Tree::Prefix(_, body) => 1 + body.depth(),
            Tree::Infix(_, left, right) => 1 + left.depth().max(right.depth()),
        }
    }

    /// The number of temporal operators.
    pub fn temporal(&self) -> usize {
        match self {
            Tree::Atom(_) => 0,
            Tree::Prefix(operator, body) => usize::from(operator != "!") + body.temporal(),
            Tree::Infix(operator, left, right) => {
                usize::from(["U", "W", "R"].contains(operator)) + left.temporal() + right.temporal()
            }
        }
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Tree::Atom(text) => write!(out, "{text}"),
            Tree::Prefix(operator, body) => write!(out, "({operator} {body})"),
            Tree::Infix(operator, left, right) => write!(out, "({left} {operator} {right})"),
        }
    }
}
