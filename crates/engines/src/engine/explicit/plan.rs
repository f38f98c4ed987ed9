//! Which explorations are needed: one for all conjuncts that are alike up to a symmetry, and one graph for all
//! conjuncts with the same influence and the same symmetries.

use super::automaton::Automaton;
use super::permutation::Permutation;
use super::symmetry::Symmetries;
use crate::claim::symmetry::Renaming;
use crate::model::Formula;
use crate::model::eval::Influence;
use crate::model::eval::tables::{Fact, Facts};
use crate::model::subformulas::subformulas;
use crate::records::bits;

/// The work for some formulas of one model.
#[derive(Debug)]
pub struct Plan<'f> {
    /// Per formula its conjuncts.
    pub formulas: Vec<Vec<ConjunctPlan>>,
    /// The graphs.
    pub groups: Vec<FormulaGroup<'f>>,
}

/// How a conjunct is decided.
#[derive(Debug)]
pub enum ConjunctPlan {
    /// By a search.
    Search {
        /// The automaton of its negation.
        automaton: Automaton,
        /// The index of its graph.
        group: usize,
        /// The movement of the automaton's conditions by each generator of the graph.
        moves: Vec<Permutation>,
    },
    /// A symmetry makes another conjunct of the formula this one.
    Image {
        /// The index of the other, which is searched.
        of: usize,
        /// The symmetry.
        by: Renaming,
    },
}

/// The parameters of a graph.
#[derive(Debug)]
pub struct FormulaGroup<'f> {
    /// The variables that states are compared on.
    pub influence: Influence,
    /// Which generators of the symmetries leave all atoms as they are, but for those of conditions.
    pub generators: Vec<usize>,
    /// The atoms of all conjuncts on this graph.
    pub atoms: Facts<'f>,
}

impl<'f> Plan<'f> {
    /// Of formulas with these parts ([`Formula::parts`]) and influences.
    pub fn new(symmetries: &Symmetries, formulas: &'f [(Vec<Formula>, Influence)]) -> Plan<'f> {
        let mut plan = Plan { formulas: Vec::new(), groups: Vec::new() };
        for (parts, influence) in formulas {
            let images = symmetries.images(parts).into_iter().zip(parts);
            let planned = images.map(|(image, part)| match image {
                Some((of, by)) => ConjunctPlan::Image { of, by },
                None => plan.search(symmetries, part, influence),
            });
            let planned = planned.collect();
            plan.formulas.push(planned);
        }
        plan
    }

    fn search(&mut self, symmetries: &Symmetries, part: &'f Formula, influence: &Influence) -> ConjunctPlan {
        let mut own = Facts::default();
        let automaton = Automaton::of_negation(symmetries.model(), part, &mut own);
        let fixed = automaton.fixed_facts(&own);
        let fixed: Vec<Fact> = bits::iter(&fixed).map(|fact| own.list()[fact]).collect();
        let subformulas = subformulas(part);
        let conditions = automaton.conditions().map(|it| (subformulas[it.subformula as usize], it.truth));
        let found = symmetries.fixing(&fixed, &conditions.collect::<Vec<_>>(), influence);
        let (generators, moves): (Vec<usize>, Vec<Permutation>) = found.into_iter().unzip();
        let fits = |group: &FormulaGroup| group.influence == *influence && group.generators == generators;
        let group = self.groups.iter().position(fits).unwrap_or_else(|| {
            let influence = influence.clone();
            self.groups.push(FormulaGroup { influence, generators, atoms: Facts::default() });
            self.groups.len() - 1
        });
        let automaton = Automaton::of_negation(symmetries.model(), part, &mut self.groups[group].atoms);
        ConjunctPlan::Search { automaton, group, moves }
    }
}
