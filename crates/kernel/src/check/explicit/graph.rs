//! The states that members consist of: local states and symmetries that were checked, and the steps from rows of them.

use super::Unproved;
use super::normal::{Normal, Tree};
use super::symmetry::Symmetry;
use crate::claim::explicit::{ClosedSet, GraphCertificate};
use crate::claim::symmetry::descend;
use crate::model::eval::tables::{Facts, Initial, LocalState, Missing, Starts, Tables};
use crate::model::eval::{Choice, Influence, Semantics, State};
use crate::model::subformulas::subformulas;
use crate::model::{Formula, InstanceId, Model};
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// The generators of one graph of the certificate.
pub struct Symmetric<'a> {
    model: &'a Model,
    certificate: &'a GraphCertificate,
    symmetries: Vec<Symmetry<'a>>,
}

impl<'a> Symmetric<'a> {
    /// Checks that the generators are symmetries of the model and of what influences its runs.
    pub fn new(
        semantics: &'a Semantics<'a>,
        influence: &Influence,
        certificate: &'a GraphCertificate,
    ) -> Result<Symmetric<'a>, Unproved> {
        let check = |renaming| Symmetry::check(semantics.model(), renaming).map_err(Unproved::NoSymmetry);
        let symmetries = certificate.generators.iter().map(check).collect::<Result<Vec<_>, _>>()?;
        if !symmetries.iter().all(|symmetry| symmetry.keeps(influence)) {
            return Err(Unproved::NoSymmetry("a renaming changes what influences runs".to_string()));
        }
        Ok(Symmetric { model: semantics.model(), certificate, symmetries })
    }

    /// That the symmetries leave as they are what members have to do with: what their obligations say, and who received.
    pub fn check_facts(&self, index: usize, conjunct: &Formula, set: &ClosedSet) -> Result<(), Unproved> {
        let subformulas = subformulas(conjunct);
        let obligations: FxHashSet<u32> = set.obligations.iter().flatten().map(|it| it.subformula).collect();
        let demanded = obligations.iter().filter_map(|number| subformulas.get(*number as usize).copied());
        let is_receive =
            |part: &&Formula| matches!(part, Formula::Label(instance, edge) if self.model.is_receive(*instance, *edge));
        let receives = subformulas.iter().copied().filter(is_receive);
        let read: Vec<&Formula> = demanded.chain(receives).collect();
        let fixed = self.symmetries.iter().all(|symmetry| read.iter().all(|formula| symmetry.fixes(formula)));
        fixed.then_some(()).ok_or_else(|| Unproved::NoSymmetry(format!("a renaming changes conjunct {index}")))
    }

    /// That the symmetries leave what some formulas with knowledge and path quantifiers say of states as it is.
    pub fn check_branching(&self, conjuncts: &[Formula]) -> Result<(), Unproved> {
        let fixed = self.symmetries.iter().all(|symmetry| conjuncts.iter().all(|conjunct| symmetry.leaves(conjunct)));
        match fixed && (self.symmetries.is_empty() || !self.model.sees_others()) {
            true => Ok(()),
            false => Err(Unproved::NoSymmetry("a renaming changes what is asked of states".to_owned())),
        }
    }

    /// The images of some formulas under each symmetry, as indices; each must be one of the formulas, and no two the
    /// same.
    pub fn exchanged(&self, formulas: &[(&Formula, bool)]) -> Result<Vec<Vec<u32>>, Unproved> {
        let plain = Normal { model: self.model, renaming: None };
        let plain: Vec<Tree> = formulas.iter().map(|(formula, _)| plain.formula(formula)).collect();
        let exchanged = |symmetry: &Symmetry| {
            let image = |(formula, truth): &(&Formula, bool)| {
                let image = symmetry.image(formula);
                let is_image = |place: &usize| formulas[*place].1 == *truth && plain[*place] == image;
                (0..formulas.len()).find(is_image).map(|place| place as u32)
            };
            let images: Vec<u32> = formulas.iter().map(image).collect::<Option<_>>()?;
            let different: FxHashSet<u32> = images.iter().copied().collect();
            (different.len() == images.len()).then_some(images)
        };
        let refused = || Unproved::NoSymmetry("a renaming makes something else of the conditions".to_owned());
        self.symmetries.iter().map(|symmetry| exchanged(symmetry).ok_or_else(refused)).collect()
    }
}

/// The steps from rows, and where rows belong.
pub struct GraphCheck<'a> {
    tables: Tables<'a, 'a>,
    symmetric: &'a Symmetric<'a>,
    /// Per instance how many local states the certificate has.
    known: Vec<usize>,
    /// Per generator, instance and local state the local state of the instance's image.
    images: Vec<Vec<Vec<u32>>>,
    initial: Initial,
}

