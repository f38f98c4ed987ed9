//! Confirms specs with path quantifiers and knowledge.
//!
//! The evidence ([`Labelling`]) is the set of all reachable states, and in which of them each branching formula is true. The
//! check finds the states anew, and labels them by itself: obligations are unfolded by the rules of the tableau
//! ([`super::explicit::tableau`]) and strongly connected components are taken apart where conditions are requested and not
//! answered, formulas inside of others first; what some agent knows is found by comparing local states. Then states and labels have
//! to be the same, and the spec true, or false, in accordance with the claim. The search shares nothing with this but the
//! concrete semantics and its tables, a part of which is compared with the steps that the semantics lists.
//!
//! With symmetries the states are found anew up to them. It is checked that each changes the model into itself
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
mod graph;
mod runs;
mod shown;
pub mod symbolic;

use super::explicit::graph::Symmetric;
use super::explicit::part::add_facts;
use super::explicit::symmetry::Symmetry;
use super::{Refuted, replay};
use crate::claim::branching::{Image, Labelling, Lookalike, Witness, branchings};
use crate::claim::explicit::GraphCertificate;
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::tables::{Fact, Facts};
use crate::model::eval::{EnumerationError, Explanation, Influence, Run, Semantics, State, Truth};
use crate::model::{Formula, InstanceId, Model};
use graph::{Explored, Seen};
use runs::{Falsified, falsified};
use rustc_hash::{FxHashMap, FxHashSet};
use shown::{Showing, States};
use std::fmt;
use symbolic::Unfit;

/// A spec that holds, as labels of all reachable states show. There is no other way to make one than [`confirm`].
#[derive(Clone, Debug, PartialEq)]
pub struct ProofByLabels {
    labelling: Labelling,
    /// Per branching formula, whether it has labels.
    labelled: Vec<bool>,
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
        self.labelled.iter().filter(|labelled| **labelled).count()
    }

    /// True if a branching formula, given by its index in [`branchings`], is one of them.
    pub fn is_labelled(&self, formula: usize) -> bool {
        self.labelled.get(formula).copied().unwrap_or_default()
    }

    /// The labelling that was checked.
    pub fn labelling(&self) -> &Labelling {
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

/// Why labels prove nothing: an internal error of the tool, never a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unlabelled {
    /// It is not about this model and this spec.
    Malformed(String),
    /// The initial states cannot be listed.
    NotEnumerable(EnumerationError),
    /// A state is not reachable.
    Unreachable,
    /// A reachable state is missing.
    StateMissing,
    /// A branching formula is not true where it is said to be, or true elsewhere.
    OtherLabel {
        /// Its index.
        formula: usize,
    },
    /// The spec says that some agent has a strategy.
    Strategies,
    /// The spec is false in some initial state.
    NotTrue,
    /// The tables of steps are not what the semantics lists.
    OtherSteps,
    /// Another number of states is reachable.
    OtherNumber,
    /// The check cannot do without exploring.
    Unfit(Unfit),
    /// A renaming is no symmetry of the model, or changes what it must not.
    NoSymmetry(String),
}

impl From<Unfit> for Unlabelled {
    fn from(why: Unfit) -> Unlabelled {
        Unlabelled::Unfit(why)
    }
}

impl fmt::Display for Unlabelled {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unlabelled::Malformed(what) => write!(f, "the certificate does not fit the model and the spec: {what}"),
            Unlabelled::NotEnumerable(reason) => write!(f, "the initial states cannot be listed: {reason}"),
            Unlabelled::Unreachable => write!(f, "a state is not reachable"),
            Unlabelled::StateMissing => write!(f, "a reachable state is missing"),
            Unlabelled::OtherLabel { formula } => write!(f, "the labels of branching formula {formula} are wrong"),
            Unlabelled::Strategies => write!(f, "strategies are not supported"),
            Unlabelled::NotTrue => write!(f, "the spec is false in an initial state"),
            Unlabelled::OtherSteps => write!(f, "the tables have other steps than the semantics"),
            Unlabelled::OtherNumber => write!(f, "another number of states is reachable"),
            Unlabelled::Unfit(why) => why.fmt(f),
            Unlabelled::NoSymmetry(why) => write!(f, "no symmetry: {why}"),
        }
    }
}

