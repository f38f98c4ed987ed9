//! Knowledge in models of any size: conditions on what a knower sees that imply what is known
//! ([`crate::check::branching::conditions`]), learnt from examples.
//!
//! For each piece of knowledge there are states in which it is known to be true, and states in which it is known to be false,
//! as a look-alike state refutes it. The condition is a decision tree that separates them. If it implies too much, the
//! counterexample is a new negative example; if the spec with conditions in place of knowledge is violated, each state
//! of the run is looked at, whether a state that looks like it refutes the knowledge: then the spec is violated, or there is
//! a new positive example.

use super::answer::Answer;
use super::examples::{literals, separate};
use super::{Engine, Limits, Subject};
use crate::check::Verdict;
use crate::check::branching::conditions::{knowledge, questions};
use crate::claim::Evidence;
use crate::claim::branching::{Lookalike, LooksAlike, Witness, WitnessPart, branchings};
use crate::limits::Reason;
use crate::model::branching::{Branching, Knowledge, Operator};
use crate::model::eval::{Influence, Run, Semantics, State, Trace, Truth};
use crate::model::formula::StateLeaf;
use crate::model::{Expr, Formula, InstanceId, Model};
use crate::ts::atoms::state_predicate;
use crate::ts::readback::{state_expr, without_conditionals};
use tracing::{info, info_span};

/// The number of conditions that are tried.
const ROUNDS: usize = 64;

/// The examples learnt about one piece of knowledge.
struct Learnt {
    known: Branching,
    /// True if the body speaks of no other knowledge, so that a state refutes it for good.
    is_plain: bool,
    positive: Vec<State>,
    negative: Vec<(State, Trace)>,
}

