//! Specs with path quantifiers and knowledge, on all reachable states: branching formulas become labels of states, those
//! inside of others first.
//!
//! `E(f)` is true where a run begins that makes f true: where the product of graph and automaton has an accepting run
//! (Emerson, Lei, Modalities for model checking, SCP 1987). Knowledge is about classes of states: those with the same local
//! state of an agent, of all agents of a group, or those that chains of such states connect (Fagin, Halpern, Moses, Vardi,
//! Reasoning about Knowledge, 1995).
//!
//! Of conjuncts that symmetries make of each other one is looked at. States are looked at up to those symmetries of the model that
//! leave all else in these conjuncts as it is: a renaming h makes each knower himself, each group itself, and changes
//! no truth value of what is said of one moment ([`Symmetries::leaving`]). Then each subformula f has the same truth in a state s
//! and in h(s), by induction: h maps runs from s to runs from h(s) on which the same is true at each position; and t looks like s
//! to i iff h(t) looks like h(s) to h(i), as h renames local states one to one, so that K(h(i), f) says of h(s) what K(i, f) says of s.
//! So one state of each orbit, and steps to the representatives of where they lead, have runs with the same truth values as all
//! states. [`knowledge`] says which of them look alike.
//!
//! Deliberately absent: assumptions of fairness that symmetries exchange. Where they are not fixed, all states are looked at.

mod games;
mod graph;
mod knowledge;
mod runs;
mod witness;

use super::Config;
use super::automaton::Automaton;
use super::symmetry::Symmetries;
use crate::claim::branching::{BranchingClaim, FairStates, GameEvidence, Image, Labelling, branchings};
use crate::claim::explicit::{ClosedSet, Incomplete};
use crate::claim::symmetry::Renaming;
use crate::limits::{self, Limits};
use crate::model::branching::{Branching, Information, Objective, Operator, recurring};
use crate::model::eval::tables::{Fact, Facts};
use crate::model::eval::{Influence, Semantics};
use crate::model::formula::Strength;
use crate::model::{Formula, InstanceId, Model};
use crate::records::bits;
use games::Game;
use graph::Graph;
use knowledge::{Sights, known};
use runs::Runs;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::sync::Arc;

/// Decides whether a formula is true on all runs, if there are few reachable states.
pub fn run(semantics: &Semantics, formula: &Formula, config: Config) -> BranchingClaim {
    run_all(semantics, &[formula], config).remove(0).expect("the first one is decided in any case")
}

/// As [`run`] for several formulas, on the states of the first one: nothing is said of those that are about other variables or
/// have other symmetries. They get at most a third of the time together, after the first one.
pub fn run_all(semantics: &Semantics, formulas: &[&Formula], config: Config) -> Vec<Option<BranchingClaim>> {
    let states = Cell::new(0);
    let claims = Limits::of(config.budget, config.stop).within(|| explored(semantics, formulas, &config, &states));
    claims.map_err(Incomplete::from).and_then(|claims| claims).unwrap_or_else(|reason| {
        let mut none: Vec<Option<BranchingClaim>> = formulas.iter().map(|_| None).collect();
        none[0] = Some(BranchingClaim::Unknown { reason, states: states.get() });
        none
    })
}

/// The questions that decide one formula.
struct Questions<'f> {
    /// The conjuncts that are no images.
    parts: Vec<Formula>,
    images: Vec<Image>,
    /// All branching formulas.
    list: Vec<&'f Branching>,
    /// Per branching formula, whether it occurs in the conjuncts that are no images.
    asked: Vec<bool>,
    /// Per branching formula.
    of_runs: Vec<Option<Formula>>,
}

impl<'f> Questions<'f> {
    fn new(symmetries: &Symmetries, formula: &'f Formula) -> Questions<'f> {
        let all = formula.parts();
        let images = symmetries.images(&all).into_iter().zip(0..);
        let image = |(image, conjunct): (Option<(usize, Renaming)>, u32)| {
            let (of, by) = image?;
            Some(Image { conjunct, of: of as u32, by })
        };
        let images: Vec<Image> = images.filter_map(image).collect();
        let is_image = |conjunct: u32| images.iter().any(|image| image.conjunct == conjunct);
        let parts = all.into_iter().zip(0..).filter(|(_, it)| !is_image(*it));
        let parts: Vec<Formula> = parts.map(|(part, _)| part).collect();
        let list = branchings(formula);
        let within: FxHashSet<&Branching> = parts.iter().flat_map(branchings).collect();
        let asked = list.iter().map(|branching| within.contains(branching)).collect();
        let of_runs =
            list.iter().map(|branching| branching.question().filter(|_| within.contains(branching))).collect();
        drop(within);
        Questions { parts, images, list, asked, of_runs }
    }

    /// The symmetries that leave them as they are, for states with these variables.
    fn generators(&self, symmetries: &Symmetries, influence: &Influence) -> Vec<Renaming> {
        symmetries.leaving(&self.parts.iter().collect::<Vec<_>>(), influence)
    }

    fn add<'a>(&'a self, automata: &mut Automata<'a>, facts: &mut Facts<'a>) {
        let all = self.parts.iter().chain(self.of_runs.iter().flatten());
        all.for_each(|question| automata.add(question, facts));
        for (branching, asked) in self.list.iter().zip(&self.asked) {
            match &branching.operator {
                Operator::Known(..) if *asked => add_state_facts(&branching.body, facts),
                Operator::Strategy(..) if *asked => {
                    branching.among.iter().chain([&branching.body]).for_each(|part| add_state_facts(part, facts));
                }
                _ => {}
            }
        }
    }
}

