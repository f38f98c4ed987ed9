//! Uniform strategies: one is proposed, its outcome is proved as a model like others, and a
//! counterexample excludes all strategies that it is a run of (`docs/strategies.md`).

use super::answer::{Answer, InternalError};
use super::examples::{literals, separate};
use super::{Engine, Limits, Subject};
use crate::check::strategies::{LARGEST, is_one_of, question, reckoned_with, takes_are_chosen};
use crate::check::{Counterexample, Ending, Verdict};
use crate::claim::strategies::{CanClaim, Failure, NoStrategy, PieceClaim, PieceEvidence, Shows, StrategiesClaim};
use crate::claim::{Evidence, Trace};
use crate::limits::{Reason, tick};
use crate::model::branching::{Branching, Information, Operator};
use crate::model::eval::{self, Choice, Exploration, Influence, SeenMessage, State};
use crate::model::formula::StateLeaf;
use crate::model::scheme::TypeRefusal;
use crate::model::starting::StateParts;
use crate::model::strategy::{Beginning, Decision, Refusal, Strategy};
use crate::model::{EdgeId, Expr, Formula, InstanceId};
use crate::smt::proposals::Proposals;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use tracing::{info, info_span};

/// How often a loop is followed until its state recurs with all that members see.
const TURNS: usize = 64;

/// The most refused decisions of a strategy of which is tried which ones it needs.
const FEW: usize = 24;

