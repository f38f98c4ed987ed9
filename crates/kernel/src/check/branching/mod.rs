//! Confirms specs with path quantifiers and knowledge.
//!
//! The evidence ([`Labelling`]) is the set of all reachable states, and why each branching formula is true or false in them,
//! formulas inside of others first. That the states are closed under steps, and that each is reached from one before it, is
//! seen step by step ([`graph`]). A path quantifier is decided by members ([`super::explicit`]): of a state and the
//! obligations of its question, those with a rank say that no run violates it, and those with witnesses that some run does.
//! Knowledge of an agent follows from the local states of all reachable states.
//!
//! With symmetries a state stands for those that are alike. It is checked that each changes the model into itself
//! ([`super::explicit::symmetry`]) and leaves what influences runs as it is, and of the conjuncts all that is said of
//! one moment, every knower and every group: so it maps the reachable states to each other, and each formula in the
//! conjuncts is true in a state iff it is in the image. A formula that is false in a state is false in its images, too;
//! so the view of an agent in it is replaced by all views of agents of the group in its images, and an agent does not
//! know the formula where it has any of these views. A state on a run of the evidence is looked up by its orbit; the
//! states themselves decide if it looks like another one. Conjuncts without labels are images of others under
//! symmetries of the model.
//!
//! A violation is shown by runs: one on which the spec is false, given the labels of its states, and further ones for the
//! branching formulas that decide there, as long as one run or one state decides them. Each is replayed, and what it is
//! said to show is evaluated on it.

pub mod conditions;
mod games;
mod graph;
pub(super) mod shown;

use super::explicit::graph::Symmetric;
use super::explicit::part::{PartCheck, add_facts};
use super::explicit::symmetry::Symmetry;
use super::{Refused, replay};
use crate::claim::branching::{Image, Labelling, Lookalike, Witness, branchings};
use crate::claim::explicit::{ClosedSet, GraphCertificate};
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::tables::{Fact, Facts};
use crate::model::eval::{Explanation, Influence, Run, Semantics, State, Truth};
use crate::model::{Formula, InstanceId, Model};
use graph::{Reached, Seen};
use rustc_hash::{FxHashMap, FxHashSet};
use shown::{Showing, States};
use std::sync::Arc;

/// A spec that holds, as labels of all reachable states show. There is no other way to make one than [`decide`].
#[derive(Clone, Debug, PartialEq)]
pub struct ProofByLabels {
    labelling: Arc<Labelling>,
    /// Per branching formula in how many states it is true; `None` if it has no labels.
    labels: Vec<Option<usize>>,
}

impl ProofByLabels {
    /// The number of reachable states, as far as they differ in what matters.
    pub fn states(&self) -> usize {
        self.labelling.states.len()
    }

    /// True if some of them stand for others that are alike up to a symmetry.
    pub fn is_symmetric(&self) -> bool {
        !self.labelling.generators.is_empty() || !self.labelling.images.is_empty()
    }

    /// The number of branching formulas, without those that occur in images of other conjuncts only.
    pub fn formulas(&self) -> usize {
        self.labels.iter().flatten().count()
    }

    /// Per branching formula, in the order of [`branchings`], in how many states it is true; `None` for those that occur in
    /// images of other conjuncts only.
    pub fn labels(&self) -> &[Option<usize>] {
        &self.labels
    }

    /// The labelling that was checked.
    pub fn labelling(&self) -> &Arc<Labelling> {
        &self.labelling
    }
}

/// A run that was replayed, and that shows that a formula is false or true from a position on.
#[derive(Debug)]
pub struct ShownRun<'s> {
    /// The run.
    pub run: Run<'s>,
    /// The position.
    pub from: usize,
    /// The reasons for its truth.
    pub explanation: Explanation,
    /// The evidence for the truth of branching formulas on it.
    pub parts: Vec<ShownPart<'s>>,
}

/// Why a branching formula is false, or `E(f)` is true, in a state of a run.
#[derive(Debug)]
pub struct ShownPart<'s> {
    /// The position of the state.
    pub position: usize,
    /// The formula.
    pub formula: Branching,
    /// States that look alike, one after the other: to whom, and a run that ends in it. In the midst of a long chain
    /// there are none; that these states are reachable, the labels say.
    pub looks: Vec<(Vec<InstanceId>, Option<Run<'s>>)>,
    /// The run that shows it.
    pub shown: ShownRun<'s>,
    is_here: bool,
}

impl ShownPart<'_> {
    /// True if what is not known is false in the very state that is reached.
    pub fn is_here(&self) -> bool {
        self.is_here
    }
}

