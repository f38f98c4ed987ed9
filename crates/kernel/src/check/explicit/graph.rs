//! The states that members consist of: local states and symmetries that were checked, and the steps from rows of them.

use super::normal::{Normal, Tree};
use super::symmetry::Symmetry;
use crate::check::Refused;
use crate::claim::explicit::{ClosedSet, GraphCertificate};
use crate::claim::symmetry::{Renaming, descend};
use crate::model::eval::tables::{Facts, Initial, LocalState, Missing, Possible, Space, Starts, TableStep, Tables};
use crate::model::eval::{Influence, Semantics, State};
use crate::model::subformulas::subformulas;
use crate::model::{Formula, Model};
use crate::records::Layout;
use rustc_hash::FxHashSet;
use std::mem;
use std::ops::ControlFlow;

/// The states that members are about, as lists of numbers, and the steps between them.
pub trait StateSpace {
    /// How many numbers a state consists of.
    fn width(&self) -> usize;

    /// True if there is such a state.
    fn has(&self, state: &[u32]) -> bool;

    /// True if a predicate holds of all initial states.
    fn all_initial(&self, predicate: &mut dyn FnMut(&[u32]) -> bool) -> bool;

    /// The facts about a step.
    fn letter(&self, number: u32) -> &[u64];

    /// Finds the steps from the state of a member, and those of the facts about the state that are wanted.
    fn find_steps(&mut self, state: &[u32], member: MemberRecord, wanted: &[u64], found: &mut FoundSteps);

    /// True if the steps are those that the semantics lists.
    fn are_steps_right(&mut self, state: &[u32]) -> bool;
}

/// A member, packed.
#[derive(Clone, Copy)]
pub struct MemberRecord<'m> {
    /// The places of its numbers.
    pub layout: &'m Layout,
    /// The numbers.
    pub record: &'m [u64],
}

/// The steps from a state, and the facts about it.
#[derive(Default)]
pub struct FoundSteps {
    /// The steps.
    pub steps: StepList,
    /// The facts about the state.
    pub facts: Vec<u64>,
    space: Space,
    possible: Possible,
    image: Vec<u32>,
}

/// Steps from the state of a member.
#[derive(Default)]
pub struct StepList {
    /// Per step the number of its letter.
    pub letters: Vec<u32>,
    /// Per step the record of the member that it leaves, with the state that it leads to.
    pub targets: Vec<u64>,
    /// Per step, false if no member can have that state.
    pub fits: Vec<bool>,
    /// If there are symmetries, those that led to these states, step by step; and per step where its own end.
    pub applied: Vec<usize>,
    pub ends: Vec<usize>,
}

impl StepList {
    /// Forgets all steps.
    pub fn clear(&mut self) {
        let StepList { letters, targets, fits, applied, ends } = self;
        letters.clear();
        targets.clear();
        fits.clear();
        applied.clear();
        ends.clear();
    }