impl Subject<'_> {
    /// Decides a spec that says at its beginning what groups can bring about.
    pub(super) fn by_strategies(
        &self,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Answer<'_>, InternalError> {
        let _logged = info_span!("strategies").entered();
        let provers = Provers { engines, limits: &limits.quiet(), used: RefCell::default() };
        match self.strategies(spec, &provers) {
            Ok(claim) => {
                let used = provers.used.into_inner();
                Ok(self.judged(spec, Evidence::Strategies(Box::new(claim)), &used, limits))
            }
            Err(GaveUp::Because(reason)) => Ok(Answer::unknown(reason)),
            Err(GaveUp::Broken(error)) => Err(error),
        }
    }

    /// Of a spec that asks for one strategy, one that is the same for all agents of each type: for instances of other sizes.
    pub(super) fn table_for_all(
        &self,
        spec: usize,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Vec<TypeRefusal>, Reason> {
        let model = self.model();
        let provers = Provers { engines, limits: &limits.quiet(), used: RefCell::default() };
        let beginnings = model.specs[spec].formula.beginnings();
        // In some sizes the spec may be true for other reasons.
        let [beginning] = &beginnings[..] else { return Ok(Vec::new()) };
        let none = || Reason::Engine("no strategy was found that is the same for all agents of a type".to_owned());
        match Search::new(self, beginning, &[]).among_alike().run(&provers) {
            Ok(CanClaim::Can(strategy, _)) => model.table(&strategy).ok_or_else(none),
            Ok(CanClaim::Cannot(_)) => Err(none()),
            Err(GaveUp::Because(reason)) => Err(reason),
            Err(GaveUp::Broken(error)) => Err(Reason::Engine(error.to_string())),
        }
    }

    fn strategies(&self, spec: usize, provers: &Provers) -> Result<StrategiesClaim, GaveUp> {
        let model = self.model();
        let formula = &model.specs[spec].formula;
        let beginnings = formula.beginnings();
        let mut pieces = Vec::new();
        let mut known = Vec::new();
        for branching in formula.pieces(model) {
            let asked = branching.with_known(&known);
            let piece = match branching.operator {
                Operator::Strategy(Information::Own, _) => self.views(&asked, provers)?,
                _ => self.equivalent(&asked, provers)?,
            };
            let shown = model.show_formula(&Formula::Branching(Box::new(asked)));
            info!("{shown} where {}", model.show_state_expr(&piece.condition));
            known.push((branching, piece.condition.clone()));
            pieces.push(piece);
        }
        let mut answers = Vec::new();
        for beginning in &beginnings {
            answers.push(Search::new(self, beginning, &known).run(provers)?);
        }
        let truths: Vec<bool> = answers.iter().map(|answer| matches!(answer, CanClaim::Can(..))).collect();
        let rest = formula.with_beginnings(&truths).with_known(&known);
        let rest = model.with_specs(vec![rest.into()]);
        let subject = self.derived(&rest);
        let rest = match provers.decide(&subject, 0)? {
            Decided::Holds(evidence) => evidence,
            Decided::Violated(counterexample) => counterexample
                .evidence()
                .ok_or_else(|| gave_up("why the rest of the spec is violated is too complex"))?,
        };
        Ok(StrategiesClaim { pieces, answers, rest })
    }

    /// A condition that is true in the reachable states in which a branching formula is, and the evidence for it.
    fn equivalent(&self, asked: &Branching, provers: &Provers) -> Result<PieceClaim, GaveUp> {
        let (semantics, model) = (self.semantics(), self.model());
        let all: Vec<InstanceId> = model.instance_ids().collect();
        // Those in which it is false, and those in which it is true.
        let mut examples: [Vec<State>; 2] = Default::default();
        loop {
            tick();
            let condition = self.told_apart(&all, &examples)?;
            let question = question(model, asked, &condition);
            let subject = self.derived(&question);
            let counterexample = match provers.decide(&subject, 0)? {
                Decided::Holds(evidence) => {
                    return Ok(PieceClaim { condition, evidence: PieceEvidence::Equivalent(evidence) });
                }
                Decided::Violated(counterexample) => counterexample,
            };
            let state = counterexample.run().states().last().expect("a run has states").clone();
            let truth = semantics.holds_in(&state, &Formula::Atom(condition)) == Some(false);
            if examples.iter().any(|known| known.contains(&state)) {
                return Err(gave_up("no condition on states was found that tells where a formula inside is true"));
            }
            examples[usize::from(truth)].push(state);
        }
    }

    /// A condition that is true in the second ones of these states, and false in the first ones.
    fn told_apart(&self, group: &[InstanceId], [no, yes]: &[Vec<State>; 2]) -> Result<Expr<StateLeaf>, GaveUp> {
        let (no, yes): (Vec<&State>, Vec<&State>) = (no.iter().collect(), yes.iter().collect());
        let condition = if yes.is_empty() {
            Some(Expr::FALSE)
        } else {
            let literals = literals(self.semantics(), group, yes.iter().chain(&no).copied());
            separate(self.semantics(), &literals, &yes, &no)
        };
        let condition = condition.and_then(|condition| self.folded(&condition));
        condition.ok_or_else(|| gave_up("no condition on states tells where a formula inside is true"))
    }

    /// Where `can(g, f)` is true, in whichever reachable state it is asked.
    fn views(&self, can: &Branching, provers: &Provers) -> Result<PieceClaim, GaveUp> {
        let (semantics, model) = (self.semantics(), self.model());
        let explored = semantics.explore(eval::explore::Limits { depth: usize::MAX, states: LARGEST });
        let explored = explored.ok().filter(Exploration::complete).ok_or_else(|| {
            gave_up(
                "`can` in other places than the beginning of a spec needs all reachable states, and these are too many",
            )
        })?;
        let states = explored.states();
        let mut known: FxHashMap<Vec<usize>, bool> = FxHashMap::default();
        let (mut views, mut examples) = (Vec::new(), <[Vec<State>; 2]>::default());
        for (number, state) in states.iter().enumerate() {
            tick();
            let reckoned = reckoned_with(model, can.operator.group(), states, number);
            let truth = match known.get(&reckoned) {
                Some(truth) => *truth,
                None => {
                    let parts: Vec<StateParts> = reckoned.iter().map(|state| states[*state].parts(model)).collect();
                    let starting = model.starting(&parts);
                    let subject = self.alike(&starting).without_shortening();
                    let beginning = model.from_here(can);
                    let claim = Search::new(&subject, &beginning, &[]).run(provers)?;
                    let truth = matches!(claim, CanClaim::Can(..));
                    views.push((parts, claim));
                    known.insert(reckoned, truth);
                    truth
                }
            };
            examples[usize::from(truth)].push(state.clone());
        }
        let all: Vec<InstanceId> = model.instance_ids().collect();
        let condition = self.told_apart(&all, &examples)?;
        Ok(PieceClaim { condition, evidence: PieceEvidence::Views(views) })
    }
}