/// A spec, and evidence about it.
#[derive(Clone, Debug)]
pub struct Claimed<'f> {
    /// The spec.
    pub formula: &'f Formula,
    /// All states with labels.
    pub labelling: Arc<Labelling>,
    /// A run that violates it; none if it holds.
    pub witness: Option<&'f Witness>,
}

/// The outcome of evidence that was checked.
#[derive(Debug)]
pub enum Decided<'s> {
    /// Every run satisfies the spec.
    Holds(ProofByLabels),
    /// This one does not.
    Violated(Box<ShownRun<'s>>),
}

/// Checks evidence about specs. The states have to be the same in all of it: they are looked at once.
pub fn decide<'s>(semantics: &'s Semantics<'s>, claims: &[Claimed]) -> Vec<Result<Decided<'s>, Refused>> {
    let model = semantics.model();
    let Some(first) = claims.first() else { return Vec::new() };
    let questions: Vec<Result<Questions, Refused>> =
        claims.iter().map(|claim| Questions::of(model, claim.formula, &claim.labelling.images)).collect();
    let mut facts = Facts::default();
    questions.iter().flatten().for_each(|questions| questions.add_facts(model, &mut facts));
    let influence = Influence::of(model, first.formula);
    let graph = graph_of(&first.labelling);
    let all_refused = |why: Refused| claims.iter().map(|_| Err(why.clone())).collect();
    let symmetric = match Symmetric::new(semantics, &influence, &graph) {
        Ok(symmetric) => symmetric,
        Err(why) => return all_refused(why),
    };
    let mut states = match Reached::of(semantics, &influence, &facts, &symmetric, &first.labelling) {
        Ok(states) => states,
        Err(why) => return all_refused(why),
    };
    let mut decided = Vec::new();
    for (Claimed { formula, labelling, witness }, questions) in claims.iter().zip(&questions) {
        let Labelling { local_states, generators, states: rows, .. } = &**labelling;
        let are_its =
            (local_states, generators) == (&graph.local_states, &graph.generators) && *rows == first.labelling.states;
        let its_states = if are_its && Influence::of(model, formula) == influence {
            Ok(states.as_mut())
        } else {
            Err(Refused::malformed("states of another spec"))
        };
        decided.push(its_states.and_then(|states| {
            let questions = questions.as_ref().map_err(Refused::clone)?;
            let checked = Checked { semantics, facts: &facts, symmetric: &symmetric, influence: &influence };
            checked.decide(questions, states, labelling, *witness)
        }));
    }
    decided
}

/// Shared by the checks of several specs, beside the states.
struct Checked<'s, 'a> {
    semantics: &'s Semantics<'s>,
    facts: &'a Facts<'a>,
    symmetric: &'a Symmetric<'a>,
    influence: &'a Influence,
}

impl<'s: 'a, 'a> Checked<'s, 'a> {
    /// Without states there is no initial one.
    fn decide(
        &self,
        questions: &'a Questions<'a>,
        states: Option<&mut Reached<'a>>,
        labelling: &Arc<Labelling>,
        witness: Option<&Witness>,
    ) -> Result<Decided<'s>, Refused> {
        let Checked { semantics, facts, symmetric, influence } = *self;
        symmetric.check_branching(&questions.parts)?;
        let holds = |labels| Ok(Decided::Holds(ProofByLabels { labelling: labelling.clone(), labels }));
        let Some(states) = states else {
            return match witness {
                Some(_) => Err(Refused::not_false(Truth::True)),
                None => holds(questions.asked.iter().map(|asked| asked.then_some(0)).collect()),
            };
        };
        let mut labelled = Labelled::new(semantics.model(), questions, facts, symmetric, states, labelling)?;
        match witness {
            None => {
                labelled.check_conjuncts(&labelling.conjuncts)?;
                holds(labelled.counts())
            }
            Some(witness) if witness.from != 0 => Err(Refused::other_spec()),
            Some(witness) => {
                let (states, list) = (&mut labelled, &questions.list[..]);
                let shown = Showing { semantics, states, list, influence }.shown(questions.formula, false, witness);
                shown.map(|shown| Decided::Violated(Box::new(shown)))
            }
        }
    }
}