fn explored(
    semantics: &Semantics,
    formulas: &[&Formula],
    config: &Config,
    found: &Cell<usize>,
) -> Result<Vec<Option<BranchingClaim>>, Incomplete> {
    let (model, begin, left) = (semantics.model(), limits::now(), config.budget.left());
    if !branchings(formulas[0]).into_iter().all(|it| is_decided(model, it)) {
        return Err(Incomplete::Strategies);
    }
    let symmetries = match config.symmetry && !model.sees_others() {
        true => Symmetries::of(model),
        false => Symmetries::none(model),
    };
    let influence = Influence::of(model, formulas[0]);
    let first = Questions::new(&symmetries, formulas[0]);
    let generators = first.generators(&symmetries, &influence);
    let shares = |formula: &&Formula| {
        branchings(formula).into_iter().all(|it| is_decided(model, it)) && Influence::of(model, formula) == influence
    };
    let others = formulas[1..].iter().map(|formula| {
        let questions = Some(formula).filter(|it| shares(it)).map(|formula| Questions::new(&symmetries, formula));
        questions.filter(|questions| questions.generators(&symmetries, &influence) == generators)
    });
    let others: Vec<Option<Questions>> = others.collect();
    let mut facts = Facts::default();
    let mut automata = Automata { model, known: FxHashMap::default() };
    [&first].into_iter().chain(others.iter().flatten()).for_each(|it| it.add(&mut automata, &mut facts));
    let Some(graph) = Graph::explore(semantics, &influence, &facts, generators, config, found)? else {
        let holds = || Some(BranchingClaim::Holds(Labelling::default()));
        return Ok([holds()].into_iter().chain(others.iter().map(|it| it.as_ref().and_then(|_| holds()))).collect());
    };
    let rows: Arc<Vec<Vec<u32>>> = Arc::new((0..graph.len() as u32).map(|state| graph.row(state)).collect());
    let decided = |questions| Judge::new(semantics, &graph, &facts, &automata, questions, config).claim(&rows);
    let mut claims = vec![Some(decided(&first)?)];
    let mut kept = graph.bytes();
    for questions in &others {
        let is_late = left.is_some_and(|left| limits::now() - begin >= left / 3);
        let claim = questions.as_ref().filter(|_| !is_late && kept <= config.memory).and_then(|it| decided(it).ok());
        if let Some(BranchingClaim::Holds(labelling) | BranchingClaim::Violated(labelling, _)) = &claim {
            let sets = labelling.formulas.iter().flatten().chain(&labelling.conjuncts);
            kept += sets.map(|set| set.members.bytes()).sum::<usize>();
        }
        claims.push(claim);
    }
    Ok(claims)
}

/// True unless it is about strategies of other kinds than [`games`] decides.
fn is_decided(model: &Model, branching: &Branching) -> bool {
    let is_joint = model.joint.is_some();
    match &branching.operator {
        Operator::Strategy(Information::Own | Information::Protocols, _) => false,
        Operator::Strategy(Information::Full, _) => {
            let is_fair = branching.among.as_ref().is_none_or(|among| is_joint && recurring(among).is_some());
            is_fair && Objective::of(&branching.body).is_some()
        }
        Operator::All | Operator::Some | Operator::Known(..) => true,
    }
}

/// The atoms of a state formula.
fn add_state_facts<'f>(formula: &'f Formula, facts: &mut Facts<'f>) {
    formula.for_each_part(&mut |part| {
        if let Formula::Atom(expr) = part {
            facts.add(Fact::State(expr));
        }
        !matches!(part, Formula::Branching(_))
    });
}

/// The automata of the negations of formulas.
struct Automata<'f> {
    model: &'f Model,
    known: FxHashMap<&'f Formula, Automaton>,
}