/// Why it is not decided.
enum GaveUp {
    Because(Reason),
    Broken(InternalError),
}

fn gave_up(why: impl ToString) -> GaveUp {
    GaveUp::Because(Reason::Engine(why.to_string()))
}

/// The engines that answer questions on the way, and which of them did.
struct Provers<'a> {
    engines: &'a [Engine],
    limits: &'a Limits<'a>,
    used: RefCell<Vec<Engine>>,
}

/// The answer to a question.
enum Decided<'s> {
    Holds(Evidence),
    Violated(Box<Counterexample<'s>>),
}

impl Provers<'_> {
    fn decide<'s>(&self, subject: &'s Subject, spec: usize) -> Result<Decided<'s>, GaveUp> {
        let outcome = subject.prove(spec, self.engines, self.limits).map_err(GaveUp::Broken)?;
        let mut used = self.used.borrow_mut();
        let new: Vec<Engine> = outcome.engines.into_iter().filter(|engine| !used.contains(engine)).collect();
        used.extend(new);
        match outcome.verdict {
            Verdict::Holds(proof) => Ok(Decided::Holds(proof.evidence())),
            Verdict::Violated(counterexample) => Ok(Decided::Violated(counterexample)),
            Verdict::Unknown { reason, .. } => Err(GaveUp::Because(reason)),
            Verdict::NoCounterexample { .. } => Err(GaveUp::Because(Reason::Interrupted)),
        }
    }
}

/// The outcome of a trial.
enum Tried {
    Does(CanClaim),
    Fails(Learnt),
}

/// A run on which a strategy fails.
struct Learnt {
    /// The strategies that do not fail like this satisfy it.
    clause: Vec<i32>,
    failure: Failure,
}

/// The search for a strategy.
struct Search<'a, 'm> {
    subject: &'a Subject<'m>,
    beginning: &'a Beginning,
    known: &'a [(Branching, Expr<StateLeaf>)],
    proposals: Proposals,
    numbers: FxHashMap<Decision, i32>,
    decisions: Vec<Decision>,
    /// Per decision a state in which it is made.
    states: Vec<State>,
    /// Decisions of how messages are taken that no guard can refuse.
    unsaid: Vec<i32>,
    /// The clauses that say by which commands messages are taken.
    taken: FxHashSet<Vec<i32>>,
    failures: Vec<Failure>,
    /// True if members of one type decide alike.
    is_alike: bool,
}

impl<'a, 'm> Search<'a, 'm> {
    fn new(
        subject: &'a Subject<'m>,
        beginning: &'a Beginning,
        known: &'a [(Branching, Expr<StateLeaf>)],
    ) -> Search<'a, 'm> {
        Search {
            subject,
            beginning,
            known,
            proposals: Proposals::default(),
            numbers: FxHashMap::default(),
            decisions: Vec::new(),
            states: Vec::new(),
            unsaid: Vec::new(),
            taken: FxHashSet::default(),
            failures: Vec::new(),
            is_alike: false,
        }
    }

    /// The same among strategies by which members of one type decide alike.
    fn among_alike(self) -> Search<'a, 'm> {
        Search { is_alike: true, ..self }
    }