impl std::error::Error for Unlabelled {}

/// Checks that labels prove that every run satisfies the formula. Without a claim the check finds them alone.
pub fn confirm(
    semantics: &Semantics,
    formula: &Formula,
    labelling: Option<Labelling>,
) -> Result<ProofByLabels, Unlabelled> {
    let questions = Questions::of(semantics.model(), formula, labelling.as_ref())?;
    let facts = questions.facts(semantics.model());
    let graph = graph_of(semantics.model(), labelling.as_ref());
    let symmetric = questions.symmetric(semantics, &graph)?;
    let labelled = Labelled::new(semantics, &questions, &facts, &symmetric, labelling.as_ref())?;
    let Some(labelled) = labelled else {
        return Ok(ProofByLabels { labelling: Labelling::default(), labelled: Vec::new() });
    };
    if !labelled.is_true_initially() {
        return Err(Unlabelled::NotTrue);
    }
    let found = labelling.unwrap_or_else(|| labelled.labelling());
    Ok(ProofByLabels { labelling: found, labelled: questions.asked.clone() })
}

/// Checks that labels and runs show that a formula is violated. Without a claim the check finds the labels alone.
pub fn refute<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    labelling: Option<&Labelling>,
    witness: &Witness,
) -> Result<ShownRun<'s>, Refuted> {
    let questions = Questions::of(semantics.model(), formula, labelling).map_err(Refuted::Labels)?;
    let facts = questions.facts(semantics.model());
    let graph = graph_of(semantics.model(), labelling);
    let symmetric = questions.symmetric(semantics, &graph).map_err(Refuted::Labels)?;
    let labelled = Labelled::new(semantics, &questions, &facts, &symmetric, labelling).map_err(Refuted::Labels)?;
    let Some(mut labelled) = labelled.filter(|labelled| !labelled.is_true_initially()) else {
        return Err(Refuted::NotFalse(Truth::True));
    };
    if witness.from != 0 {
        return Err(Refuted::OtherSpec);
    }
    let influence = Influence::of(semantics.model(), formula);
    let (states, list) = (&mut labelled, &questions.list[..]);
    Showing { semantics, states, list, influence: &influence }.shown(formula, false, witness)
}

/// Checks that runs alone show that a formula is violated: where it speaks of knowledge, each of them ends in a state that
/// looks alike, and in which what is to be known is false.
pub fn refute_by_runs<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    witness: &Witness,
) -> Result<ShownRun<'s>, Refuted> {
    let list = branchings(formula);
    let influence = Influence::of(semantics.model(), formula);
    let run = replay(semantics, &witness.trace, witness.trace.loop_start, &influence)?;
    let mut parts = Vec::new();
    for part in &witness.parts {
        let of: &Branching = list.get(part.formula as usize).ok_or(Refuted::OtherSpec)?;
        // All reachable states are possible, as a scheduler can be fair after any beginning.
        let counts = of.among.as_ref().is_none_or(|assumed| assumed.is_fairness(semantics.model()));
        let [look] = &part.looks[..] else { return Err(Refuted::OtherSpec) };
        let Lookalike::Run(trace) = &look.there else { return Err(Refuted::OtherSpec) };
        // Others than those of the group may not even exist.
        shown::check_view(semantics.model(), of, &look.observers)?;
        let other = replay(semantics, trace, None, &influence)?;
        let here = run.states().get(part.position).ok_or(Refuted::OtherSpec)?;
        let there = other.states().last().expect("a run has a state");
        let is_alike = semantics.model().look_alike(here, there, &look.observers);
        let at_end = other.steps().len();
        let nothing = |_: &Branching, _: usize| Truth::Unknown;
        let explanation = other.explain_given(&of.body, at_end, false, &nothing);
        let Some(explanation) = explanation.filter(|_| counts && is_alike && of.body.is_about_state()) else {
            return Err(Refuted::OtherSpec);
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
        None => Err(Refuted::NotFalse(run.evaluation_given(formula, 0, &given).at(0))),
    }
}