/// Checks that runs alone show that a formula is violated: where it speaks of knowledge, each of them ends in a state that
/// looks alike, and in which what is to be known is false.
pub fn refute_by_runs<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    witness: &Witness,
) -> Result<ShownRun<'s>, Refused> {
    let list = branchings(formula);
    let influence = Influence::of(semantics.model(), formula);
    let run = replay(semantics, &witness.trace, witness.trace.loop_start, &influence)?;
    let mut parts = Vec::new();
    for part in &witness.parts {
        let of: &Branching = list.get(part.formula as usize).ok_or_else(Refused::other_spec)?;
        // All reachable states are possible, as a scheduler can be fair after any beginning.
        let counts = of.among.as_ref().is_none_or(|assumed| assumed.is_fairness(semantics.model()));
        let [look] = &part.looks[..] else { return Err(Refused::other_spec()) };
        let Lookalike::Run(trace) = &look.there else { return Err(Refused::other_spec()) };
        // Others than those of the group may not even exist.
        shown::check_view(semantics.model(), of, &look.observers)?;
        let other = replay(semantics, trace, None, &influence)?;
        let here = run.states().get(part.position).ok_or_else(Refused::other_spec)?;
        let there = other.states().last().expect("a run has a state");
        let is_alike = semantics.model().look_alike(here, there, &look.observers);
        let at_end = other.steps().len();
        let nothing = |_: &Branching, _: usize| Truth::Unknown;
        let explanation = other.explain_given(&of.body, at_end, false, &nothing);
        let Some(explanation) = explanation.filter(|_| counts && is_alike && of.body.is_about_state()) else {
            return Err(Refused::other_spec());
        };
        let is_here = here == there;
        let again = replay(semantics, trace, None, &influence)?;
        let shown = ShownRun { run: again, from: at_end, explanation, parts: Vec::new() };
        let looks = vec![(look.observers.clone(), Some(other))];
        parts.push(ShownPart { position: part.position, formula: of.clone(), looks, shown, is_here });
    }
    let states = run.states();
    let given = |branching: &Branching, position: usize| {
        // Knowledge in a state recurs with the state.
        let is_shown = |part: &ShownPart| part.formula == *branching && states[part.position] == states[position];
        if parts.iter().any(is_shown) { Truth::False } else { Truth::Unknown }
    };
    match run.explain_given(formula, 0, false, &given) {
        Some(explanation) => Ok(ShownRun { explanation, from: 0, parts, run }),
        None => Err(Refused::not_false(run.evaluation_given(formula, 0, &given).at(0))),
    }
}

/// The evidence about the runs of a branching formula does not say if it is true in some state.
fn no_label(formula: usize) -> Refused {
    Refused::wrong(format_args!("nothing says if branching formula {formula} is true"))
}

/// The local states and symmetries of a claim.
fn graph_of(labelling: &Labelling) -> GraphCertificate {
    let Labelling { local_states, generators, .. } = labelling;
    GraphCertificate { split: Vec::new(), local_states: local_states.clone(), generators: generators.clone() }
}

/// That a symmetry makes a conjunct that is labelled each that is said to be an image of it.
fn check_images(model: &Model, conjuncts: &[Formula], images: &[Image]) -> Result<(), Refused> {
    let malformed = || Refused::malformed("an image of nothing");
    let of_images: FxHashSet<u32> = images.iter().map(|image| image.conjunct).collect();
    if of_images.len() != images.len() {
        return Err(Refused::malformed("a conjunct is an image twice"));
    }
    for Image { conjunct, of, by } in images {
        let image = conjuncts.get(*conjunct as usize).ok_or_else(malformed)?;
        let of_this = conjuncts.get(*of as usize).filter(|_| !of_images.contains(of)).ok_or_else(malformed)?;
        let symmetry = Symmetry::check(model, by).map_err(Refused::no_symmetry)?;
        // A conjunct is an image of itself, whatever agents see.
        if of_this != image && (model.sees_others() || !symmetry.maps(of_this, image)) {
            return Err(Refused::no_symmetry(format_args!("conjunct {conjunct} is not the image of {of}")));
        }
    }
    Ok(())
}

/// The formulas that are asked about.
struct Questions<'f> {
    formula: &'f Formula,
    /// The conjuncts that are no images of others.
    parts: Vec<Formula>,
    list: Vec<&'f Branching>,
    /// Per branching formula, whether it occurs in them.
    asked: Vec<bool>,
    /// Per branching formula what it asks about runs, if it does.
    of_runs: Vec<Option<Formula>>,
}