    fn run(&mut self, provers: &Provers) -> Result<CanClaim, GaveUp> {
        let model = self.subject.model();
        if let Some(assumed) = model.restricting(&self.beginning.can) {
            if model.all_along(assumed).is_none() {
                return Err(gave_up("which strategies count under assumptions of this kind is not decided"));
            }
            let possible = Branching::possible(assumed);
            if !self.known.iter().any(|(known, _)| *known == possible) {
                return Err(gave_up("which strategies count is decided at the beginning of a spec only"));
            }
        }
        let is_about_protocols = self.beginning.can.is_about_protocols();
        if self.beginning.given.iter().any(Formula::asks_what_is_possible) {
            return Err(gave_up("the initial states that count depend on which steps are possible there"));
        }
        loop {
            tick();
            let count = self.decisions.len() as i32;
            let mut next = self.proposals.next(count, &self.unsaid);
            // Without a strategy at all it does not matter which ones guards can say.
            if matches!(next, Err(true)) && self.proposals.next(count, &[]).is_err() {
                next = Err(false);
            }
            let refused = match next {
                Ok(refused) => refused,
                Err(true) => {
                    return Err(gave_up(
                        "members would choose how they take messages by what some of these do not have",
                    ));
                }
                Err(false) if self.is_alike => {
                    return Err(gave_up("no strategy is the same for all agents of a type"));
                }
                Err(false) => {
                    info!("no strategy after {} runs", self.failures.len());
                    let (decisions, failures) =
                        (std::mem::take(&mut self.decisions), std::mem::take(&mut self.failures));
                    return Ok(CanClaim::Cannot(NoStrategy {
                        decisions,
                        failures,
                        learnt: self.proposals.refutation(),
                    }));
                }
            };
            let refused: Vec<u32> = refused.into_iter().map(|variable| variable as u32 - 1).collect();
            let tried = match is_about_protocols {
                true => self.tried_protocols(&refused, provers)?,
                false => self.tried(&refused, provers)?,
            };
            match tried {
                Tried::Does(claim) if is_about_protocols => return Ok(claim),
                Tried::Does(claim) => {
                    info!("a strategy after {} runs refuses {} decisions", self.failures.len(), refused.len());
                    return self.with_less(refused, claim, provers);
                }
                Tried::Fails(learnt) => self.add(learnt),
            }
        }
    }

    /// A strategy that refuses some decisions, and others like them: whether it does what is asked for.
    fn tried(&mut self, refused: &[u32], provers: &Provers) -> Result<Tried, GaveUp> {
        let model = self.subject.model();
        let strategy = self.strategy(refused);
        is_one_of(model, self.beginning, &strategy).map_err(gave_up)?;
        let outcome = model.outcome(self.beginning, self.known, &strategy);
        let subject = self.subject.alike(&outcome).without_shortening();
        let mut proofs = Vec::new();
        for spec in 0..outcome.specs.len() {
            match provers.decide(&subject, spec)? {
                Decided::Holds(evidence) => proofs.push(evidence),
                Decided::Violated(counterexample) if spec == 0 => {
                    return self.learnt(&strategy, &counterexample).map(Tried::Fails);
                }
                Decided::Violated(counterexample) => {
                    return self.learnt_stuck(refused, &counterexample, provers).map(Tried::Fails);
                }
            }
        }
        takes_are_chosen(subject.semantics(), self.beginning)
            .map_err(|_| gave_up("how messages are taken matters here, and one way is not chosen for each"))?;
        Ok(Tried::Does(CanClaim::Can(strategy, proofs)))
    }

    /// Deterministic protocols, as far as states are reachable with them: whether the model with them satisfies the spec.
    fn tried_protocols(&mut self, refused: &[u32], provers: &Provers) -> Result<Tried, GaveUp> {
        let model = self.subject.model();
        let (chosen, left) = self.protocols(refused)?;
        let strategy = Strategy::refusing(left.iter().map(|number| &self.decisions[*number as usize]));
        if let Some(of_runs) = model.outcome_of_runs(self.beginning, self.known, &strategy) {
            let subject = self.subject.alike(&of_runs).without_shortening();
            match provers.decide(&subject, 0) {
                Ok(Decided::Violated(counterexample)) => {
                    let (states, trace) = self.recurring(&counterexample)?;
                    let clause = self.clause(&states, &trace.choices);
                    let failure = Failure { refused: Vec::new(), shows: Shows::Run(trace) };
                    return Ok(Tried::Fails(Learnt { clause, failure }));
                }
                Ok(Decided::Holds(_)) | Err(GaveUp::Because(_)) => {}
                Err(broken) => return Err(broken),
            }
        }
        let outcome = model.outcome(self.beginning, self.known, &strategy);
        let subject = self.subject.alike(&outcome).without_shortening();
        match provers.decide(&subject, 0)? {
            Decided::Holds(evidence) => Ok(Tried::Does(CanClaim::Can(strategy, vec![evidence]))),
            Decided::Violated(counterexample) => {
                let evidence = counterexample.evidence();
                let evidence = evidence.ok_or_else(|| gave_up("why some protocols fail is too complex"))?;
                let clause = chosen.into_iter().map(|number| -(number as i32 + 1)).collect();
                let failure = Failure { refused: left, shows: Shows::Whole(evidence) };
                Ok(Tried::Fails(Learnt { clause, failure }))
            }
        }
    }

