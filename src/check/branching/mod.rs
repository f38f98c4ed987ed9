//! Confirms specs with path quantifiers and knowledge.
//!
//! The evidence ([`Labelling`]) is the set of all reachable states, and in which of them each branching formula is true. The
//! check finds the states anew, and labels them by itself: obligations are unfolded by the rules of the tableau
//! ([`super::explicit::tableau`]) and strongly connected components are taken apart where conditions are requested and not
//! answered, formulas inside of others first; what somebody knows is found by comparing local states. Then states and labels have
//! to be the same, and the spec true, or false, in accordance with the claim. The search shares nothing with this but the
//! concrete semantics and its tables, a part of which is compared with the steps that the semantics lists.
//!
//! A violation is shown by runs: one on which the spec is false, given the labels of its states, and further ones for the
//! branching formulas that decide there, as long as one run or one state decides them. Each is replayed, and what it is
//! said to show is evaluated on it.

pub mod conditions;
mod graph;
mod runs;
mod shown;
pub mod symbolic;

use super::explicit::part::add_facts;
use super::{Refuted, replay};
use crate::claim::branching::{Labelling, Lookalike, Witness, branchings};
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
}

impl ProofByLabels {
    /// The number of reachable states, as far as they differ in what matters.
    pub fn states(&self) -> usize {
        self.labelling.states.len()
    }

    /// The number of branching formulas.
    pub fn formulas(&self) -> usize {
        self.labelling.labels.len()
    }

    /// What was checked.
    pub fn labelling(&self) -> &Labelling {
        &self.labelling
    }
}

/// A run that was replayed, and that shows that a formula is false or true from a position on.
#[derive(Debug)]
pub struct Shown<'s> {
    /// The run.
    pub run: Run<'s>,
    /// The position.
    pub from: usize,
    /// Why.
    pub explanation: Explanation,
    /// What decides for branching formulas on it.
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
    /// What shows it.
    pub shown: Shown<'s>,
    is_here: bool,
}

impl ShownPart<'_> {
    /// Whether what is not known is false in the very state that is reached.
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
    /// The spec says that somebody has a strategy.
    Strategies,
    /// The spec is false in some initial state.
    NotTrue,
    /// The tables of steps are not what the semantics lists.
    OtherSteps,
    /// Another number of states is reachable.
    OtherNumber,
    /// The check cannot do without exploring.
    Unfit(Unfit),
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
    let questions = Questions::of(formula);
    let facts = questions.facts(semantics.model());
    let Some(labelled) = Labelled::new(semantics, formula, &questions, &facts, labelling.as_ref())? else {
        return Ok(ProofByLabels { labelling: Labelling::default() });
    };
    if !labelled.is_true_initially() {
        return Err(Unlabelled::NotTrue);
    }
    Ok(ProofByLabels { labelling: labelling.unwrap_or_else(|| labelled.labelling()) })
}