/// The local states and symmetries of a claim, if there is one.
fn graph_of(model: &Model, labelling: Option<&Labelling>) -> GraphCertificate {
    match labelling {
        Some(Labelling { local_states, generators, .. }) => {
            GraphCertificate { local_states: local_states.clone(), generators: generators.clone() }
        }
        None => GraphCertificate { local_states: vec![Vec::new(); model.instances.len()], generators: Vec::new() },
    }
}

/// That a symmetry makes a conjunct that is labelled each that is said to be an image of it.
fn check_images(model: &Model, conjuncts: &[Formula], images: &[Image]) -> Result<(), Unlabelled> {
    let malformed = || Unlabelled::Malformed("an image of nothing".to_owned());
    let of_images: FxHashSet<u32> = images.iter().map(|image| image.conjunct).collect();
    if of_images.len() != images.len() {
        return Err(Unlabelled::Malformed("a conjunct is an image twice".to_owned()));
    }
    for Image { conjunct, of, by } in images {
        let image = conjuncts.get(*conjunct as usize).ok_or_else(malformed)?;
        let of_this = conjuncts.get(*of as usize).filter(|_| !of_images.contains(of)).ok_or_else(malformed)?;
        let symmetry = Symmetry::check(model, by).map_err(Unlabelled::NoSymmetry)?;
        // A conjunct is an image of itself, whatever agents see.
        if of_this != image && (model.sees_others() || !symmetry.maps(of_this, image)) {
            return Err(Unlabelled::NoSymmetry(format!("conjunct {conjunct} is not the image of {of}")));
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
    /// Per branching formula: of a path quantifier what all runs satisfy, or none does.
    of_runs: Vec<Option<Formula>>,
    /// Per branching formula: of knowledge what is false on the runs that it is about.
    impossible: Vec<Option<Formula>>,
}

impl<'f> Questions<'f> {
    fn of(model: &Model, formula: &'f Formula, claimed: Option<&Labelling>) -> Result<Questions<'f>, Unlabelled> {
        let conjuncts = formula.parts();
        let images = claimed.map_or(&[][..], |claimed| &claimed.images);
        check_images(model, &conjuncts, images)?;
        let is_image = |index: usize| images.iter().any(|image| image.conjunct as usize == index);
        let parts = conjuncts.into_iter().enumerate().filter(|(index, _)| !is_image(*index));
        let parts: Vec<Formula> = parts.map(|(_, part)| part).collect();
        let list = branchings(formula);
        let within: FxHashSet<&Branching> = parts.iter().flat_map(branchings).collect();
        let asked = list.iter().map(|it| within.contains(it)).collect();
        let of_runs = |it: &Branching| {
            let body = it.body.clone();
            let claim = match it.operator {
                Operator::All => body,
                Operator::Some => body.not(),
                Operator::Known(..) | Operator::Strategy(_) => return None,
            };
            Some(match &it.among {
                Some(assumed) => assumed.clone().implies(claim),
                None => claim,
            })
        };
        let impossible = |it: &Branching| {
            let assumed = it.among.clone().filter(|_| matches!(it.operator, Operator::Known(..)))?;
            Some(assumed.not())
        };
        let of_runs = list.iter().map(|it| within.contains(it).then(|| of_runs(it)).flatten()).collect();
        let impossible = list.iter().map(|it| within.contains(it).then(|| impossible(it)).flatten()).collect();
        drop(within);
        Ok(Questions { formula, of_runs, impossible, asked, parts, list })
    }

    /// The symmetries of a claim, which must not change what is asked.
    fn symmetric<'a>(
        &self,
        semantics: &'a Semantics<'a>,
        graph: &'a GraphCertificate,
    ) -> Result<Symmetric<'a>, Unlabelled> {
        let influence = Influence::of(semantics.model(), self.formula);
        let symmetric = Symmetric::new(semantics, &influence, graph)?;
        symmetric.check_branching(&self.parts)?;
        Ok(symmetric)
    }

    fn facts(&self, model: &Model) -> Facts<'_> {
        let mut facts = Facts::default();
        self.parts.iter().chain(self.of_runs.iter().chain(&self.impossible).flatten()).for_each(|question| {
            add_facts(&mut facts, model, question);
        });
        facts
    }
}