    /// The decisions for one action of each member wherever it can see something in a reachable state: the first one that is not
    /// refused; and those against all others there.
    fn protocols(&mut self, refused: &[u32]) -> Result<(Vec<u32>, Vec<u32>), GaveUp> {
        let (semantics, group) = (self.subject.semantics(), self.beginning.group());
        let refused: FxHashSet<u32> = refused.iter().copied().collect();
        let (mut chosen, mut left) = (FxHashSet::default(), FxHashSet::default());
        let initial = semantics.initial_states().map_err(gave_up)?;
        let mut open: Vec<State> = initial;
        let mut known: FxHashSet<State> = open.iter().cloned().collect();
        while let Some(state) = open.pop() {
            tick();
            let mut actions: Vec<(InstanceId, EdgeId)> = Vec::new();
            for member in group {
                let ways = semantics.alternatives(&state, &Choice::Stutter, *member);
                let numbers = self.ways(&state, *member, &ways);
                let is_offered = |number: &u32| !refused.contains(number);
                let Some(number) = numbers.iter().copied().find(is_offered).or(numbers.first().copied()) else {
                    continue;
                };
                chosen.insert(number);
                left.extend(numbers.iter().copied().filter(|other| *other != number));
                actions.push((*member, self.decisions[number as usize].edge));
            }
            for target in semantics.targets_with(&state, &actions) {
                if known.insert(target.clone()) {
                    open.push(target);
                }
            }
            if known.len() > LARGEST {
                return Err(gave_up("uniform strategies need all reachable states, and these are too many"));
            }
        }
        let sorted = |set: FxHashSet<u32>| {
            let mut list: Vec<u32> = set.into_iter().collect();
            list.sort_unstable();
            list
        };
        Ok((sorted(chosen), sorted(left)))
    }

    /// The decisions for the actions that are possible for an agent in a state, one of which it takes.
    fn ways(&mut self, state: &State, member: InstanceId, ways: &[EdgeId]) -> Vec<u32> {
        let semantics = self.subject.semantics();
        let number = |search: &mut Self, edge: &EdgeId| {
            let decision = semantics.decision(state, (member, *edge), Some(SeenMessage::default()));
            search.number(decision, state)
        };
        let clause: Vec<i32> = ways.iter().map(|edge| number(self, edge)).collect();
        if !clause.is_empty() && self.taken.insert(clause.clone()) {
            self.proposals.add(&clause);
        }
        clause.into_iter().map(|number| number as u32 - 1).collect()
    }

    /// A strategy that refuses less, if there are few decisions: those that it does not need.
    fn with_less(&mut self, mut refused: Vec<u32>, mut claim: CanClaim, provers: &Provers) -> Result<CanClaim, GaveUp> {
        if refused.len() > FEW {
            return Ok(claim);
        }
        for number in refused.clone() {
            let less: Vec<u32> = refused.iter().copied().filter(|other| *other != number).collect();
            match self.tried(&less, provers) {
                Ok(Tried::Does(better)) => (refused, claim) = (less, better),
                Ok(Tried::Fails(_)) | Err(GaveUp::Because(_)) => {}
                Err(broken) => return Err(broken),
            }
        }
        Ok(claim)
    }

    /// The strategy that refuses these decisions and offers the others that are known. In local states of which nothing is known it
    /// decides as in similar ones, unless it may depend on that if it counts.
    fn strategy(&self, refused: &[u32]) -> Strategy {
        let strategy = self.strategy_of_firsts(refused);
        if !self.is_alike {
            return strategy;
        }
        let mut all = Strategy::default();
        for &member in self.beginning.group() {
            let first = self.first_alike(member);
            let refusals = strategy.refusals.iter().filter(|refusal| refusal.member == first);
            all.refusals.extend(refusals.map(|refusal| refusal.of(member)));
            let takes = strategy.takes.iter().filter(|take| take.member == first);
            all.takes.extend(takes.map(|take| Decision { member, ..take.clone() }));
        }
        all
    }