impl<'f> Automata<'f> {
    fn add(&mut self, formula: &'f Formula, facts: &mut Facts<'f>) {
        let model = self.model;
        self.known.entry(formula).or_insert_with(|| Automaton::of_negation(model, formula, facts));
    }
}

/// Labels one graph.
struct Judge<'a> {
    semantics: &'a Semantics<'a>,
    graph: &'a Graph<'a, 'a>,
    facts: &'a Facts<'a>,
    questions: &'a Questions<'a>,
    automata: &'a Automata<'a>,
    /// Per branching formula the number of the fact that it is, if it is read as one.
    bits: Vec<Option<usize>>,
    /// Per branching formula in which states it is true.
    labels: Vec<Vec<bool>>,
    /// Per branching formula the evidence about its runs, if it is about runs.
    evidence: Vec<Option<ClosedSet>>,
    /// Per branching formula the evidence about strategies, if that takes any.
    games: Vec<Option<GameEvidence>>,
    /// Per branching formula that is about knowledge which states are possible at all, unless all are.
    possible: Vec<Option<Vec<bool>>>,
    config: &'a Config<'a>,
}

impl<'a> Judge<'a> {
    fn new(
        semantics: &'a Semantics<'a>,
        graph: &'a Graph<'a, 'a>,
        facts: &'a Facts<'a>,
        automata: &'a Automata<'a>,
        questions: &'a Questions<'a>,
        config: &'a Config<'a>,
    ) -> Judge<'a> {
        let count = questions.list.len();
        let bits = questions.list.iter().map(|branching| facts.number(Fact::Branching(branching))).collect();
        let (labels, evidence, games, possible) = (Vec::new(), vec![None; count], vec![None; count], vec![None; count]);
        Judge { semantics, graph, facts, questions, automata, bits, labels, evidence, games, possible, config }
    }

    /// The claim about the formula.
    fn claim(mut self, rows: &Arc<Vec<Vec<u32>>>) -> Result<BranchingClaim, Incomplete> {
        self.label()?;
        let (graph, questions) = (self.graph, self.questions);
        let mut conjuncts = Vec::new();
        for part in &questions.parts {
            let mut runs = self.runs(part, graph.initial())?;
            if graph.initial().any(|state| runs.some(state)) {
                let witness = self.violation(part, &mut runs)?;
                return Ok(BranchingClaim::Violated(self.labelling(rows, Vec::new()), Box::new(witness)));
            }
            conjuncts.push(runs.evidence(self.facts.list()));
        }
        Ok(BranchingClaim::Holds(self.labelling(rows, conjuncts)))
    }

    fn label(&mut self) -> Result<(), Incomplete> {
        let questions = self.questions;
        for index in 0..questions.list.len() {
            let branching = questions.list[index];
            if !questions.asked[index] {
                self.labels.push(Vec::new());
                continue;
            }
            let states = 0..self.graph.len() as u32;
            let label = match (&branching.operator, &questions.of_runs[index]) {
                (Operator::Known(knowledge, group), no_such_run) => {
                    let possible = match no_such_run {
                        Some(no_such_run) => {
                            let runs = self.runs(no_such_run, self.graph.initial())?;
                            self.evidence[index] = Some(runs.evidence(self.facts.list()));
                            Some(runs.states_on_runs())
                        }
                        None => None,
                    };
                    let is_possible = |state: u32| possible.as_ref().is_none_or(|known| known[state as usize]);
                    let bad: Vec<bool> =
                        states.map(|state| is_possible(state) && !self.holds(&branching.body, state)).collect();
                    let sights = Sights::new(self.graph, *knowledge, group, self.config)?;
                    let label = known(&sights, *knowledge, &bad, &is_possible);
                    self.possible[index] = possible;
                    label
                }
                (Operator::Strategy(_, group), _) => {
                    let (label, evidence) = self.game(group, branching);
                    self.games[index] = Some(evidence).filter(|it| *it != GameEvidence::default());
                    label
                }
                (operator, Some(question)) => {
                    let runs = self.runs(question, states.clone())?;
                    self.evidence[index] = Some(runs.evidence(self.facts.list()));
                    states.map(|state| runs.some(state) == operator.witnessed()).collect()
                }
                (_, None) => unreachable!("it is about runs"),
            };
            self.labels.push(label);
        }
        Ok(())
    }

    /// In which states a group can bring something about, and why.
    fn game(&self, group: &[InstanceId], branching: &Branching) -> (Vec<bool>, GameEvidence) {
        let game = Game::new(self.graph, group);
        let truths = |formula: &Formula| self.truths(formula);
        let objective = Objective::of(&branching.body).expect("games decide it");
        if let Some(among) = &branching.among {
            let conditions = recurring(among).expect("games decide it").into_iter().map(truths).collect();
            return self.fair_game(&game, conditions, &objective);
        }
        match objective {
            Objective::Next(inner) => (game.next(&truths(&inner)), GameEvidence::default()),
            Objective::Until(strength, stays, goal) => {
                let ranks = game.until(strength, &truths(&stays), &truths(&goal));
                let by_group = strength == Strength::Strong;
                let label = ranks.iter().map(|rank| rank.is_some() == by_group).collect();
                (label, GameEvidence { ranks, fair: Vec::new() })
            }
        }
    }

    /// The same under fairness, as MCMAS understands it: states without fair runs are left out, and so are unfair runs, but not of
    /// `f W g`.
    fn fair_game(&self, game: &Game, conditions: Vec<Vec<bool>>, objective: &Objective) -> (Vec<bool>, GameEvidence) {
        let truths = |formula: &Formula| self.truths(formula);
        let inside = |fair: &FairStates| fair.inside.iter().map(Option::is_some).collect::<Vec<bool>>();
        let both = |one: &[bool], other: &[bool], of: fn(bool, bool) -> bool| {
            one.iter().zip(other).map(|(one, other)| of(*one, *other)).collect::<Vec<bool>>()
        };
        let without_group = Game::new(self.graph, &[]);
        let all = without_group.fair(&without_group.acts(), &conditions);
        let possible = inside(&all);
        let mut evidence = GameEvidence { ranks: Vec::new(), fair: vec![all] };
        // Where others can enforce fair runs through some states.
        let mut enforced = |stays: &[bool]| {
            let fair = game.fair(&both(&possible, stays, |one, other| one && other), &conditions);
            let inside = inside(&fair);
            evidence.fair.push(fair);
            inside
        };
        let label = match objective {
            Objective::Next(inner) => {
                let fair = enforced(&possible);
                game.next(&both(&truths(inner), &fair, |good, fair| good || !fair))
            }
            Objective::Until(strength, stays, goal) => {
                let (stays, goal) = (truths(stays), truths(goal));
                let is_strong = *strength == Strength::Strong;
                let (kept, unanswered) = match is_strong {
                    true => {
                        let fair = enforced(&possible);
                        let ends = both(&stays, &goal, |stays, goal| stays || goal);
                        let never: Vec<bool> = goal.iter().map(|goal| !goal).collect();
                        (both(&ends, &fair, |ends, fair| ends || !fair), enforced(&never))
                    }
                    false => (stays, vec![false; possible.len()]),
                };
                let goal = both(&goal, &possible, |goal, possible| goal || !possible);
                evidence.ranks = game.until(Strength::Weak, &kept, &goal);
                let is_kept: Vec<bool> = evidence.ranks.iter().map(Option::is_none).collect();
                both(&is_kept, &unanswered, |kept, unanswered| kept && !unanswered)
            }
        };
        (label, evidence)
    }

    /// The runs from some states that make a formula false.
    fn runs(&self, formula: &Formula, states: std::ops::Range<u32>) -> Result<Runs<'a>, Incomplete> {
        Runs::new(self.graph, self.facts, &self.automata.known[formula], &self.known_labels(), states, self.config)
    }

    /// The facts that are labels, as far as these are known.
    fn known_labels(&self) -> Vec<(usize, &[bool])> {
        self.bits.iter().zip(&self.labels).filter_map(|(bit, label)| Some(((*bit)?, &label[..]))).collect()
    }

    /// Per state, true if a state formula is true there.
    fn truths(&self, formula: &Formula) -> Vec<bool> {
        (0..self.graph.len() as u32).map(|state| self.holds(formula, state)).collect()
    }

    /// True if a state formula is true in a state.
    fn holds(&self, formula: &Formula, state: u32) -> bool {
        let mut part = |part: &Formula| {
            if let Formula::Branching(branching) = part {
                let index = self.number(branching).expect("it is one of them");
                return Some(self.labels[index][state as usize]);
            }
            let Formula::Atom(expr) = part else { return None };
            let bit = self.facts.number(Fact::State(expr)).expect("it was added");
            Some(bits::get(self.graph.facts(state), bit))
        };
        formula.combined(&mut part).expect("it is a state formula")
    }

    /// The number of a branching formula.
    fn number(&self, branching: &Branching) -> Option<usize> {
        self.questions.list.iter().position(|other| *other == branching)
    }

    fn labelling(self, rows: &Arc<Vec<Vec<u32>>>, conjuncts: Vec<ClosedSet>) -> Labelling {
        Labelling {
            local_states: self.graph.local_states(),
            generators: self.graph.generators().to_vec(),
            states: rows.clone(),
            formulas: self.evidence,
            games: if self.games.iter().any(Option::is_some) { self.games } else { Vec::new() },
            conjuncts,
            images: self.questions.images.clone(),
        }
    }
}