/// States with the labels that the check found.
struct Labelled<'a> {
    model: &'a Model,
    questions: &'a Questions<'a>,
    facts: &'a Facts<'a>,
    graph: Explored<'a>,
    index: FxHashMap<&'a Branching, usize>,
    labels: Vec<Vec<bool>>,
}

impl<'a> Labelled<'a> {
    /// Nothing if no state is initial.
    fn new(
        semantics: &'a Semantics<'a>,
        questions: &'a Questions<'a>,
        facts: &'a Facts<'a>,
        symmetric: &'a Symmetric<'a>,
        claimed: Option<&Labelling>,
    ) -> Result<Option<Labelled<'a>>, Unlabelled> {
        if questions.formula.is_strategic() {
            return Err(Unlabelled::Strategies);
        }
        let influence = Influence::of(semantics.model(), questions.formula);
        let Some(graph) = Explored::all(semantics, &influence, facts, symmetric)? else { return Ok(None) };
        let index = questions.list.iter().copied().zip(0..).collect();
        let model = semantics.model();
        let mut labelled = Labelled { model, questions, facts, graph, index, labels: Vec::new() };
        for number in 0..questions.list.len() {
            let label = if questions.asked[number] { labelled.label(number) } else { Vec::new() };
            labelled.labels.push(label);
        }
        if let Some(claimed) = claimed {
            labelled.compare(claimed)?;
        }
        Ok(Some(labelled))
    }

    fn labelling(&self) -> Labelling {
        let states = 0..self.graph.len() as u32;
        let numbers = |label: &Vec<bool>| (0..).zip(label).filter(|(_, is)| **is).map(|(state, _)| state).collect();
        Labelling {
            generators: Vec::new(),
            images: Vec::new(),
            local_states: self.graph.local_states(),
            states: states.map(|state| self.graph.row(state)).collect(),
            labels: self.labels.iter().map(numbers).collect(),
        }
    }

    fn compare(&mut self, claimed: &Labelling) -> Result<(), Unlabelled> {
        let numbers = self.graph.identify(claimed)?;
        if claimed.labels.len() != self.labels.len() {
            return Err(Unlabelled::Malformed("another number of branching formulas".to_owned()));
        }
        for (formula, (label, claimed)) in self.labels.iter().zip(&claimed.labels).enumerate() {
            let mut other = vec![false; label.len()];
            for state in claimed {
                let number = numbers.get(*state as usize);
                let number = number.ok_or_else(|| Unlabelled::Malformed("a label of no state".to_owned()))?;
                if let Some(place) = other.get_mut(*number as usize) {
                    *place = true;
                }
            }
            if !self.questions.asked[formula] && !claimed.is_empty() {
                return Err(Unlabelled::OtherLabel { formula });
            }
            let is_ascending = claimed.windows(2).all(|pair| pair[0] < pair[1]);
            if *label != other || !is_ascending {
                return Err(Unlabelled::OtherLabel { formula });
            }
        }
        Ok(())
    }

    /// In which states a branching formula is true, given that of those inside of it.
    fn label(&self, number: usize) -> Vec<bool> {
        let states: Vec<u32> = (0..self.graph.len() as u32).collect();
        let branching = self.questions.list[number];
        if let Some(question) = &self.questions.of_runs[number] {
            let falsified = self.falsified(question, &states).from;
            let witnessed = branching.operator.witnessed();
            return falsified.into_iter().map(|is_false| is_false == witnessed).collect();
        }
        let Operator::Known(knowledge, group) = &branching.operator else { unreachable!("it is about no runs") };
        let possible = match &self.questions.impossible[number] {
            Some(impossible) => self.falsified(impossible, self.graph.initial()).visited,
            None => vec![true; states.len()],
        };
        let views: Vec<Vec<InstanceId>> =
            if knowledge.is_joint() { vec![group.clone()] } else { group.iter().map(|one| vec![*one]).collect() };
        let rows: Vec<Vec<u32>> = states.iter().map(|state| self.graph.row(*state)).collect();
        // The views of agents in these states, and in images of them.
        let seen_in = |states: &[u32]| -> FxHashSet<Seen> {
            let rows = states.iter().map(|state| &rows[*state as usize]);
            let seen = rows.flat_map(|row| views.iter().map(|view| self.graph.seen(row, view)));
            self.graph.with_images(seen.collect())
        };
        let sees = |seen: &FxHashSet<Seen>, state: u32| {
            views.iter().any(|view| seen.contains(&self.graph.seen(&rows[state as usize], view)))
        };
        let here = states.iter().copied().filter(|state| possible[*state as usize]);
        let (mut good, mut bad): (Vec<u32>, Vec<u32>) = here.partition(|state| self.holds(&branching.body, *state));
        let mut seen = seen_in(&bad);
        while *knowledge == Knowledge::Common && !bad.is_empty() {
            (bad, good) = good.into_iter().partition(|state| sees(&seen, *state));
            seen.extend(seen_in(&bad));
        }
        states.iter().map(|state| !sees(&seen, *state)).collect()
    }

    fn falsified(&self, question: &Formula, starts: &[u32]) -> Falsified {
        let label = |formula: &Formula, state: u32| {
            let Formula::Branching(branching) = formula else { unreachable!("it is no branching formula") };
            self.labels[self.index[&**branching]][state as usize]
        };
        falsified(self.model, &self.graph, self.facts, question, starts, &label)
    }

    /// True if a state formula is true in a state.
    fn holds(&self, formula: &Formula, state: u32) -> bool {
        let mut part = |part: &Formula| {
            if let Formula::Branching(branching) = part {
                return Some(self.labels[self.index[&**branching]][state as usize]);
            }
            let Formula::Atom(expr) = part else { return None };
            let bit = self.facts.number(Fact::State(expr)).expect("it was added");
            Some(self.graph.facts(state)[bit / 64] >> (bit % 64) & 1 == 1)
        };
        formula.combined(&mut part).expect("it is a state formula")
    }

    fn is_true_initially(&self) -> bool {
        let initial = self.graph.initial();
        self.questions.parts.iter().all(|part| {
            let falsified = self.falsified(part, initial).from;
            initial.iter().all(|state| !falsified[*state as usize])
        })
    }
}

impl States for Labelled<'_> {
    /// The state, and the number of the one that stands for it.
    type Reached = (Vec<u32>, u32);

    fn find(&mut self, state: &State) -> Option<(Vec<u32>, u32)> {
        let row = self.graph.row_of(state);
        let number = self.graph.find(&row)?;
        Some((row, number))
    }

    fn label(&self, branching: &Branching, (_, number): &(Vec<u32>, u32)) -> Option<bool> {
        self.labels[*self.index.get(branching)?].get(*number as usize).copied()
    }

    fn are_alike(&self, (one, _): &(Vec<u32>, u32), (other, _): &(Vec<u32>, u32), observers: &[InstanceId]) -> bool {
        self.graph.seen(one, observers) == self.graph.seen(other, observers)
    }
}