    /// The first member of the group that has the type of one.
    fn first_alike(&self, member: InstanceId) -> InstanceId {
        let of_type = |other: &InstanceId| self.subject.model().instances[other.index()].agent;
        let agent = of_type(&member);
        self.beginning.group().iter().copied().find(|other| of_type(other) == agent).unwrap_or(member)
    }

    fn strategy_of_firsts(&self, refused: &[u32]) -> Strategy {
        let is_refused: FxHashSet<u32> = refused.iter().copied().collect();
        let exact = Strategy::refusing(refused.iter().map(|number| &self.decisions[*number as usize]));
        if self.subject.model().restricting(&self.beginning.can).is_some() {
            return exact;
        }
        let similar = |refusal: &Refusal| {
            let of_command = (0..).zip(&self.decisions).filter(|(_, decision)| {
                (decision.member, decision.edge) == (refusal.member, refusal.edge) && decision.message.is_none()
            });
            let (yes, no): (Vec<u32>, Vec<u32>) =
                of_command.map(|(number, _)| number).partition(|number| is_refused.contains(number));
            let states = |list: Vec<u32>| list.into_iter().map(|number| self.states[number as usize].clone()).collect();
            self.subject.told_apart(&[refusal.member], &[states(no), states(yes)]).ok()
        };
        let refusals = exact.refusals.into_iter().map(|refusal| match similar(&refusal) {
            Some(when) => Refusal { when, ..refusal },
            None => refusal,
        });
        Strategy { refusals: refusals.collect(), takes: exact.takes }
    }

    /// A run of the outcome of a strategy, and the clause of all strategies of which it is none.
    fn learnt(&mut self, strategy: &Strategy, counterexample: &Counterexample) -> Result<Learnt, GaveUp> {
        let (states, trace) = self.recurring(counterexample)?;
        let mut clause = self.clause(&states, &trace.choices);
        if counterexample.run().semantics().model().specs[0].formula.asks_what_is_possible() {
            for state in &states {
                for step in self.subject.semantics().steps(state) {
                    for decision in self.needed(state, &step.choice) {
                        let is_refused = self.subject.semantics().refuses(strategy, state, &decision);
                        let number = self.number(decision, state);
                        clause.push(if is_refused { number } else { -number });
                    }
                }
            }
        }
        let refused = clause.iter().filter(|literal| **literal > 0).map(|literal| *literal as u32 - 1);
        let mut refused: Vec<u32> = refused.collect();
        refused.sort_unstable();
        refused.dedup();
        Ok(Learnt { clause, failure: Failure { refused, shows: Shows::Run(trace) } })
    }

    /// The beginning of a run by which a strategy does not count.
    fn learnt_stuck(
        &mut self,
        refused: &[u32],
        counterexample: &Counterexample,
        provers: &Provers,
    ) -> Result<Learnt, GaveUp> {
        let (run, model) = (counterexample.run(), self.subject.model());
        let mut trace = Trace { loop_start: None, ..run.trace() };
        trace.choices.retain(|choice| *choice != Choice::Stutter);
        let states = &run.states()[..=trace.choices.len()];
        let last = states.last().expect("a run has states");
        let assumed = model.restricting(&self.beginning.can).expect("strategies may not count");
        if !model.takes_steps(assumed) {
            return Err(gave_up("which strategies count under assumptions of this kind is not decided"));
        }
        let question = model.stuck(run.semantics().model(), last, assumed);
        let subject = self.subject.alike(&question).without_shortening();
        let Decided::Holds(evidence) = provers.decide(&subject, 0)? else {
            return Err(gave_up("why a strategy does not count was not found"));
        };
        let mut clause = self.clause(states, &trace.choices);
        clause.extend(refused.iter().map(|number| *number as i32 + 1));
        let failure = Failure { refused: refused.to_vec(), shows: Shows::Stuck(trace, evidence) };
        Ok(Learnt { clause, failure })
    }

