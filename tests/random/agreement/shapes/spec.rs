//! Random specs by shapes: what is carried on, what is demanded anew, and both at once.

use super::tree::Tree;
use crate::common::random::Random;

/// The names that specs may use.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// Conditions on states.
    pub states: Vec<String>,
    /// Labels of commands, receives among them.
    pub labels: Vec<String>,
    /// Conditions on steps.
    pub observations: Vec<String>,
    /// Instances.
    pub actors: Vec<String>,
}

/// The least depth of a spec, and the most temporal operators in it: more make the oracle slow.
const DEPTH: usize = 4;
const OPERATORS: usize = 8;
/// Number of eventualities that are remembered, to occur again elsewhere in the same spec.
const REMEMBERED: usize = 3;

/// Draws specs.
pub struct Shapes<'r> {
    random: &'r mut Random,
    vocabulary: &'r Vocabulary,
    /// Eventualities and their duals in the present spec.
    seen: Vec<Tree>,
}

impl<'r> Shapes<'r> {
    /// Over a vocabulary in which nothing is empty.
    pub fn new(random: &'r mut Random, vocabulary: &'r Vocabulary) -> Shapes<'r> {
        Shapes { random, vocabulary, seen: Vec::new() }
    }

    /// A spec.
    pub fn spec(&mut self) -> Tree {
        loop {
            self.seen.clear();
            let tree = self.shape();
            let tree = if self.random.percent(12) { Tree::prefix("!", tree) } else { tree };
            if tree.depth() >= DEPTH && tree.temporal() <= OPERATORS {
                return if self.random.percent(25) { Tree::infix(self.fairness(), "->", tree) } else { tree };
            }
        }
    }

    /// An assumption about some instances.
    fn fairness(&mut self) -> Tree {
        let mut treated = || {
            let word = *self.random.pick(&["weak", "strong", "strong"]);
            Tree::Atom(format!("{word}({})", self.random.pick(&self.vocabulary.actors)))
        };
        let (one, other) = (treated(), treated());
        Tree::infix(one, "&", other)
    }

    fn shape(&mut self) -> Tree {
        match self.random.weighted(&[18, 12, 16, 14, 10, 8, 10, 12]) {
            0 => Tree::infix(self.premise(), "->", self.conclusion()),
            1 => self.response(),
            2 => self.nested(),
            3 => self.anew_for_ever(),
            4 => self.mixture(),
            5 => Tree::infix(self.until(1), "<->", self.stepped(1)),
            6 => self.boolean_mixture(),
            _ => {
                let depth = 4 + self.random.below(2);
                self.formula(depth)
            }
        }
    }

    /// A condition on the runs that matter: `G (p -> X (F q))` and the like.
    fn premise(&mut self) -> Tree {
        match self.random.below(4) {
            0 => Tree::prefix("G", self.stepped(1)),
            1 => {
                let body = Tree::infix(self.atom(), "->", self.stepped(1));
                Tree::prefix("G", body)
            }
            2 => self.again_and_again(),
            _ => self.until(2),
        }
    }

    fn conclusion(&mut self) -> Tree {
        match self.random.below(5) {
            0 => Tree::prefix("F", self.stepped(1)),
            1 => self.again_and_again(),
            2 => Tree::prefix("F", Tree::prefix("G", self.atom())),
            3 => self.response(),
            _ => self.until(2),
        }
    }

    fn response(&mut self) -> Tree {
        let answer = match self.random.below(3) {
            0 => self.stepped(1),
            1 => Tree::prefix("F", Tree::infix(self.atom(), "&", self.stepped(0))),
            _ => self.until(2),
        };
        let trigger = self.formula(0);
        Tree::prefix("G", Tree::infix(trigger, "->", answer))
    }

    /// `p U X (q R r)`
    fn nested(&mut self) -> Tree {
        let (left, right) = (self.formula(1), self.stepped(2));
        let operator = self.until_operator();
        if self.random.percent(50) { Tree::infix(left, operator, right) } else { Tree::infix(right, operator, left) }
    }

    /// `F (X (G p))`, `G (<<O>> (p U q))`
    fn anew_for_ever(&mut self) -> Tree {
        let outer = *self.random.pick(&["F", "G"]);
        let body = self.stepped(1);
        let body = match self.random.below(3) {
            0 => body,
            1 => Tree::infix(self.atom(), "->", body),
            _ => Tree::infix(self.formula(1), ["&", "|"][self.random.below(2)], body),
        };
        Tree::prefix(outer, body)
    }

    /// `(GF p & FG q) -> (GF r | ..)`
    fn mixture(&mut self) -> Tree {
        let (one, other) = (self.again_and_again(), self.again_and_again());
        let (op, outer) = (*self.random.pick(&["&", "|"]), *self.random.pick(&["->", "&", "|", "<->"]));
        let last = if self.random.percent(50) { self.again_and_again() } else { self.stepped(1) };
        Tree::infix(Tree::infix(one, op, other), outer, last)
    }

    fn boolean_mixture(&mut self) -> Tree {
        let parts = [self.until(1), self.stepped(1), self.formula(2)];
        let [one, two, three] = parts;
        let (inner, outer) = (self.boolean_operator(), self.boolean_operator());
        Tree::infix(Tree::infix(one, inner, two), outer, three)
    }

    /// `G F p` or `F G p`, with a step in between now and then.
    fn again_and_again(&mut self) -> Tree {
        let (outer, inner) = *self.random.pick(&[("G", "F"), ("F", "G")]);
        let body = self.formula(0);
        let body = Tree::prefix(inner, body);
        let body = if self.random.percent(30) { self.step(body) } else { body };
        Tree::prefix(outer, body)
    }

    /// Something that is carried on, directly under something that demands it of the next state.
    fn stepped(&mut self, depth: usize) -> Tree {
        let carried = self.until(depth);
        let stepped = self.step(carried);
        if self.random.percent(15) { self.step(stepped) } else { stepped }
    }

    fn step(&mut self, body: Tree) -> Tree {
        let observation = self.random.pick(&self.vocabulary.observations).clone();
        match self.random.weighted(&[45, 25, 25, 5]) {
            0 => Tree::prefix("X", body),
            1 => Tree::prefix(format!("<<{observation}>>"), body),
            2 => Tree::prefix(format!("[[{observation}]]"), body),
            _ => Tree::prefix("!", Tree::prefix("X", Tree::prefix("!", body))),
        }
    }

    /// Something that is carried on; often one that occurs elsewhere already.
    fn until(&mut self, depth: usize) -> Tree {
        if !self.seen.is_empty() && self.random.percent(35) {
            return self.random.pick(&self.seen).clone();
        }
        let depth = depth.saturating_sub(1);
        let tree = match self.random.weighted(&[25, 25, 50]) {
            0 => Tree::prefix("F", self.formula(depth)),
            1 => Tree::prefix("G", self.formula(depth)),
            _ => Tree::infix(self.formula(depth), self.until_operator(), self.formula(depth)),
        };
        if self.seen.len() < REMEMBERED {
            self.seen.push(tree.clone());
        }
        tree
    }

    /// Anything up to a depth.
    fn formula(&mut self, depth: usize) -> Tree {
        if depth == 0 {
            return self.atom();
        }
        match self.random.weighted(&[8, 10, 24, 30, 28]) {
            0 => self.atom(),
            1 => Tree::prefix("!", self.formula(depth - 1)),
            2 => {
                let (left, right) = (self.formula(depth - 1), self.formula(depth - 1));
                Tree::infix(left, self.boolean_operator(), right)
            }
            3 => self.until(depth),
            _ if depth == 1 => {
                let atom = self.atom();
                self.step(atom)
            }
            _ => self.stepped(depth - 1),
        }
    }

    fn boolean_operator(&mut self) -> &'static str {
        ["&", "|", "->", "<->"][self.random.weighted(&[35, 30, 25, 10])]
    }

    fn until_operator(&mut self) -> &'static str {
        ["U", "W", "R"][self.random.below(3)]
    }

    fn atom(&mut self) -> Tree {
        let atom = match self.random.weighted(&[60, 30, 4, 6]) {
            0 => self.random.pick(&self.vocabulary.states).clone(),
            1 => self.random.pick(&self.vocabulary.labels).clone(),
            3 => {
                let word = *self.random.pick(&["enabled", "acts"]);
                format!("{word}({})", self.random.pick(&self.vocabulary.actors))
            }
            _ => "deadlock".to_owned(),
        };
        if self.random.percent(25) { Tree::prefix("!", Tree::Atom(atom)) } else { Tree::Atom(atom) }
    }
}