/// Checks that labels and runs show that a formula is violated. Without a claim the check finds the labels alone.
pub fn refute<'s>(
    semantics: &'s Semantics<'s>,
    formula: &Formula,
    labelling: Option<&Labelling>,
    witness: &Witness,
) -> Result<Shown<'s>, Refuted> {
    let questions = Questions::of(formula);
    let facts = questions.facts(semantics.model());
    let labelled = Labelled::new(semantics, formula, &questions, &facts, labelling).map_err(Refuted::Labels)?;
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
) -> Result<Shown<'s>, Refuted> {
    let list = branchings(formula);
    let influence = Influence::of(semantics.model(), formula);
    let run = replay(semantics, &witness.trace, witness.trace.loop_start, &influence)?;
    let mut parts = Vec::new();
    for part in &witness.parts {
        let of: &Branching = list.get(part.formula as usize).ok_or(Refuted::OtherSpec)?;
        let Operator::Known(knowledge, group) = &of.operator else { return Err(Refuted::OtherSpec) };
        // All reachable states are possible, as a scheduler can be fair after any beginning.
        let counts = of.among.as_ref().is_none_or(|assumed| assumed.is_fairness(semantics.model()));
        let [look] = &part.looks[..] else { return Err(Refuted::OtherSpec) };
        let Lookalike::Run(trace) = &look.there else { return Err(Refuted::OtherSpec) };
        let other = replay(semantics, trace, None, &influence)?;
        let here = run.states().get(part.position).ok_or(Refuted::OtherSpec)?;
        let there = other.states().last().expect("a run has a state");
        let is_alike = look.observers.iter().all(|member| {
            let mut seen = semantics.model().seen_by(*member);
            here.automaton(*member) == there.automaton(*member)
                && seen.all(|(owner, local)| here.local(owner, local) == there.local(owner, local))
        });
        let is_group = match knowledge {
            Knowledge::Distributed => look.observers == *group,
            _ => matches!(&look.observers[..], [one] if group.contains(one)),
        };
        let at_end = other.steps().len();
        let nothing = |_: &Branching, _: usize| Truth::Unknown;
        let explanation = other.explain_given(&of.body, at_end, false, &nothing);
        let Some(explanation) = explanation.filter(|_| counts && is_alike && is_group && of.body.is_about_state())
        else {
            return Err(Refuted::OtherSpec);
        };
        let is_here = here == there;
        let again = replay(semantics, trace, None, &influence)?;
        let shown = Shown { run: again, from: at_end, explanation, parts: Vec::new() };
        let looks = vec![(look.observers.clone(), Some(other))];
        parts.push(ShownPart { position: part.position, formula: of.clone(), looks, shown, is_here });
    }
    let states = run.states();
    let given = |branching: &Branching, position: usize| {
        // Where a state recurs, so does what is known in it.
        let is_shown = |part: &ShownPart| part.formula == *branching && states[part.position] == states[position];
        if parts.iter().any(is_shown) { Truth::False } else { Truth::Unknown }
    };
    match run.explain_given(formula, 0, false, &given) {
        Some(explanation) => Ok(Shown { explanation, from: 0, parts, run }),
        None => Err(Refuted::NotFalse(run.evaluation_given(formula, &given).at(0))),
    }
}

/// The formulas that are asked about.
struct Questions<'f> {
    formula: &'f Formula,
    parts: Vec<Formula>,
    list: Vec<&'f Branching>,
    /// Per branching formula: of a path quantifier what all runs satisfy, or none does.
    of_runs: Vec<Option<Formula>>,
    /// Per branching formula: of knowledge what is false on the runs that it is about.
    impossible: Vec<Option<Formula>>,
}

