//! Which subterms get a name of their own, so that the size of a text is that of the graph of its terms, not of the
//! trees.

use crate::ts::term::{Term, TermNode, Terms};
use rustc_hash::FxHashMap;

/// The terms with names.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// In an order in which each is defined before it is used.
    order: Vec<Term>,
    names: FxHashMap<Term, String>,
    /// A definition of level n uses those of lower levels only.
    levels: FxHashMap<Term, usize>,
}

impl Shared {
    /// Names `prefix0`, `prefix1`, .. for what occurs more than once below the roots and is no literal,
    /// and for the roots in `always`.
    pub fn new(terms: &Terms, roots: &[Term], always: &[Term], prefix: &str) -> Shared {
        let mut uses: FxHashMap<Term, usize> = FxHashMap::default();
        let mut work: Vec<Term> = roots.iter().chain(always).copied().collect();
        while let Some(term) = work.pop() {
            let count = uses.entry(term).or_default();
            *count += 1;
            if *count == 1 {
                terms.for_each_child(term, |child| work.push(child));
            }
        }
        let shared = |term: &Term| (uses[term] > 1 || always.contains(term)) && !is_literal(terms, *term);
        let mut visited: Vec<Term> = uses.keys().copied().collect();
        visited.sort_unstable();
        let order: Vec<Term> = visited.iter().copied().filter(shared).collect();
        let names: FxHashMap<Term, String> =
            order.iter().enumerate().map(|(index, &term)| (term, format!("{prefix}{index}"))).collect();
        let mut levels: FxHashMap<Term, usize> = FxHashMap::default();
        for term in visited {
            let mut level = 0;
            terms.for_each_child(term, |child| level = level.max(levels[&child]));
            levels.insert(term, level + usize::from(names.contains_key(&term)));
        }
        Shared { order, names, levels }
    }

    /// The name of a term that has one.
    pub fn name(&self, term: Term) -> Option<&str> {
        self.names.get(&term).map(String::as_str)
    }

    /// The named terms, children first.
    pub fn order(&self) -> &[Term] {
        &self.order
    }

    /// The named terms in groups; each group uses the earlier ones only.
    pub fn groups(&self) -> Vec<Vec<Term>> {
        let mut groups: Vec<Vec<Term>> = Vec::new();
        for &term in &self.order {
            let level = self.levels[&term];
            groups.resize(groups.len().max(level), Vec::new());
            groups[level - 1].push(term);
        }
        groups
    }
}

/// Leaves, constants, comparisons of them, and their negations: shorter than a name and its definition.
fn is_literal(terms: &Terms, term: Term) -> bool {
    let atomic = |term: Term| matches!(terms.node(term), TermNode::Leaf(_)) || terms.as_constant(term).is_some();
    match *terms.node(term) {
        TermNode::Not(a) => is_literal(terms, a),
        TermNode::Eq(a, b) | TermNode::Le(a, b) => atomic(a) && atomic(b),
        _ => atomic(term),
    }
}