impl Subject<'_> {
    /// Decides a spec by conditions on what knowers see, if it is of that kind.
    pub(super) fn by_conditions(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Answer<'_> {
        let _logged = info_span!("conditions").entered();
        limits.answered(|| self.learn_conditions(spec, engines, limits).unwrap_or_else(Answer::unknown))
    }

    fn learn_conditions(&self, spec: usize, engines: &[Engine], limits: &Limits) -> Result<Answer<'_>, Reason> {
        let model = self.model();
        let list = knowledge(&model.specs[spec].formula).map_err(gave_up)?;
        let learnt = |known: Branching| {
            let is_plain = !known.body.is_branching();
            Learnt { known, is_plain, positive: Vec::new(), negative: Vec::new() }
        };
        let mut learnt: Vec<Learnt> = list.into_iter().map(learnt).collect();
        for round in 0..ROUNDS {
            let learn = |it: &Learnt| it.condition(self.semantics()).and_then(|condition| self.folded(&condition));
            let conditions: Option<Vec<Expr<StateLeaf>>> = learnt.iter().map(learn).collect();
            let conditions = conditions.ok_or_else(|| gave_up("no condition on what is seen tells what is known"))?;
            let shown: Vec<String> = conditions.iter().map(|condition| model.show_state_expr(condition)).collect();
            info!("round {round}: {}", shown.join("; "));
            let asked = questions(model, spec, &conditions).map_err(gave_up)?;
            match self.ask(&asked, &mut learnt, engines, limits)? {
                ConditionsOutcome::Proved(parts, used) => {
                    return Ok(self.judged(spec, Evidence::Conditions { conditions, parts }, &used, limits));
                }
                ConditionsOutcome::Learnt => {}
                ConditionsOutcome::Run(trace, used) => {
                    if let Some(witness) = self.examine(spec, &trace, &mut learnt, engines, limits)? {
                        return Ok(self.judged(spec, Evidence::LookAlike(Box::new(witness)), &used, limits));
                    }
                }
            }
        }
        Err(gave_up("no condition on what is seen was found that tells what is known"))
    }

    /// True if the conditions imply what they should, and the spec holds with them.
    fn ask(
        &self,
        asked: &Model,
        learnt: &mut [Learnt],
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<ConditionsOutcome, Reason> {
        let subject = self.derived(asked);
        let (mut parts, mut used) = (Vec::new(), Vec::new());
        // First what the conditions imply.
        for index in (1..asked.specs.len()).chain([0]) {
            let outcome = subject.prove(index, engines, &limits.quiet()).map_err(gave_up)?;
            let new: Vec<Engine> = outcome.engines.into_iter().filter(|engine| !used.contains(engine)).collect();
            used.extend(new);
            match outcome.verdict {
                Verdict::Holds(proof) => parts.push(proof.evidence()),
                Verdict::Unknown { reason, .. } => return Err(reason),
                Verdict::NoCounterexample { .. } => return Err(Reason::Interrupted),
                Verdict::Violated(counterexample) if index == 0 => {
                    return Ok(ConditionsOutcome::Run(counterexample.run().trace(), used));
                }
                Verdict::Violated(counterexample) => {
                    let claim = asked.specs[index].formula.always(true).expect("it is `G ..`");
                    learnt[index - 1].negative.push(refuting(counterexample.run(), claim));
                    return Ok(ConditionsOutcome::Learnt);
                }
            }
        }
        // In the order of the questions.
        parts.rotate_right(1);
        Ok(ConditionsOutcome::Proved(parts, used))
    }

    /// A condition as it comes back from a certificate.
    pub(super) fn folded(&self, condition: &Expr<StateLeaf>) -> Option<Expr<StateLeaf>> {
        let mut system = self.base.clone();
        let term = state_predicate(self.model(), &mut system, condition);
        let mut terms = system.terms().clone();
        let term = without_conditionals(&mut terms, term)?;
        state_expr(&system, &terms, term)
    }

    pub(super) fn derived<'m>(&self, model: &'m Model) -> Subject<'m> {
        self.with_specs_of(model).without_shortening()
    }

    /// The witness of a violation, if a run on which the spec with conditions is false shows it; else learns which knowledge there is in
    /// its states.
    fn examine(
        &self,
        spec: usize,
        trace: &Trace,
        learnt: &mut [Learnt],
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Option<Witness>, Reason> {
        let formula = &self.model().specs[spec].formula;
        let semantics = self.semantics();
        let influence = Influence::of(self.model(), formula);
        let replayed = |Trace { initial, choices, .. }: &Trace, loop_start| {
            let initial = semantics.state_from(initial).expect("it was replayed");
            Run::replay(semantics, initial, choices, loop_start, &influence)
        };
        // A loop that forgets what a knower sees is none for it.
        let run = replayed(trace, trace.loop_start).or_else(|_| replayed(trace, None));
        let run = run.map_err(|_| gave_up("a run could not be followed"))?;
        let mut is_new = false;
        for position in 0..run.states().len() {
            let state = &run.states()[position];
            for item in learnt.iter_mut().filter(|item| item.is_plain) {
                let observers = item.known.operator.group();
                let alike = |other: &State| self.model().look_alike(state, other, observers);
                let is_known = item.positive.iter().any(alike) || item.negative.iter().any(|(other, _)| alike(other));
                if is_known
                    || semantics.holds_in(state, &item.known.body) == Some(false) && {
                        item.negative.push((state.clone(), beginning(&run, position)));
                        is_new = true;
                        true
                    }
                {
                    continue;
                }
                match self.refuted(item, state, engines, limits)? {
                    Some(found) => item.negative.push(found),
                    None => item.positive.push(state.clone()),
                }
                is_new = true;
            }
            // The first state that shows it is enough.
            let so_far = replayed(&beginning(&run, position), None);
            let so_far = so_far.ok().and_then(|so_far| self.violation(formula, &so_far, learnt));
            if let Some(witness) = so_far.or_else(|| self.violation(formula, &run, learnt)) {
                return Ok(Some(witness));
            }
        }
        if is_new { Ok(None) } else { Err(gave_up(self.undecided(learnt))) }
    }

    /// Why a run on which the spec with conditions is false teaches nothing.
    fn undecided(&self, learnt: &[Learnt]) -> &'static str {
        let is_among_fair = |item: &Learnt| {
            let assumed = item.known.among.as_ref();
            assumed.is_none_or(|assumed| assumed.is_fairness(self.model()))
        };
        if !learnt.iter().all(|item| item.is_plain) {
            "what is known about other knowledge is not decided"
        } else if !learnt.iter().all(is_among_fair) {
            "which states count under assumptions other than fairness, all reachable states decide"
        } else {
            "whether what is refuted on a run makes the spec false is not decided"
        }
    }

    /// A reachable state that looks like one to a knower, and in which what is to be known is false.
    fn refuted(
        &self,
        item: &Learnt,
        state: &State,
        engines: &[Engine],
        limits: &Limits,
    ) -> Result<Option<(State, Trace)>, Reason> {
        let view = self.model().as_seen(item.known.operator.group(), state);
        let claim = Formula::Atom(view).implies(item.known.body.clone());
        let asked = self.model().with_specs(vec![claim.clone().globally().into()]);
        let subject = self.derived(&asked);
        let outcome = subject.prove(0, engines, &limits.quiet());
        match outcome.map_err(gave_up)?.verdict {
            Verdict::Holds(_) => Ok(None),
            Verdict::Violated(counterexample) => Ok(Some(refuting(counterexample.run(), &claim))),
            Verdict::Unknown { reason, .. } => Err(reason),
            Verdict::NoCounterexample { .. } => Err(Reason::Interrupted),
        }
    }

    /// The witness of a run on which the spec is false because of what is refuted so far.
    fn violation(&self, formula: &Formula, run: &Run, learnt: &[Learnt]) -> Option<Witness> {
        let states = run.states();
        let look = |branching: &Branching, state: &State| {
            let (knowledge, group) = match &branching.operator {
                Operator::Known(knowledge, group) => (*knowledge, group),
                _ => return None,
            };
            let views: Vec<Vec<InstanceId>> = match knowledge {
                Knowledge::Distributed => vec![group.clone()],
                _ => group.iter().map(|member| vec![*member]).collect(),
            };
            let counts = branching.among.as_ref().is_none_or(|assumed| assumed.is_fairness(self.model()));
            let all = learnt.iter().filter(|item| item.is_plain && counts && item.known.body == branching.body);
            let mut refuting = all.flat_map(|item| &item.negative).flat_map(|(other, trace)| {
                let alike = views.iter().find(|view| self.model().look_alike(state, other, view));
                alike.map(|view| (view.clone(), trace))
            });
            refuting.next()
        };
        let given = |branching: &Branching, position: usize| match look(branching, &states[position]) {
            Some(_) => Truth::False,
            None => Truth::Unknown,
        };
        let explanation = run.explain_given(formula, 0, false, &given)?;
        let list = branchings(formula);
        let part = |(position, branching, _): &(usize, Branching, bool)| {
            let (observers, trace) = look(branching, &states[*position])?;
            let formula = list.iter().position(|other| *other == branching)? as u32;
            let looks = vec![LooksAlike { observers, there: Lookalike::Run(trace.clone()) }];
            let witness = Witness { from: trace.choices.len(), trace: trace.clone(), parts: Vec::new() };
            Some(WitnessPart { position: *position, formula, looks, witness })
        };
        // The explanation names a few of many alternatives only; on a lasso others may be needed.
        let named = explanation.branching;
        let given = |branching: &Branching, position: usize| {
            let is_named = named.iter().any(|(place, other, _)| *place == position && other == branching);
            if is_named { Truth::False } else { Truth::Unknown }
        };
        let is_enough = run.loop_start().is_none() && run.explain_given(formula, 0, false, &given).is_some();
        let more = (0..states.len()).flat_map(|position| {
            let of_formula = list.iter().map(move |branching| (position, (*branching).clone(), false));
            of_formula.filter(|(position, branching, _)| look(branching, &states[*position]).is_some())
        });
        let decisive = if is_enough { named } else { more.collect() };
        let parts = decisive.iter().filter_map(part).collect();
        Some(Witness { trace: run.trace(), from: 0, parts })
    }
}