impl<'a> GraphCheck<'a> {
    /// Numbers the local states as the certificate does.
    pub fn new(
        semantics: &'a Semantics<'a>,
        influence: &Influence,
        facts: &Facts<'a>,
        symmetric: &'a Symmetric<'a>,
        starts: &Starts,
    ) -> Result<GraphCheck<'a>, Unproved> {
        let mut tables = Tables::new(semantics, influence, facts, starts);
        let lists = &symmetric.certificate.local_states;
        if lists.len() != tables.instances() {
            return Err(Unproved::Malformed("another number of instances".to_string()));
        }
        for (instance, list) in semantics.model().instance_ids().zip(lists) {
            for (number, local_state) in list.iter().enumerate() {
                let found = tables.number(instance, LocalState::clone(local_state));
                if found.map_err(|error| Unproved::Malformed(error.to_string()))? as usize != number {
                    return Err(Unproved::Malformed("a local state stands there twice".to_string()));
                }
            }
        }
        let initial = tables.initial(starts).map_err(Unproved::NotEnumerable)?;
        let images = symmetric.symmetries.iter().map(|_| vec![Vec::new(); lists.len()]).collect();
        let known = lists.iter().map(Vec::len).collect();
        let mut check = GraphCheck { tables, symmetric, known, images, initial };
        check.learn();
        Ok(check)
    }

    /// True if all initial rows, as members have them, are there.
    pub fn all_initial(&self, mut is_there: impl FnMut(&[u32]) -> bool) -> bool {
        let mut image = Vec::new();
        let end = self.initial.for_each(&mut |row| {
            image.clear();
            image.extend_from_slice(row);
            self.canonicalise(&mut image, &mut |_| {});
            if is_there(&image) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        end.is_continue()
    }

    /// The steps.
    pub fn tables(&self) -> &Tables<'a, 'a> {
        &self.tables
    }

    /// Per symmetry the images of some local states of instances.
    pub fn images(&self, places: &[(u32, u32)]) -> impl Iterator<Item = Vec<(u32, u32)>> {
        let generators = self.symmetric.certificate.generators.iter();
        generators.zip(&self.images).map(move |(generator, images)| {
            let image = |(instance, number): &(u32, u32)| {
                (generator.instances[*instance as usize], images[*instance as usize][*number as usize])
            };
            places.iter().map(image).collect()
        })
    }

    /// The local states of a state of the model.
    pub fn row(&mut self, state: &State) -> Vec<u32> {
        let row = self.tables.row(state);
        self.learn();
        row
    }

    /// Visits the initial rows.
    pub fn for_each_initial(&self, visit: &mut impl FnMut(&[u32])) {
        self.all_initial(|row| {
            visit(row);
            true
        });
    }

    /// True if there are symmetries.
    pub fn is_symmetric(&self) -> bool {
        !self.images.is_empty()
    }

    /// True if the certificate has the local states of a row.
    pub fn has(&self, row: &[u32]) -> bool {
        row.iter().zip(&self.known).all(|(number, known)| (*number as usize) < *known)
    }

    /// Asks the semantics.
    pub fn fill(&mut self, missing: Missing) {
        self.tables.fill(missing);
        self.learn();
    }

    /// The images of all local states that the tables know.
    fn learn(&mut self) {
        let mut complete = false;
        while !complete {
            complete = true;
            for (symmetry, images) in self.symmetric.symmetries.iter().zip(&mut self.images) {
                for (instance, images) in images.iter_mut().enumerate() {
                    while let Some(local_state) = self.tables.local_states(instance).get(images.len()) {
                        let kept = self.tables.kept(instance);
                        let (to, image) = symmetry.local_state(InstanceId(instance as u32), kept, local_state);
                        images.push(self.tables.add(to.index(), image));
                        complete = false;
                    }
                }
            }
        }
    }

    /// Replaces a row by an image of it under the symmetries: by the one that members have, if they have one. Says which
    /// symmetries do that, one after the other.
    pub fn canonicalise(&self, row: &mut Vec<u32>, applied: &mut impl FnMut(usize)) {
        if !self.is_symmetric() {
            return;
        }
        let mut image = row.clone();
        descend(self.images.len(), |generator| {
            let instances = &self.symmetric.certificate.generators[generator].instances;
            for ((from, to), images) in row.iter().zip(instances).zip(&self.images[generator]) {
                image[*to as usize] = images[*from as usize];
            }
            let is_smaller = image < *row;
            if is_smaller {
                std::mem::swap(&mut image, row);
                applied(generator);
            }
            is_smaller
        });
    }

    /// True if the tables have exactly the steps from a row that the semantics lists.
    pub fn agrees(&mut self, row: &[u32], steps: Vec<(Choice, Vec<u32>)>) -> bool {
        let state = self.tables.state(row);
        let listed = self.tables.semantics().steps(&state).into_iter();
        let listed: Vec<_> = listed.map(|step| (step.choice, self.tables.row(&step.target))).collect();
        let sorted = |mut list: Vec<(Choice, Vec<u32>)>| {
            list.sort_unstable();
            list
        };
        sorted(listed) == sorted(steps)
    }
}