impl<'f> Questions<'f> {
    fn of(model: &Model, formula: &'f Formula, images: &[Image]) -> Result<Questions<'f>, Refused> {
        let conjuncts = formula.parts();
        check_images(model, &conjuncts, images)?;
        let is_image = |index: usize| images.iter().any(|image| image.conjunct as usize == index);
        let parts = conjuncts.into_iter().enumerate().filter(|(index, _)| !is_image(*index));
        let parts: Vec<Formula> = parts.map(|(_, part)| part).collect();
        let list = branchings(formula);
        let within: FxHashSet<&Branching> = parts.iter().flat_map(branchings).collect();
        let asked = list.iter().map(|it| within.contains(it)).collect();
        let of_runs = list.iter().map(|it| it.question().filter(|_| within.contains(it))).collect();
        drop(within);
        Ok(Questions { formula, of_runs, asked, parts, list })
    }

    fn add_facts<'a>(&'a self, model: &Model, facts: &mut Facts<'a>) {
        let all = self.parts.iter().chain(self.of_runs.iter().flatten());
        all.for_each(|question| add_facts(facts, model, question));
        let strategic = self.list.iter().filter(|it| matches!(it.operator, Operator::Strategy(..)));
        strategic.flat_map(|it| &it.among).for_each(|among| add_facts(facts, model, among));
    }
}

/// States with labels that were checked.
struct Labelled<'a, 'g> {
    model: &'a Model,
    questions: &'a Questions<'a>,
    facts: &'a Facts<'a>,
    symmetric: &'a Symmetric<'a>,
    states: &'g mut Reached<'a>,
    index: FxHashMap<&'a Branching, usize>,
    labels: Vec<Vec<bool>>,
}

impl<'a, 'g> Labelled<'a, 'g> {
    fn new(
        model: &'a Model,
        questions: &'a Questions<'a>,
        facts: &'a Facts<'a>,
        symmetric: &'a Symmetric<'a>,
        states: &'g mut Reached<'a>,
        claimed: &Labelling,
    ) -> Result<Labelled<'a, 'g>, Refused> {
        let index = questions.list.iter().copied().zip(0..).collect();
        let mut labelled = Labelled { model, questions, facts, symmetric, states, index, labels: Vec::new() };
        if claimed.formulas.len() != questions.list.len() || claimed.games.len() > questions.list.len() {
            return Err(Refused::malformed("another number of branching formulas"));
        }
        for (number, evidence) in claimed.formulas.iter().enumerate() {
            if evidence.is_some() && questions.of_runs[number].is_none() {
                return Err(Refused::malformed("evidence about the runs of another formula"));
            }
            let game = claimed.games.get(number).and_then(Option::as_ref);
            if game.is_some() && !matches!(questions.list[number].operator, Operator::Strategy(..)) {
                return Err(Refused::malformed("ranks of another formula"));
            }
            let label = match &questions.list[number].operator {
                _ if !questions.asked[number] => Vec::new(),
                Operator::Strategy(..) => labelled.strategic(number, questions.list[number], game)?,
                Operator::All | Operator::Some | Operator::Known(..) => labelled.label_of(number, evidence.as_ref())?,
            };
            if let Some(fact) = facts.number(Fact::Branching(questions.list[number])) {
                labelled.states.label(fact, &label);
            }
            labelled.labels.push(label);
        }
        Ok(labelled)
    }

    /// Per branching formula in how many states it is true, if it has labels.
    fn counts(&self) -> Vec<Option<usize>> {
        let count = |label: &Vec<bool>| label.iter().filter(|is_true| **is_true).count();
        self.questions.asked.iter().zip(&self.labels).map(|(asked, label)| asked.then(|| count(label))).collect()
    }

    /// In which states a branching formula is true, given that of those inside of it.
    fn label_of(&mut self, number: usize, evidence: Option<&ClosedSet>) -> Result<Vec<bool>, Refused> {
        let (branching, questions) = (self.questions.list[number], self.questions);
        let runs = || evidence.ok_or_else(|| no_label(number));
        let asked = questions.of_runs[number].as_ref();
        let (Operator::Known(knowledge, group), possible) = (&branching.operator, asked) else {
            let mut check = self.part(asked.expect("a path quantifier is about runs"), runs()?, number)?;
            check.check_members(self.states, 0..runs()?.members.len() as u32)?;
            check.check_witnesses()?;
            let start = check.start();
            let label = |state: u32| Some(check.is_violated_from(&start, &[state])? == branching.operator.witnessed());
            let label = (0..self.states.len() as u32).map(label).collect::<Option<_>>();
            return label.ok_or_else(|| no_label(number));
        };
        let possible = match possible {
            Some(impossible) => self.possible(impossible, runs()?, number)?,
            None => vec![true; self.states.len()],
        };
        Ok(self.known(*knowledge, group, &branching.body, &possible))
    }