    /// Excludes all strategies of which this is a run.
    fn add(&mut self, Learnt { mut clause, failure }: Learnt) {
        clause.sort_unstable();
        clause.dedup();
        self.proposals.add(&clause);
        self.failures.push(failure);
    }

    /// That decisions are made otherwise than on a run of an outcome.
    fn clause(&mut self, states: &[State], choices: &[Choice]) -> Vec<i32> {
        let semantics = self.subject.semantics();
        let mut clause = Vec::new();
        for (state, choice) in states.iter().zip(choices) {
            if *choice != Choice::Stutter {
                for decision in self.needed(state, choice) {
                    clause.push(-self.number(decision, state));
                }
                continue;
            }
            for step in semantics.steps(state) {
                let begins = semantics.decided(self.beginning.group(), state, &step.choice);
                let begins = begins.into_iter().find(|decision| decision.message.is_none());
                clause.extend(begins.map(|begins| self.number(begins, state)));
            }
        }
        clause
    }

    /// The decisions for a step, of which it is told by which commands messages can be taken.
    fn needed(&mut self, state: &State, choice: &Choice) -> Vec<Decision> {
        let semantics = self.subject.semantics();
        let decisions = semantics.decided(self.beginning.group(), state, choice);
        for take in decisions.iter().filter(|decision| decision.message.is_some()) {
            let others = semantics.alternatives(state, choice, take.member).into_iter();
            let clause: Vec<i32> = others.map(|edge| self.number(Decision { edge, ..take.clone() }, state)).collect();
            if self.taken.insert(clause.clone()) {
                self.proposals.add(&clause);
            }
        }
        decisions
    }

    fn number(&mut self, decision: Decision, state: &State) -> i32 {
        if self.is_alike
            && let first = self.first_alike(decision.member)
            && first != decision.member
        {
            let mut parts = state.parts(self.subject.model());
            parts[first.index()] = parts[decision.member.index()].clone();
            let state = self.subject.semantics().state_from(&parts).expect("both are of one type");
            return self.number(Decision { member: first, ..decision }, &state);
        }
        if let Some(number) = self.numbers.get(&decision) {
            return *number;
        }
        let number = self.decisions.len() as i32 + 1;
        if decision.message.is_some() && self.subject.model().joint.is_none() {
            let alone = Strategy::refusing([&decision]);
            let can_be_said = is_one_of(self.subject.model(), self.beginning, &alone).is_ok();
            self.unsaid.extend((!can_be_said).then_some(number));
        }
        self.decisions.push(decision.clone());
        self.states.push(state.clone());
        self.numbers.insert(decision, number);
        number
    }

    /// The states of a run, and the run, which is followed until its loop comes back to the same decisions.
    fn recurring(&self, counterexample: &Counterexample) -> Result<(Vec<State>, Trace), GaveUp> {
        let (run, model) = (counterexample.run(), self.subject.model());
        let (mut states, mut trace) = (run.states().to_vec(), run.trace());
        let start = match counterexample.ending() {
            Ending::Prefix => return Ok((states, Trace { loop_start: None, ..trace })),
            Ending::Lasso(start) => start,
            Ending::Recurrent(_) => return Err(gave_up("there are infinitely many decisions on a run")),
        };
        let formula = &run.semantics().model().specs[0].formula;
        let influence = Influence::of_group(model, formula, self.beginning.group());
        let round = trace.choices[start..].to_vec();
        let mut ends = vec![(start, states[start].clone())];
        for _ in 0..TURNS {
            let last = states.last().expect("a run has states").clone();
            if let Some((begin, _)) = ends.iter().find(|(_, state)| influence.agree(model, state, &last)) {
                return Ok((states, Trace { loop_start: Some(*begin), ..trace }));
            }
            ends.push((states.len() - 1, last));
            for choice in &round {
                let last = states.last().expect("a run has states");
                let step = run.semantics().apply(last, choice).map_err(|_| gave_up("a loop could not be followed"))?;
                states.push(step.target);
                trace.choices.push(choice.clone());
            }
        }
        Err(gave_up("there are infinitely many decisions on a run"))
    }
}