impl<'f> Questions<'f> {
    fn of(formula: &'f Formula) -> Questions<'f> {
        let list = branchings(formula);
        let of_runs = |it: &&Branching| {
            let body = it.body.clone();
            let claim = match it.operator {
                Operator::All => body,
                Operator::Some => Formula::Not(Box::new(body)),
                Operator::Known(..) | Operator::Strategy(_) => return None,
            };
            let assumed = it.among.clone().map(Box::new);
            Some(assumed.map_or(claim.clone(), |assumed| Formula::Implies(assumed, Box::new(claim))))
        };
        let impossible = |it: &&Branching| {
            let assumed = it.among.clone().filter(|_| matches!(it.operator, Operator::Known(..)))?;
            Some(Formula::Not(Box::new(assumed)))
        };
        Questions {
            formula,
            parts: formula.conjuncts(),
            of_runs: list.iter().map(of_runs).collect(),
            impossible: list.iter().map(impossible).collect(),
            list,
        }
    }

    fn facts(&self, model: &Model) -> Facts<'_> {
        let mut facts = Facts::default();
        add_facts(&mut facts, model, self.formula);
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
        formula: &Formula,
        questions: &'a Questions<'a>,
        facts: &'a Facts<'a>,
        claimed: Option<&Labelling>,
    ) -> Result<Option<Labelled<'a>>, Unlabelled> {
        if formula.is_strategic() {
            return Err(Unlabelled::Strategies);
        }
        let influence = Influence::of(semantics.model(), formula);
        let Some(graph) = Explored::all(semantics, &influence, facts)? else { return Ok(None) };
        let index = questions.list.iter().copied().zip(0..).collect();
        let model = semantics.model();
        let mut labelled = Labelled { model, questions, facts, graph, index, labels: Vec::new() };
        for number in 0..questions.list.len() {
            let label = labelled.label(number);
            labelled.labels.push(label);
        }
        if let Some(claimed) = claimed {
            labelled.compare(claimed)?;
        }
        Ok(Some(labelled))
    }

    fn labelling(&self) -> Labelling {
        let states = 0..self.graph.len() as u32;
        let numbers = |label: &Vec<bool>| states.clone().filter(|state| label[*state as usize]).collect();
        Labelling {
            local_states: self.graph.local_states(),
            states: states.clone().map(|state| self.graph.row(state)).collect(),
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
                other[*number as usize] = true;
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
        let mut bad: Vec<bool> =
            states.iter().map(|state| possible[*state as usize] && !self.holds(&branching.body, *state)).collect();
        let seen_in = |bad: &[bool], view: &[InstanceId]| -> FxHashSet<Seen> {
            states.iter().filter(|state| bad[**state as usize]).map(|state| self.graph.seen(*state, view)).collect()
        };
        let mut spreads = *knowledge == Knowledge::Common;
        while spreads {
            spreads = false;
            for view in &views {
                let seen = seen_in(&bad, view);
                for state in states.iter().filter(|state| possible[**state as usize]) {
                    if !bad[*state as usize] && seen.contains(&self.graph.seen(*state, view)) {
                        bad[*state as usize] = true;
                        spreads = true;
                    }
                }
            }
        }
        let seen: Vec<FxHashSet<Seen>> = views.iter().map(|view| seen_in(&bad, view)).collect();
        let knows =
            |state: &u32| views.iter().zip(&seen).all(|(view, seen)| !seen.contains(&self.graph.seen(*state, view)));
        states.iter().map(knows).collect()
    }

    fn falsified(&self, question: &Formula, starts: &[u32]) -> Falsified {
        let label = |formula: &Formula, state: u32| match formula {
            Formula::Branching(branching) => self.labels[self.index[&**branching]][state as usize],
            _ => unreachable!("it is no branching formula"),
        };
        falsified(self.model, &self.graph, self.facts, question, starts, &label)
    }

    /// Whether a state formula is true in a state.
    fn holds(&self, formula: &Formula, state: u32) -> bool {
        let both = |left, right| (self.holds(left, state), self.holds(right, state));
        match formula {
            Formula::Atom(expr) => {
                let bit = self.facts.number(Fact::State(expr)).expect("it was added");
                self.graph.facts(state)[bit / 64] >> (bit % 64) & 1 == 1
            }
            Formula::Branching(branching) => self.labels[self.index[&**branching]][state as usize],
            Formula::Not(inner) => !self.holds(inner, state),
            Formula::And(list) => list.iter().all(|part| self.holds(part, state)),
            Formula::Or(list) => list.iter().any(|part| self.holds(part, state)),
            Formula::Implies(left, right) => matches!(both(left, right), (false, _) | (_, true)),
            Formula::Iff(left, right) => matches!(both(left, right), (true, true) | (false, false)),
            other => unreachable!("{other:?} is about runs"),
        }
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
    type Reached = u32;

    fn find(&mut self, state: &State) -> Option<u32> {
        self.graph.find(state)
    }

    fn label(&self, branching: &Branching, state: &u32) -> Option<bool> {
        Some(self.labels[*self.index.get(branching)?][*state as usize])
    }

    fn are_alike(&self, one: &u32, other: &u32, observers: &[InstanceId]) -> bool {
        self.graph.seen(*one, observers) == self.graph.seen(*other, observers)
    }
}