    /// Adds a step to a state with these numbers in place of those of the member.
    #[inline]
    pub fn add(&mut self, letter: u32, member: MemberRecord, changes: impl Iterator<Item = (u32, u32)>) {
        let start = self.targets.len();
        self.targets.extend_from_slice(member.record);
        let target = &mut self.targets[start..];
        let mut fits = true;
        for (field, number) in changes {
            fits &= number <= member.layout.greatest(field as usize);
            if fits {
                member.layout.set(target, field as usize, number);
            }
        }
        self.fits.push(fits);
        self.letters.push(letter);
    }
}

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
    ) -> Result<Symmetric<'a>, Refused> {
        let check = |renaming| Symmetry::check(semantics.model(), renaming).map_err(Refused::no_symmetry);
        let symmetries = certificate.generators.iter().map(check).collect::<Result<Vec<_>, _>>()?;
        if !symmetries.iter().all(|symmetry| symmetry.keeps(influence)) {
            return Err(Refused::no_symmetry("a renaming changes what influences runs"));
        }
        Ok(Symmetric { model: semantics.model(), certificate, symmetries })
    }

    /// That the symmetries leave as they are what members have to do with: what their obligations say, and who received.
    pub fn check_facts(&self, index: usize, conjunct: &Formula, set: &ClosedSet) -> Result<(), Refused> {
        let subformulas = subformulas(conjunct);
        let obligations: FxHashSet<u32> = set.obligations.iter().flatten().map(|it| it.subformula).collect();
        let demanded = obligations.iter().filter_map(|number| subformulas.get(*number as usize).copied());
        let is_receive =
            |part: &&Formula| matches!(part, Formula::Label(instance, edge) if self.model.is_receive(*instance, *edge));
        let receives = subformulas.iter().copied().filter(is_receive);
        let read: Vec<&Formula> = demanded.chain(receives).collect();
        let fixed = self.symmetries.iter().all(|symmetry| read.iter().all(|formula| symmetry.fixes(formula)));
        fixed.then_some(()).ok_or_else(|| Refused::no_symmetry(format_args!("a renaming changes conjunct {index}")))
    }

    /// That the symmetries leave what some formulas with knowledge and path quantifiers say of states as it is.
    pub fn check_branching(&self, conjuncts: &[Formula]) -> Result<(), Refused> {
        let fixed = self.symmetries.iter().all(|symmetry| conjuncts.iter().all(|conjunct| symmetry.leaves(conjunct)));
        match fixed && (self.symmetries.is_empty() || !self.model.sees_others()) {
            true => Ok(()),
            false => Err(Refused::no_symmetry("a renaming changes what is asked of states")),
        }
    }

    /// The images of some formulas under each symmetry, as indices; each must be one of the formulas, and no two the
    /// same.
    pub fn exchanged(&self, formulas: &[(&Formula, bool)]) -> Result<Vec<Vec<u32>>, Refused> {
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
        let refused = || Refused::no_symmetry("a renaming makes something else of the conditions");
        self.symmetries.iter().map(|symmetry| exchanged(symmetry).ok_or_else(refused)).collect()
    }
}

/// The steps from rows, and where rows belong.
pub struct GraphCheck<'a> {
    tables: Tables<'a, 'a>,
    symmetric: &'a Symmetric<'a>,
    /// Per cell how many local states the certificate has.
    known: Vec<usize>,
    /// Per generator and cell the cell of the image.
    cells: Vec<Vec<u32>>,
    /// Per generator, cell and local state the local state of the cell's image.
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
    ) -> Result<GraphCheck<'a>, Refused> {
        let GraphCertificate { split, local_states: lists, generators } = symmetric.certificate;
        let model = semantics.model();
        let are_instances = split.iter().all(|instance| (*instance as usize) < model.instances.len());
        if !are_instances || !split.is_sorted_by(|one, other| one < other) || model.joint.is_some() && !split.is_empty()
        {
            return Err(Refused::malformed("some other instances are split"));
        }
        let is_split_alike = |generator: &Renaming| {
            let mut images: Vec<u32> = split.iter().map(|instance| generator.instances[*instance as usize]).collect();
            images.sort_unstable();
            images == *split
        };
        if !generators.iter().all(is_split_alike) {
            return Err(Refused::no_symmetry("an instance is split, and its image is not"));
        }
        let mut tables = Tables::new(semantics, influence, facts, starts, split);
        if lists.len() != tables.cells().len() {
            return Err(Refused::malformed("another number of cells"));
        }
        for (cell, list) in lists.iter().enumerate() {
            for (number, local_state) in list.iter().enumerate() {
                let found = tables.number(cell, LocalState::clone(local_state));
                if found.map_err(Refused::malformed)? as usize != number {
                    return Err(Refused::malformed("a local state stands there twice"));
                }
            }
        }
        let initial = tables.initial(starts).map_err(Refused::not_enumerable)?;
        let images = symmetric.symmetries.iter().map(|_| vec![Vec::new(); lists.len()]).collect();
        let known = lists.iter().map(Vec::len).collect();
        let cells = generators.iter().map(|generator| tables.renamed_cells(&generator.instances)).collect();
        let mut check = GraphCheck { tables, symmetric, known, cells, images, initial };
        check.learn();
        Ok(check)
    }

    /// The steps.
    pub fn tables(&self) -> &Tables<'a, 'a> {
        &self.tables
    }

    /// Per symmetry the images of some cells with local states.
    pub fn images(&self, places: &[(u32, u32)]) -> impl Iterator<Item = Vec<(u32, u32)>> {
        self.cells.iter().zip(&self.images).map(move |(cells, images)| {
            let image = |(cell, number): &(u32, u32)| (cells[*cell as usize], images[*cell as usize][*number as usize]);
            places.iter().map(image).collect()
        })
    }

    /// The local states of a state of the model.
    pub fn row(&mut self, state: &State) -> Vec<u32> {
        let row = self.tables.row(state);
        self.learn();
        row
    }

    /// True if there are symmetries.
    pub fn is_symmetric(&self) -> bool {
        !self.images.is_empty()
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
            let symmetries = self.symmetric.symmetries.iter().zip(&self.cells);
            for ((symmetry, cells), images) in symmetries.zip(&mut self.images) {
                for (from, (to, images)) in cells.iter().zip(images).enumerate() {
                    while let Some(local_state) = self.tables.cells()[from].local_states().get(images.len()) {
                        let image = symmetry.local_state(&self.tables.cells()[from], local_state);
                        images.push(self.tables.add(*to as usize, image));
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
            let cells = &self.cells[generator];
            for ((from, to), images) in row.iter().zip(cells).zip(&self.images[generator]) {
                image[*to as usize] = images[*from as usize];
            }
            let is_smaller = image < *row;
            if is_smaller {
                mem::swap(&mut image, row);
                applied(generator);
            }
            is_smaller
        });
    }

    fn find(&self, row: &[u32], member: MemberRecord, found: &mut FoundSteps) -> Result<(), Missing> {
        let FoundSteps { steps, space, possible, image, .. } = found;
        if !self.is_symmetric() {
            let visit = &mut |step: TableStep| steps.add(step.letter, member, step.changes.iter().copied());
            return self.tables.steps(row, space, possible, visit);
        }
        self.tables.steps(row, space, possible, &mut |step| {
            image.clear();
            image.extend_from_slice(row);
            step.change(image);
            self.canonicalise(image, &mut |generator| steps.applied.push(generator));
            steps.add(step.letter, member, (0..).zip(image.iter().copied()));
            steps.ends.push(steps.applied.len());
        })
    }
}