    /// The check of evidence about a formula.
    fn part<'e>(&self, formula: &'e Formula, evidence: &'e ClosedSet, index: usize) -> Result<PartCheck<'e>, Refused>
    where
        'a: 'e,
    {
        PartCheck::new(self.model, formula, self.facts, evidence, index, self.symmetric)
    }

    /// That no run from an initial state violates a conjunct.
    fn check_conjuncts(&mut self, evidence: &[ClosedSet]) -> Result<(), Refused> {
        let questions = self.questions;
        if evidence.len() != questions.parts.len() {
            return Err(Refused::malformed("another number of conjuncts"));
        }
        for (index, (part, evidence)) in questions.parts.iter().zip(evidence).enumerate() {
            let mut check = self.part(part, evidence, index)?;
            check.check_initial(self.states)?;
            check.check_members(self.states, 0..evidence.members.len() as u32)?;
        }
        Ok(())
    }

    /// The states on runs from initial states that violate a formula.
    fn possible(&mut self, formula: &Formula, evidence: &ClosedSet, index: usize) -> Result<Vec<bool>, Refused> {
        let mut check = self.part(formula, evidence, index)?;
        check.begin(self.states)?;
        check.check_members(self.states, 0..evidence.members.len() as u32)?;
        check.check_witnesses()?;
        let (mut reached, mut claimed) = (vec![false; self.states.len()], vec![false; self.states.len()]);
        for member in check.witnessed() {
            let state = evidence.members.layout().get(evidence.members.records().get(member), 0) as usize;
            claimed[state] = true;
            reached[state] |= check.is_reached(member);
        }
        // In the other states all members have ranks.
        if reached == claimed { Ok(reached) } else { Err(no_label(index)) }
    }

    /// In which states a formula about the state is known, if only some states are possible.
    fn known(&self, knowledge: Knowledge, group: &[InstanceId], body: &Formula, possible: &[bool]) -> Vec<bool> {
        let states: Vec<u32> = (0..self.states.len() as u32).collect();
        let views: Vec<Vec<InstanceId>> =
            if knowledge.is_joint() { vec![group.to_vec()] } else { group.iter().map(|one| vec![*one]).collect() };
        let rows: Vec<Vec<u32>> = states.iter().map(|state| self.states.row(*state)).collect();
        // The views of agents in these states, and in images of them.
        let seen_in = |states: &[u32]| -> FxHashSet<Seen> {
            let rows = states.iter().map(|state| &rows[*state as usize]);
            let seen = rows.flat_map(|row| views.iter().map(|view| self.states.seen(row, view)));
            self.states.with_images(seen.collect())
        };
        let sees = |seen: &FxHashSet<Seen>, state: u32| {
            views.iter().any(|view| seen.contains(&self.states.seen(&rows[state as usize], view)))
        };
        let here = states.iter().copied().filter(|state| possible[*state as usize]);
        let (mut good, mut bad): (Vec<u32>, Vec<u32>) = here.partition(|state| self.holds(body, *state));
        let mut seen = seen_in(&bad);
        while knowledge == Knowledge::Common && !bad.is_empty() {
            (bad, good) = good.into_iter().partition(|state| sees(&seen, *state));
            seen.extend(seen_in(&bad));
        }
        states.iter().map(|state| !sees(&seen, *state)).collect()
    }

    /// True if a state formula is true in a state.
    fn holds(&self, formula: &Formula, state: u32) -> bool {
        let mut part = |part: &Formula| {
            if let Formula::Branching(branching) = part {
                return Some(self.labels[self.index[&**branching]][state as usize]);
            }
            let Formula::Atom(expr) = part else { return None };
            let bit = self.facts.number(Fact::State(expr)).expect("it was added");
            Some(self.states.facts(state)[bit / 64] >> (bit % 64) & 1 == 1)
        };
        formula.combined(&mut part).expect("it is a state formula")
    }
}

impl States for Labelled<'_, '_> {
    /// The state, and the number of the one that stands for it.
    type Reached = (Vec<u32>, u32);

    fn find(&mut self, state: &State) -> Option<(Vec<u32>, u32)> {
        let row = self.states.row_of(state);
        let number = self.states.find(&row)?;
        Some((row, number))
    }

    fn label(&self, branching: &Branching, (_, number): &(Vec<u32>, u32)) -> Option<bool> {
        self.labels[*self.index.get(branching)?].get(*number as usize).copied()
    }

    fn are_alike(&self, (one, _): &(Vec<u32>, u32), (other, _): &(Vec<u32>, u32), observers: &[InstanceId]) -> bool {
        self.states.seen(one, observers) == self.states.seen(other, observers)
    }
}