/// The outcome of the questions about some conditions.
enum ConditionsOutcome {
    Proved(Vec<Evidence>, Vec<Engine>),
    /// A run on which the spec with conditions is false.
    Run(Trace, Vec<Engine>),
    /// A condition implies too much.
    Learnt,
}

/// Why it is not known.
fn gave_up(why: impl ToString) -> Reason {
    Reason::Engine(why.to_string())
}

/// The first state of a run in which a claim about states is false, with the way there.
fn refuting(run: &Run, claim: &Formula) -> (State, Trace) {
    let states = run.states();
    let is_false = |position: &usize| run.semantics().holds_in(&states[*position], claim) == Some(false);
    let position = (0..states.len()).find(is_false).expect("the claim is false on the run");
    (states[position].clone(), beginning(run, position))
}

/// A run up to a position.
fn beginning(run: &Run, position: usize) -> Trace {
    let Trace { initial, mut choices, .. } = run.trace();
    choices.truncate(position);
    Trace { initial, choices, loop_start: None }
}

impl Learnt {
    /// A condition that is true of the positive examples and false of the negative ones; nothing if there is none.
    fn condition(&self, semantics: &Semantics) -> Option<Expr<StateLeaf>> {
        let group = self.known.operator.group();
        if let (Formula::Atom(expr), true) = (&self.known.body, self.is_plain)
            && !expr.any_leaf(|leaf| !semantics.model().is_seen_by(group, *leaf))
        {
            // An agent that sees it knows it.
            return Some(expr.clone());
        }
        let negative: Vec<&State> = self.negative.iter().map(|(state, _)| state).collect();
        let positive: Vec<&State> = self.positive.iter().collect();
        let literals = literals(semantics, group, positive.iter().chain(&negative).copied());
        separate(semantics, &literals, &positive, &negative)
    }
}