impl StateSpace for GraphCheck<'_> {
    fn width(&self) -> usize {
        self.known.len()
    }

    fn has(&self, row: &[u32]) -> bool {
        row.iter().zip(&self.known).all(|(number, known)| (*number as usize) < *known)
    }

    fn all_initial(&self, predicate: &mut dyn FnMut(&[u32]) -> bool) -> bool {
        let mut image = Vec::new();
        let end = self.initial.for_each(&mut |row| {
            image.clear();
            image.extend_from_slice(row);
            self.canonicalise(&mut image, &mut |_| {});
            if predicate(&image) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        end.is_continue()
    }

    fn letter(&self, number: u32) -> &[u64] {
        self.tables.letter(number)
    }

    fn find_steps(&mut self, row: &[u32], member: MemberRecord, wanted: &[u64], found: &mut FoundSteps) {
        loop {
            found.steps.clear();
            match self.find(row, member, found) {
                Ok(()) => break,
                Err(missing) => self.fill(missing),
            }
        }
        let FoundSteps { facts, possible, .. } = found;
        facts.clear();
        facts.resize(wanted.len(), 0);
        self.tables.state_facts(row, possible, wanted, facts);
    }

    /// Sorts the steps of the tables and those that the semantics lists, and compares.
    fn are_steps_right(&mut self, row: &[u32]) -> bool {
        let mut found = Vec::new();
        let complete = self.tables.steps(row, &mut Space::default(), &mut Possible::default(), &mut |step| {
            let mut target = row.to_vec();
            step.change(&mut target);
            found.push((self.tables.choice(&step), target));
        });
        let state = self.tables.state(row);
        let listed = self.tables.semantics().steps(&state).into_iter();
        let mut listed: Vec<_> = listed.map(|step| (step.choice, self.tables.row(&step.target))).collect();
        listed.sort_unstable();
        found.sort_unstable();
        complete.is_ok() && listed == found
    }
}
